"""What every domain can do: the verbs that a domain implements, and the friendly methods that stand on them.

A domain is a closed convex set X in R^n with a centre p and, inside its affine hull, B(p, r) within X within B(p, R).

=================  ========================  ==============================================================
paper              code                      meaning
=================  ========================  ==============================================================
Pi_X               ``project``               nearest element
X_delta            ``shrink(probe_radius)``  p + (1 - delta / r)(X - p): probes of size delta stay inside X
r, R               ``inner_radius``,         of balls about the centre, inside the affine hull;
                   ``outer_radius``          ``inf`` where there is no bound
2R or less         ``diameter``              the largest distance of two elements
Dinf               ``longest_side``          the largest distance of two elements along a coordinate axis
=================  ========================  ==============================================================

A set such as the simplex has no interior in R^n. All of this then happens inside its affine hull: ``hull_dim`` says
how many directions that has, and ``embed`` turns coordinates along an orthonormal basis of them into a direction in
R^n. A learner that perturbs its decision does so through ``embed`` and so never leaves the hull. A set of a single
element has no direction at all: its ``hull_dim`` is 0, and probes of any size stay inside because there are none.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.parts import Part
from belated.core.vectors import copy_into
from belated.core.verbs import verb
from belated.domains import limits

Self = TypeVar("Self", bound="Domain")

SLACK = 1e-9
"""How far outside, relative to the size of the set, a point still counts as an element: room for rounding, no more."""


@verb
def project(domain: Any, point: Vector, out: Vector) -> None:
    """Write into ``out`` the nearest element of ``domain`` to ``point``; ``out`` may be ``point`` itself."""


@verb
def contains(domain: Any, point: Vector, slack: float) -> bool:  # type: ignore[empty-body]  # declarations have no body
    """Whether ``point`` lies in ``domain``, up to ``slack`` relative to the size of the set, and up to rounding.

    Rounding is that of sums, relative to the size of the set, and that of coordinates, relative to these: so
    projections, and probes from a shrunk set, are elements however far from the origin the set lies.
    """


@verb
def minimise(domain: Any, direction: Vector, out: Vector) -> None:
    """Write into ``out`` an element of ``domain`` at which the linear form ``direction`` is least."""


@verb
def embed(domain: Any, coordinates: Vector, out: Vector) -> None:
    """Write into ``out`` (size n) the direction in the affine hull that has these ``coordinates`` (size ``hull_dim``).

    The map is linear and preserves lengths and angles. For a set with interior it is the identity.
    """


@embed.otherwise
def copy_coordinates(domain: Any, coordinates: Vector, out: Vector) -> None:
    """Copy them: in a set with interior the basis is that of R^n."""
    copy_into(coordinates, out)


class Domain(Part):
    """A closed convex set. Subclasses register the four verbs and give the members below."""

    __slots__ = ()

    @property
    @abstractmethod
    def dim(self) -> int:
        """n, the dimension of the space."""

    @property
    def hull_dim(self) -> int:
        """The dimension of the affine hull: n for a set with interior."""
        return self.dim

    @property
    @abstractmethod
    def centre(self) -> Vector:
        """The centre p of the inner and outer balls; also the default first decision."""

    @property
    @abstractmethod
    def inner_radius(self) -> float:
        """r: the ball of this radius about the centre, within the affine hull, lies in the set."""

    @property
    @abstractmethod
    def outer_radius(self) -> float:
        """R: the set lies in the ball of this radius about the centre."""

    @property
    @abstractmethod
    def diameter(self) -> float:
        """The largest distance between two elements."""

    @property
    def longest_side(self) -> float:
        """The longest side of the least box that holds the set.

        Families that know it say so; here every coordinate is minimised and maximised, which takes O(n) times as long
        as ``minimise``.
        """
        if not math.isfinite(self.diameter):
            return math.inf
        return max(float(self.minimise(-unit) @ unit - self.minimise(unit) @ unit) for unit in np.eye(self.dim))

    @abstractmethod
    def _scaled(self: Self, probe_radius: float) -> Self:
        """The set shrunk so that probes of this (valid) size stay inside."""

    @classmethod
    @abstractmethod
    def example(cls: type[Self], dim: int) -> Self:
        """A typical member of the family in R^dim, off-centre where the family allows it."""

    def project(self, point: ArrayLike) -> Vector:
        """The nearest element to ``point``.

        Args:
            point: A vector of ``dim`` numbers.

        Returns:
            The nearest element, a vector that the caller may change.

        Raises:
            InvalidArgument: The size is wrong, or a number is not finite.
        """
        where = f"{type(self).__name__}.project"
        given = checks.vector(where, "point", point, self.dim)
        project(self, given, given)
        if not np.isfinite(given).all():
            checks.refuse(where, "point", point, "the nearest element is too large to be represented")
        return given

    def contains(self, point: ArrayLike, slack: float = SLACK) -> bool:
        """Whether ``point`` is an element, up to rounding and to ``slack`` relative to the size of the set.

        Args:
            point: A vector of ``dim`` numbers.
            slack: How far outside still counts as inside, relative to the size of the set; at least 0.

        Returns:
            True if it is an element.

        Raises:
            InvalidArgument: The size is wrong, or a number is not finite.
        """
        where = f"{type(self).__name__}.contains"
        given = checks.vector(where, "point", point, self.dim)
        return bool(contains(self, given, checks.not_negative(where, "slack", slack)))

    def minimise(self, direction: ArrayLike) -> Vector:
        """An element at which the linear form ``direction`` is least.

        Args:
            direction: The linear form, a vector of ``dim`` numbers.

        Returns:
            A minimiser, a vector that the caller may change.

        Raises:
            InvalidArgument: The form has no minimum on an unbounded set, or the size is wrong.
        """
        where = f"{type(self).__name__}.minimise"
        given = checks.vector(where, "direction", direction, self.dim)
        least = np.empty(self.dim)
        minimise(self, given, least)
        if not np.isfinite(least).all():
            checks.refuse(where, "direction", direction, "the linear form has no minimum on this unbounded set")
        return least

    def embed(self, coordinates: ArrayLike) -> Vector:
        """The direction in the affine hull with these coordinates along its orthonormal basis.

        Args:
            coordinates: ``hull_dim`` numbers.

        Returns:
            The direction, a vector of ``dim`` numbers.

        Raises:
            InvalidArgument: The size is wrong, or a number is not finite.
        """
        given = checks.vector(f"{type(self).__name__}.embed", "coordinates", coordinates, self.hull_dim)
        direction = np.empty(self.dim)
        embed(self, given, direction)
        return direction

    def shrink(self: Self, probe_radius: float) -> Self:
        """X_delta: an element of it stays in this set when moved by ``probe_radius`` in any direction of the hull.

        Args:
            probe_radius: delta > 0, smaller than the inner radius.

        Returns:
            A domain of the same family.

        Raises:
            InvalidArgument: ``probe_radius`` is not smaller than the inner radius.
        """
        where = f"{type(self).__name__}.shrink"
        size = checks.positive(where, "probe_radius", probe_radius)
        if size > limits.LARGEST:
            checks.refuse(where, "probe_radius", probe_radius, f"must be <= {limits.LARGEST:g}")
        if size >= self.inner_radius:
            checks.refuse(where, "probe_radius", probe_radius, f"must be < the inner radius {self.inner_radius:g}")
        return self._scaled(size)


def checked_domain(where: str, domain: Any, name: str = "domain") -> Domain:
    """``domain`` if it is one.

    Args:
        where: The name of the caller, for error messages.
        domain: What the caller was given.
        name: The name of the argument, for error messages.

    Returns:
        The same domain.

    Raises:
        InvalidArgument: It is no domain.
    """
    if not isinstance(domain, Domain):
        checks.refuse(where, name, domain, "must be a domain, such as Ball(10)")
    return domain
