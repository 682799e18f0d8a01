"""Squared hinge loss of a linear prediction: 1/2 max(0, 1 - y z'x)^2 + (l2/2)|x|^2, with y = -1 or +1."""

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


class SquaredHinge(TwoClasses):
    """1/2 max(0, 1 - y z'x)^2 + (l2/2)|x|^2; the row is the features z, then the label y, -1 or +1.

    Args:
        dim: How many features there are, at least 1.
        l2: Weight >= 0 of the regulariser (l2/2)|x|^2.
    """

    __slots__ = ()

    @property
    def link_curvature(self) -> tuple[float, float]:
        """The second derivative of the link is 0 for margins beyond 1, and 1 for smaller ones."""
        return 0.0, 1.0


value.on(SquaredHinge)(prediction_value)
gradient.on(SquaredHinge)(prediction_gradient)
value_and_gradient.on(SquaredHinge)(prediction_value_and_gradient)
features.on(SquaredHinge)(prediction_features)
label.on(SquaredHinge)(prediction_label)


@link_value.on(SquaredHinge)
def squared_hinge_value(loss: SquaredHinge, prediction: float, label: float) -> float:
    """Half the square of the amount by which the margin falls short of 1."""
    missing = 1.0 - label * prediction
    if missing <= 0.0:
        return 0.0
    return 0.5 * missing * missing


@link_slope.on(SquaredHinge)
def squared_hinge_slope(loss: SquaredHinge, prediction: float, label: float) -> float:
    """-label times the amount by which the margin falls short of 1."""
    missing = 1.0 - label * prediction
    if missing <= 0.0:
        return 0.0
    return -label * missing
