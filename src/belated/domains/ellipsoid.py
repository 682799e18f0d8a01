r"""The ellipsoid.

Projection has no closed form. With the point in the coordinates of the axes, w = Q'(y - p), the nearest element is
z_i = a_i s_i(mu) with s_i(mu) = a_i w_i / (a_i^2 + mu), where mu >= 0 solves the secular equation \|s(mu)\| = 1.

Newton's method is applied to 1 / \|s(mu)\| = 1, as for trust regions: that function of mu is concave, increasing and
nearly straight. From the left of its root Newton's steps never pass it, so they need no further safeguard than to stop
when rounding stops the progress. Each \|s_i\| alone is at most one at the root, hence mu >= a_i (\|w_i\| - a_i) for
every i. Starting at the largest of these, \|s\| is at most sqrt(n), however far the point and however different the
axes: a handful of steps is enough.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector, frozen
from belated.core.verbs import compilable
from belated.domains.arithmetic import copy_into, rounding, stretched_length
from belated.domains.base import Domain, contains, embed, minimise, project

SMALLEST_AXIS = 1e-75
LARGEST_AXIS = 1e75
"""Semi-axes between these can be squared, and multiplied by one another, without a thought to overflow."""

FAR = 1e280
NEARER = 2.0**-300
"""A point with mu beyond ``FAR`` is so distant that only its direction matters; it is brought nearer by this factor."""

STEPS = 100
"""A bound on Newton's steps that is never met, so that nothing, not even a NaN, can keep the loop going."""

NOT_ORTHOGONAL = 1e-12
"""Entries of Q'Q that differ from the identity's by more are no rounding."""


class EllipsoidFields(NamedTuple):
    """What an :class:`Ellipsoid` stores; an axis-aligned one has the (0, 0) array as its rotation."""

    semi_axes: Vector
    center: Vector
    rotation: Matrix


class Ellipsoid(Domain, EllipsoidFields):
    r"""{p + Q (a * z) : \|z\| <= 1}, with ``semi_axes`` a, ``center`` p and ``rotation`` Q.

    Without a centre it lies about the origin. The columns of Q, an orthogonal matrix, are the directions of the axes;
    without it these are the coordinate axes and every operation takes O(n), otherwise O(n^2).
    """

    __slots__ = ()

    def __new__(
        cls, semi_axes: ArrayLike, center: ArrayLike | None = None, rotation: ArrayLike | None = None
    ) -> "Ellipsoid":
        """Check the arguments and make the domain."""
        axes = checks.vector("Ellipsoid", "semi_axes", semi_axes)
        if axes.min() < SMALLEST_AXIS or axes.max() > LARGEST_AXIS:
            checks.refuse("Ellipsoid", "semi_axes", semi_axes, f"must lie in [{SMALLEST_AXIS:g}, {LARGEST_AXIS:g}]")
        middle = np.zeros(axes.size) if center is None else checks.vector("Ellipsoid", "center", center, axes.size)
        turn = np.empty((0, 0)) if rotation is None else _orthogonal(rotation, axes.size)
        return cls._make((frozen(axes), frozen(middle), frozen(turn)))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.semi_axes.size

    @property
    def center(self) -> Vector:
        """The centre."""
        middle: Vector = self[1]
        return middle

    @property
    def inner_radius(self) -> float:
        """The shortest semi-axis."""
        return float(self.semi_axes.min())

    @property
    def outer_radius(self) -> float:
        """The longest semi-axis."""
        return float(self.semi_axes.max())

    @property
    def diameter(self) -> float:
        """The longest axis."""
        return 2.0 * self.outer_radius

    def _scaled(self, probe_radius: float) -> "Ellipsoid":
        kept = 1.0 - probe_radius / self.inner_radius
        return Ellipsoid._make((frozen(kept * self.semi_axes), self.center, self.rotation))

    @classmethod
    def example(cls, dim: int) -> "Ellipsoid":
        """An ellipsoid with different axes, none of them a coordinate axis, that is not about the origin."""
        mirror = np.linspace(1.0, 2.0, dim)
        rotation = np.eye(dim) - 2.0 * np.outer(mirror, mirror) / np.sum(mirror * mirror)
        return cls(np.linspace(0.5, 2.0, dim), np.linspace(1.0, -0.5, dim), rotation)


def _orthogonal(rotation: ArrayLike, size: int) -> Matrix:
    turn = checks.matrix("Ellipsoid", "rotation", rotation, size)
    if turn.shape[0] != size:
        checks.refuse("Ellipsoid", "rotation", rotation, f"must have shape ({size}, {size}), got shape {turn.shape}")
    if np.abs(turn).max() > 2.0 or np.abs(turn.T @ turn - np.eye(size)).max() > NOT_ORTHOGONAL:
        checks.refuse("Ellipsoid", "rotation", rotation, "must be an orthogonal matrix")
    return turn


@compilable
def along_axes(rotation: Matrix, vector: Vector) -> Vector:
    """Q' vector; the very same array if there is no rotation."""
    if rotation.shape[0] == 0:
        return vector
    along = np.zeros(vector.size)
    for i in range(vector.size):
        entry = float(vector[i])
        for j in range(vector.size):
            along[j] = float(along[j]) + float(rotation[i, j]) * entry
    return along


@compilable
def from_axes(rotation: Matrix, along: Vector) -> Vector:
    """Q along; the very same array if there is no rotation."""
    if rotation.shape[0] == 0:
        return along
    vector = np.empty(along.size)
    for i in range(along.size):
        total = 0.0
        for j in range(along.size):
            total += float(rotation[i, j]) * float(along[j])
        vector[i] = total
    return vector


@compilable
def from_center(ellipsoid: Ellipsoid, point: Vector) -> Vector:
    """Q'(point - p), the point in the coordinates of the axes."""
    gap = np.empty(point.size)
    for i in range(point.size):
        gap[i] = float(point[i]) - float(ellipsoid.center[i])
    return along_axes(ellipsoid.rotation, gap)


@compilable
def gauge(semi_axes: Vector, along: Vector, widening: float) -> float:
    """The length of along / (a + widening): at most one inside the ellipsoid with its axes widened by so much."""
    squares = 0.0
    for i in range(along.size):
        share = float(along[i]) / (float(semi_axes[i]) + widening)
        squares += share * share
    return math.sqrt(squares)


@compilable
def least_multiplier(semi_axes: Vector, along: Vector) -> float:
    r"""The largest of the lower bounds a_i (\|w_i\| - a_i) for mu, or zero."""
    least = 0.0
    for i in range(along.size):
        axis = float(semi_axes[i])
        least = max(least, axis * (abs(float(along[i])) - axis))
    return least


@compilable
def pull_onto_surface(semi_axes: Vector, along: Vector) -> None:
    """Replace a point outside, in the coordinates of the axes, by the nearest one on the surface."""
    multiplier = least_multiplier(semi_axes, along)
    if multiplier > FAR:
        for i in range(along.size):
            along[i] = float(along[i]) * NEARER
        multiplier = least_multiplier(semi_axes, along)
    for _ in range(STEPS):
        squares = 0.0
        slope = 0.0
        for i in range(along.size):
            axis = float(semi_axes[i])
            spread = axis * axis + multiplier
            share = axis * float(along[i]) / spread
            squares += share * share
            slope += share * share / spread
        length = math.sqrt(squares)
        if not length > 1.0:
            break
        following = multiplier + (length - 1.0) * squares / slope
        if not following > multiplier:
            break
        multiplier = following
    for i in range(along.size):
        axis = float(semi_axes[i])
        along[i] = axis * (axis * float(along[i]) / (axis * axis + multiplier))


@project.on(Ellipsoid)
def project_ellipsoid(ellipsoid: Ellipsoid, point: Vector, out: Vector) -> None:
    """Solve the secular equation in the coordinates of the axes."""
    along = from_center(ellipsoid, point)
    if gauge(ellipsoid.semi_axes, along, 0.0) <= 1.0 + rounding(point.size):
        copy_into(point, out)
        return
    pull_onto_surface(ellipsoid.semi_axes, along)
    offset = from_axes(ellipsoid.rotation, along)
    for i in range(point.size):
        out[i] = float(ellipsoid.center[i]) + float(offset[i])


@contains.on(Ellipsoid)
def ellipsoid_contains(ellipsoid: Ellipsoid, point: Vector, slack: float) -> bool:
    """Compare the gauge with one; the slack, relative to the longest axis, widens them all."""
    longest = 0.0
    for i in range(point.size):
        longest = max(longest, float(ellipsoid.semi_axes[i]))
    return gauge(ellipsoid.semi_axes, from_center(ellipsoid, point), slack * longest) <= 1.0


@minimise.on(Ellipsoid)
def minimise_on_ellipsoid(ellipsoid: Ellipsoid, direction: Vector, out: Vector) -> None:
    """Go to p - Q (a * v) with v of length one along a * Q' direction; stay at p if the direction is zero."""
    stretch, length = stretched_length(direction)
    if length == 0.0:
        copy_into(ellipsoid.center, out)
        return
    unit = np.empty(direction.size)
    for i in range(direction.size):
        unit[i] = float(direction[i]) * stretch / length
    along = along_axes(ellipsoid.rotation, unit)
    squares = 0.0
    for i in range(along.size):
        along[i] = float(along[i]) * float(ellipsoid.semi_axes[i])
        squares += float(along[i]) * float(along[i])
    reach = math.sqrt(squares)
    for i in range(along.size):
        along[i] = float(along[i]) / reach * float(ellipsoid.semi_axes[i])
    offset = from_axes(ellipsoid.rotation, along)
    for i in range(along.size):
        out[i] = float(ellipsoid.center[i]) - float(offset[i])


@embed.on(Ellipsoid)
def embed_in_ellipsoid(ellipsoid: Ellipsoid, coordinates: Vector, out: Vector) -> None:
    """Copy: an ellipsoid has an interior."""
    copy_into(coordinates, out)
