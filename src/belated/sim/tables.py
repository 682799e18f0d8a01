"""Tables: rows of losses that are read in chunks, again and again.

A long run never holds all of its rows. What needs them more than once, as the search for the best fixed decision does,
is given a table and asks it for the rows anew; whether they come from memory, from a file or from a seed is the table's
affair.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix

ROWS_PER_CHUNK = 4096
"""How many rows of a table in memory make a chunk: few enough to stay close to the processor."""

SMALL = 2**25
"""Up to this many bytes, a table that is read often is worth keeping: memory is read faster than rows are drawn."""


class Table(Protocol):
    """Rows of losses, one per round, in the order of the rounds.

    They must be the same at every reading, and the first ones the same however many are asked for: certificates are
    about the rows that are read.
    """

    def chunks(self, rounds: int) -> Iterator[Matrix]:
        """The first ``rounds`` rows, in chunks of any sizes. A chunk is read before the next one is asked for."""


class Given:
    """A table that is in memory as one matrix; its chunks are parts of that."""

    def __init__(self, rows: Matrix) -> None:
        self._rows = rows

    def chunks(self, rounds: int) -> Iterator[Matrix]:
        """The first ``rounds`` rows, as parts of the matrix."""
        for begin in range(0, min(rounds, len(self._rows)), ROWS_PER_CHUNK):
            yield self._rows[begin : min(begin + ROWS_PER_CHUNK, rounds)]


class Watched:
    """A table whose readers can be stopped: ``look`` is called before each chunk, and may raise."""

    def __init__(self, table: Table, look: Callable[[], None]) -> None:
        self.table = table
        self.look = look

    def chunks(self, rounds: int) -> Iterator[Matrix]:
        """The chunks of the table that is watched."""
        for chunk in self.table.chunks(rounds):
            self.look()
            yield chunk


def reading(table: Table, rounds: int) -> Iterator[Matrix]:
    """The chunks of a table, which must be ``rounds`` rows together: a sum over others would look as good."""
    given = 0
    for chunk in table.chunks(rounds):
        given += len(chunk)
        if given > rounds:
            break
        yield chunk
    if given != rounds:
        found = given if given < rounds else "more"
        checks.refuse("chunks", "rounds", rounds, f"the table must give as many rows, gave {found}")


def at_hand(table: Table, rounds: int, row_size: int) -> Table:
    """The first ``rounds`` rows for reading often: in memory if they are few, else as they are."""
    if isinstance(table, Watched):
        return Watched(at_hand(table.table, rounds, row_size), table.look)
    if isinstance(table, Given) or rounds * row_size * 8 > SMALL:
        return table
    rows = np.empty((rounds, row_size))
    begin = 0
    for chunk in reading(table, rounds):
        rows[begin : begin + len(chunk)] = chunk
        begin += len(chunk)
    return Given(rows)
