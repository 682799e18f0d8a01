"""Linear losses f(x; g) = g'x + (l2/2)|x|^2: every round has a price g for each entry of the decision."""

from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.region import Region
from belated.losses.base import Constants, Loss, gradient, value
from belated.losses.forms import Scaled
from belated.losses.quadratic import quadratic_constants


class _LinearFields(NamedTuple):
    size: int
    l2: float


class Linear(Loss, _LinearFields):
    """g'x + (l2/2)|x|^2; the row is g.

    Args:
        dim: Dimension of the decisions, at least 1.
        l2: Weight >= 0 of the regulariser (l2/2)|x|^2.
    """

    __slots__ = ()

    def __new__(cls, dim: int, l2: float = 0.0) -> "Linear":
        """Check the arguments and make the loss."""
        return cls._make((checks.count("Linear", "dim", dim), checks.not_negative("Linear", "l2", l2)))

    @property
    def dim(self) -> int:
        """The dimension n of the decision."""
        return self.size

    @property
    def row_size(self) -> int:
        """A row is the slope: n numbers."""
        return self.size

    @classmethod
    def example(cls, dim: int) -> "Linear":
        return cls(dim)

    def example_rows(self, rng: np.random.Generator, rounds: int) -> Matrix:
        """Slopes uniform in [-1, 1]^n."""
        return rng.uniform(-1.0, 1.0, (rounds, self.size))

    @property
    def quadratic_form(self) -> Scaled:
        """l2 I: what every round's loss has in common."""
        return Scaled(self.l2)

    def _constants(self, rows: Matrix, domain: Region) -> Constants:
        return quadratic_constants(Scaled(self.l2), rows, domain)


@value.on(Linear)
def linear_value(loss: Linear, row: Vector, point: Vector) -> float:
    """The value g'x + (l2/2)|x|^2."""
    total = 0.0
    for i in range(loss.size):
        total += (float(row[i]) + 0.5 * loss.l2 * float(point[i])) * float(point[i])
    return total


@gradient.on(Linear)
def linear_gradient(loss: Linear, row: Vector, point: Vector, out: Vector) -> None:
    """The slope plus l2 x."""
    for i in range(loss.size):
        out[i] = float(row[i]) + loss.l2 * float(point[i])
