"""What a sweep shows: the score of every learner or model at every point, its best setting, and its response to a path.

Some paths are circumstances, which all meet: delays, the problem, the number of rounds, the log. Others are settings of
one learner or model. A setting is chosen, circumstances are not: so the best setting is looked for under each
circumstance by itself.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
import xarray as xr

from belated.comparisons.ranking import Interval, interval
from belated.core.arrays import Anything
from belated.sweeps.collecting import DONE, FAILED
from belated.sweeps.plan import SweepPlan
from belated.sweeps.words import canonical

NOTHING = "no value has all of its runs yet"
"""What a picture of a path says in place of curves, as long as there are none."""


class Response(NamedTuple):
    """A learner or model at one point of a sweep, and its score over the seeds that are done, or on the log.

    ``circumstances`` is what is varied there for all of them, ``own`` what is varied for this one. ``score`` is
    ``None`` if no run is done. ``constant`` is what the running mean of the labels loses on the log, if there is one.
    """

    label: str
    point: int
    circumstances: dict[str, Any]
    own: dict[str, Any]
    score: Interval | None
    done: int
    failed: int
    missing: int
    constant: float = math.nan

    @property
    def whole(self) -> bool:
        """Whether every run is done, so that it may be compared with others."""
        return self.score is not None and not self.failed and not self.missing

    @property
    def mean(self) -> float:
        """The mean score over the runs that are done; not a number if there are none."""
        return float("nan") if self.score is None else self.score.mean


def responses_of(plan: SweepPlan, data: xr.Dataset) -> tuple[Response, ...]:
    """Every learner or model at every point, one after the other."""
    means, states = means_of(plan, data), by_point(plan, data, "state")
    constants = by_point(plan, data, "constant") if "constant" in data else np.full(states.shape, np.nan)
    found = []
    for place, label in enumerate(plan.labels):
        for point in range(len(plan.places)):
            state = states[place, point]
            done, failed = int((state == DONE).sum()), int((state == FAILED).sum())
            score = means.over(place, [point], state == DONE) if done else None
            counts = (done, failed, len(plan.seeds) - done - failed)
            about = (plan.circumstances(point), plan.own(point, label))
            found.append(Response(label, point, *about, score, *counts, float(constants[place, point, 0])))
    return tuple(found)


def best_of(responses: tuple[Response, ...]) -> tuple[Response, ...]:
    """The best setting of every learner or model, circumstance by circumstance, the best of each first.

    Only points count at which every run is done; who has none is left out. Of equals the first is taken.
    """
    groups: dict[str, dict[str, Response]] = {}
    for each in responses:
        best = groups.setdefault(canonical(each.circumstances), {})
        if each.whole and (each.label not in best or each.mean < best[each.label].mean):
            best[each.label] = each
    return tuple(each for best in groups.values() for each in sorted(best.values(), key=lambda one: one.mean))


def compared(responses: tuple[Response, ...]) -> tuple[Response, ...]:
    """Those whose circumstances another point has as well: where each point has its own, no setting can be chosen."""
    points: dict[str, set[int]] = {}
    for each in responses:
        points.setdefault(canonical(each.circumstances), set()).add(each.point)
    return tuple(each for each in responses if len(points[canonical(each.circumstances)]) > 1)


def curve_of(
    plan: SweepPlan, data: xr.Dataset, responses: tuple[Response, ...], label: str, name: str
) -> dict[int, Interval]:
    """How a learner or model responds to one path of a grid: an interval for each value, by its place in the list.

    With each value it has its best setting under each of the other circumstances, and its scores are averaged over
    these. A value is left out if a circumstance has no setting of which every run is done.
    """
    means, place_of = means_of(plan, data), plan.labels.index(label)
    mine = [each for each in responses if each.label == label]
    found = {}
    for place, value in enumerate(plan.axes[name]):
        wanted = canonical(value)
        having = tuple(each for each in mine if canonical(plan.values(each.point)[name]) == wanted)
        best = best_of(having)
        if len(best) == len({canonical(each.circumstances) for each in having}):
            found[place] = means.over(place_of, [each.point for each in best])
    return found


class Means(Protocol):
    """The mean scores of a sweep, with their intervals."""

    def over(self, place: int, points: list[int], runs: Any = ...) -> Interval:
        """The mean over some points, of one learner or model by its place, and of some of its runs."""


class OverSeeds(NamedTuple):
    """Scores by learner, point and seed: the interval is that of the mean over the seeds."""

    scores: Anything

    def over(self, place: int, points: list[int], runs: Any = ...) -> Interval:
        """The mean over points is taken seed by seed, since all points meet the same seeds."""
        return interval(np.mean(self.scores[place, points], axis=0)[runs])


class OverTime(NamedTuple):
    """Scores by model and point, each of which has the interval of its own log."""

    scores: Anything
    """The last axis has the mean and the ends of its interval."""

    def over(self, place: int, points: list[int], runs: Any = ...) -> Interval:
        """Ends are averaged, too, which is right if all points err together, and too wide otherwise."""
        return Interval(*np.mean(self.scores[place, points], axis=0).tolist())


def means_of(plan: SweepPlan, data: xr.Dataset) -> Means:
    """The scores of a sweep over seeds, or of one whose runs have intervals of their own."""
    if plan.seeded:
        return OverSeeds(by_point(plan, data, "score"))
    return OverTime(np.concatenate([by_point(plan, data, name) for name in ("score", "low", "high")], axis=-1))


def by_point(plan: SweepPlan, data: xr.Dataset, name: str) -> Anything:
    """A variable of the data set by learner or model, point and seed; without seeds the last has one place."""
    values: Anything = data[name].to_numpy().reshape(len(plan.labels), len(plan.places), len(plan.seeds))
    return values
