"""Logarithmic wealth: -log(r'x) + (l2/2)|x|^2, for a portfolio x and the price relatives r > 0 of one period.

The loss is defined where r'x > 0, and has constants only over a set on which r'x is bounded away from 0. The simplex is
such a set, since r'x >= min r there. Where r'x <= 0 the verbs give the limits, ``inf`` for the value and ``-inf`` for
the gradient, and the methods of the class raise an error.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument
from belated.core.region import Region
from belated.losses.base import Constants, Loss, gradient, value
from belated.losses.slopes import regulariser_slope


class _LogWealthFields(NamedTuple):
    size: int
    l2: float


class LogWealth(Loss, _LogWealthFields):
    """-log(r'x) + (l2/2)|x|^2; the row is r, the price relatives of the period, all above zero.

    Args:
        dim: Dimension of the decisions, at least 1.
        l2: Weight >= 0 of the regulariser (l2/2)|x|^2.
    """

    __slots__ = ()

    def __new__(cls, dim: int, l2: float = 0.0) -> LogWealth:
        """Check the arguments and make the loss."""
        return cls._make((checks.count("LogWealth", "dim", dim), checks.not_negative("LogWealth", "l2", l2)))

    @property
    def dim(self) -> int:
        """The dimension n of the decision: one share for each asset."""
        return self.size

    @property
    def row_size(self) -> int:
        """A row is the price relatives: n numbers."""
        return self.size

    @classmethod
    def example(cls, dim: int) -> LogWealth:
        return cls(dim)

    def example_rows(self, rng: np.random.Generator, rounds: int) -> Matrix:
        """Price relatives whose logarithms are normal with standard deviation 0.1."""
        return np.exp(0.1 * rng.normal(size=(rounds, self.size)))

    def check_rows(self, where: str, rows: ArrayLike) -> Matrix:
        """``rows`` as a valid table, in which all numbers are above zero."""
        given = super().check_rows(where, rows)
        wrong = np.argwhere(given <= 0.0)
        if wrong.size:
            row, column = wrong[0]
            found = f"entry {column} of row {row} is {given[row, column]:g}"
            checks.refuse(where, "rows", rows, f"price relatives must be > 0, {found}")
        return given

    def value(self, row: ArrayLike, point: ArrayLike) -> float:
        """f(point; row), where r'x > 0."""
        result = super().value(row, point)
        if math.isinf(result):
            checks.refuse("LogWealth.value", "point", point, "must give a wealth r'x > 0")
        return result

    def gradient(self, row: ArrayLike, point: ArrayLike) -> Vector:
        """The gradient of f(.; row) at ``point``, where r'x > 0."""
        result = super().gradient(row, point)
        if not np.isfinite(result).all():
            checks.refuse("LogWealth.gradient", "point", point, "must give a wealth r'x > 0")
        return result

    def _constants(self, rows: Matrix, domain: Region) -> Constants:
        steepest = 0.0
        for index, row in enumerate(rows):
            least_wealth = _least(row, domain)
            if least_wealth <= 0.0:
                needed = f"the wealth r'x must be > 0 on all of it, but falls to {least_wealth:g} in row {index}"
                checks.refuse("LogWealth.constants", "domain", domain, needed)
            steepest = max(steepest, float(np.linalg.norm(row)) / least_wealth)
        # r r' has rank one, so that for n > 1 some direction has no curvature but the regulariser's.
        return Constants(steepest + regulariser_slope(self.l2, domain), self.l2, steepest * steepest + self.l2)


def _least(row: Vector, domain: Region) -> float:
    try:
        return float(row @ domain.minimise(row))
    except InvalidArgument:  # how a domain says that there is no minimum
        return -math.inf


@value.on(LogWealth)
def log_wealth_value(loss: LogWealth, row: Vector, point: Vector) -> float:
    """-log(r'x) + (l2/2)|x|^2, and inf where r'x <= 0."""
    wealth = 0.0
    squares = 0.0
    for i in range(loss.size):
        wealth += float(row[i]) * float(point[i])
        squares += float(point[i]) * float(point[i])
    if wealth <= 0.0:
        return math.inf
    return 0.5 * loss.l2 * squares - math.log(wealth)


@gradient.on(LogWealth)
def log_wealth_gradient(loss: LogWealth, row: Vector, point: Vector, out: Vector) -> None:
    """-r / r'x + l2 x, and -inf where r'x <= 0."""
    wealth = 0.0
    for i in range(loss.size):
        wealth += float(row[i]) * float(point[i])
    for i in range(loss.size):
        out[i] = loss.l2 * float(point[i]) - float(row[i]) / wealth if wealth > 0.0 else -math.inf
