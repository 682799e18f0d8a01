"""What learners may be ranked by; less is better for all of them."""

from collections.abc import Callable
from typing import NamedTuple

import xarray as xr

from belated.sim import Result
from belated.sim.dynamic import dynamic_regret
from belated.sim.problems import Problem


class Measure(NamedTuple):
    """A way to judge a run. ``of`` gives a curve for every learner and seed."""

    name: str
    title: str
    against_best: bool
    """Whether the best fixed decision must be known."""
    of: Callable[[Result, Problem], xr.DataArray]
    fits: Callable[[Problem], bool] = lambda problem: True


MEASURES = {
    each.name: each
    for each in (
        Measure("regret", "Regret", True, lambda result, problem: result.regret),
        Measure(
            "dynamic-regret",
            "Dynamic regret",
            False,
            dynamic_regret,
            lambda problem: hasattr(problem, "comparators"),
        ),
        Measure("loss", "Cumulative loss", False, lambda result, problem: result.cumulative_loss),
    )
}
