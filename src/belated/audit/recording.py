"""``record_run``: drive a player by ask and tell, and keep everything that a proof speaks of.

The losses and the delays of a seed are those of :func:`belated.simulate`, and so are the decisions. What a player does
is taken from the player: its decisions from ``ask``, its steps from the state that it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.audit.run import Run
from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.play import Play
from belated.delays import DelayLaw
from belated.learners import Learner, Player
from belated.losses.base import Loss, gradient, value
from belated.sim.plan import plan_of
from belated.sim.problems import Problem
from belated.sim.seed_stream import SeedStream
from belated.sim.simulation import check_problem

WHERE = "record_run"

UNPROJECTED, INVERSE_RATE = "policy.arrivals.step.unprojected", "policy.arrivals.step.inverse_rate"
"""Where the state of a learner that descends has x'_{t+1} and h_t."""

Answer = Callable[[Learner, Loss, Vector, Play], Any]


def _gradient(learner: Learner, loss: Loss, row: Vector, play: Play) -> Vector:
    """The gradient at the decision, without what a known regulariser adds to it."""
    told = np.empty(loss.dim)
    gradient(loss, row, play.decision, told)
    return told - learner.interface.regulariser * play.decision


def _values(learner: Learner, loss: Loss, row: Vector, play: Play) -> Vector:
    """The values at all points that are played."""
    return np.array([value(loss, row, point) for point in play.points])


ANSWERS: Mapping[str, Answer] = MappingProxyType({"gradient": _gradient, "values": _values})
"""What is told of a round, by the kind of feedback that the learner wants."""


def record_run(
    learner: Learner,
    problem: Problem,
    delays: DelayLaw,
    rounds: int,
    seed: int = 0,
    *,
    initial: ArrayLike | None = None,
) -> Run:
    """Play a run of a learner and record everything that a proof speaks of.

    Losses, delays and decisions are those that :func:`belated.simulate` has for this seed. Memory grows with the
    rounds: 10^5 of them in ten dimensions are about 35 MB.

    Args:
        learner: The learner; it is told gradients or values.
        problem: The losses, such as ``problems.RandomQuadratic(10)``.
        delays: A law of delay, such as ``delays.Geometric(mean=5)``.
        rounds: T, how many rounds are played.
        seed: The seed of the losses and of the delays, a whole number from 0 on.
        initial: The first decision. Default: the centre of the learner's domain.

    Returns:
        The run. Feedback that comes after the last round is recorded, and was not told.

    Raises:
        InvalidArgument: An argument cannot be used, or learner and problem do not fit together.
        NumericalFailure: A decision is not finite.

    Example:
        >>> import belated as bl
        >>> learner = bl.dogd_sc(bl.Ball(2), strong_convexity=2.0)
        >>> run = record_run(learner, bl.problems.RandomQuadratic(2), bl.delays.Fixed(3), rounds=20)
        >>> run.decisions.shape, run.feedback.shape
        ((21, 2), (20, 2))
    """
    number, start = checks.count(WHERE, "rounds", rounds), checks.count(WHERE, "seed", seed, least=0)
    answer = _answer(learner)
    check_problem(WHERE, problem)
    if learner.domain.dim != problem.loss.dim:
        checks.refuse(WHERE, "problem", problem, f"must have dimension {learner.domain.dim}, as the learner has")
    if not isinstance(delays, DelayLaw):
        checks.refuse(WHERE, "delays", delays, "must be a law of delay, such as Periodic([2, 3, 1])")
    plan = plan_of(number, problem.loss.row_size, np.array([number]))
    chunks = list(SeedStream(problem, problem.loss, delays, start, plan, WHERE).with_delays())
    rows = np.concatenate([chunk.rows for chunk in chunks])
    late = np.concatenate([chunk.delays for chunk in chunks])
    player = learner.start(initial, start)
    decisions, feedback, steps = _played(player, answer, problem.loss, rows, late.tolist())
    return Run(learner, problem.loss, rows, late, decisions, feedback, **steps)


def _answer(learner: Learner) -> Answer:
    if not isinstance(learner, Learner):
        checks.refuse(WHERE, "learner", learner, "must be a learner, such as dogd_sc(Ball(10), 2.0)")
    kind = learner.interface.feedback
    if kind not in ANSWERS or learner.interface.context_size:
        checks.refuse(WHERE, "learner", learner.name, f"must be told {' or '.join(ANSWERS)}, and nothing beforehand")
    return ANSWERS[kind]


def _played(
    player: Player, answer: Answer, loss: Loss, rows: Matrix, delays: list[int]
) -> tuple[Matrix, Matrix, dict[str, Any]]:
    """The decisions x_1..x_{T+1}, what is told of every round, and the steps of a player that shows them."""
    learner, rounds = player.learner, len(rows)
    due: dict[int, list[int]] = {}
    for k, delay in enumerate(delays):
        due.setdefault(k + delay - 1, []).append(k)
    descends = {UNPROJECTED, INVERSE_RATE} <= set(player.state())
    decisions, feedback = np.empty((rounds + 1, loss.dim)), np.empty((rounds, learner.interface.feedback_size))
    unprojected, inverse_rates = np.zeros((rounds, loss.dim)), np.zeros(rounds)
    for t in range(rounds + 1):
        play = player.ask()
        decisions[t] = play.decision
        if descends and t - 1 in due:  # there is no step without arrivals, and to look at the state takes long
            state = player.state()
            unprojected[t - 1], inverse_rates[t - 1] = state[UNPROJECTED], state[INVERSE_RATE][0]
        if t < rounds:
            feedback[t] = answer(learner, loss, rows[t], play)
            for k in due.get(t, ()):
                player.tell(feedback[k], round=k + 1)
    steps = {"unprojected": unprojected, "inverse_rates": inverse_rates} if descends else {}
    return decisions, feedback, steps
