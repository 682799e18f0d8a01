"""Laws without chance, whose delays are fixed in advance: constant, repeated, in bursts, or recorded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Integers
from belated.delays.base import NEVER, DelayLaw, Source, whole_delay, whole_delays


class _FixedFields(NamedTuple):
    delay: int


class Fixed(DelayLaw, _FixedFields):
    """The same delay in every round. ``Fixed(1)`` is the classic setting in which nothing is late.

    Args:
        delay: The delay of every round, at least 1.
    """

    __slots__ = ()

    def __new__(cls, delay: int) -> Fixed:
        """Check the arguments and make the law."""
        return cls._make((whole_delay("Fixed", "delay", delay),))

    @classmethod
    def example(cls) -> Fixed:
        """A law under which all feedback comes four rounds late."""
        return cls(5)

    def _begin(self, rng: np.random.Generator) -> Source:
        return lambda first, rounds: np.full(rounds, self.delay, dtype=np.int64)


class _PeriodicFields(NamedTuple):
    delays: Integers


class Periodic(DelayLaw, _PeriodicFields):
    """A list of delays that starts over when it ends: d_t = delays[(t - 1) mod m].

    Args:
        delays: The delays of the first rounds, each at least 1.
    """

    __slots__ = ()

    def __new__(cls, delays: ArrayLike) -> Periodic:
        """Check the arguments and make the law."""
        return cls._make((whole_delays("Periodic", "delays", delays),))

    @classmethod
    def example(cls) -> Periodic:
        """A list in which arrivals collide and overtake each other."""
        return cls([2, 3, 2, 1, 4, 1, 3])

    def _begin(self, rng: np.random.Generator) -> Source:
        size, repeated = self.delays.size, self.delays

        def next_delays(first: int, rounds: int) -> Integers:
            nonlocal repeated
            start = (first - 1) % size
            if start + rounds > repeated.size:  # long enough for the next chunks, so that it is rarely made again
                repeated = np.tile(self.delays, 2 + rounds // size)
            return repeated[start : start + rounds].copy()

        return next_delays


class _BurstFields(NamedTuple):
    period: int


class Burst(DelayLaw, _BurstFields):
    """No feedback for ``period`` - 1 rounds, then all of it at once: d_t = m - ((t - 1) mod m).

    The feedback of m rounds arrives together at the end of rounds m, 2m, ..., as it does when results are collected and
    delivered in batches.

    Args:
        period: Rounds m from one delivery to the next, at least 1.
    """

    __slots__ = ()

    def __new__(cls, period: int) -> Burst:
        """Check the arguments and make the law."""
        return cls._make((whole_delay("Burst", "period", period),))

    @classmethod
    def example(cls) -> Burst:
        """A delivery every eight rounds."""
        return cls(8)

    def _begin(self, rng: np.random.Generator) -> Source:
        return lambda first, rounds: self.period - np.arange(first - 1, first - 1 + rounds) % self.period


class _TraceFields(NamedTuple):
    delays: Integers


class Trace(DelayLaw, _TraceFields):
    """Recorded delays, one per round; a run longer than the record is an error. ``NEVER`` is for lost feedback.

    Args:
        delays: The delay of each round, at least 1 or ``NEVER``.
    """

    __slots__ = ()

    def __new__(cls, delays: ArrayLike) -> Trace:
        """Check the arguments and make the law."""
        return cls._make((whole_delays("Trace", "delays", delays),))

    @classmethod
    def example(cls) -> Trace:
        """A record of forty rounds, one of them unanswered."""
        delays = np.tile([3, 1, 4, 1, 5, 9, 2, 6], 5)
        delays[17] = NEVER
        return cls(delays)

    @property
    def longest_run(self) -> float:
        """The length of the record."""
        return self.delays.size

    def _begin(self, rng: np.random.Generator) -> Source:
        return lambda first, rounds: self.delays[first - 1 : first - 1 + rounds].copy()
