"""What an operator looks at: counts, delays, losses and rates of one learner, folded from its events.

They are a part of its life, so they are the same after a replay. Each event costs some tenths of a microsecond, and
memory does not grow with their number. Times are microseconds, as in events.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Mapping
from typing import Any

SECOND = 1_000_000
MINUTE = 60

EDGES = tuple(round(10 ** (half / 2)) for half in range(6, 29))
"""Between these delays are the bins of the histogram, two for each power of ten: from a millisecond to three years."""

MOST_POINTS = 200
"""So many points of the progressive loss are kept. When there are more, every second one is dropped."""


class Losses:
    """The mean of losses so far, and how it went."""

    def __init__(self) -> None:
        self.count, self.total = 0, 0.0
        self.points: list[tuple[int, float]] = []
        """Times, and the mean of all losses up to then."""
        self._stride = 1

    @property
    def mean(self) -> float | None:
        """The mean of all losses; ``None`` if there are none, or they are beyond all numbers."""
        found = self.total / self.count if self.count else math.nan
        return found if math.isfinite(found) else None

    def add(self, at: int, loss: float) -> None:
        """Count a loss.

        Args:
            at: When it became known.
            loss: The loss; one that is not finite makes all means unknown from then on.
        """
        self.count += 1
        self.total += loss
        if self.count % self._stride or not math.isfinite(self.total):
            return
        self.points.append((at, self.total / self.count))
        if len(self.points) > MOST_POINTS:
            del self.points[::2]
            self._stride *= 2

    def contents(self) -> list[Any]:
        """Everything that is in it, as plain values."""
        return [self.count, self.total, [list(point) for point in self.points], self._stride]

    def go_on(self, contents: list[Any]) -> None:
        """Go on from what :meth:`contents` returned."""
        self.count, self.total, points, self._stride = contents
        self.points = [(at, mean) for at, mean in points]


class Figures:
    """The figures of one learner. Each method says that something has happened, and when."""

    def __init__(self) -> None:
        self.asked = self.answered = self.noted = self.timed_out = self.given_up = 0
        self.delays = [0] * (len(EDGES) + 1)
        """How many reports came within each bin of delays; the first is below all edges, the last above them."""
        self.losses = Losses()
        self.outside = 0
        """How much feedback was learned that was outside of the declared range of values."""
        self.last_outside: tuple[int, float] | None = None
        """When that was for the last time, and the value."""
        self._seconds: deque[list[int]] = deque(maxlen=MINUTE)
        """Seconds in which something was asked or answered, each with both numbers, the last one at the end."""

    def ask(self, at: int) -> None:
        """A decision was made at this time."""
        self.asked += 1
        self._second(at)[1] += 1

    def answer(self, at: int, delay: int) -> None:
        """Feedback was learned, so long after its decision was made."""
        self.answered += 1
        self.delays[bisect_right(EDGES, delay)] += 1
        self._second(at)[2] += 1

    def note(self, delay: int) -> None:
        """Feedback was noted and not learned, so long after its decision was made."""
        self.noted += 1
        self.delays[bisect_right(EDGES, delay)] += 1

    def stray(self, at: int, value: float) -> None:
        """Feedback was learned that has this value, outside of the declared range."""
        self.outside += 1
        self.last_outside = at, value

    def asked_per_second(self, now: int) -> float:
        """How many decisions were made in each of the last 60 seconds, on average."""
        return self._rate(now, 1)

    def answered_per_second(self, now: int) -> float:
        """How much feedback was learned in each of the last 60 seconds, on average."""
        return self._rate(now, 2)

    def _second(self, at: int) -> list[int]:
        """The counts of the second that a time is in; events are in the order of time."""
        seconds = self._seconds
        if seconds:
            last = seconds[-1]
            if at < (last[0] + 1) * SECOND:
                return last
        last = [at // SECOND, 0, 0]
        seconds.append(last)
        return last

    def _rate(self, now: int, which: int) -> float:
        first = now // SECOND - MINUTE
        return sum(each[which] for each in self._seconds if each[0] > first) / MINUTE

    def contents(self) -> dict[str, Any]:
        """Everything that is in it, as plain values."""
        counts = [self.asked, self.answered, self.noted, self.timed_out, self.given_up]
        seconds = [list(each) for each in self._seconds]
        outside = [self.outside, self.last_outside]
        losses = self.losses.contents()
        return {
            "counts": counts,
            "delays": list(self.delays),
            "losses": losses,
            "outside": outside,
            "seconds": seconds,
        }

    def go_on(self, contents: Mapping[str, Any]) -> None:
        """Go on from what :meth:`contents` returned."""
        self.asked, self.answered, self.noted, self.timed_out, self.given_up = contents["counts"]
        (*self.delays,) = contents["delays"]
        self.losses.go_on(contents["losses"])
        self.outside, last = contents["outside"]
        self.last_outside = None if last is None else tuple(last)
        self._seconds.clear()
        self._seconds.extend(list(each) for each in contents["seconds"])
