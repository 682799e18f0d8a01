r"""Links: what a margin, the sum of weights times values, says about the label, and how it is held against it.

===================  ==========================  ==============================  ===================================
link                 labels y                    prediction                      loss of the margin m
===================  ==========================  ==============================  ===================================
``Logistic``         -1 or +1                    probability of +1               log(1 + exp(-y m))
``SquaredHinge``     -1 or +1                    m; its sign is the class        max(0, 1 - y m)^2 / 2
``SquaredError``     any number                  m                               (m - y)^2 / 2
``PoissonCount``     any number >= 0             exp(m)                          exp(m) - y m
===================  ==========================  ==============================  ===================================

The first three are losses of :mod:`belated.losses`; their values and slopes are written there. ``PoissonCount`` is
here, as it has no constants that a learner could be told: its slope and its curvature are unbounded.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from belated.core.verbs import verb
from belated.losses.logistic import Logistic
from belated.losses.prediction import link_slope, link_value
from belated.losses.squared_error import SquaredError
from belated.losses.squared_hinge import SquaredHinge

LARGEST_EXPONENT = 200.0
"""Margins of ``PoissonCount`` count as at most this: exp(200) is beyond every count."""

LEAST_CHANCE, LEAST_COUNT = 1e-15, 1e-80
"""Predictions that are turned into margins count as at least this."""


class PoissonCount(NamedTuple):
    """exp(m) - y m, the loss of a count y whose expected value is predicted as exp(m)."""


Link = Logistic | SquaredHinge | SquaredError | PoissonCount


@verb
def mean(link: Any, margin: float) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The prediction that a margin stands for."""


@mean.on(Logistic)
def logistic_mean(link: Logistic, margin: float) -> float:
    """1 / (1 + exp(-m)); the exponential is only taken of numbers <= 0."""
    if margin >= 0.0:
        return 1.0 / (1.0 + math.exp(-margin))
    tail = math.exp(margin)
    return tail / (1.0 + tail)


@mean.on(SquaredHinge, SquaredError)
def same_mean(link: SquaredHinge | SquaredError, margin: float) -> float:
    return margin


@mean.on(PoissonCount)
def poisson_mean(link: PoissonCount, margin: float) -> float:
    return math.exp(min(margin, LARGEST_EXPONENT))


@verb
def margin_of(link: Any, prediction: float) -> float:  # type: ignore[empty-body]
    """The margin that stands for a prediction, the inverse of :func:`mean`."""


@margin_of.on(Logistic)
def logistic_margin(link: Logistic, prediction: float) -> float:
    """log(p / (1 - p)); probabilities count as at least 1e-15 from 0 and 1."""
    chance = min(max(prediction, LEAST_CHANCE), 1.0 - LEAST_CHANCE)
    return math.log(chance / (1.0 - chance))


@margin_of.on(SquaredHinge, SquaredError)
def same_margin(link: SquaredHinge | SquaredError, prediction: float) -> float:
    return prediction


@margin_of.on(PoissonCount)
def poisson_margin(link: PoissonCount, prediction: float) -> float:
    return math.log(max(prediction, LEAST_COUNT))


@link_value.on(PoissonCount)
def poisson_value(loss: PoissonCount, prediction: float, label: float) -> float:
    return math.exp(min(prediction, LARGEST_EXPONENT)) - label * prediction


@link_slope.on(PoissonCount)
def poisson_slope(loss: PoissonCount, prediction: float, label: float) -> float:
    return math.exp(min(prediction, LARGEST_EXPONENT)) - label
