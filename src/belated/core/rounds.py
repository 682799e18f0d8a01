"""A set of rounds stored as ranges, so that remembering who has answered stays small.

Rounds are answered roughly in order, with holes where feedback is late or never comes. As maximal ranges the set costs
two integers per hole, not one per answered round: a run of any length whose feedback has all arrived, or been given up,
is one range.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from belated.core.arrays import Integers
from belated.core.errors import StateMismatch


class RoundSet:
    """A growing set of rounds (whole numbers >= 1)."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []

    def __contains__(self, round: int) -> bool:
        if not self._ranges or round > self._ranges[-1][1]:  # most rounds that are asked about are the latest
            return False
        at = bisect_right(self._ranges, (round, math.inf)) - 1
        return at >= 0 and round <= self._ranges[at][1]

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self._ranges)

    def add(self, round: int) -> None:
        """Add a round, joining it with its neighbours. The list changes in one step, so an interrupt finds it whole."""
        if self._ranges and round == self._ranges[-1][1] + 1:  # as it is where feedback comes in order
            self._ranges[-1] = self._ranges[-1][0], round
            return
        start = stop = bisect_right(self._ranges, (round, math.inf))
        if start > 0 and round <= self._ranges[start - 1][1]:
            return
        first = last = round
        if start > 0 and self._ranges[start - 1][1] == round - 1:
            start -= 1
            first = self._ranges[start][0]
        if stop < len(self._ranges) and self._ranges[stop][0] == round + 1:
            last = self._ranges[stop][1]
            stop += 1
        self._ranges[start:stop] = [(first, last)]

    def missing(self, last: int) -> Iterator[int]:
        """The rounds from 1 to ``last`` that are not in the set, in order."""
        first = 1
        for start, stop in self._ranges:
            yield from range(first, start)
            first = stop + 1
        yield from range(first, last + 1)

    def ranges(self) -> Integers:
        """The set as a (ranges, 2) array of first and last rounds, in order."""
        return np.array(self._ranges, dtype=np.int64).reshape(-1, 2)

    @classmethod
    def from_ranges(cls, ranges: Integers) -> "RoundSet":
        """The set whose :meth:`ranges` are these, or StateMismatch if they are no ranges."""
        if ranges.ndim != 2 or ranges.shape[1] != 2 or not _ordered(ranges):
            raise StateMismatch("the ranges of answered rounds are not ordered, disjoint ranges of rounds >= 1")
        result = cls()
        result._ranges = [(int(first), int(last)) for first, last in ranges]
        return result


def _ordered(ranges: Integers) -> bool:
    """Whether first and last rounds, read one after the other, start at 1 or later, with a hole between two ranges."""
    firsts, lasts = ranges[:, 0], ranges[:, 1]
    return bool((firsts >= 1).all() and (firsts <= lasts).all() and (firsts[1:] > lasts[:-1] + 1).all())
