"""``simulate``: learners on a problem under a law of delay, over seeds, with the regret of each.

All learners of a seed meet the same losses and the same delays. Losses, delays and the learners' own perturbations come
from separate streams of the seed (:mod:`belated.core.streams`).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from tqdm import tqdm

from belated.core import checks, streams
from belated.core.arrays import Integers, Matrix
from belated.delays import DelayLaw, arrivals
from belated.domains.base import Domain
from belated.learners import Learner
from belated.losses.base import Loss
from belated.sim.hindsight import prefix_bests
from belated.sim.problems import Problem
from belated.sim.protocol import run
from belated.sim.result import Result

Initial = ArrayLike | Mapping[str, ArrayLike] | None


def simulate(
    learners: Mapping[str, Learner],
    problem: Problem,
    delays: DelayLaw,
    rounds: int,
    seeds: Iterable[int],
    *,
    initial: Initial = None,
    prefixes: ArrayLike | None = None,
    progress: bool = False,
) -> Result:
    """Run every learner on every seed and measure its regret against the best fixed decision.

    ``initial`` is the first decision of all learners, or a mapping from a learner's name to its own; default: the
    centre of its domain. ``prefixes`` are the rounds after which regret is measured, each against the best fixed
    decision of the rounds up to it; default: after the last round only. ``progress`` shows a bar on the standard error.
    """
    number = checks.count("simulate", "rounds", rounds)
    named_seeds = _checked_seeds(seeds)
    domain = _common_domain(learners, problem)
    _check_law(delays, number)
    at = _checked_prefixes(prefixes, number)
    starts = _starts(initial, learners)

    shape = (len(learners), len(named_seeds), number)
    played, center = np.empty(shape), np.empty(shape)
    best_loss, best_gap = np.empty((2, len(named_seeds), len(at)))
    delayed, arrived = np.empty((2, *shape[1:]), dtype=np.int64)
    with tqdm(total=played.size, unit="round", disable=not progress, unit_scale=True) as bar:
        for s, seed in enumerate(named_seeds):
            rows = _checked_rows(problem, seed, number)
            delayed[s] = _drawn(delays, seed, number)
            table = arrivals(delayed[s])
            arrived[s] = np.diff(table.first)[1:]
            bests = prefix_bests(problem.loss, rows, domain, at)
            best_loss[s] = [best.value for best in bests]
            best_gap[s] = [best.gap for best in bests]
            for i, (name, learner) in enumerate(learners.items()):
                bar.set_description(name)
                played[i, s], center[i, s] = run(learner, problem.loss, rows, table, starts(name), seed, bar.update)

    labels = {"learner": list(learners), "seed": named_seeds, "round": np.arange(1, number + 1)}
    cumulative = _labelled(played.cumsum(axis=2), labels)
    center_cumulative = _labelled(center.cumsum(axis=2), labels)
    best = _labelled(best_loss, labels | {"round": at})
    return Result(
        cumulative_loss=cumulative,
        center_cumulative_loss=center_cumulative,
        regret=cumulative.sel(round=at) - best,
        center_regret=center_cumulative.sel(round=at) - best,
        best_loss=best,
        best_gap=_labelled(best_gap, labels | {"round": at}),
        delays=_labelled(delayed, labels),
        arrivals=_labelled(arrived, labels),
        in_flight=_labelled(np.arange(1, number + 1) - arrived.cumsum(axis=1), labels),
    )


def _labelled(values: Any, labels: Mapping[str, Any]) -> xr.DataArray:
    """``values`` with the last of the dimensions learner, seed, round that it has."""
    dims = ("learner", "seed", "round")[-values.ndim :]
    return xr.DataArray(values, dims=dims, coords={dim: labels[dim] for dim in dims})


def _checked_seeds(seeds: Iterable[int]) -> list[int]:
    try:
        given = list(seeds)
    except TypeError:
        checks.refuse("simulate", "seeds", seeds, "must be several seeds, such as range(20)")
    numbers = [checks.count("simulate", "seeds", seed, least=0) for seed in given]
    if not numbers or len(set(numbers)) < len(numbers):
        checks.refuse("simulate", "seeds", given, "must be one or more different seeds")
    return numbers


def _checked_prefixes(prefixes: ArrayLike | None, rounds: int) -> Integers:
    try:
        given = [rounds] if prefixes is None else np.atleast_1d(np.asarray(prefixes)).tolist()
    except ValueError:
        checks.refuse("simulate", "prefixes", prefixes, f"must be increasing rounds from 1 to {rounds}")
    numbers = [checks.count("simulate", "prefixes", prefix) for prefix in given]
    if not numbers or numbers != sorted(set(numbers)) or numbers[-1] > rounds:
        checks.refuse("simulate", "prefixes", prefixes, f"must be increasing rounds from 1 to {rounds}")
    return np.array(numbers, dtype=np.int64)


def _common_domain(learners: Mapping[str, Learner], problem: Problem) -> Domain:
    if not isinstance(learners, Mapping) or not learners:
        checks.refuse("simulate", "learners", learners, "must map one or more names to learners")
    for name, learner in learners.items():
        if not (isinstance(name, str) and isinstance(learner, Learner)):
            checks.refuse("simulate", "learners", {name: learner}, "must map names to learners, such as dogd_sc(...)")
    first_name, first = next(iter(learners.items()))
    for name, learner in learners.items():
        if learner.domain != first.domain:
            checks.refuse("simulate", "learners", name, f"must have the same domain as {first_name!r} to be compared")
    if not isinstance(getattr(problem, "loss", None), Loss):
        checks.refuse("simulate", "problem", problem, "must be a problem, such as RandomQuadratic(10)")
    if first.domain.dim != problem.loss.dim:
        checks.refuse("simulate", "problem", problem, f"must have dimension {first.domain.dim}, as the learners do")
    return first.domain


def _check_law(delays: DelayLaw, rounds: int) -> None:
    if not isinstance(delays, DelayLaw):
        checks.refuse("simulate", "delays", delays, "must be a law of delay, such as Periodic([2, 3, 1])")
    if rounds > delays.longest_run:
        checks.refuse(
            "simulate", "rounds", rounds, f"must be <= {int(delays.longest_run)}, the rounds that {delays!r} has"
        )


def _drawn(delays: DelayLaw, seed: int, rounds: int) -> Integers:
    drawn = delays.draw(streams.delays(seed), rounds)
    if drawn.shape != (rounds,):
        checks.refuse("simulate", "delays", delays, f"must draw {rounds} delays, drew shape {drawn.shape}")
    return drawn


def _checked_rows(problem: Problem, seed: int, rounds: int) -> Matrix:
    rows = problem.loss.check_rows("simulate", problem.rows(seed, rounds))
    if len(rows) != rounds:
        checks.refuse("simulate", "problem", problem, f"must have {rounds} rows for seed {seed}, got {len(rows)}")
    return rows


def _starts(initial: Initial, learners: Mapping[str, Learner]) -> Callable[[str], ArrayLike | None]:
    """The first decision of each learner, every one of them tried before a long run begins."""
    own = initial if isinstance(initial, Mapping) else dict.fromkeys(learners, initial)
    for name in own:
        if name not in learners:
            checks.refuse(
                "simulate", "initial", {name: own[name]}, f"must name learners, which are {', '.join(learners)}"
            )
    for name, learner in learners.items():
        learner.start(own.get(name))
    return own.get
