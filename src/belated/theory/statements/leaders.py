r"""Bounds of delayed leaders: DDA, FTDL, curvature and composite FTRL, and hedge.

The weights of these learners were made from numbers that they were told, and the numbers are read off the weights: L is
``scale`` R / sqrt(2) for DDA, for example. Where a bound needs the numbers that were told to hold of the losses, they
are compared with the problem's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from belated.core.arrays import Vector
from belated.learners.parts.policies.arrivals import Batch, Sequential
from belated.learners.parts.policies.gradient import Direct, Surrogate
from belated.learners.parts.rates.weights import Balanced, PlayWeight, Unweighted
from belated.learners.parts.steps.entropy import Entropic, log_corners
from belated.learners.parts.steps.leader import Flat, Known, Leader, Received
from belated.theory.leader_curves import averaging, averaging_in_sums, balanced, charged
from belated.theory.prefixes import Prefixes
from belated.theory.reading import (
    across,
    away,
    bounded,
    lipschitz,
    told_convexity,
    told_lipschitz,
)
from belated.theory.statement import PROVED_HERE, Lacks, Setting, Statement

Read = Mapping[str, Any] | None
PAGES = "docs/derivations"


def leader_step(policy: Any, kind: type[Any], bowl: type, weight: type) -> Any:
    """The leader step of a policy of this kind, if it has this bowl and this kind of weight."""
    if type(policy) is not kind or type(policy.arrivals) not in (Batch, Sequential):
        return None
    step = policy.arrivals.step
    known = type(step) is Leader and type(step.bowl) is bowl and type(step.weight) is weight
    return step if known else None


def _farther(setting: Setting) -> float:
    """The factor by which the bound of a leader grows for a start at another place than the centre."""
    radius = bounded(setting).outer_radius
    return (1.0 + ((radius + away(setting)) / radius) ** 2) / 2.0


def _dda(setting: Setting) -> Read:
    step = leader_step(setting.learner.policy, Direct, Flat, PlayWeight)
    if step is None:
        return None
    radius = bounded(setting).outer_radius
    told = told_lipschitz(setting, step.weight.scale * radius / math.sqrt(2.0))
    return {"radius": radius, "lipschitz": told, "factor": _farther(setting)}


def _dda_in_sums(setting: Setting) -> Read:
    step = leader_step(setting.learner.policy, Direct, Flat, PlayWeight)
    if step is None:
        return None
    return {"scale": step.weight.scale, "distance": across(setting), "lipschitz": lipschitz(setting)}


def _ftdl(setting: Setting) -> Read:
    step = leader_step(setting.learner.policy, Surrogate, Received, Unweighted)
    if step is None:
        return None
    beta = told_convexity(setting, step.bowl.curvature)
    return {"strong_convexity": beta, "diameter": bounded(setting).diameter, "lipschitz": lipschitz(setting)}


def _curvature_ftrl(setting: Setting) -> Read:
    step = leader_step(setting.learner.policy, Surrogate, Received, Balanced)
    if step is None:
        return None
    domain, beta = bounded(setting), told_convexity(setting, step.bowl.curvature)
    return {
        "strong_convexity": beta,
        "radius": domain.outer_radius,
        "diameter": domain.diameter,
        "lipschitz": told_lipschitz(setting, math.sqrt(step.weight.own)),
        "factor": _farther(setting),
    }


def _without_regulariser(setting: Setting, curvature: float) -> tuple[float, float]:
    """R about the origin, and a bound on the gradients without the regulariser's part; its start is checked."""
    domain = bounded(setting)
    told_convexity(setting, curvature)
    nearest = domain.project(np.zeros(domain.dim))
    if not np.allclose(setting.start, nearest, rtol=0.0, atol=1e-9 * domain.outer_radius):
        raise Lacks(
            "its bound is for a start at the element of the domain nearest to the origin; this one is elsewhere"
        )
    largest = float(np.linalg.norm(domain.centre)) + domain.outer_radius
    return largest, lipschitz(setting) + curvature * largest


def _composite_ftrl(setting: Setting) -> Read:
    step = leader_step(setting.learner.policy, Direct, Known, Balanced)
    if step is None:
        return None
    weight = step.weight
    largest, slope = _without_regulariser(setting, weight.curvature)
    told = math.sqrt(2.0 * weight.own)
    if not told >= slope * (1.0 - 1e-9):
        raise Lacks(
            f"it was told lipschitz={told:g}; without their regulariser the gradients may be as long as {slope:g}, "
            "which is all that is known from those with it"
        )
    caution = weight.late / ((told + weight.curvature * largest) * told)
    if caution == 0.0:
        raise Lacks("its bound is for a caution above 0, or for no lipschitz at all")
    return {"weight": weight, "factor": 1.0 + 1.0 / min(caution, 1.0)}


def _composite_unweighted(setting: Setting) -> Read:
    step = leader_step(setting.learner.policy, Direct, Known, Unweighted)
    if step is None:
        return None
    largest, slope = _without_regulariser(setting, step.bowl.curvature)
    return {"regulariser": step.bowl.curvature, "largest_norm": largest, "lipschitz": slope}


def _hedge(setting: Setting) -> Read:
    policy = setting.learner.policy
    if type(policy) is not Direct or type(policy.arrivals) is not Batch or type(policy.arrivals.step) is not Entropic:
        return None
    simplex, weight = policy.arrivals.step
    if type(weight) is not PlayWeight or weight.scale != 1.0 / math.sqrt(log_corners(simplex)):
        raise Lacks("its bound is for the default rate")
    size = simplex.total - simplex.dim * simplex.floor
    least = float(np.min(setting.start - simplex.floor)) / size
    if least <= 0.0:
        raise Lacks("its bound needs a first decision in which every corner has a share")
    spread = math.sqrt(2.0) * lipschitz(setting)
    return {"dim": simplex.dim, "spread": spread, "surprise": math.log(1.0 / least), "size": size}


def _dda_curve(seen: Prefixes, radius: float, lipschitz: float, factor: float) -> Vector:
    return factor * averaging(seen.play_weight, radius, lipschitz)


def _dda_in_sums_curve(seen: Prefixes, scale: float, distance: float, lipschitz: float) -> Vector:
    return averaging_in_sums(seen, scale, distance * distance / 2.0, lipschitz)


def _ftdl_curve(seen: Prefixes, strong_convexity: float, diameter: float, lipschitz: float) -> Vector:
    late = lipschitz * (lipschitz + strong_convexity * diameter)
    return charged(seen, lipschitz**2 + late * seen.outstanding, strong_convexity)


def _ftdl_half_curve(seen: Prefixes, strong_convexity: float, diameter: float, lipschitz: float) -> Vector:
    late = lipschitz * (lipschitz + strong_convexity * diameter)
    own = np.where(seen.outstanding > 0, lipschitz**2, lipschitz**2 / 2.0)
    return charged(seen, own + late * seen.outstanding, strong_convexity)


def _curvature_curve(
    seen: Prefixes, strong_convexity: float, radius: float, diameter: float, lipschitz: float, factor: float
) -> Vector:
    late = lipschitz * (lipschitz + strong_convexity * diameter)
    return factor * 2.0 * balanced(seen, Balanced(strong_convexity, 0.5 * radius**2, lipschitz**2, late))


def _composite_curve(seen: Prefixes, weight: Balanced, factor: float) -> Vector:
    return factor * balanced(seen, weight)


def _unweighted_curve(seen: Prefixes, regulariser: float, largest_norm: float, lipschitz: float) -> Vector:
    late = (lipschitz + regulariser * largest_norm) * lipschitz
    return charged(seen, lipschitz**2 / 2.0 + late * seen.outstanding, regulariser)


def _hedge_curve(seen: Prefixes, dim: int, spread: float, surprise: float, size: float) -> Vector:
    root = math.sqrt(math.log(dim))
    curve: Vector = size * (surprise / root + spread**2 / 4.0 * root) * np.sqrt(seen.play_weight)
    return curve


_HALF = r"\text{ and } \tfrac12 L^2 \text{ where } \sigma_t = 0"
_SURROGATES = r"c_t = L \bigl(L + (L + \beta D_m) \sigma_t\bigr)"

STATEMENTS = (
    Statement(
        "dda_in_sums",
        r"\frac{a_T}2 \max_u \|u - x_1\|^2 + \frac{L^2}2 \sum_t \frac{1 + 2\sigma_t}{a_t},"
        r"\quad a_t = \frac{\sqrt2 L}{R} \sqrt{V_t} \text{ with the } L \text{ that was told}",
        f"{PAGES}/dda.md, step 5",
        PROVED_HERE,
        _dda_in_sums,
        _dda_in_sums_curve,
    ),
    Statement(
        "dda",
        r"\frac{1 + ((R + r_0) / R)^2}2 \sqrt2\, R L \sqrt{T + 2 D_0},\quad r_0 = \|x_1 - p\|",
        f"{PAGES}/dda.md",
        PROVED_HERE,
        _dda,
        _dda_curve,
        concave=True,
    ),
    Statement(
        "ftdl_half",
        rf"\sum_t \frac{{c_t}}{{\beta t}},\quad {_SURROGATES},{_HALF}",
        f"{PAGES}/curvature_ftrl.md, step 8",
        PROVED_HERE,
        _ftdl,
        _ftdl_half_curve,
        concave=True,
    ),
    Statement(
        "ftdl",
        rf"\sum_t \frac{{c_t}}{{\beta t}},\quad {_SURROGATES}",
        f"{PAGES}/curvature_ftrl.md, statement 2",
        PROVED_HERE,
        _ftdl,
        _ftdl_curve,
        concave=True,
    ),
    Statement(
        "curvature_ftrl",
        rf"\bigl(1 + ((R + r_0) / R)^2\bigr) a_T P,\quad a_T P = \sum_t \frac{{c_t}}{{\beta t + a_t}},\ {_SURROGATES}",
        f"{PAGES}/curvature_ftrl.md, statement 3",
        PROVED_HERE,
        _curvature_ftrl,
        _curvature_curve,
    ),
    Statement(
        "composite_ftrl",
        r"\bigl(1 + \tfrac1\kappa\bigr) a_T P,\quad a_T P = \sum_t \frac{c_t}{\lambda t + a_t},"
        r"\ c_t = \tfrac12 L^2 + \kappa (L + \lambda R) L \sigma_t",
        f"{PAGES}/composite_ftrl.md, statement 3",
        PROVED_HERE,
        _composite_ftrl,
        _composite_curve,
    ),
    Statement(
        "composite_ftrl_unweighted",
        r"\sum_t \frac{c_t}{\lambda t},\quad c_t = \tfrac12 L^2 + (L + \lambda R) L \sigma_t",
        f"{PAGES}/composite_ftrl.md, statement 4",
        PROVED_HERE,
        _composite_unweighted,
        _unweighted_curve,
        concave=True,
    ),
    Statement(
        "hedge",
        r"\Bigl(\frac{\max_i \ln(1 / x_{1,i})}{\sqrt{\ln n}} + \frac{b^2}4 \sqrt{\ln n}\Bigr) \sqrt{T + 2 D_0},"
        r"\quad b = \sqrt2 L",
        f"{PAGES}/hedge.md",
        PROVED_HERE,
        _hedge,
        _hedge_curve,
        concave=True,
    ),
)
