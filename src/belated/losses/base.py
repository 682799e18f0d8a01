"""The base class of all losses, and their verbs: value, gradient, both together; features and label of predictions.

A loss is a family f(x; row): the part holds what all rounds share (a curvature, a regulariser), a *row* of numbers
holds what belongs to one round (a linear term, features and a label). A stream of losses is then a table with one row
for each round, which is cheap to draw, to store and to read in chunks.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.parts import Part
from belated.core.region import Region, check_region
from belated.core.verbs import verb

Self = TypeVar("Self", bound="Loss")


class Curvature(NamedTuple):
    """A lower and an upper bound of the curvature that hold for every given row over the given set."""

    strong_convexity: float
    smoothness: float


class Constants(NamedTuple):
    """Bounds that hold for every given row over the given set.

    ``lipschitz`` (L) bounds the norm of the gradient, ``strong_convexity`` (beta) and ``smoothness`` (alpha) bound the
    curvature from below and above.

    Args:
        lipschitz: L.
        strong_convexity: beta; 0 where there is none.
        smoothness: alpha; ``inf`` where there is none.
    """

    lipschitz: float
    strong_convexity: float
    smoothness: float


@verb
def value(loss: Any, row: Vector, point: Vector) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The loss f(point; row) of the round to which ``row`` belongs."""


@verb
def gradient(loss: Any, row: Vector, point: Vector, out: Vector) -> None:
    """Write into ``out`` the gradient of f(.; row) at ``point``."""


@verb
def value_and_gradient(loss: Any, row: Vector, point: Vector, out: Vector) -> float:  # type: ignore[empty-body]
    """Return f(point; row) and write its gradient into ``out``, with the bits of :func:`value` and :func:`gradient`.

    Losses that compute both faster together register this verb.
    """


@value_and_gradient.otherwise
def one_after_the_other(loss: Any, row: Vector, point: Vector, out: Vector) -> float:
    """The default, for losses that register nothing: call the two verbs one after the other."""
    gradient(loss, row, point, out)
    return value(loss, row, point)


@verb
def features(loss: Any, row: Vector, out: Vector) -> None:
    """Write into ``out`` the features of the round, which are known before it is played; for losses of a prediction."""


@verb
def label(loss: Any, row: Vector) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The label that a prediction is compared with; for losses of a prediction."""


class Loss(Part):
    """A family of convex losses. Subclasses register ``value`` and ``gradient`` and define the abstract members."""

    __slots__ = ()

    @property
    @abstractmethod
    def dim(self) -> int:
        """n, the dimension of the decision."""

    @property
    @abstractmethod
    def row_size(self) -> int:
        """How many numbers the row of a round has."""

    @abstractmethod
    def _constants(self, rows: Matrix, domain: Region) -> Constants:
        """The constants over ``domain``, for rows that have been checked."""

    def curvature(self, rows: Matrix, domain: Region) -> Curvature:
        """Beta and alpha alone, for valid rows. A loss overrides this if its L takes much longer to compute.

        Args:
            rows: Valid rows, one for each round.
            domain: The set over which the bounds hold.

        Returns:
            The bounds of the curvature.
        """
        constants = self._constants(rows, domain)
        return Curvature(constants.strong_convexity, constants.smoothness)

    @classmethod
    @abstractmethod
    def example(cls: type[Self], dim: int) -> Self:
        """A typical member of the family in R^dim."""

    @abstractmethod
    def example_rows(self, rng: np.random.Generator, rounds: int) -> Matrix:
        """Typical rows for this loss, drawn from ``rng``.

        Args:
            rng: A generator of random numbers.
            rounds: How many rows.

        Returns:
            A table with a row for each round.
        """

    def check_rows(self, where: str, rows: ArrayLike) -> Matrix:
        """``rows`` as a valid table for this loss, or an error that names what is wrong.

        Args:
            where: The name of the caller, for error messages.
            rows: A table with ``row_size`` columns.

        Returns:
            The rows as a table of float64.

        Raises:
            InvalidArgument: The table has another form, or a number is not allowed.
        """
        return checks.matrix(where, "rows", rows, self.row_size)

    def _checked_row(self, where: str, row: ArrayLike) -> Vector:
        valid: Vector = self.check_rows(where, checks.vector(where, "row", row, self.row_size)[np.newaxis])[0]
        return valid

    def value(self, row: ArrayLike, point: ArrayLike) -> float:
        """The loss f(point; row) of the round to which ``row`` belongs.

        Args:
            row: The ``row_size`` numbers of one round.
            point: A vector of ``dim`` numbers.

        Returns:
            The value, a float.

        Raises:
            InvalidArgument: The size is wrong, or a number is not finite.
        """
        where = f"{type(self).__name__}.value"
        given_row = self._checked_row(where, row)
        return float(value(self, given_row, checks.vector(where, "point", point, self.dim)))

    def gradient(self, row: ArrayLike, point: ArrayLike) -> Vector:
        """The gradient of f(.; row) at ``point``.

        Args:
            row: The ``row_size`` numbers of one round.
            point: A vector of ``dim`` numbers.

        Returns:
            The gradient, a vector that the caller may change.

        Raises:
            InvalidArgument: The size is wrong, or a number is not finite.
        """
        where = f"{type(self).__name__}.gradient"
        given_row = self._checked_row(where, row)
        result = np.empty(self.dim)
        gradient(self, given_row, checks.vector(where, "point", point, self.dim), result)
        return result

    def constants(self, rows: ArrayLike, domain: Region) -> Constants:
        """L, beta and alpha over ``domain`` that hold for each of ``rows`` (or for a single one).

        Args:
            rows: A table of rows, or a single row.
            domain: The set over which the bounds hold.

        Returns:
            The bounds; infinite where there are none.

        Raises:
            InvalidArgument: A row is not valid, or the dimensions differ.
        """
        where = f"{type(self).__name__}.constants"
        table = checks.real_array(where, "rows", rows)
        given = self.check_rows(where, table[np.newaxis] if table.ndim == 1 else table)
        check_region(where, domain, self.dim)
        return self._constants(given, domain)
