"""Misclassification: 1 - x_y, the chance of a mistake when classes are guessed with the shares x and the truth is y.

At a corner of the simplex one class has the share 1, and the loss is 1 for a mistake and 0 otherwise, so the sum of
losses counts mistakes. A row may have features for learners that need them; the loss does not use them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.region import Region
from belated.losses.base import Constants, Loss, features, gradient, label, value


class _MisclassificationFields(NamedTuple):
    size: int
    features: int


class Misclassification(Loss, _MisclassificationFields):
    """1 - x_y; the row is ``features`` numbers z, then the class y, one of 0, ..., dim - 1.

    Args:
        dim: How many classes there are, at least 1.
        features: How many features come before the class in a row.
    """

    __slots__ = ()

    def __new__(cls, dim: int, features: int = 0) -> Misclassification:
        """Check the arguments and make the loss."""
        classes = checks.count("Misclassification", "dim", dim)
        return cls._make((classes, checks.count("Misclassification", "features", features, least=0)))

    @property
    def dim(self) -> int:
        """The dimension n of the decision: one share for each class."""
        return self.size

    @property
    def classes(self) -> int:
        """The number of classes, n."""
        return self.size

    @property
    def row_size(self) -> int:
        """A row is the features and the class."""
        return self.features + 1

    @classmethod
    def example(cls, dim: int) -> Misclassification:
        """A loss with as many features as classes."""
        return cls(dim, features=dim)

    def example_rows(self, rng: np.random.Generator, rounds: int) -> Matrix:
        """Normal features, and classes drawn at random."""
        return np.column_stack([rng.normal(size=(rounds, self.features)), rng.integers(0, self.size, rounds)])

    def check_rows(self, where: str, rows: ArrayLike) -> Matrix:
        """``rows`` as a valid table, whose last column has classes."""
        given = super().check_rows(where, rows)
        classes = given[:, -1]
        wrong = np.flatnonzero((classes < 0.0) | (classes >= self.size) | (classes != np.floor(classes)))
        if wrong.size:
            found = f"that of row {wrong[0]} is {classes[wrong[0]]:g}"
            checks.refuse(where, "rows", rows, f"classes must be whole numbers from 0 to {self.size - 1}, {found}")
        return given

    def _constants(self, rows: Matrix, domain: Region) -> Constants:
        return Constants(1.0, 0.0, 0.0)


@value.on(Misclassification)
def misclassification_value(loss: Misclassification, row: Vector, point: Vector) -> float:
    """1 minus the share of the true class."""
    return 1.0 - float(point[int(row[loss.features])])


@gradient.on(Misclassification)
def misclassification_gradient(loss: Misclassification, row: Vector, point: Vector, out: Vector) -> None:
    """-1 at the true class, and 0 elsewhere."""
    for i in range(loss.size):
        out[i] = 0.0
    out[int(row[loss.features])] = -1.0


@features.on(Misclassification)
def misclassification_features(loss: Misclassification, row: Vector, out: Vector) -> None:
    for i in range(loss.features):
        out[i] = row[i]


@label.on(Misclassification)
def misclassification_label(loss: Misclassification, row: Vector) -> float:
    return float(row[loss.features])
