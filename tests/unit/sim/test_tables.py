"""Tables in memory, and what a reader demands of any table."""

from collections.abc import Iterator

import numpy as np
import pytest

from belated.core.arrays import Matrix
from belated.core.errors import InvalidArgument
from belated.sim import tables
from belated.sim.tables import ROWS_PER_CHUNK, Given, at_hand, reading
from support.tables import Torn


@pytest.mark.parametrize("rounds", [1, ROWS_PER_CHUNK - 1, ROWS_PER_CHUNK, ROWS_PER_CHUNK + 1, 2 * ROWS_PER_CHUNK + 5])
def test_chunks_are_the_first_rows_in_order_and_not_copied(rounds: int) -> None:
    rows = np.arange(2.0 * (2 * ROWS_PER_CHUNK + 5)).reshape(-1, 2)
    chunks = list(Given(rows).chunks(rounds))
    np.testing.assert_array_equal(np.concatenate(chunks), rows[:rounds])
    assert all(np.shares_memory(chunk, rows) and len(chunk) <= ROWS_PER_CHUNK for chunk in chunks)
    assert sum(map(len, reading(Given(rows), rounds))) == rounds


class Wrong:
    def __init__(self, *sizes: int) -> None:
        self._sizes = sizes

    def chunks(self, rounds: int) -> Iterator[Matrix]:
        return (np.ones((size, 1)) for size in self._sizes)


def test_a_table_with_another_number_of_rows_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"`chunks\(rounds=5\)`: the table must give as many rows, gave 4"):
        list(reading(Wrong(2, 2), 5))
    with pytest.raises(InvalidArgument, match="must give as many rows, gave more"):
        list(reading(Wrong(2, 2, 2), 5))
    assert len(list(reading(Wrong(2, 0, 3), 5))) == 3
    with pytest.raises(InvalidArgument, match="must give as many rows"):
        list(reading(Given(np.ones((3, 1))), 4))


def test_only_small_tables_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.arange(30.0).reshape(10, 3)
    given, torn = Given(rows), Torn(rows, [2, 3])
    assert at_hand(given, 10, 3) is given
    kept = at_hand(torn, 9, 3)
    assert isinstance(kept, Given)
    np.testing.assert_array_equal(np.concatenate(list(kept.chunks(9))), rows[:9])
    monkeypatch.setattr(tables, "SMALL", 9 * 3 * 8 - 1)
    assert at_hand(torn, 9, 3) is torn
