r"""Bounds of DOGD-SC, and of the learners that are DOGD-SC for certain delays: OGD-SC and Langford's slow learner.

All of them are descents for strongly convex losses whose inverse rate is (kappa / 2) N_t, N_t the number of feedbacks
received: kappa is beta for DOGD-SC; for OGD-SC without delay, and for Langford's learner at exactly its delay, it is
2 beta. The certificate holds for every kappa of at most twice the curvature of the losses.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from belated.core.arrays import Vector
from belated.learners.algorithms.langford import LatePerRound
from belated.learners.parts.rates import PerFeedback, PerRound
from belated.theory.descent_curves import counted_drift, logarithmic, squared_drift
from belated.theory.prefixes import Prefixes
from belated.theory.reading import bounded, lipschitz, rate_of, told_convexity
from belated.theory.statement import IN_PAPER, PROVED_HERE, Setting, Statement

Read = Mapping[str, float] | None

THE_PAPER = "Wan, Tu and Zhang, Online Strongly Convex Optimization with Unknown Delays"
THE_PAGE = "docs/derivations/dogd_sc.md"


def certificate_curve(seen: Prefixes, strong_convexity: float, radius: float, lipschitz: float) -> Vector:
    """(C) with the curvature that the learner was told."""
    return counted_drift(seen, strong_convexity, radius, lipschitz)


def squares_curve(seen: Prefixes, strong_convexity: float, diameter: float, lipschitz: float) -> Vector:
    """(C') with the curvature that the learner was told."""
    return squared_drift(seen, strong_convexity, diameter, lipschitz)


def undelayed(seen: Prefixes, curve: Vector) -> Vector:
    """The curve as long as nothing has been late, and infinity from then on."""
    return np.where(seen.most_outstanding > 0, np.inf, curve)


def harmonic_curve(seen: Prefixes, strong_convexity: float, lipschitz: float) -> Vector:
    """L^2 / (2 beta) (1 + 1/2 + ... + 1/T) without delay."""
    curve = lipschitz**2 / (2.0 * strong_convexity) * seen.through(1.0 / seen.every_round)
    return undelayed(seen, curve)


def logarithm_curve(seen: Prefixes, strong_convexity: float, lipschitz: float) -> Vector:
    """L^2 / (2 beta) (1 + ln T) without delay."""
    return undelayed(seen, lipschitz**2 / (2.0 * strong_convexity) * (1.0 + np.log(seen.rounds)))


def _theorem_1_curve(seen: Prefixes, strong_convexity: float, radius: float, lipschitz: float) -> Vector:
    return logarithmic(seen, strong_convexity, radius, lipschitz)


def _punctual_curve(seen: Prefixes, strong_convexity: float, delay: int, radius: float, lipschitz: float) -> Vector:
    """(C) for 2 beta in place of beta, as long as every feedback has had exactly this delay."""
    due = np.maximum(seen.every_round - delay + 1, 0)
    unpunctual = np.concatenate((np.zeros(1), np.cumsum(seen.received != due)))[seen.rounds - 1]
    return np.where(unpunctual > 0, np.inf, counted_drift(seen, 2.0 * strong_convexity, radius, lipschitz))


def _theorem_1(setting: Setting) -> Read:
    rate = rate_of(setting.learner.policy)
    if type(rate) is not PerFeedback:
        return None
    domain, beta = bounded(setting), told_convexity(setting, rate.strong_convexity)
    return {"strong_convexity": beta, "radius": domain.outer_radius, "lipschitz": lipschitz(setting)}


def _certificate(setting: Setting) -> Read:
    rate = rate_of(setting.learner.policy)
    if type(rate) is not PerFeedback:
        return None
    domain, beta = bounded(setting), told_convexity(setting, rate.strong_convexity, most=2.0)
    return {"strong_convexity": beta, "radius": domain.diameter / 2.0, "lipschitz": lipschitz(setting)}


def _squares(setting: Setting) -> Read:
    rate = rate_of(setting.learner.policy)
    if type(rate) is not PerFeedback:
        return None
    domain, beta = bounded(setting), told_convexity(setting, rate.strong_convexity)
    return {"strong_convexity": beta, "diameter": domain.diameter, "lipschitz": lipschitz(setting)}


def _ogd_sc(setting: Setting) -> Read:
    rate = rate_of(setting.learner.policy)
    if type(rate) is not PerRound:
        return None
    bounded(setting)
    return {
        "strong_convexity": told_convexity(setting, rate.strong_convexity),
        "lipschitz": lipschitz(setting),
    }


def _langford(setting: Setting) -> Read:
    rate = rate_of(setting.learner.policy)
    if type(rate) is not LatePerRound:
        return None
    return {
        "strong_convexity": told_convexity(setting, rate.strong_convexity),
        "delay": rate.lag + 1,
        "radius": bounded(setting).diameter / 2.0,
        "lipschitz": lipschitz(setting),
    }


STATEMENTS = (
    Statement(
        "certificate_squares",
        r"\sum_t \frac{|F_t|}{h_t} L^2 \bigl[o_t + \tfrac12 |F_t|\bigr] + \frac\beta2 \sum_k \min(D_m, L H_k)^2,"
        r"\quad h_t = \tfrac\beta2 N_t,\ H_k = \sum_{i=k}^{k'-1} \frac{|F_i|}{h_i}",
        f"{THE_PAGE}, (C')",
        PROVED_HERE,
        _squares,
        squares_curve,
    ),
    Statement(
        "certificate",
        r"\sum_t \frac{|F_t|}{h_t} \bigl[(\beta R L + L^2) o_t + \tfrac12 L^2 |F_t|\bigr],\quad h_t = \tfrac\beta2 N_t",
        f"{THE_PAGE}, (C)",
        PROVED_HERE,
        _certificate,
        certificate_curve,
    ),
    Statement(
        "theorem_1",
        r"(4 \beta R L + 5 L^2) \frac d\beta \Bigl(1 + \ln\frac{T}{|F_s|}\Bigr)",
        f"{THE_PAPER}, Theorem 1",
        IN_PAPER,
        _theorem_1,
        _theorem_1_curve,
    ),
    Statement(
        "ogd_sc_harmonic",
        r"\frac{L^2}{2\beta} \sum_{t=1}^T \frac1t \quad\text{without delay}",
        "docs/derivations/without_delay.md; Hazan, Agarwal and Kale 2007",
        PROVED_HERE,
        _ogd_sc,
        harmonic_curve,
        concave=True,
    ),
    Statement(
        "ogd_sc",
        r"\frac{L^2}{2\beta} (1 + \ln T) \quad\text{without delay}",
        "docs/derivations/without_delay.md; Hazan, Agarwal and Kale 2007",
        PROVED_HERE,
        _ogd_sc,
        logarithm_curve,
        concave=True,
    ),
    Statement(
        "langford_strongly_convex",
        r"\sum_t \frac{|F_t|}{h_t} \bigl[(2 \beta R L + L^2) o_t + \tfrac12 L^2 |F_t|\bigr],\quad h_t = \beta N_t"
        r"\quad\text{if every delay is } d",
        f"{THE_PAGE}, a curvature that is overstated",
        PROVED_HERE,
        _langford,
        _punctual_curve,
    ),
)
