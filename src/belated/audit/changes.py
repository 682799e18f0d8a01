"""Changes of a course, of which an evolutionary search makes one to three at a time.

Changes of signs are also made by compiled code, many in one call; :func:`change_signs` is the one function for both.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from belated.audit.courses import STARTS, Course, plain_course
from belated.core.arrays import Integers
from belated.core.verbs import compilable

FLIP, FILL_PLUS, FILL_MINUS, NOTHING = 0, 1, 2, 3
"""What a row of a tape says in its first number: flip the sign at a place, give one sign to a block, or do nothing."""

KINDS = 4
"""How many kinds of change of signs there are."""

Change = Callable[[Course, np.random.Generator], Course]


@compilable
def change_signs(signs: Integers, kind: int, first: int, last: int) -> None:
    """Change signs in place: flip the one at ``first``, or give one sign to all from ``first`` to ``last``."""
    if kind == FLIP:
        signs[first] = -signs[first]
    elif kind != NOTHING:
        for t in range(min(first, last), max(first, last) + 1):
            signs[t] = 1 if kind == FILL_PLUS else -1


def tape(rng: np.random.Generator, rounds: int, tries: int, changes: int = 2) -> Integers:
    """Random changes of signs for ``tries`` courses, each a few: kind, first and last place in the last dimension."""
    drawn = rng.integers(0, rounds, (tries, changes, 3))
    drawn[:, :, 0] = rng.integers(0, KINDS, (tries, changes))
    return drawn


def turn_signs(course: Course, rng: np.random.Generator) -> Course:
    """Flip a sign, or give one sign to a block."""
    signs = course.signs.copy()
    first, last = rng.integers(0, signs.size, 2).tolist()
    change_signs(signs, int(rng.integers(NOTHING)), first, last)
    return course._replace(signs=signs)


def hold_a_block_back(course: Course, rng: np.random.Generator) -> Course:
    """Let the feedback of a block of rounds come together, at the end of the block."""
    delays = course.delays.copy()
    first, last = sorted(rng.integers(0, delays.size, 2).tolist())
    delays[first : last + 1] = np.arange(last + 1 - first, 0, -1)
    return course._replace(delays=delays)


def redraw_a_delay(course: Course, rng: np.random.Generator) -> Course:
    """Let the feedback of one round come at once, or at the end of any later round."""
    delays = course.delays.copy()
    place = int(rng.integers(delays.size))
    delays[place] = 1 if rng.random() < 0.3 else rng.integers(1, delays.size - place + 1)
    return course._replace(delays=delays)


def shift_the_start(course: Course, rng: np.random.Generator) -> Course:
    """Move the start along the line, within the domain."""
    return course._replace(start=float(np.clip(course.start + rng.normal(0.0, 0.2), -1.0, 1.0)))


def slide_a_part(course: Course, rng: np.random.Generator) -> Course:
    """Drop one round and play another one twice, so that all between them moves by a round, with its arrivals."""
    rounds = course.rounds
    dropped, doubled = rng.integers(0, rounds, 2).tolist()
    if dropped == doubled:
        return course
    old = np.sort(np.append(np.delete(np.arange(rounds), dropped), doubled))
    ends = np.searchsorted(old, old + course.delays[old] - 1, side="right")
    return course._replace(signs=course.signs[old], delays=np.maximum(ends - np.arange(rounds), 1))


OF_DELAYS: tuple[Change, ...] = (hold_a_block_back, redraw_a_delay, slide_a_part)
"""Changes that every search makes."""


def changed(course: Course, changes: tuple[Change, ...], rng: np.random.Generator) -> Course:
    """The course after one to three random changes."""
    for _ in range(int(rng.integers(1, 4))):
        course = changes[int(rng.integers(len(changes)))](course, rng)
    return course


def blocks(rounds: int, anywhere: bool, rng: np.random.Generator) -> Course:
    """A random course to begin with: up to three blocks of signs, and up to three whose feedback is held back."""
    start = float(rng.choice(STARTS)) if anywhere and rng.random() < 0.5 else 0.0
    course = plain_course(rounds, start)
    for change in (turn_signs, hold_a_block_back):
        for _ in range(int(rng.integers(4))):
            course = change(course, rng)
    return course
