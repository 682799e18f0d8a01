r"""Bounds of descents that are told values: BDOGD-SC and its two-query variant, DBGD, Agarwal, Dekel and Xiao.

They have a common form: the bound of a descent on the shrunk domain X_delta for gradients of norm at most G, plus
delta T times what looking costs in a round. The regret is that of the average over the points that are played.

====================  =========================================================  ====================================
estimator             G                                                          what looking costs
====================  =========================================================  ====================================
n + 1 points          min(sqrt(n) L, L + sqrt(n) alpha delta / 2)                sqrt(n) alpha R + L + L R / r
two points            n L                                                        L + L R / r
====================  =========================================================  ====================================

These are the corrected constants (``docs/errata.md``); ``theorem_2`` and ``theorem_3`` have those of the paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from belated.core.arrays import Vector
from belated.learners.parts.estimators import Coordinates, TwoPoint
from belated.learners.parts.policies.arrivals import Batch, Sequential
from belated.learners.parts.rates import ConstantRate, PerFeedback, PerRound
from belated.theory.descent_curves import constant_rate, counted_drift, logarithmic, squared_drift
from belated.theory.prefixes import Prefixes
from belated.theory.reading import across, estimated_rate, lipschitz, probing, smoothness, told_convexity
from belated.theory.statement import IN_EXPECTATION, IN_PAPER, PROVED_HERE, WRONG, Setting, Statement
from belated.theory.statements.dogd_sc import THE_PAPER, harmonic_curve

Read = Mapping[str, float] | None
ERRATA = "docs/errata.md, what changes constants"


def _looking(setting: Setting, estimator: type) -> dict[str, float]:
    """G, the largest estimate, and what looking costs in a round: delta times a number."""
    around, steep = probing(setting), lipschitz(setting)
    slope, delta, root = steep * around.radius / around.inner_radius, around.probe_radius, math.sqrt(around.dim)
    if estimator is TwoPoint:
        return {"estimates": around.dim * steep, "looking": delta * (steep + slope)}
    alpha = smoothness(setting)
    estimates = min(root * steep, steep + root * alpha * delta / 2.0)
    return {"estimates": estimates, "looking": delta * (root * alpha * around.radius + steep + slope)}


def _strongly_convex(setting: Setting, estimator: type, most: float, **sizes: float) -> Read:
    rate = estimated_rate(setting.learner.policy, estimator)
    if type(rate) is not PerFeedback:
        return None
    probing(setting)
    beta = told_convexity(setting, rate.strong_convexity, most)
    return {"strong_convexity": beta, **sizes, **_looking(setting, estimator)}


def _corrected(setting: Setting, estimator: type) -> Read:
    return _strongly_convex(setting, estimator, 1.0, radius=setting.learner.domain.outer_radius)


def _certified(setting: Setting, estimator: type) -> Read:
    return _strongly_convex(setting, estimator, 2.0, radius=setting.learner.decision_domain.diameter / 2.0)


def _squares(setting: Setting, estimator: type) -> Read:
    return _strongly_convex(setting, estimator, 1.0, diameter=setting.learner.decision_domain.diameter)


def _printed(setting: Setting, estimator: type) -> Read:
    """The constants of Theorems 2 and 3 as they are printed."""
    rate = estimated_rate(setting.learner.policy, estimator)
    if type(rate) is not PerFeedback:
        return None
    known = {"strong_convexity": told_convexity(setting, rate.strong_convexity), **probing(setting)._asdict()}
    smooth = {"smoothness": smoothness(setting)} if estimator is Coordinates else {}
    return {**known, "lipschitz": lipschitz(setting), **smooth}


def _punctual(setting: Setting, estimator: type) -> Read:
    """OGD-SC's rate: a bound without delay."""
    rate = estimated_rate(setting.learner.policy, estimator)
    if type(rate) is not PerRound:
        return None
    probing(setting)
    return {"strong_convexity": told_convexity(setting, rate.strong_convexity), **_looking(setting, estimator)}


def _constant(setting: Setting, estimator: type) -> Read:
    rate = estimated_rate(setting.learner.policy, estimator, Batch, Sequential)
    if type(rate) is not ConstantRate:
        return None
    return {"rate": 1.0 / rate.inverse, "distance": across(setting), **_looking(setting, estimator)}


def _logarithmic_curve(
    seen: Prefixes, strong_convexity: float, radius: float, estimates: float, looking: float
) -> Vector:
    return logarithmic(seen, strong_convexity, radius, estimates) + looking * seen.rounds


def _certified_curve(
    seen: Prefixes, strong_convexity: float, radius: float, estimates: float, looking: float
) -> Vector:
    return counted_drift(seen, strong_convexity, radius, estimates) + looking * seen.rounds


def _squares_curve(
    seen: Prefixes, strong_convexity: float, diameter: float, estimates: float, looking: float
) -> Vector:
    return squared_drift(seen, strong_convexity, diameter, estimates) + looking * seen.rounds


def _harmonic_curve(seen: Prefixes, strong_convexity: float, estimates: float, looking: float) -> Vector:
    return harmonic_curve(seen, strong_convexity, estimates) + looking * seen.rounds


def _constant_curve(seen: Prefixes, rate: float, distance: float, estimates: float, looking: float) -> Vector:
    return constant_rate(seen, rate, distance, estimates) + looking * seen.rounds


def _theorem_2_curve(
    seen: Prefixes,
    strong_convexity: float,
    radius: float,
    inner_radius: float,
    dim: int,
    probe_radius: float,
    lipschitz: float,
    smoothness: float,
) -> Vector:
    root = math.sqrt(dim)
    estimated = logarithmic(seen, strong_convexity, radius, lipschitz + root * smoothness * probe_radius / 2.0)
    looking = root * smoothness * radius + lipschitz * radius / inner_radius + lipschitz
    return estimated + looking * probe_radius * seen.rounds


def _theorem_3_curve(
    seen: Prefixes,
    strong_convexity: float,
    radius: float,
    inner_radius: float,
    dim: int,
    probe_radius: float,
    lipschitz: float,
) -> Vector:
    estimated = logarithmic(seen, strong_convexity, radius, 2.0 * lipschitz + dim * lipschitz)
    return estimated + (3.0 * lipschitz + radius * lipschitz / inner_radius) * probe_radius * seen.rounds


def _without_c_curve(
    seen: Prefixes,
    strong_convexity: float,
    radius: float,
    inner_radius: float,
    dim: int,
    probe_radius: float,
    lipschitz: float,
) -> Vector:
    """Theorem 3 as it is printed: the c = delta T / ln T is missing in the last term."""
    estimated = logarithmic(seen, strong_convexity, radius, 2.0 * lipschitz + dim * lipschitz)
    shrinking = radius * lipschitz * np.log(seen.rounds) / inner_radius
    return estimated + 3.0 * lipschitz * probe_radius * seen.rounds + shrinking


def _of(read: Any, estimator: type) -> Any:
    """The reader for one of the two estimators."""
    return lambda setting: read(setting, estimator)


_LOOKING_AROUND = r"\delta T \bigl(\sqrt n \alpha R + L + \tfrac{L R}{r}\bigr)"
_LOOKING_TWICE = r"\delta T \bigl(L + \tfrac{L R}{r}\bigr)"
_TILDE = r"\tilde L = \min\bigl(\sqrt n L, L + \tfrac12 \sqrt n \alpha \delta\bigr)"
_CERTIFICATE = (
    r"\sum_t \frac{|F_t|}{h_t} \bigl[(\beta R_\delta \tilde L + \tilde L^2) o_t + \tfrac12 \tilde L^2 |F_t|\bigr]"
)
_SQUARES = (
    r"\sum_t \frac{|F_t|}{h_t} \tilde L^2 \bigl[o_t + \tfrac12 |F_t|\bigr]"
    r" + \frac\beta2 \sum_k \min(D_\delta, \tilde L H_k)^2"
)
_THEOREM = r"(4 \beta R \tilde L + 5 \tilde L^2) \frac d\beta \Bigl(1 + \ln\frac{T}{|F_s|}\Bigr)"
_AGARWAL = "docs/derivations/without_delay.md; Agarwal, Dekel and Xiao 2010"
_DOGD = "docs/derivations/dogd.md"
_EXPECTED, _HERE = PROVED_HERE + IN_EXPECTATION, PROVED_HERE


def _four(number: int, estimator: type, looking: str, tilde: str, certainty: str) -> tuple[Statement, ...]:
    """What both theorems have in common: the sharper forms, and the theorem with corrected constants."""
    rest, source = f" + {looking},\\quad {tilde}", "docs/derivations/dogd_sc.md"
    name = f"theorem_{number}"
    squares = Statement(
        f"{name}_squares",
        _SQUARES + rest,
        f"{source}, (C'); {ERRATA}",
        certainty,
        _of(_squares, estimator),
        _squares_curve,
    )
    certified = Statement(
        f"{name}_certificate",
        _CERTIFICATE + rest,
        f"{source}, (C); {ERRATA}",
        certainty,
        _of(_certified, estimator),
        _certified_curve,
    )
    corrected = Statement(
        f"{name}_corrected",
        _THEOREM + rest,
        f"{THE_PAPER}, Theorem {number}; {ERRATA}",
        certainty,
        _of(_corrected, estimator),
        _logarithmic_curve,
    )
    return squares, certified, corrected


STATEMENTS = (
    *_four(2, Coordinates, _LOOKING_AROUND, _TILDE, _HERE),
    Statement(
        "theorem_2",
        _THEOREM + " + " + _LOOKING_AROUND + r",\quad \tilde L = L + \tfrac12 \sqrt n \alpha \delta",
        f"{THE_PAPER}, Theorem 2",
        IN_PAPER,
        _of(_printed, Coordinates),
        _theorem_2_curve,
    ),
    *_four(3, TwoPoint, _LOOKING_TWICE, r"\tilde L = n L", _EXPECTED),
    Statement(
        "theorem_3",
        _THEOREM + r" + \delta T \bigl(3 L + \tfrac{R L}{r}\bigr),\quad \tilde L = 2 L + n L",
        f"{THE_PAPER}, the proof of Theorem 3",
        IN_PAPER + IN_EXPECTATION,
        _of(_printed, TwoPoint),
        _theorem_3_curve,
    ),
    Statement(
        "theorem_3_printed",
        _THEOREM + r" + 3 c L \ln T + \tfrac{R L}{r} \ln T,\quad \tilde L = 2 L + n L,\ c \ln T = \delta T",
        f"{THE_PAPER}, Theorem 3",
        WRONG + IN_EXPECTATION,
        _of(_printed, TwoPoint),
        _without_c_curve,
    ),
    Statement(
        "dbgd",
        r"\frac{D_m^2}{2\eta} + \eta G^2 \Bigl(\frac T2 + D_0\Bigr) + " + _LOOKING_AROUND,
        f"{_DOGD}, statement 5",
        _HERE,
        _of(_constant, Coordinates),
        _constant_curve,
    ),
    Statement(
        "two_point_dogd",
        r"\frac{D_m^2}{2\eta} + \eta n^2 L^2 \Bigl(\frac T2 + D_0\Bigr) + " + _LOOKING_TWICE,
        "docs/derivations/without_delay.md",
        _EXPECTED,
        _of(_constant, TwoPoint),
        _constant_curve,
    ),
    Statement(
        "agarwal_coordinates",
        r"\frac{G^2}{2\beta} \sum_{t=1}^T \frac1t + " + _LOOKING_AROUND + r"\quad\text{without delay}",
        _AGARWAL,
        _HERE,
        _of(_punctual, Coordinates),
        _harmonic_curve,
    ),
    Statement(
        "agarwal_two_point",
        r"\frac{n^2 L^2}{2\beta} \sum_{t=1}^T \frac1t + " + _LOOKING_TWICE + r"\quad\text{without delay}",
        _AGARWAL,
        _EXPECTED,
        _of(_punctual, TwoPoint),
        _harmonic_curve,
    ),
)
