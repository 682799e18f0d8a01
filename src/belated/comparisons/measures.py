"""What learners may be ranked by; less is better for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # what is heavy is imported where it is needed: the names of measures should be known at once
    import xarray as xr

    from belated.core.arrays import Anything
    from belated.sim import Result
    from belated.sim.problems import Problem
    from belated.sim.result import Numbers


class Measure(NamedTuple):
    """A way to judge a run. ``of`` gives a curve for every learner and seed, and ``plain`` the same without labels."""

    name: str
    title: str
    against_best: bool
    """Whether the best fixed decision must be known."""
    of: Callable[[Result, Problem], xr.DataArray]
    plain: Callable[[Numbers, Problem], Anything]
    fits: Callable[[Problem], bool] = lambda problem: True


def _dynamic_regret(result: Result, problem: Problem) -> xr.DataArray:
    from belated.sim.dynamic import dynamic_regret

    return dynamic_regret(result, problem)


def _plain_dynamic_regret(numbers: Numbers, problem: Problem) -> Anything:
    from belated.sim.dynamic import comparator_losses

    losses: Anything = numbers.fields["cumulative_loss"]
    return losses - comparator_losses(problem, numbers.seeds, numbers.recorded)


def _of_a_field(name: str, title: str, against_best: bool, field: str) -> Measure:
    """A measure that every result has as one of its fields."""
    return Measure(
        name,
        title,
        against_best,
        lambda result, problem: getattr(result, field),
        lambda numbers, problem: numbers.fields[field],
    )


MEASURES = {
    each.name: each
    for each in (
        _of_a_field("regret", "Regret", True, "regret"),
        Measure(
            "dynamic-regret",
            "Dynamic regret",
            False,
            _dynamic_regret,
            _plain_dynamic_regret,
            lambda problem: hasattr(problem, "comparators"),
        ),
        _of_a_field("loss", "Cumulative loss", False, "cumulative_loss"),
    )
}
