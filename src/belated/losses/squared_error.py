"""Squared error of a linear prediction: 1/2 (z'x - y)^2 + (l2/2)|x|^2, the row being z, then y."""

import numpy as np

from belated.core.arrays import Matrix
from belated.losses.base import features, gradient, label, value, value_and_gradient
from belated.losses.prediction import (
    LinearPrediction,
    link_slope,
    link_value,
    prediction_features,
    prediction_gradient,
    prediction_label,
    prediction_value,
    prediction_value_and_gradient,
)


class SquaredError(LinearPrediction):
    """1/2 (z'x - y)^2 + (l2/2)|x|^2; the row is the features z, then the label y, any number.

    Args:
        dim: How many features there are, at least 1.
        l2: Weight >= 0 of the regulariser (l2/2)|x|^2.
    """

    __slots__ = ()

    @property
    def link_curvature(self) -> tuple[float, float]:
        """The second derivative of the link, a parabola, is 1 everywhere."""
        return 1.0, 1.0

    def example_rows(self, rng: np.random.Generator, rounds: int) -> Matrix:
        """Normal features; labels from a linear model with weights 1, -1, 1, ... and normal noise of size 0.1."""
        features = rng.normal(size=(rounds, self.size))
        truth = np.where(np.arange(self.size) % 2 == 0, 1.0, -1.0)
        return np.column_stack([features, features @ truth + 0.1 * rng.normal(size=rounds)])


value.on(SquaredError)(prediction_value)
gradient.on(SquaredError)(prediction_gradient)
value_and_gradient.on(SquaredError)(prediction_value_and_gradient)
features.on(SquaredError)(prediction_features)
label.on(SquaredError)(prediction_label)


@link_value.on(SquaredError)
def squared_error_value(loss: SquaredError, prediction: float, label: float) -> float:
    error = prediction - label
    return 0.5 * error * error


@link_slope.on(SquaredError)
def squared_error_slope(loss: SquaredError, prediction: float, label: float) -> float:
    return prediction - label
