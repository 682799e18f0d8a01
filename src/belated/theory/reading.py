"""How statements read a learner, its domain and its losses, and what they say if an assumption does not hold.

A learner is made of parts, and statements recognise it by them, not by its name: ``dogd(domain, PerFeedback(2.0))`` is
DOGD-SC, whatever it is called. The class of a part must be exactly that of the proof: verbs go by the exact class, so
that a subclass may do something else. A number that a learner was told, such as L, is compared with that of the
problem. A relative difference of 1e-9 counts as rounding.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from belated.domains.base import Domain
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.policies.gradient import Direct, Estimated
from belated.learners.parts.steps.descent import Descent
from belated.theory.statement import Lacks, Setting

_ROUNDING = 1e-9


def rate_of(policy: Any, *rules: type) -> Any:
    """The rate of a descent that is told gradients, by one of these arrival rules (default ``Batch``), or ``None``."""
    if type(policy) is not Direct or policy.regulariser != 0.0:
        return None
    return _step_rate(policy.arrivals, rules)


def estimated_rate(policy: Any, estimator: type, *rules: type) -> Any:
    """The rate of a descent that is told values, behind this kind of estimator, or ``None``."""
    if type(policy) is not Estimated or type(policy.estimator) is not estimator:
        return None
    return _step_rate(policy.arrivals, rules)


def _step_rate(rule: Any, rules: tuple[type, ...]) -> Any:
    known = type(rule) in (rules or (Batch,)) and type(rule.step) is Descent
    return rule.step.rate if known else None


class Probing(NamedTuple):
    """What the costs of looking around a decision are made of.

    Args:
        radius: R, the radius of the domain about its centre.
        inner_radius: r, that of a ball about the same centre inside the domain.
        dim: n, the number of directions in which it is looked.
        probe_radius: delta.
    """

    radius: float
    inner_radius: float
    dim: int
    probe_radius: float


def probing(setting: Setting) -> Probing:
    """How the learner's estimator looks around a decision."""
    domain, delta = bounded(setting), setting.learner.policy.estimator.probe_radius
    return Probing(domain.outer_radius, domain.inner_radius, domain.hull_dim, float(delta))


def bounded(setting: Setting) -> Domain:
    """The learner's domain, which must be bounded."""
    domain = setting.learner.domain
    if not math.isfinite(domain.diameter):
        raise Lacks(f"its bound needs a bounded domain, and {domain!r} is not")
    return domain


def lipschitz(setting: Setting) -> float:
    """L of the losses, which must be finite."""
    if not math.isfinite(setting.losses.lipschitz):
        raise Lacks("its bound needs a bound L on the norms of the gradients, and the losses have none over the domain")
    return float(setting.losses.lipschitz)


def smoothness(setting: Setting) -> float:
    """Alpha of the losses, which must be finite: estimates by forward differences need it."""
    if not math.isfinite(setting.losses.smoothness):
        raise Lacks("its bound needs smooth losses, and these have kinks: without smoothness regret may grow like T")
    return float(setting.losses.smoothness)


def told_convexity(setting: Setting, told: float, most: float = 1.0) -> float:
    """The strong convexity that the learner was told, which must be at most ``most`` times that of the losses."""
    true = setting.losses.strong_convexity
    if not told <= most * true * (1.0 + _ROUNDING):  # which NaN is not, either
        often = "" if most == 1.0 else f"{most:g} times "
        raise Lacks(f"it was told strong_convexity={told:g}, which must be at most {often}that of the losses, {true:g}")
    return float(told)


def told_lipschitz(setting: Setting, told: float) -> float:
    """The L that the learner was told, which must be at least that of the losses."""
    true = lipschitz(setting)
    if not told >= true * (1.0 - _ROUNDING):  # which NaN is not, either
        raise Lacks(f"it was told lipschitz={told:g}, and the gradients of the losses are as long as {true:g}")
    return float(told)


def away(setting: Setting) -> float:
    """The distance of the first decision from the centre of the domain; 0 if it is rounding."""
    domain = setting.learner.decision_domain
    distance = float(np.linalg.norm(setting.start - domain.centre))
    return distance if distance > _ROUNDING * domain.outer_radius else 0.0


def across(setting: Setting) -> float:
    """A bound on the distance of the first decision from any other decision that the learner may make."""
    bounded(setting)
    domain = setting.learner.decision_domain
    return min(domain.diameter, domain.outer_radius + away(setting))


def at_centre(setting: Setting) -> None:
    """Refuse a first decision other than the centre."""
    if away(setting) > 0.0:
        raise Lacks("its bound is for a start at the centre of the domain, and this one starts elsewhere")
