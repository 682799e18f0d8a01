"""What learners may be ranked by; less is better for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # what is heavy is imported where it is needed: the names of measures should be known at once
    import xarray as xr

    from belated.sim import Result
    from belated.sim.problems import Problem


class Measure(NamedTuple):
    """A way to judge a run. ``of`` gives a curve for every learner and seed."""

    name: str
    title: str
    against_best: bool
    """Whether the best fixed decision must be known."""
    of: Callable[[Result, Problem], xr.DataArray]
    fits: Callable[[Problem], bool] = lambda problem: True


def _dynamic_regret(result: Result, problem: Problem) -> xr.DataArray:
    from belated.sim.dynamic import dynamic_regret

    return dynamic_regret(result, problem)


MEASURES = {
    each.name: each
    for each in (
        Measure("regret", "Regret", True, lambda result, problem: result.regret),
        Measure(
            "dynamic-regret",
            "Dynamic regret",
            False,
            _dynamic_regret,
            lambda problem: hasattr(problem, "comparators"),
        ),
        Measure("loss", "Cumulative loss", False, lambda result, problem: result.cumulative_loss),
    )
}
