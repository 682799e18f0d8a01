"""The sum of the losses of some rows as one quadratic, also for losses that the library does not sum in this way."""

import numpy as np

from belated.core.arrays import Matrix
from belated.losses import SquaredError
from belated.losses.base import Loss
from belated.losses.forms import DenseForm
from belated.sim.compensated import EPSILON
from belated.sim.hindsight.sums import QuadraticSum, RunningSum, SumsToQuadratic


def quadratic_sum(loss: Loss, rows: Matrix) -> QuadraticSum:
    """The sum over these rows; squares are multiplied out, 1/2 x'(Z'Z + rows l2) x - (Z'y)'x + 1/2 y'y."""
    if isinstance(loss, SumsToQuadratic):
        return RunningSum(loss.quadratic_form, loss.dim).add(rows).total()
    assert isinstance(loss, SquaredError)
    features, labels = rows[:, :-1], rows[:, -1]
    form = DenseForm(features.T @ features).shifted(loss.l2 * len(rows))
    roundings = len(rows) + 4
    linear_error = roundings * EPSILON * (np.abs(features).T @ np.abs(labels))
    return QuadraticSum(form, -(features.T @ labels), 0.5 * float(labels @ labels), linear_error, roundings)
