"""Where courses are judged: a learner, the family of losses and the bound, and what it takes to play quickly.

A :class:`Contest` is a description and may be shared by threads; each thread plays on a :class:`Stage` of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from belated.audit.adversaries import Adversary, Line
from belated.audit.changes import tape
from belated.audit.courses import Course
from belated.audit.playing import Room, press, room_for
from belated.audit.run_bounds import Played, Promise
from belated.core import checks
from belated.core.arrays import Integers, Vector
from belated.core.compiling import compiled, layout
from belated.core.errors import CannotCompile, NumericalFailure, PlainPython, RunsAsPython
from belated.core.ledger import Ledger, after_play
from belated.domains.base import Domain
from belated.learners import Learner
from belated.learners.verbs import Desk, begin, enlarged, full, play, settle

Press = Callable[..., float]

ROUNDS_WORTH_COMPILING = 10_000
"""Rounds of all courses of a search, from which on the loop is compiled, as ``simulate`` has it for short rows."""

NO_TAPE = tape(np.random.default_rng(0), 1, 0)
"""No changes: the course alone is played."""


class Judged(NamedTuple):
    """A course, and what it has reached of the bound."""

    ratio: float
    regret: float
    bound: float
    course: Course


class Contest(NamedTuple):
    """Who is searched against whom: the learner, its losses, what it promises, and whether it may start anywhere."""

    learner: Learner
    losses: Adversary
    promise: Promise
    anywhere: bool
    line: Line
    reach: float
    """How far from the centre the line of the gradients leads within the domain."""

    def initial(self, start: float) -> Vector:
        """The first decision for a start from -1 to 1; it lies in the domain, whatever was rounded."""
        domain = self.learner.decision_domain
        if start == 0.0:
            return np.array(domain.centre, dtype=float)
        return domain.project(domain.centre + start * self.reach / self.losses.lipschitz * self.line.slope)


def contest_of(learner: Learner, losses: Adversary, promise: Promise, anywhere: bool) -> Contest:
    """The contest on the line through the centre along the first direction of the domain."""
    domain = learner.decision_domain
    along = np.zeros(domain.hull_dim)
    along[0] = 1.0
    direction = domain.embed(along)
    slope = losses.lipschitz * direction
    ends = [float(slope @ domain.minimise(sign * direction)) for sign in (1.0, -1.0)]
    return Contest(learner, losses, promise, anywhere, Line(slope, *ends), _reach(domain, direction))


def _reach(domain: Domain, direction: Vector) -> float:
    """How far one can go from the centre in both directions, found by halving."""
    low, high = 0.0, domain.outer_radius
    for _ in range(60):
        middle = 0.5 * (low + high)
        inside = all(domain.contains(domain.centre + sign * middle * direction) for sign in (1.0, -1.0))
        low, high = (middle, high) if inside else (low, middle)
    return high if domain.contains(domain.centre + high * direction) else low


def plain_press(*arguments: Any) -> float:
    """The loop as Python runs it; numbers out of range are found by their effect, as compiled code finds them."""
    with np.errstate(all="ignore"):
        return press(*arguments)


def press_for(contest: Contest, rounds: int, courses: int) -> Press:
    """The loop for a search: compiled if it is worth while, plain Python elsewhere, with the same numbers."""
    if rounds * courses < ROUNDS_WORTH_COMPILING:
        return plain_press
    stage = Stage(contest, rounds, plain_press)
    try:
        return compiled(press, *stage.arguments(stage.fresh(0.0), *stage.example()))
    except PlainPython:
        return plain_press
    except CannotCompile as problem:
        warnings.warn(
            f"{contest.learner.name} is searched as plain Python, which takes many times as long: {problem}",
            RunsAsPython,
            stacklevel=3,  # the caller of `worst_case`
        )
        return plain_press


class Stage:
    """Plays courses of one number of rounds. It is changed by every call, so that it belongs to one thread.

    Args:
        contest: Who plays.
        rounds: How many rounds every course has.
        loop: What plays: :func:`plain_press` or machine code.
    """

    def __init__(self, contest: Contest, rounds: int, loop: Press) -> None:
        self._contest, self._rounds, self._loop = contest, rounds, loop
        learner = contest.learner
        self._room: Room = room_for(learner.interface, learner.domain.dim, rounds)
        self._growths = _growths(learner, rounds, self._room)
        self._state: Any = None
        self._state = self.fresh(0.0)
        self._began: tuple[float, Any] = (0.0, self.fresh(0.0))
        self._promised: tuple[bytes, float] = (b"", 0.0)

    def fresh(self, start: float) -> Any:
        """The state before the first round, with room for all rounds in flight."""
        policy = self._contest.learner.policy
        state = begin(policy, self._contest.initial(start))
        for _ in range(self._growths):
            state = enlarged(policy, state)
        if self._state is not None and layout(state) != layout(self._state):  # which machine code does not look at
            raise CannotCompile("`worst_case`: the state of the learner is of another kind for another start")
        return state

    def example(self) -> tuple[Integers, Integers, Integers, bool]:
        """Signs, delays and a tape, as the loop is called with."""
        ones = np.ones(self._rounds, dtype=np.int64)
        return ones, ones.copy(), NO_TAPE, False

    def arguments(
        self, fresh: Any, signs: Integers, delays: Integers, changes: Integers, walking: bool
    ) -> tuple[Any, ...]:
        """What the loop is called with."""
        contest = self._contest
        policy, domain = contest.learner.policy, contest.learner.decision_domain
        return (
            policy,
            fresh,
            self._state,
            domain,
            contest.losses,
            contest.line,
            signs,
            delays,
            changes,
            walking,
            self._room,
        )

    def judged(self, course: Course, changes: Integers = NO_TAPE, walking: bool = False) -> Judged:
        """The course with the most regret among the given one and those that the tape makes of its signs.

        Raises:
            NumericalFailure: The regret of none of them is a number.
        """
        if self._began[0] != course.start:
            self._began = course.start, self.fresh(course.start)
        signs = course.signs.copy()
        found = self._loop(*self.arguments(self._began[1], signs, course.delays, changes, walking))
        if not np.isfinite(found):
            raise NumericalFailure(f"`worst_case`: {self._contest.learner.name} has a regret of {found} on {course}")
        best = course._replace(signs=signs)
        bound = self._bound(best)
        return Judged(found / bound, found, bound, best)

    def played(self, course: Course) -> Played:
        """The run of a course; its arrays are the caller's."""
        fresh = self.fresh(course.start)
        self._loop(*self.arguments(fresh, course.signs.copy(), course.delays, NO_TAPE, False))
        return Played(course.delays, self._room.feedback.copy(), self._room.decisions.copy())

    def _bound(self, course: Course) -> float:
        """The bound; one that depends on the delays alone is asked once for the same delays in a row."""
        promise = self._contest.promise
        if not promise.by_delays:
            return promise.value(self.played(course))
        key = course.delays.tobytes()
        if self._promised[0] != key:
            empty = np.empty((0, 0))
            self._promised = key, promise.value(Played(course.delays, empty, empty))
        return self._promised[1]


def _growths(learner: Learner, rounds: int, room: Room) -> int:
    """How often the state must grow until it has room for all rounds in flight; for most learners never."""
    policy, ledger, growths = learner.policy, Ledger(), 0
    state = begin(policy, np.array(learner.decision_domain.centre, dtype=float))
    for t in range(rounds):
        while full(policy, state, ledger):
            state, growths = enlarged(policy, state), growths + 1
        ledger = after_play(ledger)
        play(policy, state, ledger, Desk(None, room.scratch, room.points, room.memos[t]))
        settle(policy, state, ledger)
    return growths


def checked_learner(where: str, learner: Any) -> Learner:
    """The learner if a search can play it: it is told gradients, plays nothing at random, and its domain is bounded."""
    if not isinstance(learner, Learner):
        checks.refuse(where, "learner", learner, "must be a learner, such as dogd_sc(Ball(1), 1.0)")
    given = learner.interface
    if given.feedback != "gradient" or given.draws or given.context_size:
        wanted = (
            "must be told gradients and nothing else, and not play at random: other bounds hold in expectation only"
        )
        checks.refuse(where, "learner", learner.name, wanted)
    if learner.decision_domain.hull_dim == 0 or not np.isfinite(learner.decision_domain.outer_radius):
        checks.refuse(where, "learner", learner.name, "must have a bounded domain of more than one element")
    return learner
