"""What a sweep shows: the score of every learner at every point, its best setting, and how it responds to a path.

Some paths are circumstances, which all learners meet: delays, the problem, the number of rounds. Others are settings of
one learner. A setting is chosen, circumstances are not: so the best setting is looked for under each circumstance by
itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from belated.comparisons.ranking import Interval, interval
from belated.core.arrays import Anything
from belated.sweeps.collecting import DONE, FAILED
from belated.sweeps.plan import SweepPlan
from belated.sweeps.words import canonical


class Response(NamedTuple):
    """A learner at one point of a sweep, and its score over the seeds that are done.

    ``circumstances`` is what is varied there for all learners, ``own`` what is varied for this one. ``score`` is
    ``None`` if no seed is done.
    """

    learner: str
    point: int
    circumstances: dict[str, Any]
    own: dict[str, Any]
    score: Interval | None
    done: int
    failed: int
    missing: int

    @property
    def whole(self) -> bool:
        """Whether every seed is done, so that it may be compared with others."""
        return self.score is not None and not self.failed and not self.missing

    @property
    def mean(self) -> float:
        """The mean score over the seeds that are done; not a number if there are none."""
        return float("nan") if self.score is None else self.score.mean


def responses_of(plan: SweepPlan, data: xr.Dataset) -> tuple[Response, ...]:
    """Every learner at every point, learner by learner."""
    scores, states = by_point(plan, data, "score"), by_point(plan, data, "state")
    found = []
    for place, label in enumerate(plan.labels):
        for point in range(len(plan.places)):
            state, values = states[place, point], scores[place, point]
            done, failed = int((state == DONE).sum()), int((state == FAILED).sum())
            score = interval(values[state == DONE]) if done else None
            counts = (done, failed, len(plan.seeds) - done - failed)
            found.append(Response(label, point, plan.circumstances(point), plan.own(point, label), score, *counts))
    return tuple(found)


def best_of(responses: tuple[Response, ...]) -> tuple[Response, ...]:
    """The best setting of every learner, circumstance by circumstance, the best learner of each first.

    Only points count at which every seed is done; a learner without one is left out. Of equals the first is taken.
    """
    groups: dict[str, dict[str, Response]] = {}
    for each in responses:
        best = groups.setdefault(canonical(each.circumstances), {})
        if each.whole and (each.learner not in best or each.mean < best[each.learner].mean):
            best[each.learner] = each
    return tuple(each for best in groups.values() for each in sorted(best.values(), key=lambda one: one.mean))


def curve_of(
    plan: SweepPlan, data: xr.Dataset, responses: tuple[Response, ...], label: str, name: str
) -> dict[int, Interval]:
    """How a learner responds to one path of a grid: an interval for each value, by its place in the list.

    With each value the learner has its best setting under each of the other circumstances, and its scores are averaged
    over these. A value is left out if a circumstance has no setting of which every seed is done.
    """
    scores = by_point(plan, data, "score")[plan.labels.index(label)]
    mine = [each for each in responses if each.learner == label]
    found = {}
    for place, value in enumerate(plan.axes[name]):
        wanted = canonical(value)
        having = tuple(each for each in mine if canonical(plan.values(each.point)[name]) == wanted)
        best = best_of(having)
        if len(best) == len({canonical(each.circumstances) for each in having}):
            found[place] = interval(np.mean([scores[each.point] for each in best], axis=0))
    return found


def by_point(plan: SweepPlan, data: xr.Dataset, name: str) -> Anything:
    """A variable of the data set by learner, point and seed."""
    values: Anything = data[name].to_numpy().reshape(len(plan.labels), len(plan.places), len(plan.seeds))
    return values
