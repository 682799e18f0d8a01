"""Stacks of states, and one state over another, as plain Python and compiled."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from belated.core.compiling import compiled
from belated.core.stacks import finite, joined, level, overwrite, stacked
from support.compiler import needs_compiler


class Inner(NamedTuple):
    matrix: Any
    wholes: Any


class Outer(NamedTuple):
    vector: Any
    inner: Inner
    nothing: Any


def state(first):
    numbers = np.arange(first, first + 6.0)
    return Outer(numbers.copy(), Inner(numbers.reshape(2, 3), np.arange(first, first + 4)), np.empty(0))


def arrays(outer):
    return [outer.vector, outer.inner.matrix, outer.inner.wholes, outer.nothing]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(arrays(one), arrays(other), strict=True))


def over(target, source):
    overwrite(target, source)


def over_a_level(stack, place, source):
    overwrite(level(stack, place), source)


def all_of_it(state):
    return finite(state)


def plain(function, *arguments):
    return function


both_ways = pytest.mark.parametrize("made", [plain, pytest.param(compiled, marks=needs_compiler)])


@both_ways
def test_one_state_over_another(made):
    target, source = state(0), state(7)
    kept = arrays(target)
    made(over, target, source)(target, source)
    assert same(target, state(7))
    assert all(a is b for a, b in zip(arrays(target), kept, strict=True)), "in place"
    target.inner.matrix[0, 0] = -1.0
    assert same(source, state(7)), "a copy"


@both_ways
def test_a_level_is_part_of_its_stack(made):
    stack = joined(stacked(state(0), 2), stacked(state(3), 1))
    made(over_a_level, stack, 1, state(7))(stack, 1, state(7))
    assert [same(level(stack, i), state(first)) for i, first in enumerate([0, 7, 3])] == [True] * 3


@both_ways
def test_a_number_out_of_range_is_found_wherever_it_is(made):
    looks = made(all_of_it, state(0))
    assert looks(state(0))
    for wrong in (np.inf, -np.inf, np.nan):
        for place in range(2):
            broken = state(0)
            arrays(broken)[place].flat[3] = wrong
            assert not looks(broken)
