r"""Bounds of learners that are made of a leader and something else: skipping, one-point DDA and Mild-OGD."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from belated.core.arrays import Vector
from belated.learners.algorithms.skipping import Skip
from belated.learners.parts.estimators import OnePoint
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.policies.gradient import Direct, Estimated
from belated.learners.parts.rates import ConstantRate
from belated.learners.parts.rates.weights import Noisy, PlayWeight
from belated.learners.parts.steps.leader import Flat
from belated.learners.parts.wrappers.experts import Advice, Alike
from belated.theory.descent_curves import constant_rate
from belated.theory.leader_curves import averaging, given_up, noisy
from belated.theory.prefixes import Prefixes
from belated.theory.reading import across, at_centre, bounded, probing, rate_of, told_lipschitz
from belated.theory.statement import IN_EXPECTATION, PROVED_HERE, Lacks, Setting, Statement
from belated.theory.statements.leaders import PAGES, leader_step

Read = Mapping[str, Any] | None


def _skipping(setting: Setting) -> Read:
    policy = setting.learner.policy
    step = leader_step(policy.base, Direct, Flat, PlayWeight) if type(policy) is Skip else None
    if step is None:
        if type(policy) is Skip:
            raise Lacks("a bound of skipping is known around dda only")
        return None
    at_centre(setting)
    domain = bounded(setting)
    told = told_lipschitz(setting, step.weight.scale * domain.outer_radius / math.sqrt(2.0))
    return {"radius": domain.outer_radius, "diameter": domain.diameter, "lipschitz": told}


def _one_point_dda(setting: Setting) -> Read:
    policy = setting.learner.policy
    step = leader_step(policy, Estimated, Flat, Noisy)
    if step is None or type(policy.estimator) is not OnePoint:
        return None
    at_centre(setting)
    around, told = probing(setting), told_lipschitz(setting, step.weight.lipschitz)
    return {
        "reach": step.weight.reach,
        "noise": step.weight.noise,
        "bound": step.weight.noise * around.probe_radius / around.dim,
        "lipschitz": told,
        "looking": around.probe_radius * told * (1.0 + around.radius / around.inner_radius),
    }


def _mild_ogd(setting: Setting) -> Read:
    policy = setting.learner.policy
    if type(policy) is not Advice or type(policy.experts) is not Alike or policy.regulariser != 0.0:
        return None
    rates = [rate_of(each, Sequential) for each in policy.experts.policies]
    if type(policy.weight) is not PlayWeight or not all(type(rate) is ConstantRate for rate in rates):
        return None
    domain = bounded(setting)
    told = told_lipschitz(setting, 2.0 * policy.weight.scale / domain.diameter)
    return {
        "rates": tuple(1.0 / rate.inverse for rate in rates),
        "prior": tuple(policy.prior.tolist()),
        "start": across(setting),
        "diameter": domain.diameter,
        "lipschitz": told,
    }


def _skipping_curve(seen: Prefixes, radius: float, diameter: float, lipschitz: float) -> Vector:
    waited, lost = given_up(seen)
    return averaging(waited, radius, lipschitz) + lost * lipschitz * diameter


def _one_point_curve(
    seen: Prefixes, reach: float, noise: float, bound: float, lipschitz: float, looking: float
) -> Vector:
    curve: Vector = 2.0 * np.sqrt(reach * noisy(seen, Noisy(reach, noise, lipschitz))) + looking * seen.rounds
    return curve


def _mild_curve(
    seen: Prefixes, rates: tuple[float, ...], prior: tuple[float, ...], start: float, diameter: float, lipschitz: float
) -> Vector:
    following = lipschitz * diameter / 2.0 * np.sqrt(seen.play_weight)
    each = [
        constant_rate(seen, rate, start, lipschitz) + (1.0 + math.log(1.0 / share)) * following
        for rate, share in zip(rates, prior, strict=True)
    ]
    best: Vector = np.min(each, axis=0)
    return best


STATEMENTS = (
    Statement(
        "skipping",
        r"\sqrt2\, R L \sqrt{V_T} + |S| L D_m",
        f"{PAGES}/skipping.md",
        PROVED_HERE,
        _skipping,
        _skipping_curve,
    ),
    Statement(
        "one_point_dda",
        r"2 \sqrt{P A_T} + \delta T \bigl(L + \tfrac{L R}{r}\bigr),"
        r"\quad A_T = \sum_t G^2 + 2 L (G \sqrt{\sigma_t} + L \sigma_t),\ G = \tfrac{n M}\delta",
        f"{PAGES}/one_point_dda.md",
        PROVED_HERE + IN_EXPECTATION,
        _one_point_dda,
        _one_point_curve,
    ),
    Statement(
        "mild_ogd",
        r"\min_i \frac{D_m^2}{2\eta_i} + \frac{\eta_i L^2}2 V_T"
        r" + \bigl(1 + \ln\tfrac1{\pi_i}\bigr) \frac{L D_m}2 \sqrt{V_T}",
        f"{PAGES}/dogd.md, statement 4, and {PAGES}/hedge.md",
        PROVED_HERE,
        _mild_ogd,
        _mild_curve,
    ),
)
