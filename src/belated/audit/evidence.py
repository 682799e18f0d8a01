"""What a run shows of the assumptions: lengths of gradients, curvature between played points, labels, delays.

The run is played again through ``ask`` and ``tell``, so that nothing has to have been kept of it but its delays. Each
extreme comes with the seed and the round in which it was met. What is met can refute an assumption, and never prove it:
other losses, and other points, may do worse.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Integers, Matrix, Vector
from belated.learners.learner import Learner
from belated.losses.base import Loss, gradient, value
from belated.losses.base import label as label_of

ROUNDS = 100
"""How many rounds are played, with the losses of seed 0 and without delay, if there is no result."""

_ROUNDING = 64 * np.finfo(float).eps


class Met(NamedTuple):
    """An extreme number, and where it was met; NaN and round 0 if there was nothing to measure.

    Args:
        value: The number.
        seed: The seed of the run.
        round: The round, from 1 on.
    """

    value: float = math.nan
    seed: int = 0
    round: int = 0

    @property
    def there(self) -> bool:
        """Whether there was anything to measure."""
        return not math.isnan(self.value)


class Evidence(NamedTuple):
    """What was met in all runs.

    Args:
        rounds: How many rounds were played in each run.
        seeds: The seeds whose losses were met.
        gradient: The longest gradient of a loss at a decision.
        told_gradient: The longest gradient that was told, without what a known regulariser adds to it.
        entry: The largest size of an entry of one.
        least_curvature: The least curvature 2 (f(y) - f(x) - <g, y - x>) / |y - x|^2 between two points of a run, plus
            what rounding may have taken from it.
        most_curvature: The largest of these, less what rounding may have added to it. It is large across a kink.
        size: The largest size of a value that was told.
        label: The largest size of a label that was told.
        delays: The delays of each run, in the order of the seeds, or ``None`` if there was no result to take them from.
    """

    rounds: int
    seeds: tuple[int, ...]
    gradient: Met
    told_gradient: Met
    entry: Met
    least_curvature: Met
    most_curvature: Met
    size: Met
    label: Met
    delays: tuple[Integers, ...] | None


class _Round(NamedTuple):
    """What one round shows."""

    gradient: float
    told_gradient: float
    entry: float
    curvatures: list[tuple[float, float]]
    size: float
    label: float


def evidence(
    learner: Learner, problem: Any, runs: Iterable[tuple[int, Integers]], initial: ArrayLike | None, late: bool
) -> Evidence:
    """Play runs again and collect what they show.

    Args:
        learner: The learner.
        problem: The problem whose rows are played.
        runs: For each run its seed and its delays, at least one run.
        initial: The first decision, as for ``start``.
        late: Whether the delays are those of a result, and not made up.

    Returns:
        The extremes over all rounds of all runs.
    """
    given = list(runs)
    found: dict[str, Met] = {}
    for seed, delays in given:
        rows = problem.loss.check_rows("assumptions", problem.rows(seed, delays.size))
        for number, seen in enumerate(_played(learner, problem.loss, rows, delays, initial, seed), start=1):
            for name in ("gradient", "told_gradient", "entry", "size", "label"):
                _keep(found, name, getattr(seen, name), seed, number, larger=True)
            for curvature, error in seen.curvatures:
                _keep(found, "most_curvature", curvature - error, seed, number, larger=True)
                _keep(found, "least_curvature", curvature + error, seed, number, larger=False)
    extremes = {name: found.get(name, Met()) for name in Evidence._fields[2:-1]}
    seeds = tuple(seed for seed, _ in given)
    return Evidence(given[0][1].size, seeds, **extremes, delays=tuple(each for _, each in given) if late else None)


def _keep(found: dict[str, Met], name: str, value: float, seed: int, number: int, larger: bool) -> None:
    """Remember a number if it is the most extreme one so far."""
    best = found.get(name, Met())
    if not math.isnan(value) and (not best.there or (value > best.value if larger else value < best.value)):
        found[name] = Met(value, seed, number)


def _played(
    learner: Learner, loss: Loss, rows: Matrix, delays: Integers, initial: ArrayLike | None, seed: int
) -> Iterator[_Round]:
    """Play a run, and yield what each of its rounds shows."""
    player, interface = learner.start(initial, seed), learner.interface
    arrivals: dict[int, list[int]] = {}
    for k, end in enumerate((np.arange(delays.size) + np.minimum(delays, delays.size + 1)).tolist(), start=1):
        arrivals.setdefault(end, []).append(k)
    waiting: dict[int, Vector] = {}
    before: list[Vector] = []
    for t, row in enumerate(rows, start=1):
        play = player.ask(row[: interface.context_size] if interface.context_size else None)
        values = np.array([value(loss, row, point) for point in play.points])
        slope = np.empty(play.decision.size)
        gradient(loss, row, play.decision, slope)
        told = {"gradient": slope - interface.regulariser * play.decision, "values": values}
        label = float(label_of(loss, row)) if interface.feedback == "label" else math.nan
        waiting[t] = told.get(interface.feedback, np.array([label]))
        others = [*play.points, *before]
        yield _Round(
            float(np.linalg.norm(slope)),
            float(np.linalg.norm(waiting[t])) if interface.feedback == "gradient" else math.nan,
            float(np.max(np.abs(slope))),
            list(_curvatures(loss, row, play.decision, slope, others)),
            float(np.max(np.abs(values))) if interface.feedback == "values" else math.nan,
            abs(label),
        )
        before = [before[0] if before else play.decision, play.decision]
        for k in arrivals.get(t, ()):
            answer = waiting.pop(k)
            if interface.feedback == "label" and abs(answer[0]) > interface.label_bound:
                player.give_up(k)  # a player refuses such a label; the run goes on without it
            else:
                player.tell(answer, round=k)


def _curvatures(
    loss: Loss, row: Vector, x: Vector, slope: Vector, others: list[Vector]
) -> Iterator[tuple[float, float]]:
    """The curvature of a loss between its decision and other points, and how much of it may be rounding."""
    here, steep, far = value(loss, row, x), math.sqrt(float(slope @ slope)), math.sqrt(float(x @ x))
    for y in others:
        step = y - x
        square = float(step @ step)
        if square > 0.0:
            there = value(loss, row, y)
            noise = _ROUNDING * (abs(here) + abs(there) + steep * (far + math.sqrt(square)))
            yield 2.0 * (there - here - float(slope @ step)) / square, 2.0 * noise / square
