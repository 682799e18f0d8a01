"""Logistic loss of a linear prediction: log(1 + exp(-y z'x)) + (l2/2)|x|^2, the row being z, then y = -1 or +1.

The exponential is only taken of numbers <= 0, so that no margin y z'x overflows, however large it is: for a margin
m < 0, log(1 + e^-m) = -m + log(1 + e^m).
"""

import math

from belated.losses.base import features, gradient, label, value, value_and_gradient
from belated.losses.prediction import (
    TwoClasses,
    link_slope,
    link_value,
    prediction_features,
    prediction_gradient,
    prediction_label,
    prediction_value,
    prediction_value_and_gradient,
)


class Logistic(TwoClasses):
    """log(1 + exp(-y z'x)) + (l2/2)|x|^2; the row is the features z, then the label y, -1 or +1.

    Args:
        dim: How many features there are, at least 1.
        l2: Weight >= 0 of the regulariser (l2/2)|x|^2.
    """

    __slots__ = ()

    @property
    def link_curvature(self) -> tuple[float, float]:
        """Between 0, the limit for large predictions, and 1/4, at the prediction 0."""
        return 0.0, 0.25


value.on(Logistic)(prediction_value)
gradient.on(Logistic)(prediction_gradient)
value_and_gradient.on(Logistic)(prediction_value_and_gradient)
features.on(Logistic)(prediction_features)
label.on(Logistic)(prediction_label)


@link_value.on(Logistic)
def logistic_value(loss: Logistic, prediction: float, label: float) -> float:
    """log(1 + e^-m) for the margin m = label * prediction."""
    margin = label * prediction
    if margin >= 0.0:
        return math.log1p(math.exp(-margin))
    return math.log1p(math.exp(margin)) - margin


@link_slope.on(Logistic)
def logistic_slope(loss: Logistic, prediction: float, label: float) -> float:
    """-label / (1 + e^m) for the margin m = label * prediction."""
    margin = label * prediction
    if margin >= 0.0:
        tail = math.exp(-margin)
        return -label * (tail / (1.0 + tail))
    return -label / (1.0 + math.exp(margin))
