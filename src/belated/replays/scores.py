r"""How good predictions were: losses of single ones, and what a histogram of all of them says.

==================  =====================================================  ==========================
link                loss of the prediction v for the label y               also
==================  =====================================================  ==========================
``Logistic``        -ln of the probability that v gives to y               Brier score, AUC
``SquaredHinge``    max(0, 1 - y v)^2 / 2                                  AUC
``SquaredError``    (v - y)^2                                              mean absolute error
``PoissonCount``    v - y ln v                                             squared error
==================  =====================================================  ==========================

A probability counts as at least 1e-15, so that a single mistake costs at most 35.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from belated.core.arrays import Integers, Vector
from belated.core.verbs import verb
from belated.losses.logistic import Logistic
from belated.losses.squared_error import SquaredError
from belated.losses.squared_hinge import SquaredHinge
from belated.models.links import PoissonCount

LEAST_PROBABILITY = 1e-15

BINS = 8192
"""Predictions are counted in so many bins: the area under the curve is exact but for pairs within a bin.

Bins are narrow where probabilities are small or near 1, because those of rare events differ by factors: a bin is
0.0005 wide at 1/2, and a millionth at 1/10,000.
"""


@verb
def loss_of(link: Any, value: float, label: float) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The loss of a prediction; the label is as the link has it."""


@loss_of.on(Logistic)
def logistic_loss(link: Logistic, value: float, label: float) -> float:
    return -math.log(max(value if label > 0.0 else 1.0 - value, LEAST_PROBABILITY))


@loss_of.on(SquaredHinge)
def squared_hinge_loss(link: SquaredHinge, value: float, label: float) -> float:
    return 0.5 * max(0.0, 1.0 - label * value) ** 2


@loss_of.on(SquaredError)
def squared_error_loss(link: SquaredError, value: float, label: float) -> float:
    return (value - label) * (value - label)


@loss_of.on(PoissonCount)
def poisson_loss(link: PoissonCount, value: float, label: float) -> float:
    return value - label * math.log(max(value, LEAST_PROBABILITY))


@verb
def position(link: Any, value: float) -> float:  # type: ignore[empty-body]
    """Where a prediction stands between 0 and 1, in the order of predictions; only links of two classes have one."""


@position.on(Logistic)
def logistic_position(link: Logistic, value: float) -> float:
    return value


@position.on(SquaredHinge)
def squared_hinge_position(link: SquaredHinge, value: float) -> float:
    return 0.5 + math.atan(value) / math.pi


def bin_of(place: float) -> int:
    """The bin of a place between 0 and 1: the fourth root of the distance to the nearer end, in equal steps."""
    end = min(place, 1.0 - place)
    steps = int(0.5 * BINS * math.sqrt(math.sqrt(2.0 * end)))
    return min(steps, BINS // 2 - 1) if place < 0.5 else max(BINS - 1 - steps, BINS // 2)


class Histogram:
    """Predictions for two classes by bins: how many, the weights of either class, and their sums."""

    def __init__(self) -> None:
        self.numbers: Integers = np.zeros(BINS, dtype=np.int64)
        self.negatives: Vector = np.zeros(BINS)
        self.positives: Vector = np.zeros(BINS)
        self.sums: Vector = np.zeros(BINS)

    def add(self, place: float, positive: bool, weight: float = 1.0) -> None:
        """Count a prediction at a place between 0 and 1."""
        which = bin_of(place)
        self.numbers[which] += 1
        (self.positives if positive else self.negatives)[which] += weight
        self.sums[which] += weight * place

    def auc(self) -> float:
        """The chance that a positive is placed above a negative, ties counted half; NaN without both."""
        below = np.cumsum(self.negatives) - self.negatives
        pairs = float(self.positives.sum()) * float(self.negatives.sum())
        if pairs == 0.0:
            return math.nan
        return float((self.positives * (below + 0.5 * self.negatives)).sum()) / pairs

    def calibration(self, groups: int = 20) -> tuple[Vector, Vector, Integers]:
        """Mean prediction, share of positives and number, in groups of about equally many predictions.

        Means and shares are weighted, and the number is that of the predictions.
        """
        number = self.numbers
        total = int(number.sum())
        if total == 0:
            return np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
        group = np.minimum((np.cumsum(number) - number) * groups // total, groups - 1)
        counts = np.bincount(group, number, groups)
        weights = np.bincount(group, self.positives + self.negatives, groups)
        used = np.flatnonzero(counts)
        means = np.bincount(group, self.sums, groups)[used] / weights[used]
        shares = np.bincount(group, self.positives, groups)[used] / weights[used]
        return means, shares, counts[used].astype(np.int64)
