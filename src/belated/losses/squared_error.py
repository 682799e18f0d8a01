"""Squared error of a linear prediction: 1/2 (z'x - y)^2 + (l2/2)|x|^2, the row being z, then y."""

import numpy as np

from belated.core.arrays import Matrix
from belated.losses.base import features, gradient, label, value, value_and_gradient
from belated.losses.compensated import EPSILON
from belated.losses.forms import Dense
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
from belated.losses.sums import QuadraticSum


class SquaredError(LinearPrediction):
    """1/2 (z'x - y)^2 + (l2/2)|x|^2; the row is the features z, then the label y, any number.

    Args:
        dim: How many features there are, at least 1.
        l2: Weight >= 0 of the regulariser (l2/2)|x|^2.
    """

    __slots__ = ()

    @property
    def link_curvature(self) -> tuple[float, float]:
        """The link is a parabola: 1 everywhere."""
        return 1.0, 1.0

    def example_rows(self, rng: np.random.Generator, rounds: int) -> Matrix:
        """Normal features; labels from a linear model with weights 1, -1, 1, ... and normal noise of a tenth."""
        features = rng.normal(size=(rounds, self.size))
        truth = np.where(np.arange(self.size) % 2 == 0, 1.0, -1.0)
        return np.column_stack([features, features @ truth + 0.1 * rng.normal(size=rounds)])

    def quadratic_sum(self, rows: Matrix) -> QuadraticSum:
        """The sum over these rows: 1/2 x'(Z'Z + rows l2) x - (Z'y)'x + 1/2 y'y.

        Args:
            rows: Valid rows, one for each round.

        Returns:
            The sum as one quadratic form, with how far rounding may have taken it off.
        """
        features, labels = rows[:, :-1], rows[:, -1]
        form = Dense(features.T @ features).shifted(self.l2 * len(rows))
        roundings = len(rows) + 4
        linear_error = roundings * EPSILON * (np.abs(features).T @ np.abs(labels))
        return QuadraticSum(form, -(features.T @ labels), 0.5 * float(labels @ labels), linear_error, roundings)


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
