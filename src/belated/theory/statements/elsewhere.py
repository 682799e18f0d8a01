"""Why a learner has no bound that follows from delays and constants alone, although something is proved about it.

These bounds need more than that: the data of a run, or a number that problems do not tell. The functions that compute
them are in :mod:`belated.theory.bounds`, too.
"""

from __future__ import annotations

from typing import Any

from belated.learners.algorithms.ons import QuadraticLeader
from belated.learners.algorithms.vaw import Forecaster
from belated.learners.parts.estimators import OnePoint
from belated.learners.parts.rates import ConstantRate
from belated.theory.reading import estimated_rate

_ONE_POINT = (
    "its bound needs M, the largest size of a loss less the baseline, which problems do not tell: "
    "bl.bounds.flaxman(delays, bound=M, ...) is its number"
)


def computed_elsewhere(policy: Any) -> str | None:
    """What the bound of a learner needs beyond delays and constants, and who computes it; ``None`` if nobody does.

    Args:
        policy: The policy of a learner.

    Returns:
        The reason, as the end of a sentence.
    """
    if type(policy) is Forecaster:
        return "its bound is computed after a run, from its features: bl.bounds.vaw(delays, features, ...)"
    if type(policy) is QuadraticLeader:
        return "its bound is computed after a run, from its data: bl.bounds.ons(delays, gradients, decisions, ...)"
    return _ONE_POINT if type(estimated_rate(policy, OnePoint)) is ConstantRate else None
