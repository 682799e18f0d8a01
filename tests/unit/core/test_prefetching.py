"""Fetching memory ahead: an instruction where the compiler can write it, and nothing where it cannot."""

import numpy as np
import pytest

from belated.core import numba_door, prefetching
from belated.core.compiling import compiled
from support.compiler import needs_compiler

NAMES = [
    ("numba.extending", "intrinsic"),
    ("numba.core.types", "void"),
    ("numba.core.types", "int64"),
    ("numba.core.cgutils", "get_or_insert_function"),
]


def without(monkeypatch, *hidden):
    found = numba_door._found

    def sought(*name):
        if name == hidden:
            raise AttributeError(f"there is no {name}")
        return found(*name)

    monkeypatch.setattr(numba_door, "_found", sought)


def taught():
    """A new function that is compiled as ``prefetch`` is, and one that calls it."""

    def fetch(table, row):
        prefetching.prefetch(table, row)

    numba_door.teach(fetch, prefetching._for_compiler)

    def total(table):
        result = 0.0
        for row in range(len(table)):
            fetch(table, row + 1000)  # beyond the end, which is allowed
            result += table[row, 1]
        return result

    return total


@needs_compiler
def test_the_instruction_is_written():
    total, table = taught(), np.arange(20.0).reshape(10, 2)
    assert compiled(total, table)(table) == 100.0
    from numba import njit

    whole = njit(total)
    assert whole(table) == 100.0
    assert "llvm.prefetch" in next(iter(whole.inspect_llvm().values()))


@needs_compiler
@pytest.mark.parametrize("hidden", NAMES, ids=lambda name: name[1])
def test_without_a_name_of_numba_nothing_is_fetched_and_all_is_the_same(monkeypatch, hidden):
    without(monkeypatch, *hidden)
    total, table = taught(), np.arange(20.0).reshape(10, 2)
    assert compiled(total, table)(table) == 100.0
