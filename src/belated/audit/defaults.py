"""Which losses are the worst for a learner: those that its bound is about or, without one, those that its card names.

A bound of ``bl.bounds.of`` knows the constants of its losses. Any other bound is a function, and knows none; then the
constants are read from the parts of the learner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from belated.audit.adversaries import Adversary, Composite, Convex, ExpConcave, StronglyConvex
from belated.core import checks
from belated.learners import Learner
from belated.learners.catalogue import CARDS
from belated.losses.base import Constants


def _strongly_convex(learner: Learner, lipschitz: float) -> Adversary:
    return StronglyConvex(_constant(learner, "strong_convexity", "curvature"), lipschitz)


def _exp_concave(learner: Learner, lipschitz: float) -> Adversary:
    return ExpConcave(_constant(learner, "bend"), lipschitz)


def _composite(learner: Learner, lipschitz: float) -> Adversary:
    return Composite(learner.interface.regulariser, lipschitz)


BY_CARD: Mapping[str, Callable[[Learner, float], Adversary]] = MappingProxyType(
    {
        "strongly convex": _strongly_convex,
        "exp-concave": _exp_concave,
        "convex, plus a known regulariser": _composite,
    }
)
"""The family for the losses that a card names. For all others it is :class:`Convex`: any convex loss may be linear."""


def losses_under(learner: Learner, known: Constants) -> Adversary:
    """The family of the worst losses with the constants that a bound was made for.

    Args:
        learner: The learner.
        known: L and beta of the losses, with the learner's regulariser, if it has one.

    Raises:
        InvalidArgument: The regulariser alone has gradients as long as L, so that there is no room for others.
    """
    steep = known.lipschitz
    own = learner.interface.regulariser
    if own:
        domain = learner.decision_domain
        steep -= own * (domain.outer_radius + float(np.linalg.norm(domain.centre)))
        if steep <= 0.0:
            wanted = (
                f"leaves no room beside the regulariser, whose gradients are as long; name losses=Composite({own:g})"
            )
            checks.refuse("worst_case", "bound", known.lipschitz, wanted)
        return Composite(own, steep)
    return StronglyConvex(known.strong_convexity, steep) if known.strong_convexity > 0.0 else Convex(steep)


def losses_of(learner: Learner, lipschitz: float) -> Adversary:
    """The family of the worst losses for a learner.

    Raises:
        InvalidArgument: The constant that its card asks for is not among the learner's parts.
    """
    card = CARDS.get(learner.name)
    family = BY_CARD.get(card.losses) if card else None
    return Convex(lipschitz) if family is None else family(learner, lipschitz)


def _constant(learner: Learner, *names: str) -> float:
    value = next(_fields(learner.policy, names), None)
    if value is None:
        wanted = f"must have a part with {' or '.join(names)}; name the losses, such as losses=StronglyConvex(1.0)"
        checks.refuse("worst_case", "learner", learner.name, wanted)
    return checks.moderate("worst_case", "learner", value)


def _fields(part: Any, names: tuple[str, ...]) -> Iterator[Any]:
    """What the fields of these names hold, in a part and in the parts within it, the outermost first."""
    if not hasattr(part, "_fields"):
        return
    for name in part._fields:
        if name in names:
            yield getattr(part, name)
    for item in part:
        yield from _fields(item, names)
