"""Courses: all that an adversary chooses of a run, and how a bad one of few rounds becomes one of many.

A course has the sign of every gradient, the delay of its feedback, and where the learner starts: a number from -1 to 1
that says how far from the centre, along the line of the gradients. Delays end at the last round at the latest, since
later feedback changes no decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Integers

STARTS = (0.0, 1.0, -1.0)
"""The starts that an exhaustive search tries where any start is allowed: the centre and the two ends of the line."""


class Course(NamedTuple):
    """Signs and delays by round, and the start. Its arrays are never changed."""

    signs: Integers
    delays: Integers
    start: float

    @property
    def rounds(self) -> int:
        """T, the number of rounds."""
        return self.signs.size


def plain_course(rounds: int, start: float = 0.0) -> Course:
    """The course on which nothing is late and all signs are +."""
    return Course(np.ones(rounds, dtype=np.int64), np.ones(rounds, dtype=np.int64), start)


def every_delays(rounds: int) -> Iterator[Integers]:
    """All delays of so many rounds that end at the last round at the latest; there are T! of them."""
    for delays in product(*(range(1, rounds - t + 1) for t in range(rounds))):
        yield np.array(delays, dtype=np.int64)


def every_sign(rounds: int) -> Integers:
    """Which sign to flip next, so that all signs come by whose first is +: a Gray code.

    Returns:
        The places of 2^(T - 1) - 1 flips, the first for all signs being +.
    """
    codes = np.arange(1, 2 ** (rounds - 1), dtype=np.int64)
    lowest = np.log2(codes & -codes).astype(np.int64)
    return 1 + lowest


def stretched(course: Course, rounds: int) -> Course:
    """The course with every round as two; the last ones repeat its last round.

    Prompt feedback stays prompt, and the rest is as late again. Regret and bound of most learners grow in proportion,
    so that a bad course stays nearly as bad.

    Args:
        course: A course of about half as many rounds.
        rounds: How many the new one has.

    Returns:
        A new course with the same start.
    """
    at = np.arange(rounds)
    old = np.minimum(at // 2, course.rounds - 1)
    waits = course.delays[old]
    ends = np.where(waits > 1, np.minimum(2 * (old + waits), rounds), at + 1)
    return Course(course.signs[old], ends - at, course.start)
