"""``growth``: how regret grows with the rounds, the delay or the dimension, read from simulations.

Regret after T rounds may be read from one long run, at its prefixes, only if the learner did not know how long the run
would be. One that was tuned to 10^6 rounds is not the learner that theory speaks of after 10^3. Such learners are
refused, and are read from several simulations, each with a learner for its own number of rounds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from belated.audit.laws import (
    LOGARITHM,
    POWER,
    Estimate,
    exponent,
    jackknifed,
    local_slopes,
    open_ended,
    straightness,
    verdict,
)
from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.learners import Learner
from belated.learners.catalogue import CARDS
from belated.sim import Result

LETTERS = {"rounds": "T", "delay": "d", "dim": "n"}
"""What regret may be read by, and the letter for it."""

FEWEST = 4
"""As many sizes as it takes to tell three numbers from a curve and still see whether they fit."""


class Law(NamedTuple):
    """How the mean regret of a learner grows.

    ==============  ================================================================================================
    field           meaning
    ==============  ================================================================================================
    ``learner``     the name that it has in the result
    ``law``         ``"log"``, ``"power"``, ``"slower than log"`` or ``"undecided"``
    ``exponent``    p of a + b (x^p - 1) / p, where p = 0 is a + b ln x: its value and 95 % interval
    ``straight``    R^2 of the straight line through regret against ln x
    ``slopes``      the slope of ln regret against ln x between neighbouring sizes, with 95 % intervals
    ==============  ================================================================================================
    """

    learner: str
    law: str
    exponent: Estimate
    straight: float
    slopes: tuple[Estimate, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Growth:
    """Regret by size, and the law of each learner.

    ============  =================================================================================================
    field         meaning
    ============  =================================================================================================
    ``by``        ``"rounds"``, ``"delay"`` or ``"dim"``
    ``sizes``     the numbers of rounds, delays or dimensions
    ``regret``    the mean regret at each size with its 95 % interval, by the name of the learner
    ``laws``      a :class:`~belated.audit.growth.Law` for each learner
    ============  =================================================================================================
    """

    by: str
    sizes: Vector
    regret: Mapping[str, tuple[Estimate, ...]]
    laws: Mapping[str, Law]

    def __repr__(self) -> str:
        letter = LETTERS[self.by]
        lines = [f"regret against {letter} = {self.sizes[0]:g} to {self.sizes[-1]:g}"]
        lines += [f"  {name}: {in_words(law, letter)}" for name, law in self.laws.items()]
        return "\n".join(lines)

    def to_rows(self) -> list[dict[str, Any]]:
        """The curves and local slopes as plain values.

        Returns:
            A dictionary for each learner and size, with ``learner``, ``by``, ``size``, ``regret_mean``, ``regret_low``,
            ``regret_high``, and ``slope``, ``slope_low`` and ``slope_high`` of the piece that ends at this size, which
            are ``nan`` at the first one.
        """
        nothing = Estimate(np.nan, np.nan, np.nan)
        rows = []
        for name, curve in self.regret.items():
            for size, mean, slope in zip(self.sizes.tolist(), curve, (nothing, *self.laws[name].slopes), strict=True):
                rows.append(
                    {"learner": name, "by": self.by, "size": size}
                    | {"regret_mean": mean.value, "regret_low": mean.low, "regret_high": mean.high}
                    | {"slope": slope.value, "slope_low": slope.low, "slope_high": slope.high}
                )
        return rows


def growth(
    result: Result | Mapping[int, Result], by: str = "rounds", *, learners: Mapping[str, Learner] | None = None
) -> Growth:
    """Read from simulations how regret grows, and decide by a test between ln x and x^p.

    The test is about the exponent p of regret = a + b (x^p - 1) / p, in which p = 0 is the logarithm. If its 95 %
    interval over the seeds lies within 0.05 of 0, the law is ``"log"``; if it lies above, ``"power"``.

    Args:
        result: One result of ``simulate`` with at least four rounds in ``regret_at``, which is read at these prefixes.
            Or a mapping from four or more sizes (numbers of rounds, delays or dimensions) to a result for each, of
            which the last regret is read.
        by: What regret is read by: ``"rounds"``, ``"delay"`` or ``"dim"``. The last two need a mapping.
        learners: The mapping that ``simulate`` was given, for prefixes of learners whose names in the result are not
            those of the catalogue: it says which algorithm each of them is.

    Returns:
        Curves, local slopes and the law of each learner: see :class:`Growth`.

    Raises:
        InvalidArgument: An argument cannot be used; the mean regret at some size is not above 0; or a learner would be
            read at prefixes of a run whose length it knew, or may have known.

    Example:
        >>> import belated as bl
        >>> learners = {"dogd-sc": bl.dogd_sc(bl.Ball(3), strong_convexity=2.0)}
        >>> problem, at = bl.problems.RandomQuadratic(3), [25, 50, 100, 200, 400]
        >>> result = bl.simulate(learners, problem, bl.delays.Fixed(3), rounds=400, seeds=10, regret_at=at)
        >>> law = bl.growth(result).laws["dogd-sc"]         # so few rounds and seeds decide nothing
        >>> law.law, bool(law.straight > 0.95)
        ('undecided', True)
    """
    if not isinstance(by, str) or by not in LETTERS:
        checks.refuse("growth", "by", by, f"must be one of {', '.join(LETTERS)}")
    _check_learners(learners)
    if isinstance(result, Result):
        sizes, tables = _prefixes(result, by, learners)
    else:
        sizes, tables = _ends(result, by)
    if sizes.size < FEWEST or not (np.diff(sizes) > 0.0).all() or sizes[0] <= 0.0:
        checks.refuse("growth", "result", sizes.tolist(), f"must have at least {FEWEST} growing sizes above 0")
    for name, regrets in tables.items():
        lowest = int(np.argmin(regrets.mean(axis=0)))
        if not regrets.mean(axis=0)[lowest] > 0.0:
            wanted = f"must have a mean regret above 0 at every size, and {name} has not at {sizes[lowest]:g}"
            checks.refuse("growth", "result", float(regrets.mean(axis=0)[lowest]), wanted)
    curves = {name: tuple(jackknifed(regrets, lambda curve: curve)) for name, regrets in tables.items()}
    return Growth(by, sizes, curves, {name: _law(name, sizes, regrets) for name, regrets in tables.items()})


def _check_learners(learners: Any) -> None:
    known = learners is None or (
        isinstance(learners, Mapping) and all(isinstance(each, Learner) for each in learners.values())
    )
    if not known:
        checks.refuse("growth", "learners", learners, "must be the mapping from names to learners that was simulated")


def _law(name: str, sizes: Vector, regrets: Matrix) -> Law:
    power = open_ended(jackknifed(regrets, lambda curve: exponent(sizes, curve))[0])
    slopes = tuple(jackknifed(regrets, lambda curve: local_slopes(sizes, curve)))
    return Law(name, verdict(power), power, straightness(sizes, regrets.mean(axis=0)), slopes)


def _prefixes(result: Result, by: str, learners: Mapping[str, Learner] | None) -> tuple[Vector, dict[str, Matrix]]:
    """Regret by round, for each learner; those that know the number of rounds are refused."""
    if by != "rounds":
        wanted = f"must be a mapping from each {by} to a result: one result has one {by}"
        checks.refuse("growth", "result", result, wanted)
    names = [str(name) for name in result.regret["learner"].values.tolist()]
    known = result.regret["round"].values.tolist()
    if len(known) < FEWEST:
        wanted = (
            f"must have regret after at least {FEWEST} rounds: simulate with regret_at=[...], at least {FEWEST} rounds"
        )
        checks.refuse("growth", "result", known, wanted)
    for name in names:
        _check_prefixes(name, None if learners is None else learners.get(name))
    sizes = result.regret["round"].to_numpy().astype(float)
    return sizes, {name: result.regret.sel(learner=name).transpose("seed", "round").to_numpy() for name in names}


def _check_prefixes(label: str, learner: Learner | None) -> None:
    """Refuse a learner whose card says that the number of rounds must be known, and one without a card."""
    algorithm = label.replace("-", "_") if learner is None else learner.name
    if algorithm not in CARDS:
        wanted = (
            f"must be a learner of the catalogue; say which one it is, as in learners={{{label!r}: learner}}, "
            "or give a result per size"
        )
        checks.refuse("growth", "result", label, wanted)
    if any(re.search(r"\brounds\b", known) for known in CARDS[algorithm].known):
        wanted = (
            f"cannot be read at prefixes: {algorithm} is tuned to the number of rounds; run it once for each number, "
            "and give a mapping from the number to its result"
        )
        checks.refuse("growth", "result", label, wanted)


def _ends(results: Any, by: str) -> tuple[Vector, dict[str, Matrix]]:
    """The last regret of each result, for the learners and seeds of all of them."""
    if not isinstance(results, Mapping) or not all(isinstance(each, Result) for each in results.values()):
        checks.refuse("growth", "result", results, f"must be a result of simulate, or a mapping from each {by} to one")
    given = {checks.positive("growth", "result", size): each for size, each in results.items()}
    sizes = np.array(sorted(given))
    last = [given[size].regret.isel(round=-1) for size in sizes.tolist()]
    names, seeds = (last[0][name].values.tolist() for name in ("learner", "seed")) if last else ([], [])
    for array in last:
        if array["learner"].values.tolist() != names or array["seed"].values.tolist() != seeds:
            checks.refuse("growth", "result", results, "must have the same learners and seeds at every size")
    return sizes, {name: np.array([each.sel(learner=name).to_numpy() for each in last]).T for name in names}


def in_words(law: Law, letter: str) -> str:
    """A law as a sentence without its end."""
    power = law.exponent
    within = f"exponent {power.value:.3f}, 95 % in [{power.low:.3f}, {power.high:.3f}]"
    told = {LOGARITHM: f"a + b ln {letter}", POWER: f"a + b {letter}^{power.value:.2f}"}.get(law.law, law.law)
    return f"{told} ({within}; R^2 against ln {letter} {law.straight:.4f})"
