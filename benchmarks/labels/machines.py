"""Our models on rows in memory: the compiled loop over events, with so many predictions waiting all the time."""

from typing import Any

import numpy as np

from belated.core.arrays import Integers
from belated.core.compiling import compiled
from belated.models.features import Sparse
from belated.models.machine import NOT_FINITE, Machine, new_machine
from belated.models.many_events import play_events
from belated.models.model import Model
from belated.models.pending import FULL, WAITING, enlarged
from benchmarks.labels.rows import BITS, LENGTH, Rows

NUMBERS = ("number", "block", "size", "margins", "words")
"""The arrays of what waits that grow with it; ``reals`` is the memory of ``words``, and ``heads`` has a fixed size."""


class Player:
    """A model that plays rows in turn: row i is predicted, then row i - ``waiting`` is learned.

    The first rows, as many as wait, are predicted beforehand. Then each call of :meth:`play` takes the next rows, from
    the first one again after the last.
    """

    def __init__(self, model: Model, rows: Rows, waiting: int) -> None:
        number, width = rows.slots.shape
        assert model.features == Sparse(1 << BITS)  # noqa: S101  # rows and tables must agree
        assert waiting < number  # noqa: S101  # a row cannot wait twice
        intercept = np.full((number, 1), 1 << BITS, dtype=np.uint32)
        self._slots = np.concatenate([rows.slots, intercept], axis=1).ravel()
        self._starts = np.arange(number + 1) * (width + 1)
        self._values, self._labels = np.empty(0), rows.labels
        self._entries = np.zeros(number, dtype=np.int64)
        self.predictions = np.zeros(number)
        self._model, self._number, self._waiting, self._next, self._made = model, number, waiting, 0, 0
        self.machine: Machine = new_machine(model.step, model.features)
        self._code: Any = None
        self._run(np.arange(waiting))
        self._next = waiting

    def play(self, count: int) -> None:
        """Predict so many rows, and learn as many."""
        asked = np.arange(self._next, self._next + count)
        events = np.empty(2 * count, dtype=np.int64)
        events[0::2], events[1::2] = asked % self._number, -1 - (asked - self._waiting) % self._number
        self._next += count
        self._run(events)

    def _run(self, events: Integers) -> None:
        done = np.array([0, self._made])
        while True:
            call = (
                *(self._model.step, self._model.link, self.machine, self._model.slopes == "arrival"),
                *(self._starts, self._slots, self._values, events, self._labels, self._entries, done),
                self.predictions,
            )
            self._code = self._code or compiled(play_events, *call)
            ended = self._code(*call)
            if ended != FULL:
                break
            pending = enlarged(self.machine.pending, LENGTH // 4 + 1)
            self.machine = self.machine._replace(pending=pending)
        assert ended != NOT_FINITE  # noqa: S101  # rows and rates are moderate
        self._made = int(done[1])

    def bytes_waiting(self) -> float:
        """Bytes of all arrays of what waits, by how many wait."""
        pending = self.machine.pending
        total = sum(getattr(pending, name).nbytes for name in NUMBERS)
        return float(total / int(pending.counts[WAITING]))
