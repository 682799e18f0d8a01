r"""Symmetric positive semidefinite forms A: a multiple of the identity, a diagonal, or a full matrix.

Quadratics need A only through x'A x / 2 + b'x and its gradient A x + b, and the three classes let each of these cost
what it must: O(n), O(n) and O(n^2), in one pass over x and b. The class is part of a compiled function's type, so
nothing of the choice remains at run time.

==============  ======================  =============================
code            meaning                 cost of ``height``, ``slope``
==============  ======================  =============================
``Scaled``      factor times identity   O(n)
``Diagonal``    diag(entries)           O(n)
``Dense``       any symmetric matrix    O(n^2)
==============  ======================  =============================
"""

from abc import abstractmethod
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector, frozen
from belated.core.parts import Part
from belated.core.reductions import dot
from belated.core.verbs import verb

Self = TypeVar("Self", bound="Form")

ROUNDING = 1e-12
"""Asymmetry and negative eigenvalues up to this share of the largest entry are taken for rounding of a valid matrix."""


@verb
def height(form: Any, linear: Vector, point: Vector) -> float:  # type: ignore[empty-body]  # declarations have no body
    """1/2 ``point``' A ``point`` + ``linear``' ``point``."""


@verb
def slope(form: Any, linear: Vector, point: Vector, out: Vector) -> None:
    """Write A ``point`` + ``linear`` into ``out``, which must be another array."""


class Form(Part):
    """A symmetric positive semidefinite matrix. Subclasses register the two verbs and give the members below."""

    __slots__ = ()

    @property
    @abstractmethod
    def smallest(self) -> float:
        """The smallest eigenvalue."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """The largest eigenvalue."""

    @abstractmethod
    def times(self: Self, factor: float) -> Self:
        """``factor`` >= 0 times this form."""

    @abstractmethod
    def shifted(self: Self, amount: float) -> Self:
        """This form plus ``amount`` >= 0 times the identity."""

    @abstractmethod
    def plus(self: Self, other: Self) -> Self:
        """The sum of two forms of one class."""

    @abstractmethod
    def image(self, point: Vector) -> Vector:
        """A ``point``, for code outside of the compiled loops."""

    @abstractmethod
    def spectrum(self, dim: int) -> tuple[Vector, Matrix | None]:
        """The eigenvalues and, as columns, their axes; ``None`` if these are the axes of the coordinates."""


class ScaledFields(NamedTuple):
    """What a :class:`Scaled` stores."""

    factor: float


class Scaled(Form, ScaledFields):
    """``factor`` times the identity, in any dimension."""

    __slots__ = ()

    def __new__(cls, factor: float) -> "Scaled":
        """Check, and keep a frozen copy."""
        return cls._make((checks.not_negative("Scaled", "factor", factor),))

    @property
    def smallest(self) -> float:
        """The factor."""
        return self.factor

    @property
    def largest(self) -> float:
        """The factor."""
        return self.factor

    def times(self, factor: float) -> "Scaled":
        """A larger or smaller multiple of the identity."""
        return Scaled._make((factor * self.factor,))

    def shifted(self, amount: float) -> "Scaled":
        """The factors added."""
        return Scaled._make((self.factor + amount,))

    def plus(self, other: "Scaled") -> "Scaled":
        """The factors added."""
        return Scaled._make((self.factor + other.factor,))

    def image(self, point: Vector) -> Vector:
        """The point times the factor."""
        return self.factor * point

    def spectrum(self, dim: int) -> tuple[Vector, Matrix | None]:
        """The factor, ``dim`` times."""
        return np.full(dim, self.factor), None


class DiagonalFields(NamedTuple):
    """What a :class:`Diagonal` stores."""

    entries: Vector


class Diagonal(Form, DiagonalFields):
    """The diagonal matrix with these ``entries``, none below zero."""

    __slots__ = ()

    def __new__(cls, entries: ArrayLike) -> "Diagonal":
        """Check, and keep a frozen copy."""
        return cls._make((frozen(_not_negative_entries("Diagonal", "entries", entries, None)),))

    @property
    def smallest(self) -> float:
        """The least entry."""
        return float(self.entries.min())

    @property
    def largest(self) -> float:
        """The greatest entry."""
        return float(self.entries.max())

    def times(self, factor: float) -> "Diagonal":
        """Every entry times ``factor``."""
        return Diagonal._make((frozen(factor * self.entries),))

    def shifted(self, amount: float) -> "Diagonal":
        """Every entry plus ``amount``."""
        return Diagonal._make((frozen(self.entries + amount),))

    def plus(self, other: "Diagonal") -> "Diagonal":
        """The entries added."""
        return Diagonal._make((frozen(self.entries + other.entries),))

    def image(self, point: Vector) -> Vector:
        """The point times the entries."""
        return self.entries * point

    def spectrum(self, dim: int) -> tuple[Vector, Matrix | None]:
        """The entries."""
        return self.entries.copy(), None


class DenseFields(NamedTuple):
    """What a :class:`Dense` stores."""

    matrix: Matrix


class Dense(Form, DenseFields):
    """A full symmetric positive semidefinite ``matrix``; asymmetry within rounding is averaged away."""

    __slots__ = ()

    def __new__(cls, matrix: ArrayLike) -> "Dense":
        """Check, and keep a frozen copy."""
        return cls._make((frozen(_semidefinite("Dense", "matrix", matrix, None)),))

    @property
    def smallest(self) -> float:
        """The least eigenvalue; O(n^3)."""
        return max(0.0, float(np.linalg.eigvalsh(self.matrix)[0]))

    @property
    def largest(self) -> float:
        """The greatest eigenvalue; O(n^3)."""
        return max(0.0, float(np.linalg.eigvalsh(self.matrix)[-1]))

    def times(self, factor: float) -> "Dense":
        """The matrix times ``factor``."""
        return Dense._make((frozen(factor * self.matrix),))

    def shifted(self, amount: float) -> "Dense":
        """``amount`` added along the diagonal."""
        return Dense._make((frozen(self.matrix + amount * np.eye(len(self.matrix))),))

    def plus(self, other: "Dense") -> "Dense":
        """The matrices added."""
        return Dense._make((frozen(self.matrix + other.matrix),))

    def image(self, point: Vector) -> Vector:
        """The matrix times the point."""
        return self.matrix @ point

    def spectrum(self, dim: int) -> tuple[Vector, Matrix | None]:
        """The eigendecomposition; O(n^3)."""
        values, axes = np.linalg.eigh(self.matrix)
        return values, axes


@height.on(Scaled)
def height_of_scaled(form: Scaled, linear: Vector, point: Vector) -> float:
    """Coordinate by coordinate, in four sums that do not wait for each other: see :mod:`belated.core.reductions`."""
    half = 0.5 * form.factor
    first = second = third = fourth = 0.0
    whole = point.size - point.size % 4
    for i in range(0, whole, 4):
        first += (half * float(point[i]) + float(linear[i])) * float(point[i])
        second += (half * float(point[i + 1]) + float(linear[i + 1])) * float(point[i + 1])
        third += (half * float(point[i + 2]) + float(linear[i + 2])) * float(point[i + 2])
        fourth += (half * float(point[i + 3]) + float(linear[i + 3])) * float(point[i + 3])
    for i in range(whole, point.size):
        first += (half * float(point[i]) + float(linear[i])) * float(point[i])
    return (first + second) + (third + fourth)


@height.on(Diagonal)
def height_of_diagonal(form: Diagonal, linear: Vector, point: Vector) -> float:
    """Coordinate by coordinate."""
    total = 0.0
    for i in range(point.size):
        total += (0.5 * float(form.entries[i]) * float(point[i]) + float(linear[i])) * float(point[i])
    return total


@height.on(Dense)
def height_of_dense(form: Dense, linear: Vector, point: Vector) -> float:
    """Row by row, without keeping A x."""
    total = 0.0
    for i in range(point.size):
        line = dot(form.matrix[i], point)
        total += (0.5 * line + float(linear[i])) * float(point[i])
    return total


@slope.on(Scaled)
def slope_of_scaled(form: Scaled, linear: Vector, point: Vector, out: Vector) -> None:
    """Each coordinate times the factor."""
    for i in range(point.size):
        out[i] = form.factor * float(point[i]) + float(linear[i])


@slope.on(Diagonal)
def slope_of_diagonal(form: Diagonal, linear: Vector, point: Vector, out: Vector) -> None:
    """Each coordinate times its entry."""
    for i in range(point.size):
        out[i] = float(form.entries[i]) * float(point[i]) + float(linear[i])


@slope.on(Dense)
def slope_of_dense(form: Dense, linear: Vector, point: Vector, out: Vector) -> None:
    """Row by row."""
    for i in range(point.size):
        out[i] = dot(form.matrix[i], point) + float(linear[i])


def form_of(where: str, name: str, value: Any, dim: int) -> Form:
    """The form that a user means by a number, a vector of ``dim`` numbers or a ``dim`` x ``dim`` matrix."""
    dimensions = np.ndim(value)
    if dimensions == 0:
        return Scaled._make((checks.not_negative(where, name, value),))
    if dimensions == 1:
        return Diagonal._make((frozen(_not_negative_entries(where, name, value, dim)),))
    return Dense._make((frozen(_semidefinite(where, name, value, dim)),))


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
