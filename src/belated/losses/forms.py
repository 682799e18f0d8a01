r"""Symmetric positive semidefinite forms A: a multiple of the identity, a diagonal, or a full matrix.

Quadratics use A only to compute x'A x / 2 + b'x and its gradient A x + b. There are three classes so that each form
costs no more than necessary (:mod:`belated.losses.heights`). The class is part of a compiled function's type, so the
choice between them is made when code is compiled, not at run time.

==============  ======================
code            meaning
==============  ======================
``Scaled``      factor times identity
``Diagonal``    diag(entries)
``DenseForm``   any symmetric matrix
==============  ======================
"""

from abc import abstractmethod
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector, frozen
from belated.core.parts import Part

Self = TypeVar("Self", bound="Form")

ROUNDING = 1e-12
"""Asymmetry and negative eigenvalues up to this share of the largest entry are accepted as rounding errors."""


class Form(Part):
    """A symmetric positive semidefinite matrix.

    Subclasses register the two verbs of :mod:`~belated.losses.heights` and give the members below.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def smallest(self) -> float:
        """The smallest eigenvalue of the form."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """The largest eigenvalue of the form."""

    @abstractmethod
    def times(self: Self, factor: float) -> Self:
        """``factor`` >= 0 times this form."""

    @abstractmethod
    def shifted(self: Self, amount: float) -> Self:
        """This form plus ``amount`` >= 0 times the identity."""

    @abstractmethod
    def image(self, point: Vector) -> Vector:
        """The product A ``point``, for code that is not compiled."""

    @abstractmethod
    def spectrum(self, dim: int) -> tuple[Vector, Matrix | None]:
        """The eigenvalues and, as columns, their axes; ``None`` if the axes are those of the coordinates."""


class _ScaledFields(NamedTuple):
    factor: float


class Scaled(Form, _ScaledFields):
    """``factor`` times the identity, in any dimension."""

    __slots__ = ()

    def __new__(cls, factor: float) -> "Scaled":
        """Check the factor and make the form."""
        return cls._make((checks.not_negative("Scaled", "factor", factor),))

    @property
    def smallest(self) -> float:
        return self.factor

    @property
    def largest(self) -> float:
        return self.factor

    def times(self, factor: float) -> "Scaled":
        """``factor`` times this multiple of the identity."""
        return Scaled._make((factor * self.factor,))

    def shifted(self, amount: float) -> "Scaled":
        return Scaled._make((self.factor + amount,))

    def image(self, point: Vector) -> Vector:
        """The point times the factor."""
        return self.factor * point

    def spectrum(self, dim: int) -> tuple[Vector, Matrix | None]:
        return np.full(dim, self.factor), None


class _DiagonalFields(NamedTuple):
    entries: Vector


class Diagonal(Form, _DiagonalFields):
    """The diagonal matrix with these ``entries``, none below zero."""

    __slots__ = ()

    def __new__(cls, entries: ArrayLike) -> "Diagonal":
        """Check the entries and keep a read-only copy of them."""
        return cls._make((frozen(_not_negative_entries("Diagonal", "entries", entries, None)),))

    @property
    def smallest(self) -> float:
        return float(self.entries.min())

    @property
    def largest(self) -> float:
        return float(self.entries.max())

    def times(self, factor: float) -> "Diagonal":
        return Diagonal._make((frozen(factor * self.entries),))

    def shifted(self, amount: float) -> "Diagonal":
        return Diagonal._make((frozen(self.entries + amount),))

    def image(self, point: Vector) -> Vector:
        """The point times the entries."""
        return self.entries * point

    def spectrum(self, dim: int) -> tuple[Vector, Matrix | None]:
        return self.entries.copy(), None


class _DenseFields(NamedTuple):
    matrix: Matrix


class DenseForm(Form, _DenseFields):
    """A full symmetric positive semidefinite ``matrix``; asymmetry within rounding is averaged away."""

    __slots__ = ()

    def __new__(cls, matrix: ArrayLike) -> "DenseForm":
        """Check the matrix and keep a read-only copy of it."""
        return cls._make((frozen(_semidefinite("DenseForm", "matrix", matrix, None)),))

    @property
    def smallest(self) -> float:
        """The smallest eigenvalue; it takes O(n^3)."""
        return max(0.0, float(np.linalg.eigvalsh(self.matrix)[0]))

    @property
    def largest(self) -> float:
        """The largest eigenvalue; it takes O(n^3)."""
        return max(0.0, float(np.linalg.eigvalsh(self.matrix)[-1]))

    def times(self, factor: float) -> "DenseForm":
        return DenseForm._make((frozen(factor * self.matrix),))

    def shifted(self, amount: float) -> "DenseForm":
        """``amount`` added along the diagonal."""
        return DenseForm._make((frozen(self.matrix + amount * np.eye(len(self.matrix))),))

    def image(self, point: Vector) -> Vector:
        """The matrix times the point."""
        return self.matrix @ point

    def spectrum(self, dim: int) -> tuple[Vector, Matrix | None]:
        """The eigenvalues and eigenvectors; it takes O(n^3)."""
        values, axes = np.linalg.eigh(self.matrix)
        return values, axes


def form_of(where: str, name: str, value: Any, dim: int) -> Form:
    """The form that a user means by a number, a vector of ``dim`` numbers or a ``dim`` x ``dim`` matrix."""
    dimensions = np.ndim(value)
    if dimensions == 0:
        return Scaled._make((checks.not_negative(where, name, value),))
    if dimensions == 1:
        return Diagonal._make((frozen(_not_negative_entries(where, name, value, dim)),))
    return DenseForm._make((frozen(_semidefinite(where, name, value, dim)),))


def _not_negative_entries(where: str, name: str, value: Any, dim: int | None) -> Vector:
    entries = checks.vector(where, name, value, dim)
    if entries.min() < 0.0:
        checks.refuse(where, name, value, f"must be >= 0, entry [{entries.argmin()}] is {entries.min():g}")
    return entries


def _semidefinite(where: str, name: str, value: Any, dim: int | None) -> Matrix:
    matrix = checks.matrix(where, name, value, dim)
    if matrix.shape[0] != matrix.shape[1]:
        checks.refuse(where, name, value, f"must be square, got shape {matrix.shape}")
    slack = ROUNDING * np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > slack:
        checks.refuse(where, name, value, "must be symmetric")
    symmetric: Matrix = 0.5 * (matrix + matrix.T)
    least = float(np.linalg.eigvalsh(symmetric)[0])
    if least < -slack * len(matrix):
        checks.refuse(where, name, value, f"must be positive semidefinite, has the eigenvalue {least:g}")
    return symmetric
