"""How predictions begin, so that an interrupt leaves each of them made or not made, and never something in between.

A prediction changes the machine, the keys, the scales of numbers and the time. The machine changes in one step. So the
key is entered before it, without an entry, and everything else is done after it. Whoever comes next after an interrupt
sees by the machine whether the prediction was made: then what is left is done now, and otherwise the key is taken out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from belated.core import errors
from belated.models.encoders import Encoded, Encoder
from belated.models.keys import Key, Keys, Open
from belated.models.pending import MADE, USED_ENTRIES
from belated.models.running import Running
from belated.models.times import Times

NO_ENTRY = -1
"""The entry of a prediction that the machine may not have made."""


class Begun(NamedTuple):
    """A prediction under way: its key, its row with the numbers that scales follow, and its moment."""

    key: Key
    encoded: Encoded
    moment: float
    at: Any


class Beginnings:
    """The parts of one run that a prediction changes."""

    def __init__(self, running: Running, keys: Keys, encoder: Encoder, times: Times) -> None:
        self._running, self._keys, self._encoder, self._times = running, keys, encoder, times
        self._begun: Begun | None = None

    @property
    def next_number(self) -> int:
        """The number of the next prediction, from 1 on."""
        return int(self._running.machine.pending.counts[MADE]) + 1

    def predict(self, begun: Begun, deadline: float, assumed_at: float) -> float:
        """Make a prediction that was checked.

        Args:
            begun: The prediction.
            deadline: Its deadline, infinite if it has none.
            assumed_at: The moment from which its label is assumed, infinite if it is not.

        Returns:
            What is predicted.

        Raises:
            NumericalFailure: The features are so large that there is no prediction; nothing has changed.
        """
        opened = Open(self.next_number, NO_ENTRY, begun.moment, deadline)
        self._begun = begun
        self._keys.enter(begun.key, opened, assumed_at)
        try:
            entry, value = self._running.predict(begun.encoded.row, opened.number)
        except errors.NumericalFailure:
            self._keys.withdraw(begun.key)
            self._begun = None
            raise
        self._finish(begun, Open(opened.number, entry, begun.moment, deadline))
        return value

    def tidy(self) -> None:
        """Bring a prediction to its end that an interrupt has struck."""
        begun = self._begun
        if begun is None:
            return
        opened, pending = self._keys.open.get(begun.key), self._running.machine.pending
        if opened is None or opened.number > int(pending.counts[MADE]):
            self._keys.withdraw(begun.key)
            self._begun = None
            return
        used = pending.number[: int(pending.counts[USED_ENTRIES])]
        self._finish(begun, opened._replace(entry=int(np.flatnonzero(used == opened.number)[0])))

    def _finish(self, begun: Begun, opened: Open) -> None:
        """Do what is left when the machine has made a prediction; doing it twice does no harm."""
        self._keys.open[begun.key] = opened
        self._keys.closed.pop(begun.key, None)
        self._encoder.notice(begun.encoded)
        self._times.predictions = opened.number
        self._times.go_on(begun.moment, begun.at)
        self._begun = None
