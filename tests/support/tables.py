"""Tables for tests: cut into chunks of any sizes, and counting the chunks that are alive."""

import itertools
import weakref
from collections.abc import Iterator, Sequence

import numpy as np

from belated.core.arrays import Matrix
from belated.domains import Domain
from belated.losses import Loss
from belated.sim.hindsight import Best, begin_search


class Torn:
    """Rows in chunks of the given sizes, over and over. All chunks are views of one array that is written anew."""

    def __init__(self, rows: Matrix, sizes: Sequence[int]) -> None:
        self._rows, self._sizes = rows, sizes

    def chunks(self, rounds: int) -> Iterator[Matrix]:
        room = np.empty((max(self._sizes), self._rows.shape[1]))
        begin = 0
        for size in itertools.cycle(self._sizes):
            if begin == rounds:
                break
            size = min(size, rounds - begin)
            room[:size] = self._rows[begin : begin + size]
            yield room[:size]
            room[:] = np.nan
            begin += size


class Watched:
    """Rows that are made anew for every reading; ``most`` is how many chunks have ever been alive at once."""

    def __init__(self, loss: Loss, size: int) -> None:
        self._loss, self._size = loss, size
        self._alive: list[weakref.ref] = []
        self.most = self.readings = 0

    def chunks(self, rounds: int) -> Iterator[Matrix]:
        rng = np.random.default_rng(5)
        self.readings += 1
        for begin in range(0, rounds, self._size):
            chunk = self._loss.example_rows(rng, min(self._size, rounds - begin))
            self._alive = [ref for ref in self._alive if ref() is not None] + [weakref.ref(chunk)]
            self.most = max(self.most, len(self._alive))
            yield chunk


def streamed(loss: Loss, rows: Matrix, domain: Domain, prefixes: Sequence[int], sizes: Sequence[int]) -> list[Best]:
    """The bests of a search that sees the rows in chunks of these sizes only."""
    search = begin_search("test", loss, domain, prefixes)
    table = Torn(rows, sizes)
    for chunk in table.chunks(len(rows)):
        search.take(chunk)
    return search.bests(table)
