"""Regret against decisions that move, for problems in which no fixed one is good."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import xarray as xr

from belated.core import checks
from belated.core.arrays import Integers, Matrix, Vector, frozen
from belated.core.errors import NumericalFailure
from belated.delays import Fixed
from belated.losses.base import Loss, value
from belated.sim.compensated import Warming
from belated.sim.plan import Plan, plan_of
from belated.sim.problems import Problem
from belated.sim.result import Result
from belated.sim.seed_stream import SeedStream


def dynamic_regret(result: Result, problem: Problem) -> xr.DataArray:
    """The cumulative losses of a result minus those of the moving decisions of its problem, at the rounds recorded.

    ``problem`` must be the one that was simulated, and have ``comparators(seed, rounds)``, a decision per round, as
    :class:`~belated.sim.problems.DriftingQuadratic` has. With a method ``comparator_sampler(seed)``, which gives the
    same in chunks as ``sampler`` gives rows, memory does not grow with the rounds. The array has the dimensions
    learner, seed and round.

    Args:
        result: What ``simulate`` returned.
        problem: The problem that was simulated.

    Returns:
        The dynamic regret, labelled by learner, seed and round.

    Raises:
        InvalidArgument: The problem has no comparators, or another number of rounds.
    """
    if not isinstance(result, Result):
        checks.refuse("dynamic_regret", "result", result, "must be what `simulate` returns")
    if not (isinstance(getattr(problem, "loss", None), Loss) and hasattr(problem, "comparators")):
        wanted = "must have `comparators(seed, rounds)`, the decisions to compare with, as DriftingQuadratic has"
        checks.refuse("dynamic_regret", "problem", problem, wanted)
    curves = result.cumulative_loss
    compared = comparator_losses(problem, curves["seed"].values.tolist(), curves["round"].values)
    few = xr.DataArray(compared, coords={"seed": curves["seed"], "round": curves["round"]}, dims=("seed", "round"))
    return (curves - few).rename("dynamic_regret")


def comparator_losses(problem: Problem, seeds: Sequence[int], recorded: Integers) -> Matrix:
    """The cumulative losses of the moving decisions of a problem that has some: a row for each seed.

    Args:
        problem: A problem with ``comparators``.
        seeds: The seeds.
        recorded: The rounds at which the sums are wanted, in ascending order.
    """
    plan = plan_of(int(recorded[-1]), problem.loss.row_size, recorded)
    return np.array([_cumulative(problem, problem.loss, seed, plan) for seed in seeds])


def _cumulative(problem: Problem, loss: Loss, seed: int, plan: Plan) -> Vector:
    """The cumulative losses of the comparators of one seed, at the recorded rounds."""
    rows_of = SeedStream(problem, loss, Fixed(1), seed, plan)  # whose delays nobody asks for
    table = frozen([[0.0]])
    kernel = Warming(add_losses, add_losses, loss, table, table, np.empty(1), np.empty(1))
    total, found, played = np.zeros(1), np.empty(plan.recorded.size), 0
    for rows, points in zip(rows_of.chunks(plan.rounds), _comparators(problem, loss, seed, plan), strict=True):
        sums = np.empty(len(rows))
        kernel.up_to(rows.size)(loss, rows, points, total, sums)
        here, places = _within(plan.recorded, played, played + len(rows))
        found[here] = sums[places]
        played += len(rows)
    if not np.isfinite(total[0]):
        raise NumericalFailure(f"`dynamic_regret`: a loss of the comparators of seed {seed} is not finite")
    return found


def add_losses(loss: Any, rows: Matrix, points: Matrix, total: Vector, sums: Vector) -> None:
    """Add the loss of every round at its own point to ``total``, and note in ``sums`` what that is after each."""
    for t in range(rows.shape[0]):
        total[0] = float(total[0]) + value(loss, rows[t], points[t])
        sums[t] = total[0]


def _within(recorded: Integers, before: int, last: int) -> tuple[slice, Integers]:
    """Which of the recorded rounds are among ``before`` + 1, ..., ``last``, and their places there."""
    first, end = np.searchsorted(recorded, [before, last], side="right").tolist()
    return slice(first, end), recorded[first:end] - before - 1


def _comparators(problem: Any, loss: Loss, seed: int, plan: Plan) -> Iterator[Matrix]:
    """The moving decisions in the chunks of the plan, each checked: compiled code trusts what it is given."""
    begin = getattr(problem, "comparator_sampler", None)
    if begin is None:
        whole = _checked(problem, problem.comparators(seed, plan.rounds), seed, plan.rounds, loss.dim)
        ends = np.cumsum(plan.chunks()).tolist()
        yield from (whole[end - size : end] for size, end in zip(plan.chunks(), ends, strict=True))
    else:
        sampler = begin(seed)
        yield from (_checked(problem, sampler.take(size), seed, size, loss.dim) for size in plan.chunks())


def _checked(problem: Any, points: Any, seed: int, rounds: int, dim: int) -> Matrix:
    table = checks.matrix("dynamic_regret", "comparators", points, dim)
    if len(table) != rounds:
        wanted = f"must have {rounds} comparators for seed {seed}, got {len(table)}"
        checks.refuse("dynamic_regret", "problem", problem, wanted)
    view = table[:]  # so that the owner may go on writing into it
    view.flags.writeable = False
    return view
