"""The machine of a run, and the functions that work on it: plain Python at first, compiled when that pays.

A plain event takes some tenths of a millisecond, compiling some seconds. So a run compiles itself after a thousand
predictions, or when it is told to. That changes no bit.

Compiled code runs no Python, so Ctrl-C takes effect before or after an event and never within it. Plain Python can be
interrupted anywhere: what an event may change is therefore copied before it, and put back if it does not come to its
end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from belated.core import errors
from belated.core.compiling import compiled
from belated.models.machine import NOT_FINITE, Machine, foreseen, learn_one, predict_one
from belated.models.pending import FULL, UNIT, enlarged, give_back, row_words, units_of
from belated.models.rows import NO_VALUES, Row
from belated.models.verbs import Step

PREDICTIONS_WORTH_COMPILING = 1000
"""Predictions after which a run compiles its arithmetic."""


class Running:
    """A machine at work for one model."""

    def __init__(self, name: str, step: Step, link: Any, at_arrival: bool, machine: Machine) -> None:
        self.machine = machine
        self._name, self._step, self._link, self._at_arrival = name, step, link, at_arrival
        self._predict: Any = None
        self._learn: Any = None
        self._plain_left = PREDICTIONS_WORTH_COMPILING

    @property
    def is_compiled(self) -> bool:
        """Whether events run as machine code by now."""
        return self._predict is not None

    def compile(self) -> bool:
        """Compile the arithmetic, or load it from disk; false if that is not possible."""
        slots, like = np.zeros(1, dtype=np.uint32), (self._step, self._link, self.machine)
        try:
            learn = compiled(learn_one, *like, 0, 0.0, 1.0, self._at_arrival)
            self._predict, self._learn = compiled(predict_one, *like, slots, NO_VALUES.copy(), 1), learn
        except errors.CannotCompile:
            return False
        return True

    def predict(self, row: Row, number: int) -> tuple[int, float]:
        """Predict, and let the row wait; returns its entry and the prediction."""
        if self._predict is None:
            self._plain_left -= 1
            if self._plain_left <= 0 and not self.compile():
                self._plain_left = 2**62  # there is no use in trying again
        step, link, room = self._step, self._link, units_of(row.slots.size, row.values.size > 0)
        values = row.values if row.values.flags.writeable else NO_VALUES.copy()
        while True:
            machine = self.machine
            if self._predict is not None:
                entry = self._predict(step, link, machine, row.slots, values, number)
            else:
                block = int(machine.pending.heads[room])
                entry = self._plain(predict_one, row.slots, block, step, link, machine, row.slots, values, number)
            if entry >= 0:
                return entry, float(machine.out[-1])
            if entry == NOT_FINITE:
                raise errors.NumericalFailure(
                    f"`{self._name}.predict(...)`: the margin of these features is not finite"
                )
            assert entry == FULL  # noqa: S101  # the functions return nothing else
            self.machine = machine._replace(pending=enlarged(machine.pending, room))

    def learn(self, entry: int, label: float, weight: float) -> None:
        """Learn the label of a row that waits, and free its entry."""
        call = self._step, self._link, self.machine, entry, label, weight, self._at_arrival
        if self._learn is not None:
            done = self._learn(*call)
        else:
            pending = self.machine.pending
            done = self._plain(learn_one, row_words(pending, entry), int(pending.block[entry]), *call)
        if not done:
            raise errors.NumericalFailure(
                f"`{self._name}.learn(...)`: the margin of the features is not finite any more"
            )

    def look(self, row: Row) -> float:
        """The prediction for a row that does not wait; nothing is changed."""
        if not foreseen(self._step, self._link, self.machine, row.slots, row.values):
            raise errors.NumericalFailure(f"`{self._name}.look(...)`: the margin of these features is not finite")
        return float(self.machine.out[-1])

    def drop(self, entry: int) -> None:
        """Free an entry whose label will not come."""
        give_back(self.machine.pending, entry)

    def _plain(self, function: Any, slots: Any, block: int, *call: Any) -> Any:
        """The function as Python runs it; what it has changed is put back if it does not come to its end.

        Args:
            function: What to run.
            slots: The slots whose lanes it may change.
            block: The block of words that it takes or gives back, whose first word may change.
            call: The arguments of the function.
        """
        machine, touched = self.machine, np.unique(slots)
        pending, word = machine.pending, slice(UNIT * block, UNIT * block + 1)
        small: list[Any] = [machine.memory, pending.counts, pending.heads, pending.number, pending.words[word]]
        lanes, kept = machine.table[touched].copy(), [array.copy() for array in small]
        try:
            with np.errstate(all="ignore"):
                return function(*call)
        except BaseException:
            machine.table[touched] = lanes
            for array, copy in zip(small, kept, strict=True):
                array[:] = copy
            raise
