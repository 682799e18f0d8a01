"""What a learner was told: the constants that are in its parts.

A learner is made of nested parts, and keeps what it was told in the form in which its parts need it, such as L / Dm in
place of L. Each kind of part says here what can be read off it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import singledispatch
from typing import Any

from belated.learners.algorithms.khashabi import PerArrival
from belated.learners.algorithms.langford import LatePerRound, LateSquareRoot
from belated.learners.algorithms.vaw import Forecaster
from belated.learners.learner import Learner
from belated.learners.parts.estimators import Coordinates, OnePoint, TwoPoint
from belated.learners.parts.policies.gradient import Estimated
from belated.learners.parts.rates import CountAdaptive, Doubling, PerFeedback, PerRound, SquareRoot
from belated.learners.parts.rates.weights import Balanced, Noisy, PlayWeight
from belated.learners.parts.steps.leader import Known, Leader, Received
from belated.learners.parts.wrappers.copies import InTurn


def told(learner: Learner) -> Mapping[str, float]:
    """The constants that the learner was told, as far as they can be read off its parts.

    Args:
        learner: A learner.

    Returns:
        Numbers by the names of the learners' arguments: ``strong_convexity``, ``lipschitz``, ``regulariser``,
        ``bound``, ``delay``, ``label_bound``, ``probe_radius``. What is not there was not told, or cannot be read.

    Example:
        >>> from belated import Ball, curvature_ftrl
        >>> dict(told(curvature_ftrl(Ball(2), strong_convexity=2.0, lipschitz=3.0)))
        {'strong_convexity': 2.0, 'lipschitz': 3.0}
    """
    known: dict[str, float] = {}
    for part in _walk(learner.policy):
        if type(part) in _read.registry:  # verbs go by the exact class: a subclass may do something else with a number
            for name, value in _read(part, learner).items():
                known.setdefault(name, value)
    return known


def _walk(part: Any) -> Iterator[Any]:
    """The part and all parts in it, the outermost first."""
    yield part
    if isinstance(part, tuple):
        for inner in part:
            if isinstance(inner, tuple):
                yield from _walk(inner)


@singledispatch
def _read(part: Any, learner: Learner) -> dict[str, float]:
    """What can be read off this part alone; nothing for most of them."""
    return {}


@_read.register(PerArrival)
@_read.register(PerFeedback)
@_read.register(PerRound)
def _(part: Any, learner: Learner) -> dict[str, float]:
    return {"strong_convexity": part.strong_convexity}


@_read.register
def _(part: LatePerRound, learner: Learner) -> dict[str, float]:
    return {"strong_convexity": part.strong_convexity, "delay": part.lag + 1}


@_read.register(SquareRoot)
@_read.register(CountAdaptive)
@_read.register(Doubling)
def _(part: Any, learner: Learner) -> dict[str, float]:
    return {"lipschitz": part.scale * learner.domain.diameter}


@_read.register
def _(part: LateSquareRoot, learner: Learner) -> dict[str, float]:
    spread = 2.0 * math.sqrt(part.lag) if part.lag else 1.0
    return {"lipschitz": part.scale * learner.domain.diameter / spread, "delay": part.lag + 1}


@_read.register
def _(part: Leader, learner: Learner) -> dict[str, float]:
    known: dict[str, float] = {}
    if type(part.bowl) is Received:
        known["strong_convexity"] = part.bowl.curvature
    if type(part.bowl) is Known:
        known["regulariser"] = part.bowl.curvature
    if type(part.weight) is PlayWeight:
        known["lipschitz"] = part.weight.scale * part.domain.outer_radius / math.sqrt(2.0)
    if type(part.weight) is Balanced:
        known["lipschitz"] = math.sqrt(part.weight.own * (2.0 if type(part.bowl) is Known else 1.0))
    return known


@_read.register
def _(part: Estimated, learner: Learner) -> dict[str, float]:
    estimator, weight = part.estimator, getattr(getattr(part.arrivals, "step", None), "weight", None)
    known: dict[str, float] = {}
    if type(weight) is Noisy and type(estimator) is OnePoint:
        size = weight.noise * estimator.probe_radius / estimator.hull_dim
        known |= {"lipschitz": weight.lipschitz, "bound": size}
    if type(estimator) in (Coordinates, TwoPoint, OnePoint):
        known["probe_radius"] = estimator.probe_radius
    return known


@_read.register
def _(part: InTurn, learner: Learner) -> dict[str, float]:
    return {"delay": part.number}


@_read.register
def _(part: Forecaster, learner: Learner) -> dict[str, float]:
    return {"label_bound": part.label_bound} if math.isfinite(part.label_bound) else {}
