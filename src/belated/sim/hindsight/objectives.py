"""F, the sum of the losses of many rounds, as the searches see it.

An :class:`Objective` has a value, a gradient, a bound on how far rounding may have moved these, and two bounds on its
curvature. Where they come from is its own affair: :class:`RowsTotal` runs over a table of rows, quadratics
(:mod:`~belated.sim.hindsight.quadratics`) have added them up beforehand, and a source that reads its rows in pieces
needs no more than these five members.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from belated.core.arrays import Matrix, Vector
from belated.losses.base import Constants, Loss, gradient, value
from belated.losses.sums import EPSILON


def _total_value(loss: Loss, rows: Matrix, point: Vector) -> float:
    total = 0.0
    for t in range(rows.shape[0]):
        total += value(loss, rows[t], point)
    return total


def _total_gradient(loss: Loss, rows: Matrix, point: Vector, out: Vector) -> None:
    of_row = np.empty(point.size)
    for i in range(point.size):
        out[i] = 0.0
    for t in range(rows.shape[0]):
        gradient(loss, rows[t], point, of_row)
        for i in range(point.size):
            out[i] += of_row[i]


def _total_sizes(loss: Loss, rows: Matrix, point: Vector, out: Vector) -> float:
    of_row = np.empty(point.size)
    total = 0.0
    for i in range(point.size):
        out[i] = 0.0
    for t in range(rows.shape[0]):
        total += abs(value(loss, rows[t], point))
        gradient(loss, rows[t], point, of_row)
        for i in range(point.size):
            out[i] += abs(float(of_row[i]))
    return total


total_value: Callable[[Loss, Matrix, Vector], float] = njit(nogil=True)(_total_value)
"""sum_t f(point; rows[t]), compiled on first use with each kind of loss."""

total_gradient: Callable[[Loss, Matrix, Vector, Vector], None] = njit(nogil=True)(_total_gradient)
"""Write into ``out``, the last argument, the gradient of sum_t f(point; rows[t])."""

total_sizes: Callable[[Loss, Matrix, Vector, Vector], float] = njit(nogil=True)(_total_sizes)
"""Like the two above, with every term replaced by its absolute value: what the rounding of the sums is relative to."""


class Rounding(NamedTuple):
    """Bounds on how far a computed value, and each entry of a computed gradient, are from the true ones."""

    value: float
    gradient: Vector


class Objective(ABC):
    """A convex function to be minimised over a domain.

    ``strong_convexity`` and ``smoothness`` must be valid bounds on the curvature over the domain: certificates rest on
    the first, the step size on the second. ``floor`` is a number that F is nowhere below.
    """

    strong_convexity: float
    smoothness: float
    floor: float = -np.inf

    @abstractmethod
    def value(self, point: Vector) -> float:
        """F(point)."""

    @abstractmethod
    def gradient(self, point: Vector) -> Vector:
        """The gradient of F at ``point``."""

    @abstractmethod
    def rounding(self, point: Vector) -> Rounding:
        """How far the computed value and gradient at ``point`` may be off. Certificates rest on this, too."""

    @property
    def curvature_floors(self) -> Vector:
        """b, such that F(y) >= F(x) + g'(y - x) + 1/2 sum_i b_i (y_i - x_i)^2; one number for all i if only one."""
        return np.array([self.strong_convexity])


class RowsTotal(Objective):
    """The sum of one loss over a table of rows; ``constants`` must hold for each row."""

    def __init__(self, loss: Loss, rows: Matrix, constants: Constants) -> None:
        self._loss = loss
        self._rows = rows
        self.strong_convexity = len(rows) * constants.strong_convexity
        self.smoothness = len(rows) * constants.smoothness

    def value(self, point: Vector) -> float:
        """The sum of the values, row by row."""
        return float(total_value(self._loss, self._rows, point))

    def gradient(self, point: Vector) -> Vector:
        """The sum of the gradients, row by row."""
        result = np.empty(point.size)
        total_gradient(self._loss, self._rows, point, result)
        return result

    def rounding(self, point: Vector) -> Rounding:
        """From the backward error: a row sees the point with its entries off by some n roundings, and adds a few.

        The first moves gradients by as much as their smoothness allows and values by as much as the gradients allow;
        the second, and the rounding of the sum over the rows, is relative to the sizes of the terms.
        """
        sizes = np.empty(point.size)
        value_size = float(total_sizes(self._loss, self._rows, point, sizes))
        few = 4.0 * (point.size + 8) * EPSILON
        many = len(self._rows) * EPSILON + few
        distance = float(np.linalg.norm(point))
        bent = few * self.smoothness * distance
        return Rounding(many * value_size + few * distance * float(sizes.sum()) + bent * distance, many * sizes + bent)
