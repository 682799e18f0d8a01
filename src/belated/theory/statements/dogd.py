r"""Bounds of descents for convex losses that are told gradients: DOGD with each of its rates, OGD, SOLID around DOGD.

One inequality, (A) of ``docs/derivations/dogd.md``, holds for every rate that never grows. It needs h_t = 1 / eta_t in
all rounds, which :func:`inverse_rates` computes from counts for each kind of rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from belated.core.arrays import Vector
from belated.learners.algorithms.langford import LateSquareRoot
from belated.learners.parts.policies.arrivals import Batch, Sequential
from belated.learners.parts.rates import ConstantRate, CountAdaptive, Doubling, Listed, SquareRoot
from belated.learners.parts.wrappers.replay import Replay
from belated.theory.descent_curves import constant_rate, falling_rate
from belated.theory.prefixes import Prefixes
from belated.theory.reading import across, bounded, lipschitz, rate_of, told_lipschitz
from belated.theory.statement import PROVED_HERE, Lacks, Setting, Statement
from belated.theory.statements.dogd_sc import undelayed

Read = Mapping[str, Any] | None
THE_PAGE = "docs/derivations/dogd.md"


@singledispatch
def inverse_rates(rate: Any, seen: Prefixes) -> tuple[Vector, Vector] | None:
    """h_t in every round of a run and, for each prefix, in its last round, when all that is missing has come.

    Args:
        rate: A part that has registered ``inverse_rate``.
        seen: The counts of the run.

    Returns:
        The two arrays; ``None`` for a rate of which it is not known here that it never grows.
    """
    return None


def _of_rounds(every: Vector, seen: Prefixes) -> tuple[Vector, Vector]:
    """Rates that depend on nothing but the round have the same value in the last round of a shorter run."""
    return every, every[seen.rounds - 1]


@inverse_rates.register
def _(rate: SquareRoot, seen: Prefixes) -> tuple[Vector, Vector]:
    return _of_rounds(rate.scale * np.sqrt(seen.every_round), seen)


@inverse_rates.register
def _(rate: LateSquareRoot, seen: Prefixes) -> tuple[Vector, Vector]:
    return _of_rounds(rate.scale * np.sqrt(np.maximum(1, seen.every_round - rate.lag)), seen)


@inverse_rates.register
def _(rate: Listed, seen: Prefixes) -> tuple[Vector, Vector] | None:
    if np.any(np.diff(rate.rates) > 0.0):
        return None
    return _of_rounds(1.0 / rate.rates[np.minimum(seen.every_round, rate.rates.size) - 1], seen)


@inverse_rates.register
def _(rate: CountAdaptive, seen: Prefixes) -> tuple[Vector, Vector]:
    weights = seen.play_weights - seen.in_flight**2
    return rate.scale * np.sqrt(2.0 * weights), rate.scale * np.sqrt(2.0 * seen.play_weight)


@inverse_rates.register
def _(rate: Doubling, seen: Prefixes) -> tuple[Vector, Vector]:
    fraction, power = np.frexp(seen.play_weights.astype(np.float64))
    return _of_rounds(rate.scale * np.sqrt(np.ldexp(1.0, np.where(fraction == 0.5, power - 1, power))), seen)


def constant_curve(seen: Prefixes, rate: float, distance: float, lipschitz: float) -> Vector:
    """Dm^2 / (2 eta) + eta L^2 (T / 2 + D0), Dm the largest distance from the first decision."""
    return constant_rate(seen, rate, distance, lipschitz)


def _falling_curve(seen: Prefixes, rate: Any, diameter: float, lipschitz: float) -> Vector:
    found = inverse_rates(rate, seen)
    if found is None:
        raise TypeError(f"{rate!r} is no rate of which it is known that it never grows")
    return falling_rate(seen, *found, diameter, lipschitz)


def root_curve(seen: Prefixes, factor: float, diameter: float, lipschitz: float) -> Vector:
    """A number times Dm L sqrt(T + 2 D0)."""
    curve: Vector = factor * diameter * lipschitz * np.sqrt(seen.play_weight)
    return curve


def _ogd_curve(seen: Prefixes, diameter: float, lipschitz: float) -> Vector:
    return undelayed(seen, 1.5 * diameter * lipschitz * np.sqrt(seen.rounds))


def _constant(setting: Setting) -> Read:
    rate = rate_of(setting.learner.policy)
    return _at_constant(setting, rate)


def _sequential(setting: Setting) -> Read:
    policy = setting.learner.policy
    if type(policy) is Replay:  # one feedback at a time reaches the base, so that each is a step
        return _at_constant(setting, rate_of(policy.base, Batch, Sequential))
    return _at_constant(setting, rate_of(policy, Sequential))


def _at_constant(setting: Setting, rate: Any) -> Read:
    if type(rate) is not ConstantRate:
        return None
    return {"rate": 1.0 / rate.inverse, "distance": across(setting), "lipschitz": lipschitz(setting)}


def _falling(setting: Setting) -> Read:
    rate = rate_of(setting.learner.policy)
    if rate is None or type(rate) is ConstantRate or type(rate) not in inverse_rates.registry:
        return None
    if type(rate) is Listed and np.any(np.diff(rate.rates) > 0.0):
        raise Lacks("its bound is for rates that never grow, and the listed ones do")
    return {"rate": rate, "diameter": bounded(setting).diameter, "lipschitz": lipschitz(setting)}


def _told(setting: Setting, kind: type[CountAdaptive] | type[Doubling] | type[SquareRoot]) -> Read:
    """Dm, and the L that the rate was told."""
    rate = rate_of(setting.learner.policy)
    if type(rate) is not kind:
        return None
    diameter = bounded(setting).diameter
    return {"diameter": diameter, "lipschitz": told_lipschitz(setting, rate.scale * diameter)}


def _adaptive(setting: Setting) -> Read:
    known = _told(setting, CountAdaptive)
    return None if known is None else {"factor": 2.0**0.5, **known}


def _doubling(setting: Setting) -> Read:
    known = _told(setting, Doubling)
    return None if known is None else {"factor": 1.0 + 0.5**0.5, **known}


def _ogd(setting: Setting) -> Read:
    return _told(setting, SquareRoot)


STATEMENTS = (
    Statement(
        "dogd",
        r"\frac{D_m^2}{2\eta} + \eta L^2 \Bigl(\frac T2 + D_0\Bigr)",
        f"{THE_PAGE}, statement 1",
        PROVED_HERE,
        _constant,
        constant_curve,
        concave=True,
    ),
    Statement(
        "sequential_dogd",
        r"\frac{D_m^2}{2\eta} + \eta L^2 \Bigl(\frac T2 + D_0\Bigr)",
        f"{THE_PAGE}, statement 4",
        PROVED_HERE,
        _sequential,
        constant_curve,
        concave=True,
    ),
    Statement(
        "dogd_falling",
        r"\frac{D_m^2}{2\eta_T} + L^2 \sum_t \eta_t |F_t| \bigl(\tfrac12 |F_t| + o_t\bigr)",
        f"{THE_PAGE}, (A)",
        PROVED_HERE,
        _falling,
        _falling_curve,
    ),
    Statement(
        "dogd_adaptive",
        r"\sqrt2\, D_m L \sqrt{T + 2 D_0}",
        f"{THE_PAGE}, statement 2",
        PROVED_HERE,
        _adaptive,
        root_curve,
        concave=True,
    ),
    Statement(
        "dogd_doubling",
        r"\bigl(1 + \tfrac1{\sqrt2}\bigr) D_m L \sqrt{T + 2 D_0}",
        f"{THE_PAGE}, statement 3",
        PROVED_HERE,
        _doubling,
        root_curve,
        concave=True,
    ),
    Statement(
        "ogd",
        r"\tfrac32 D_m L \sqrt T \quad\text{without delay}",
        "docs/derivations/without_delay.md; Zinkevich 2003",
        PROVED_HERE,
        _ogd,
        _ogd_curve,
        concave=True,
    ),
)
