"""F, the sum of the losses of many rounds, as the searches see it.

An :class:`Objective` has a value, a gradient and two bounds on its curvature. Where they come from is its own affair:
:class:`RowsTotal` runs over a table of rows, :class:`QuadraticTotal` has added them up beforehand, and a source that
reads its rows in pieces needs no more than these four members.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numba import njit

from belated.core.arrays import Matrix, Vector
from belated.losses.base import Constants, Loss, gradient, value
from belated.losses.sums import QuadraticSum

EPSILON = float(np.finfo(np.float64).eps)


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


total_value: Callable[[Loss, Matrix, Vector], float] = njit(nogil=True)(_total_value)
"""sum_t f(point; rows[t]), compiled on first use with each kind of loss."""

total_gradient: Callable[[Loss, Matrix, Vector, Vector], None] = njit(nogil=True)(_total_gradient)
"""Write into ``out``, the last argument, the gradient of sum_t f(point; rows[t])."""


class Objective(ABC):
    """A convex function to be minimised over a domain.

    ``strong_convexity`` and ``smoothness`` must be valid bounds on the curvature over the domain: certificates rest on
    the first, the step size on the second.
    """

    strong_convexity: float
    smoothness: float

    @abstractmethod
    def value(self, point: Vector) -> float:
        """F(point)."""

    @abstractmethod
    def gradient(self, point: Vector) -> Vector:
        """The gradient of F at ``point``."""

    def drop(self, slope: Vector) -> float:
        """How far below a point with the gradient ``slope`` the minimum over R^n can lie; ``inf`` if any distance."""
        steepness = float(slope @ slope)
        if steepness == 0.0:
            return 0.0
        return steepness / (2.0 * self.strong_convexity) if self.strong_convexity > 0.0 else np.inf


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


class QuadraticTotal(Objective):
    """A sum of losses that is one quadratic, 1/2 x'A x + h'x + c."""

    def __init__(self, total: QuadraticSum) -> None:
        self.total = total
        curvatures, self._axes = total.form.spectrum(total.linear.size)
        # Eigenvalues that rounding could have made of a zero are zeros: there the quadratic is flat.
        noise = curvatures.size * EPSILON * np.abs(curvatures).max()
        self.curvatures: Vector = np.where(curvatures > noise, curvatures, 0.0)
        self.strong_convexity = float(self.curvatures.min())
        self.smoothness = float(self.curvatures.max())

    def value(self, point: Vector) -> float:
        """1/2 x'A x + h'x + c."""
        return float((0.5 * self.total.form.image(point) + self.total.linear) @ point) + self.total.constant

    def gradient(self, point: Vector) -> Vector:
        """A x + h."""
        return self.total.form.image(point) + self.total.linear

    def along_axes(self, vector: Vector) -> Vector:
        """The coordinates of ``vector`` along the axes of A."""
        return vector if self._axes is None else self._axes.T @ vector

    def from_axes(self, coordinates: Vector) -> Vector:
        """The inverse of :meth:`along_axes`."""
        return coordinates if self._axes is None else self._axes @ coordinates

    def bottom(self, slope: Vector) -> Vector | None:
        """The shortest step from where the gradient is ``slope`` to a minimiser over R^n; ``None`` if there is none.

        Along a flat axis there is a minimum only if the slope there is zero, that is, no more than the rounding of h.
        """
        along = self.along_axes(slope)
        curved = self.curvatures > 0.0
        noise = 64.0 * along.size * EPSILON * float(np.linalg.norm(self.total.linear))
        if (np.abs(along[~curved]) > noise).any():
            return None
        return self.from_axes(np.divide(-along, self.curvatures, out=np.zeros_like(along), where=curved))

    def drop(self, slope: Vector) -> float:
        """Exact: the fall along the step to the bottom."""
        step = self.bottom(slope)
        return np.inf if step is None else 0.5 * abs(float(slope @ step))
