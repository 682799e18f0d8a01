"""The time of a run: what the caller says, or else the number of predictions made so far. It never runs back."""

from __future__ import annotations

import math
from typing import Any

from belated.core import checks


def check_moment(where: str, name: str, moment: float) -> None:
    """Refuse moments, and stretches of time, that are so large that sums of two would not be finite."""
    if abs(moment) > checks.LARGEST_ENTRY:
        checks.refuse(where, name, moment, f"must be at most {checks.LARGEST_ENTRY:g} in size")


class Times:
    """The moment of the last event, how many predictions were made, and whether the caller says the time."""

    def __init__(self, now: float = -math.inf, predictions: int = 0, told: bool | None = None) -> None:
        self.now, self.predictions, self.told = now, predictions, told

    def checked(self, where: str, at: Any) -> float:
        """The moment of an event, without going on to it; InvalidArgument if it cannot be."""
        if self.told is not None and self.told != (at is not None):
            wanted = "must be given in every call, or in none" if at is None else "must be given from the first call on"
            checks.refuse(where, "at", at, wanted)
        if at is None:
            return float(self.predictions)
        if hasattr(at, "timestamp"):  # a datetime, of Python or pandas
            checks.refuse(where, "at", at, "must be a real number; its timestamp() is one, in seconds")
        moment = checks.number(where, "at", at)
        check_moment(where, "at", moment)
        if moment < self.now:
            checks.refuse(where, "at", at, f"must not be before {self.now!r}, the moment of the last event")
        return moment

    def go_on(self, moment: float, at: Any) -> None:
        """Let time go on to a moment that was checked."""
        self.now, self.told = moment, at is not None
