"""Sums over blocks of time, whose number stays bounded however long a log is.

A block is an interval of time, and all blocks have one width. The widths that are possible divide each other: on the
calendar they are 1 and 10 minutes, an hour, 6 hours, a day, a week, then powers of two of these; on a clock without a
unit they are powers of two. When there are too many blocks, all are joined to those of the next width.

Weeks begin on Mondays, UTC.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from belated.core.arrays import Integers, Matrix

MINUTE = 60 * 10**6
DAY = 24 * 60 * MINUTE
MONDAY = 4 * DAY
"""The first Monday of the calendar, 5 January 1970; on a clock without a unit blocks begin at 0."""

CALENDAR = (MINUTE, 10 * MINUTE, 60 * MINUTE, 6 * 60 * MINUTE, DAY, 7 * DAY)

MOST_BLOCKS = 2048


def widths(calendar: bool) -> Iterator[int]:
    """The widths that are possible, from the smallest on."""
    if calendar:
        yield from CALENDAR
    width = 2 * CALENDAR[-1] if calendar else 1
    while True:
        yield width
        width *= 2


class Blocks:
    """Sums of several numbers in blocks of time.

    Args:
        columns: How many numbers are added up.
        calendar: Whether times are microseconds since 1970; otherwise they are ticks of an unknown clock.
    """

    def __init__(self, columns: int, calendar: bool) -> None:
        self._widths, self._origin, self._columns = widths(calendar), MONDAY if calendar else 0, columns
        self.width = next(self._widths)
        self._sums: dict[int, Matrix] = {}

    def add(self, time: int, numbers: Matrix) -> None:
        """Add numbers, a vector, to the block of a time."""
        block = (time - self._origin) // self.width
        known = self._sums.get(block)
        if known is not None:
            known += numbers
            return
        self._sums[block] = numbers.copy()
        while len(self._sums) > MOST_BLOCKS:
            self._join(next(self._widths))

    def _join(self, width: int) -> None:
        factor, before = width // self.width, self._sums
        self.width, self._sums = width, {}
        for block, numbers in before.items():
            known = self._sums.setdefault(block // factor, np.zeros(self._columns))
            known += numbers

    def table(self, least: int = 0) -> tuple[Integers, int, Matrix]:
        """When the blocks begin, in ascending order, how wide they are, and their sums.

        Args:
            least: Blocks are joined to wider ones for as long as at least so many are left; 0 leaves them as they are.
        """
        found = self._copy()
        while least and len(found._sums) > least and not found._sums.keys() <= {-1, 0}:  # these two never meet
            wider = found._copy()
            wider._join(next(wider._widths))
            if len(wider._sums) < least:
                break
            found = wider
        order = sorted(found._sums)
        starts = np.array([found._origin + block * found.width for block in order], dtype=np.int64)
        sums = np.array([found._sums[block] for block in order]).reshape(len(order), self._columns)
        return starts, found.width, sums

    def _copy(self) -> Blocks:
        copy = Blocks(self._columns, self._origin != 0)
        while copy.width < self.width:
            copy.width = next(copy._widths)
        copy._sums = {block: numbers.copy() for block, numbers in self._sums.items()}
        return copy
