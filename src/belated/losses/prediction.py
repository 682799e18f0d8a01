r"""What losses of a linear prediction share: features z, a label y, and f(x; z, y) = link(z'x, y) + (l2/2)|x|^2.

A row is the features followed by the label. Each loss defines in its own file the link, a function of the prediction m
and the label:

===================  ==================================  =====================================
verb                 meaning                             used for
===================  ==================================  =====================================
``link_value``       link(m, y) at the prediction m      the value
``link_slope``       its derivative in m                 the gradient, link_slope times z
===================  ==================================  =====================================

It also defines ``link_curvature``, the bounds of the second derivative in m. Value, gradient and constants follow from
these, and are written here once.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.reductions import dot
from belated.core.region import Region
from belated.core.verbs import compilable, verb
from belated.losses.base import Constants, Curvature, Loss
from belated.losses.slopes import product, regulariser_slope

Self = TypeVar("Self", bound="LinearPrediction")


@verb
def link_value(loss: Any, prediction: float, label: float) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The loss of a ``prediction`` when the truth is ``label``; convex in the prediction."""


@verb
def link_slope(loss: Any, prediction: float, label: float) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The derivative of :func:`link_value` in the prediction."""


class _LinearPredictionFields(NamedTuple):
    """What a loss of a linear prediction stores."""

    size: int
    l2: float


class LinearPrediction(Loss, _LinearPredictionFields):
    """A loss of the prediction z'x; the row is the features z, then the label y.

    A subclass registers the two link verbs, and the functions below as its value, its gradient and both together.
    """

    __slots__ = ()

    def __new__(cls: type[Self], dim: int, l2: float = 0.0) -> Self:
        """Check the arguments and make the loss."""
        size = checks.count(cls.__name__, "dim", dim)
        return cls._make((size, checks.not_negative(cls.__name__, "l2", l2)))

    @property
    @abstractmethod
    def link_curvature(self) -> tuple[float, float]:
        """The least and the greatest second derivative of the link, over all predictions and labels."""

    @property
    def dim(self) -> int:
        """The dimension n of the decision: one weight for each feature."""
        return self.size

    @property
    def row_size(self) -> int:
        """A row is n features and a label."""
        return self.size + 1

    @classmethod
    def example(cls: type[Self], dim: int) -> Self:
        """A loss with a little regularisation, as is usual for such losses."""
        return cls(dim, l2=0.1)

    def _constants(self, rows: Matrix, domain: Region) -> Constants:
        features, labels = rows[:, :-1], rows[:, -1]
        sizes = np.linalg.norm(features, axis=1)
        middles = features @ domain.centre
        steepest = 0.0
        for size, middle, label in zip(sizes.tolist(), middles.tolist(), labels.tolist(), strict=True):
            # The slope grows with the prediction, so it is largest in size at an end of the predictions' range.
            spread = product(size, domain.outer_radius)
            ends = link_slope(self, middle - spread, label), link_slope(self, middle + spread, label)
            steepest = max(steepest, product(size, max(abs(ends[0]), abs(ends[1]))))
        return Constants(steepest + regulariser_slope(self.l2, domain), *self.curvature(rows, domain))

    def curvature(self, rows: Matrix, domain: Region) -> Curvature:
        """The bounds from the lengths of the features alone, which takes less time than all constants."""
        sizes = np.linalg.norm(rows[:, :-1], axis=1)
        least, greatest = self.link_curvature
        # z z' has rank one: in more than one dimension some direction is flat.
        sharpest_flat = least * float(sizes.min()) ** 2 if self.size == 1 else 0.0
        return Curvature(sharpest_flat + self.l2, greatest * float(sizes.max()) ** 2 + self.l2)


def prediction_value(loss: LinearPrediction, row: Vector, point: Vector) -> float:
    """link(z'x, y) + (l2/2)|x|^2, the value of every loss of a linear prediction."""
    prediction = dot(row[: loss.size], point)
    return link_value(loss, prediction, float(row[loss.size])) + 0.5 * loss.l2 * dot(point, point)


def prediction_gradient(loss: LinearPrediction, row: Vector, point: Vector, out: Vector) -> None:
    """link'(z'x, y) z + l2 x, the gradient of every loss of a linear prediction."""
    write_prediction_gradient(loss, row, point, dot(row[: loss.size], point), out)


def prediction_value_and_gradient(loss: LinearPrediction, row: Vector, point: Vector, out: Vector) -> float:
    """Value and gradient from one computation of the prediction."""
    prediction = dot(row[: loss.size], point)
    write_prediction_gradient(loss, row, point, prediction, out)
    return link_value(loss, prediction, float(row[loss.size])) + 0.5 * loss.l2 * dot(point, point)


@compilable
def write_prediction_gradient(
    loss: LinearPrediction, row: Vector, point: Vector, prediction: float, out: Vector
) -> None:
    """Write the gradient into ``out``, given the prediction z'x."""
    slope = link_slope(loss, prediction, float(row[loss.size]))
    for i in range(loss.size):
        out[i] = slope * float(row[i]) + loss.l2 * float(point[i])


def prediction_features(loss: LinearPrediction, row: Vector, out: Vector) -> None:
    """Write the features z of the row into ``out``."""
    for i in range(loss.size):
        out[i] = row[i]


def prediction_label(loss: LinearPrediction, row: Vector) -> float:
    """The label y, the last number of the row."""
    return float(row[loss.size])


class TwoClasses(LinearPrediction):
    """A loss whose labels are -1 or +1."""

    __slots__ = ()

    def check_rows(self, where: str, rows: ArrayLike) -> Matrix:
        """``rows`` as a valid table, each label -1 or +1."""
        given = super().check_rows(where, rows)
        labels = given[:, -1]
        wrong = np.flatnonzero(np.abs(labels) != 1.0)
        if wrong.size:
            checks.refuse(
                where, "rows", rows, f"labels must be -1 or +1, that of row {wrong[0]} is {labels[wrong[0]]:g}"
            )
        return given

    def example_rows(self, rng: np.random.Generator, rounds: int) -> Matrix:
        """Normal features; labels from a logistic model with weights 1, -1, 1, ..."""
        features = rng.normal(size=(rounds, self.size))
        truth = np.where(np.arange(self.size) % 2 == 0, 1.0, -1.0)
        chances = 1.0 / (1.0 + np.exp(-features @ truth))
        labels = np.where(rng.uniform(size=rounds) < chances, 1.0, -1.0)
        return np.column_stack([features, labels])
