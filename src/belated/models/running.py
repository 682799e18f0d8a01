"""The machine of a run, and the functions that work on it: plain Python at first, compiled when that pays.

A plain event takes some tenths of a millisecond, compiling some seconds. So a run compiles itself after a thousand
predictions, or when it is told to. That changes no bit.

Compiled code runs no Python, so Ctrl-C takes effect before or after an event and never within it. Plain Python can be
interrupted anywhere: what an event may change is therefore copied before it, and put back if it does not come to its
end, or if what it has changed is not finite. Labels whose numbers are so large that this may happen are always learned
as plain Python.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from belated.core import errors
from belated.core.arrays import Vector
from belated.core.compiling import compiled
from belated.models.machine import (
    NOT_FINITE,
    Machine,
    amend_one,
    assume_one,
    learn_one,
    lose_one,
    predict_one,
)
from belated.models.many_events import look_at
from belated.models.pending import FULL, UNIT, block_words, enlarged, give_back, room_of, row_words
from belated.models.rows import NO_VALUES, Row, RowTable
from belated.models.verbs import Step

PREDICTIONS_WORTH_COMPILING = 1000
"""Predictions after which a run compiles its arithmetic."""


def _code(function: Any, *like: Any) -> Any:
    """The machine code of a function, behind one of Python's own.

    All runs of a process share the code. Those who measure the memory of a run, as river does, follow what it refers to
    and stop at functions, so they do not take code for what was learned.
    """
    code = compiled(function, *like)
    return lambda *call: code(*call)


class Running:
    """A machine at work for one model."""

    def __init__(self, name: str, step: Step, link: Any, at_arrival: bool, assumes: bool, machine: Machine) -> None:
        self.machine, self._assumes = machine, assumes
        self._name, self._step, self._link, self._at_arrival = name, step, link, at_arrival
        self._predict: Any = None
        self._learn: Any = None
        self._assume: Any = None
        self._amend: Any = None
        self._no_values = NO_VALUES.copy()  # compiled code takes only arrays that may be written to
        self._look: Any = None
        self._free: Any = None
        self._plain_left = self._plain_looks = PREDICTIONS_WORTH_COMPILING

    @property
    def is_compiled(self) -> bool:
        """Whether events run as machine code by now."""
        return self._predict is not None

    def compile(self) -> bool:
        """Compile the arithmetic, or load it from disk; false if that is not possible."""
        slots, like = np.zeros(1, dtype=np.uint32), (self._step, self._link, self.machine)
        try:
            learn = _code(learn_one, *like, 0, 0.0, 1.0, self._at_arrival, False)
            if self._assumes:
                self._assume = _code(assume_one, *like, 0, 0.0, self._at_arrival, False)
                self._amend = _code(amend_one, *like, 0, 0.0, 0.0, 1.0, self._at_arrival, False)
                self._free = _code(give_back, self.machine.pending, 0)
            self._predict, self._learn = _code(predict_one, *like, slots, NO_VALUES.copy(), 1), learn
        except errors.CannotCompile:
            return False
        return True

    def predict(self, row: Row, number: int) -> tuple[int, float]:
        """Predict, and let the row wait; returns its entry and the prediction."""
        if self._predict is None:
            self._plain_left -= 1
            if self._plain_left <= 0 and not self.compile():
                self._plain_left = 2**62  # there is no use in trying again
        step, link = self._step, self._link
        values = row.values if row.values.size else self._no_values
        while True:
            machine = self.machine
            if self._predict is not None:
                entry = self._predict(step, link, machine, row.slots, values, number)
            else:
                start = UNIT * int(machine.pending.heads[room_of(machine.pending, row.slots.size, values.size > 0)])
                block = machine.pending.words[start : start + 1]
                entry = self._plain(predict_one, row.slots, [block], step, link, machine, row.slots, values, number)
            if entry >= 0:
                return entry, float(machine.out[-1])
            if entry == NOT_FINITE:
                raise errors.NumericalFailure(
                    f"`{self._name}.predict(...)`: the margin of these features is not finite"
                )
            assert entry == FULL  # noqa: S101  # the functions return nothing else
            room = room_of(machine.pending, row.slots.size, values.size > 0)
            self.machine = machine._replace(pending=enlarged(machine.pending, room))

    def learn(self, entry: int, label: float, weight: float) -> None:
        """Learn the label of a row that waits, and free its entry."""
        call = self._step, self._link, self.machine, entry, label, weight, self._at_arrival
        if self._learn is None or not self._learn(*call, False):
            self._with_care(learn_one, entry, *call)

    def assume(self, entry: int, label: float) -> None:
        """Learn an assumed label of a row, which goes on waiting."""
        call = self._step, self._link, self.machine, entry, label, self._at_arrival
        if self._assume is None or not self._assume(*call, False):
            self._with_care(assume_one, entry, *call)

    def has_assumed(self, entry: int) -> bool:
        """Whether an assumed label was learned of a row that waits."""
        machine = self.machine
        return self._assumes and bool(machine.pending.margins[entry, machine.before.size] != 0.0)

    def amend(self, entry: int, assumed: float, label: float, weight: float) -> None:
        """Put the label of a row in the place of the assumed one, and free its entry."""
        if label == assumed and weight == 1.0:
            self._give_back(entry)
            return
        call = self._step, self._link, self.machine, entry, assumed, label, weight, self._at_arrival
        if self._amend is None or not self._amend(*call, False):
            self._with_care(amend_one, entry, *call)

    def _with_care(self, function: Any, entry: int, *call: Any) -> None:
        """Learn or correct a label as plain Python, whatever the size of the numbers."""
        if not self._at_row(function, entry, *call, True):
            raise errors.NumericalFailure(
                f"`{self._name}.learn(...)`: the margin of the features is not finite any more"
            )

    def look(self, rows: RowTable) -> Vector:
        """The predictions for rows that do not wait; nothing is changed."""
        predictions = np.empty(rows.starts.size - 1)
        call = self._step, self._link, self.machine, rows, predictions
        self._plain_looks -= predictions.size
        if self._look is None and self._plain_looks <= 0:
            self._plain_looks = 2**62  # if it is not possible now, there is no use in trying again
            with suppress(errors.CannotCompile):
                self._look = _code(look_at, *call)
        with np.errstate(all="ignore"):
            done = (self._look or look_at)(*call)
        if done < predictions.size:
            which = f" of example {done}" if predictions.size > 1 else ""
            raise errors.NumericalFailure(
                f"`{self._name}.look(...)`: the margin of these features{which} is not finite"
            )
        return predictions

    def drop(self, entry: int) -> None:
        """Free an entry whose label will not come; what was assumed of it stays learned."""
        if self.has_assumed(entry):
            self._give_back(entry)
        else:
            self._at_row(lose_one, entry, self._step, self.machine, entry)

    def _give_back(self, entry: int) -> None:
        """Free an entry, and change nothing else; an interrupt in the middle would leave a block that is free twice."""
        if self._free is not None:
            self._free(self.machine.pending, entry)
        else:
            self._at_row(give_back, entry, self.machine.pending, entry)

    def _at_row(self, function: Any, entry: int, *call: Any) -> Any:
        """A function of a row that waits, as Python runs it."""
        pending = self.machine.pending
        changed = [block_words(pending, entry), pending.margins[entry]]
        return self._plain(function, row_words(pending, entry), changed, *call)

    def _plain(self, function: Any, slots: Any, changed: list[Any], *call: Any) -> Any:
        """The function as Python runs it; what it has changed is put back if it does not come to a finite end.

        Args:
            function: What to run.
            slots: The slots whose lanes it may change.
            changed: Further arrays that it may change: of the block that it takes, the word that chains free blocks.
            call: The arguments of the function.
        """
        machine, touched = self.machine, np.unique(slots)
        pending = machine.pending
        small: list[Any] = [machine.memory, pending.counts, pending.heads, pending.number, *changed]
        lanes, kept = machine.table[touched].copy(), [array.copy() for array in small]
        try:
            with np.errstate(all="ignore"):
                done = function(*call)
            if not (np.isfinite(machine.table[touched]).all() and np.isfinite(machine.memory).all()):
                raise errors.NumericalFailure(f"`{self._name}`: what is learned of the features would not be finite")
            return done
        except BaseException:
            machine.table[touched] = lanes
            for array, copy in zip(small, kept, strict=True):
                array[:] = copy
            raise
