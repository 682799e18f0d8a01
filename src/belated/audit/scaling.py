"""Regret against T, d and n beside the theory: the simulations, and what they show as plain tables.

Two learners are run. DOGD-SC meets the losses of the paper, where its regret is that of a typical problem. DOGD meets
losses with random signs whose feedback comes when a block is over (:class:`~belated.audit.random_signs.RandomSigns`):
there its bound has the right order, because no learner can have a regret of a lower one.

=======  =====================================================  =======================================================
by       DOGD-SC                                                DOGD
=======  =====================================================  =======================================================
rounds   ten entries, the paper's low delays                    twenty entries, blocks of ten rounds
delay    ten entries, every delay d                             twenty entries, blocks of d rounds
dim      n entries, the paper's low delays                      n entries, blocks of ten rounds
=======  =====================================================  =======================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from belated.audit.growth import FEWEST, LETTERS, Growth, growth
from belated.audit.random_signs import RandomSigns
from belated.core import checks
from belated.core.arrays import Integers, Vector
from belated.delays import Burst, DelayLaw, Fixed, Periodic
from belated.learners import Learner, dogd, dogd_sc
from belated.sim import Result, simulate
from belated.sim.problems import DrawnProblem, RandomQuadratic
from belated.theory import bounds

LOW_DELAYS = (2, 3, 2, 1, 4, 1, 3)
"""The paper's low delays."""

DIM, SIGNS_DIM, BLOCK = 10, 20, 10
"""Entries of the decisions of the two learners, and rounds of a block, where they are not varied."""

BETA = 2.0
"""The strong convexity of the paper's losses."""


class Panel(NamedTuple):
    """One learner by one size: what was measured, and at each size the bound and what no learner can go below."""

    learner: str
    by: str
    rounds: int
    growth: Growth
    bound: Vector
    lowest: Vector
    promise: str


class Trial(NamedTuple):
    """A learner on a problem, under delays, for so many rounds, and the bound for given delays."""

    learner: Learner
    problem: DrawnProblem
    law: DelayLaw
    bound: Callable[[Integers], float]


def strongly_convex(dim: int, law: DelayLaw) -> Trial:
    """DOGD-SC on the losses of the paper."""
    problem = RandomQuadratic(dim)
    known = problem.constants(problem.domain)
    certificate = partial(bounds.certificate, strong_convexity=BETA, radius=1.0, lipschitz=known.lipschitz)
    return Trial(dogd_sc(problem.domain, BETA), problem, law, certificate)


def random_signs(dim: int, period: int) -> Trial:
    """DOGD, at the rate that tunes itself, on random signs that are told when a block is over."""
    problem = RandomSigns(dim, period)
    bound = partial(bounds.dogd_adaptive, diameter=2.0, lipschitz=1.0)
    return Trial(dogd(problem.domain, lipschitz=1.0), problem, Burst(period), bound)


class Series(NamedTuple):
    """Trials by size; ``prefixes`` says that one run has them all, as its prefixes."""

    learner: str
    by: str
    sizes: tuple[int, ...]
    rounds: int
    trial: Callable[[int], Trial]
    promise: str

    @property
    def prefixes(self) -> bool:
        """Whether the sizes are rounds of a single run."""
        return self.by == "rounds"


def series(rounds: int) -> tuple[Series, ...]:
    """What is simulated: T up to ``rounds``, d up to a hundredth of that, n up to a thousandth."""
    low = Periodic(LOW_DELAYS)
    times, delays, dims = sizes(rounds)
    late, wide = rounds // 10, rounds // 100
    return (
        Series("dogd-sc", "rounds", times, rounds, lambda size: strongly_convex(DIM, low), "d ln T"),
        Series("dogd-sc", "delay", delays, late, lambda size: strongly_convex(DIM, Fixed(size)), "d ln T"),
        Series("dogd-sc", "dim", dims, wide, lambda size: strongly_convex(size, low), "L^2, which grows like n"),
        Series("dogd", "rounds", times, rounds, lambda size: random_signs(SIGNS_DIM, BLOCK), "sqrt(d T)"),
        Series("dogd", "delay", delays, late, lambda size: random_signs(SIGNS_DIM, size), "sqrt(d T)"),
        Series("dogd", "dim", dims, wide, lambda size: random_signs(size, BLOCK), "no n"),
    )


def sizes(rounds: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The numbers of rounds, the delays and the dimensions, if there are at most so many rounds."""
    return steps(rounds // 1000, rounds, 4), steps(1, rounds // 100, 2), steps(2, rounds // 1000, 2)


def steps(least: int, most: int, per_decade: int) -> tuple[int, ...]:
    """Whole numbers from ``least`` to ``most``, so many in each factor of ten, evenly spread."""
    decades = np.log10(most / least)
    numbers = least * 10.0 ** np.linspace(0.0, decades, max(2, round(per_decade * decades) + 1))
    return tuple(sorted({round(number) for number in numbers.tolist()}))


FEWEST_ROUNDS = next(
    rounds for rounds in range(2_000, 1_000_000, 1_000) if all(len(each) >= FEWEST for each in sizes(rounds))
)
"""The least number of thousands of rounds with enough dimensions and delays to read a law from."""


def scaled(rounds: int = 1_000_000, seeds: int = 20, *, progress: bool | None = None) -> Iterator[Panel]:
    """Run all series, one panel after the other.

    Args:
        rounds: The largest number of rounds, at least ``FEWEST_ROUNDS``.
        seeds: How many seeds, at least 2.
        progress: Whether to show bars on the standard error. Default: if that is a terminal.

    Yields:
        Regret by rounds, by delay and by dimension, for one learner and then for the other.

    Raises:
        InvalidArgument: There are too few rounds or seeds.
    """
    number = checks.count("scaled", "rounds", rounds, least=FEWEST_ROUNDS)
    repeats = checks.count("scaled", "seeds", seeds, least=2)
    for each in series(number):
        result = _run(each, repeats, progress)
        bound, lowest = np.array([_bounds(each, size) for size in each.sizes]).T
        yield Panel(each.learner, each.by, each.rounds, growth(result, each.by), bound, lowest, each.promise)


def _run(each: Series, seeds: int, progress: bool | None) -> Result | dict[int, Result]:
    def result(size: int, at: Any) -> Result:
        trial = each.trial(size)
        return simulate(
            {each.learner: trial.learner},
            trial.problem,
            trial.law,
            each.rounds,
            seeds,
            regret_at=at,
            record=[each.rounds],
            progress=progress,
        )

    if each.prefixes:
        return result(each.sizes[-1], each.sizes)
    return {size: result(size, [each.rounds]) for size in each.sizes}


def _bounds(each: Series, size: int) -> tuple[float, float]:
    """The bounds from above and from below after ``size`` rounds, or after all of them.

    These laws draw nothing, so any generator will do.
    """
    trial = each.trial(size)
    delays = trial.law.draw(np.random.default_rng(0), size if each.prefixes else each.rounds)
    return trial.bound(delays), bounds.lower(trial.problem, trial.learner.domain).value(delays)


def rows(panels: list[Panel]) -> list[dict[str, Any]]:
    """The curves of all panels, a row for each size, with the bounds from above and from below."""
    return [
        row
        | {"rounds": round(row["size"]) if panel.by == "rounds" else panel.rounds}
        | {"bound": bound, "lower_bound": lowest}
        for panel in panels
        for row, bound, lowest in zip(panel.growth.to_rows(), panel.bound.tolist(), panel.lowest.tolist(), strict=True)
    ]


def law_rows(panels: list[Panel]) -> list[dict[str, Any]]:
    """The law of each panel, beside what theory says."""
    found = []
    for panel in panels:
        law = panel.growth.laws[panel.learner]
        found.append(
            {"learner": panel.learner, "by": panel.by, "law": law.law}
            | {"exponent": law.exponent.value, "exponent_low": law.exponent.low, "exponent_high": law.exponent.high}
            | {"straight": law.straight, "theory": panel.promise, "letter": LETTERS[panel.by]}
        )
    return found
