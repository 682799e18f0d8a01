"""A set of rounds stored as ranges, so that remembering who has answered stays small.

Rounds are answered roughly in order, with holes where feedback is late or never comes. As maximal ranges the set
costs two integers a hole, not one an answered round: a run of any length whose feedback has all arrived is one range.
"""

from bisect import bisect_right

import numpy as np

from belated.core.arrays import Integers
from belated.core.errors import StateMismatch


class RoundSet:
    """A growing set of rounds (whole numbers >= 1)."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []

    def __contains__(self, round: int) -> bool:
        at = bisect_right(self._firsts, round) - 1
        return at >= 0 and round <= self._lasts[at]

    def __len__(self) -> int:
        return sum(self._lasts) - sum(self._firsts) + len(self._firsts)

    def add(self, round: int) -> None:
        """Add a round that is not in the set yet, joining it with its neighbours."""
        at = bisect_right(self._firsts, round)
        follows = at > 0 and self._lasts[at - 1] == round - 1
        precedes = at < len(self._firsts) and self._firsts[at] == round + 1
        if follows and precedes:
            self._lasts[at - 1] = self._lasts.pop(at)
            del self._firsts[at]
        elif follows:
            self._lasts[at - 1] = round
        elif precedes:
            self._firsts[at] = round
        else:
            self._firsts.insert(at, round)
            self._lasts.insert(at, round)

    def ranges(self) -> Integers:
        """The set as a (holes + 1, 2) array of first and last rounds, in order."""
        return np.array([self._firsts, self._lasts], dtype=np.int64).T.copy()

    @classmethod
    def from_ranges(cls, ranges: Integers) -> "RoundSet":
        """The inverse of :meth:`ranges`."""
        if ranges.ndim != 2 or ranges.shape[1] != 2 or not _ordered(ranges):
            raise StateMismatch("the ranges of answered rounds are not ordered, disjoint ranges of rounds >= 1")
        result = cls()
        result._firsts = [int(first) for first in ranges[:, 0]]
        result._lasts = [int(last) for last in ranges[:, 1]]
        return result


def _ordered(ranges: Integers) -> bool:
    """Whether first and last rounds, read one after the other, start at 1 or later, with a hole between two ranges."""
    firsts, lasts = ranges[:, 0], ranges[:, 1]
    return bool((firsts >= 1).all() and (firsts <= lasts).all() and (firsts[1:] > lasts[:-1] + 1).all())
