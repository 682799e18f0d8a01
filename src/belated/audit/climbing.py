"""The search itself: all courses of up to six rounds, and climbs for more.

A climb begins with the worst of many random courses made of blocks. It changes the delays, and the start where any is
allowed, tries some changes of signs for them, and goes on from the new course unless that is better for the learner. A
climb of 20 rounds or more begins with one of half as many, each of whose rounds becomes two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from belated.audit.changes import OF_DELAYS, blocks, changed, shift_the_start, tape, turn_signs
from belated.audit.courses import STARTS, Course, every_delays, every_sign, plain_course, stretched
from belated.audit.stage import NO_TAPE, Contest, Judged, Press, Stage

MOST_EXHAUSTED = 6
"""Up to so many rounds all courses are tried: for six rounds there are 720 lists of delays with 32 of signs."""

FEW_ROUNDS = 20
"""Climbs of fewer rounds begin with random courses."""

Tick = Callable[[int], None]

Job = Callable[[Tick], Judged]


def search_of(contest: Contest, rounds: int, steps: int, tries: int, seeds: Sequence[int], loop: Press) -> list[Job]:
    """The jobs of a search, which share nothing: one for each start where all courses are tried, else for each seed."""
    if rounds <= MOST_EXHAUSTED:
        starts = STARTS if contest.anywhere else (0.0,)
        return [partial(exhausted, contest, rounds, start, loop) for start in starts]
    return [partial(climb, contest, rounds, steps, tries, seed, loop) for seed in seeds]


def courses_of(contest: Contest, rounds: int, steps: int, tries: int, seeds: Sequence[int]) -> int:
    """How many courses a search plays."""
    if rounds <= MOST_EXHAUSTED:
        starts = len(STARTS) if contest.anywhere else 1
        return starts * math.factorial(rounds) * int(2 ** (rounds - 1))
    return len(seeds) * len(_lengths(rounds)) * (1 + steps) * (1 + tries)


def exhausted(contest: Contest, rounds: int, start: float, loop: Press, tick: Tick) -> Judged:
    """The worst of all courses of so many rounds from one start. The first sign is +: a mirrored course is as bad.

    Where the start is not the centre, mirroring moves it, so that the two ends of the line stand for all signs.
    """
    stage, flips = Stage(contest, rounds, loop), every_sign(rounds)
    best: Judged | None = None
    for delays in every_delays(rounds):
        course = Course(plain_course(rounds).signs, delays, start)
        for found in _over_signs(stage, course, flips, contest.promise.by_delays):
            best = found if best is None or found.ratio > best.ratio else best
        tick(flips.size + 1)
    assert best is not None  # noqa: S101  # there are delays for every number of rounds
    return best


def _over_signs(stage: Stage, course: Course, flips: np.ndarray, by_delays: bool) -> list[Judged]:
    """The worst of all signs if the bound does not depend on them, and each of them if it does."""
    if by_delays:
        walk = np.zeros((flips.size, 1, 3), dtype=np.int64)
        walk[:, 0, 1] = flips
        return [stage.judged(course, walk, walking=True)]
    found, signs = [stage.judged(course)], course.signs.copy()
    for place in flips.tolist():
        signs[place] = -signs[place]
        found.append(stage.judged(course._replace(signs=signs.copy())))
    return found


def climb(contest: Contest, rounds: int, steps: int, tries: int, seed: int, loop: Press, tick: Tick) -> Judged:
    """Climb from few rounds to ``rounds``: ``steps`` lists of delays at each length, each with ``tries`` of signs."""
    rng = np.random.default_rng(seed)
    best: Judged | None = None
    for length in _lengths(rounds):
        stage = Stage(contest, length, loop)
        if best is None:
            begun = [stage.judged(blocks(length, contest.anywhere, rng)) for _ in range(1 + steps // 2)]
            best = max(begun, key=lambda found: found.ratio)
        else:
            best = stage.judged(stretched(best.course, length))
        tick(1 + tries)
        for _ in range(steps):
            best = _step(stage, contest, best, tries, rng)
            tick(1 + tries)
    assert best is not None  # noqa: S101  # there is at least one length
    return best


def _lengths(rounds: int) -> list[int]:
    """Half of half of the rounds, half, and all: as often as there are ``FEW_ROUNDS``."""
    lengths = [rounds]
    while lengths[0] >= FEW_ROUNDS:
        lengths.insert(0, lengths[0] // 2)
    return lengths


def _step(stage: Stage, contest: Contest, best: Judged, tries: int, rng: np.random.Generator) -> Judged:
    """The present course or, unless it has a smaller ratio, a changed one."""
    changes = (*OF_DELAYS, shift_the_start) if contest.anywhere else OF_DELAYS
    rounds = best.course.rounds
    if contest.promise.by_delays:
        course, turns = changed(best.course, changes, rng), tape(rng, rounds, tries)
    else:  # signs change the bound, too, so that the signs with the most regret need not be the worst
        course = changed(best.course, (*changes, turn_signs, turn_signs), rng)
        turns = tape(rng, rounds, tries) if rng.random() < 0.3 else NO_TAPE
    found = stage.judged(course, turns)
    return found if found.ratio >= best.ratio else best
