"""Quadratic losses: one curvature for all rounds, and a linear term that every round brings.

f(x; b) = 1/2 x'A x + b'x + (l2/2)|x|^2, with the row b. The paper's experiment, f_t(x) = |x|^2 + b_t'x, is
``Quadratic(dim, curvature=2.0)``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.region import Region
from belated.losses.base import Constants, Loss, gradient, value, value_and_gradient
from belated.losses.forms import Form, form_of
from belated.losses.heights import height, slope
from belated.losses.slopes import product


class _QuadraticFields(NamedTuple):
    """What a :class:`Quadratic` stores; ``whole`` is A + l2 I, which is what every formula needs."""

    size: int
    form: Form
    l2: float
    whole: Form


class Quadratic(Loss, _QuadraticFields):
    """1/2 x'A x + b'x + (l2/2)|x|^2; the row is b.

    ``curvature`` is A: a number (times the identity), a vector (the diagonal) or a symmetric positive semidefinite
    matrix. Value and gradient cost O(n) for the first two and O(n^2) for the last.

    Args:
        dim: Dimension of the decisions, at least 1.
        curvature: A, as above.
        l2: Weight >= 0 of the regulariser (l2/2)|x|^2.
    """

    __slots__ = ()

    def __new__(cls, dim: int, curvature: Any = 1.0, l2: float = 0.0) -> Quadratic:
        """Check the arguments and make the loss."""
        size = checks.count("Quadratic", "dim", dim)
        form = form_of("Quadratic", "curvature", curvature, size)
        weight = checks.not_negative("Quadratic", "l2", l2)
        return cls._make((size, form, weight, form.shifted(weight)))

    @property
    def dim(self) -> int:
        """The dimension n of the decision."""
        return self.size

    @property
    def row_size(self) -> int:
        """A row is the linear term: n numbers."""
        return self.size

    @classmethod
    def example(cls, dim: int) -> Quadratic:
        """The loss of the paper's experiment."""
        return cls(dim, curvature=2.0)

    def example_rows(self, rng: np.random.Generator, rounds: int) -> Matrix:
        """Linear terms uniform in [-1, 1]^n."""
        return rng.uniform(-1.0, 1.0, (rounds, self.size))

    @property
    def quadratic_form(self) -> Form:
        """A + l2 I: what every round's loss has in common."""
        return self.whole

    def _constants(self, rows: Matrix, domain: Region) -> Constants:
        return quadratic_constants(self.whole, rows, domain)


@value.on(Quadratic)
def quadratic_value(loss: Quadratic, row: Vector, point: Vector) -> float:
    """1/2 x'A x + b'x + (l2/2)|x|^2."""
    return height(loss.whole, row, point)


@gradient.on(Quadratic)
def quadratic_gradient(loss: Quadratic, row: Vector, point: Vector, out: Vector) -> None:
    """A x + b + l2 x."""
    slope(loss.whole, row, point, out)


@value_and_gradient.on(Quadratic)
def quadratic_value_and_gradient(loss: Quadratic, row: Vector, point: Vector, out: Vector) -> float:
    return slope(loss.whole, row, point, out)


def quadratic_constants(form: Form, rows: Matrix, domain: Region) -> Constants:
    """The constants of 1/2 x'A x + b'x: about the centre p, gradients reach |A p + b| + lambda_max R."""
    steepest = float(np.linalg.norm(rows + form.image(domain.centre), axis=1).max())
    largest = form.largest
    return Constants(steepest + product(largest, domain.outer_radius), form.smallest, largest)
