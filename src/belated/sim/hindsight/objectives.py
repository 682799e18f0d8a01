"""F, the sum of the losses of many rounds, as the searches see it.

An :class:`Objective` has a value, a gradient, a bound on how far rounding may have moved these, and two bounds on its
curvature. Where they come from is its own affair: :class:`RowsTotal` runs over a table in chunks, and quadratics
(:mod:`~belated.sim.hindsight.quadratics`) have added up theirs beforehand.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector, frozen
from belated.losses.base import Constants, Curvature, Loss, value_and_gradient
from belated.sim.compensated import EPSILON, Warming, lost_at_most, missing_at_most, two_sum
from belated.sim.tables import Table, reading


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
        """The value F(point) of the objective."""

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


class Look(NamedTuple):
    """All that can be seen of F at one point."""

    value: float
    gradient: Vector
    rounding: Rounding


class Looking(Objective):
    """An objective that reads a table, and sees everything at a point in one reading.

    Searches ask for the three of a point one after the other, so the last look is kept.
    """

    _point: bytes = b""
    _look: Look

    @abstractmethod
    def look(self, point: Vector) -> Look:
        """Read the table once for value, gradient and rounding errors."""

    def value(self, point: Vector) -> float:
        """The value F(point) of the objective."""
        return self._at(point).value

    def gradient(self, point: Vector) -> Vector:
        """The gradient of F at ``point``."""
        return self._at(point).gradient.copy()

    def rounding(self, point: Vector) -> Rounding:
        """How far these may be off."""
        return self._at(point).rounding

    def _at(self, point: Vector) -> Look:
        if point.tobytes() != self._point:
            self._look = self.look(point)
            self._point = point.tobytes()
        return self._look


def add_losses(
    loss: Loss, rows: Matrix, point: Vector, of_row: Vector, sums: Vector, missing: Vector, sizes: Vector
) -> None:
    """Add the gradients at ``point`` of all ``rows`` to ``sums``, and the values to their last entry.

    ``missing`` is what these sums are missing (:mod:`belated.sim.compensated`), ``sizes`` are the sums of absolute
    values, and ``of_row`` is room for one gradient.
    """
    n = point.size
    for t in range(rows.shape[0]):
        height = value_and_gradient(loss, rows[t], point, of_row)
        for i in range(n):
            slope = float(of_row[i])
            sums[i], lost = two_sum(float(sums[i]), slope)
            missing[i] = float(missing[i]) + lost
            sizes[i] = float(sizes[i]) + abs(slope)
        sums[n], lost = two_sum(float(sums[n]), height)
        missing[n] = float(missing[n]) + lost
        sizes[n] = float(sizes[n]) + abs(height)


class Adder:
    """:func:`add_losses` for one loss: plain for few rows and compiled for many."""

    def __init__(self, loss: Loss) -> None:
        self._loss = loss
        self._of_row = np.empty(loss.dim)
        self._kernel = Warming(add_losses, add_losses, loss, frozen([[0.0]]), *np.empty((5, 1)))

    def add(self, rows: Matrix, point: Vector, sums: Vector, missing: Vector, sizes: Vector) -> None:
        """Go on with these rows."""
        table, place = (np.ascontiguousarray(given, dtype=np.float64) for given in (rows, point))
        self._kernel.up_to(rows.size)(self._loss, table, place, self._of_row, sums, missing, sizes)


class RowsTotal(Looking):
    """The sum of a loss over the first ``rounds`` rows of a table; ``bounds`` must hold for each of them."""

    def __init__(self, adder: Adder, table: Table, rounds: int, bounds: Curvature | Constants) -> None:
        self._adder = adder
        self._table = table
        self._rounds = rounds
        self.strong_convexity = rounds * bounds.strong_convexity
        self.smoothness = rounds * bounds.smoothness

    def look(self, point: Vector) -> Look:
        """Sums, row by row. Their rounding follows from the backward error.

        A row sees the point with its entries off by some n roundings, and adds a few. The first moves gradients by as
        much as their smoothness allows and values by as much as the gradients allow; the second, and the rounding of
        the sum over the rows, is relative to the sizes of the terms.
        """
        sums, missing, sizes = np.zeros((3, point.size + 1))
        for rows in reading(self._table, self._rounds):
            self._adder.add(rows, point, sums, missing, sizes)
        # Where a sum is infinite, nothing that is missing can be told.
        sums = np.where(np.isfinite(sums), sums + missing, sums)
        few = 4.0 * (point.size + 8) * EPSILON
        rounds = self._rounds
        off = (few + EPSILON) * sizes + missing_at_most(rounds, lost_at_most(rounds, sizes))
        distance = float(np.linalg.norm(point))
        bent = few * self.smoothness * distance
        height_off = float(off[-1]) + few * distance * float(sizes[:-1].sum()) + bent * distance
        return Look(float(sums[-1]), sums[:-1], Rounding(height_off, off[:-1] + bent))
