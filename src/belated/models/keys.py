"""The keys of a run: which predictions wait for their labels, until when, and how the last ones have ended."""

from __future__ import annotations

import heapq
import json
import math
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks, errors

MOST_ANSWERED = 100_000
"""So many keys that were answered or given up are remembered, so that a repeated label is recognised."""

MOST_BITS = 2048
"""Whole numbers as keys have at most so many bits, some 600 digits: Python writes and reads 640 whatever its limit."""

IDLE = 64
"""So many lines of the agenda may be out of date before it is looked through, however few predictions wait."""

TWO_HALVES = "must not have a letter as two halves, which would be saved as one letter"

Key = str | int

ENDS = ANSWERED, GIVEN_UP, DEADLINE = "answered", "given up", "deadline"
"""How a prediction may end."""

_DEADLINE, _ASSUMPTION = 0, 1
"""The kinds of what is on the agenda, in their order at one moment."""

_TOLD = {
    ANSWERED: "another label was learned for it",
    GIVEN_UP: "it was given up",
    DEADLINE: "its deadline has passed, so the assumed label was learned",
}


class Open(NamedTuple):
    """A prediction that waits: its number, its entry, its moment and deadline, outcomes that are held and their weight.

    The deadline is infinite if there is none.
    """

    number: int
    entry: int
    made: float
    deadline: float
    outcomes: tuple[float, ...] = ()
    weight: float = 1.0


class Closed(NamedTuple):
    """A prediction that does not wait any more: how it ended, and with which label."""

    how: str
    label: float


class Keys:
    """The open predictions in the order in which they were made, and those that have ended in that of their end."""

    def __init__(self) -> None:
        self.open: dict[Key, Open] = {}
        # Of a plain dict, finding the first key takes longer the more keys before it were dropped.
        self.closed: OrderedDict[Key, Closed] = OrderedDict()
        self._agenda: list[tuple[float, int, int, Key]] = []

    def enter(self, key: Key, opened: Open, assumed_at: float = math.inf) -> None:
        """Note a prediction that waits from now on, and the moment from which its label is assumed, if it is."""
        if len(self._agenda) > 4 * len(self.open) + IDLE:
            self._look_through()
        self.open[key] = opened
        if opened.deadline < math.inf:
            heapq.heappush(self._agenda, (opened.deadline, _DEADLINE, opened.number, key))
        if assumed_at < opened.deadline:
            heapq.heappush(self._agenda, (assumed_at, _ASSUMPTION, opened.number, key))

    def found(self, where: str, key: Any, label: float | None) -> Open | None:
        """The open prediction of a key, or ``None`` if this label was learned for it before.

        Args:
            where: The call, for messages.
            key: What was given as the key.
            label: The label that is told, as the link has it; ``None`` if none is told.

        Raises:
            UnknownKey: There is none, or it ended long ago.
            AlreadyAnswered: It has ended in another way.
        """
        known = isinstance(key, (str, int)) and not isinstance(key, bool)  # True is no name for the key 1
        found = self.open.get(key) if known else None
        if found is not None:
            return found
        ended = self.closed.get(key) if known else None
        if ended is None:
            raise errors.UnknownKey(
                f"`{where}(key={checks.shown(key)})`: no prediction was made under this key, or it has ended more than "
                f"{MOST_ANSWERED} answers ago"
            )
        if ended.how == ANSWERED and label == ended.label:
            return None
        raise errors.AlreadyAnswered(f"`{where}(key={checks.shown(key)})`: {_TOLD[ended.how]}")

    def due(self, moment: float, at_it: bool) -> tuple[float, Key, bool] | None:
        """What comes first on the agenda, if it lies before a moment or ``at_it``: when, which key, if by deadline."""
        while self._agenda and (self._agenda[0][0] < moment or (at_it and self._agenda[0][0] == moment)):
            when, kind, number, key = self._agenda[0]
            found = self.open.get(key)
            if found is not None and found.number == number:
                return when, key, kind == _DEADLINE
            heapq.heappop(self._agenda)
        return None

    def strike(self) -> None:
        """Take from the agenda what comes first. Deadlines need not be: their keys are open no more."""
        heapq.heappop(self._agenda)

    def withdraw(self, key: Key) -> None:
        """Take out a prediction that was entered and not made; the next one may have its number and its key."""
        self.open.pop(key, None)
        self._look_through()

    def _look_through(self) -> None:
        """Drop from the agenda what has ended: deadlines may lie so far away that they would never come up."""
        agenda = [line for line in self._agenda if (found := self.open.get(line[3])) and found.number == line[2]]
        heapq.heapify(agenda)
        self._agenda = agenda

    def drop_ended(self, key: Key) -> None:
        """Take a key from the open ones, after its end was noted in ``closed``."""
        self.open.pop(key, None)
        while len(self.closed) > MOST_ANSWERED:
            self.closed.popitem(last=False)


def reduced(outcomes: str, labels: tuple[float, ...]) -> float:
    """One label of several outcomes, of which there is at least one.

    Args:
        outcomes: ``"first"``, ``"last"``, ``"sum"`` or ``"mean"``.
        labels: The outcomes, in the order in which they came.
    """
    if outcomes in ("first", "last"):
        return labels[0 if outcomes == "first" else -1]
    return math.fsum(labels) / (len(labels) if outcomes == "mean" else 1)


def checked_key(where: str, key: Any) -> Key:
    """``key`` if it can be one; InvalidArgument otherwise."""
    found = plain_key(key)
    if isinstance(found, bool) or not isinstance(found, (str, int)):
        checks.refuse(where, "key", key, "must be a text or a whole number; str(key) makes a text of other ids")
    if isinstance(found, str):
        if not is_saved_as_it_is(found):
            checks.refuse(where, "key", key, TWO_HALVES)
    elif found.bit_length() > MOST_BITS:
        checks.refuse(where, "key", key, f"a whole number must have at most {MOST_BITS} bits")
    return found


def is_saved_as_it_is(text: str) -> bool:
    """Whether a text comes back from a saved state: JSON makes one letter of its two halves, if they come in a row."""
    return text.isascii() or json.loads(json.dumps(text)) == text


def plain_key(key: Any) -> Any:
    """A whole number of NumPy as an int, so that ids out of an array find their predictions; all else as it is."""
    return int(key) if isinstance(key, np.integer) else key
