r"""The ellipsoid.

Projection has no closed form. With the point in the coordinates of the axes, w = Q'(y - p), the nearest element is
z_i = a_i s_i(mu) with s_i(mu) = a_i w_i / (a_i^2 + mu), where mu >= 0 solves the secular equation \|s(mu)\| = 1.

Newton's method is applied to 1 / \|s(mu)\| = 1, as for trust regions: that function of mu is concave, increasing and
nearly straight. From the left of its root Newton's steps never pass it, so they need no further safeguard than to stop
when rounding stops the progress. Each \|s_i\| alone is at most one at the root, hence mu >= a_i (\|w_i\| - a_i) for
every i. Starting at the largest of these, \|s\| is at most sqrt(n), however far the point and however different the
axes: a handful of steps is enough.

The equation is the same for t^2 w, t^2 a^2 and t^2 mu in place of w, a^2 and mu. That is how it is solved for points so
far away that its terms would overflow: ``scale`` below is t^2, a power of two and 1 for all others.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector, frozen
from belated.core.vectors import copy_into
from belated.core.verbs import compilable
from belated.domains import limits
from belated.domains.arithmetic import COORDINATE_ROUNDING, ROOM_FOR_SUMS, rounding, stretched_length
from belated.domains.base import Domain, contains, embed, minimise, project

SMALLEST_AXIS = 1e-75
LARGEST_AXIS = 1e75
"""Semi-axes between these can be squared, and multiplied by one another, without a thought to overflow."""

DISTANT = 2.0**900
"""A gap with an entry beyond this, which is far outside, is scaled before it is turned: so no sum overflows."""

FAR = 1e280
NEARER = 2.0**-300
"""Where mu is beyond ``FAR`` the equation is scaled by this factor."""

STEPS = 100
"""A bound on Newton's steps that is never met, so that nothing, not even a NaN, can keep the loop going."""

NOT_ORTHOGONAL = 1e-12
"""Entries of Q'Q that differ from the identity's by more are no rounding."""


class _EllipsoidFields(NamedTuple):
    """What an :class:`Ellipsoid` stores; an axis-aligned one has the (0, 0) array as its rotation."""

    semi_axes: Vector
    centre: Vector
    rotation: Matrix


class Ellipsoid(Domain, _EllipsoidFields):
    r"""{p + Q (a * z) : \|z\| <= 1}, with ``semi_axes`` a, ``centre`` p and ``rotation`` Q.

    Without a centre it lies about the origin. The columns of Q, an orthogonal matrix, are the directions of the axes;
    without it these are the coordinate axes and every operation takes O(n), otherwise O(n^2).

    The semi-axes lie in [1e-75, 1e75], and are at least 1e-14 of the centre's largest entry.

    Args:
        semi_axes: The semi-axes a, as many as the space has dimensions.
        centre: Its centre; by default the origin.
        rotation: The orthogonal matrix Q; by default the identity.
    """

    __slots__ = ()

    def __new__(
        cls, semi_axes: ArrayLike, centre: ArrayLike | None = None, rotation: ArrayLike | None = None
    ) -> Ellipsoid:
        """Check the arguments and make the domain."""
        axes = checks.vector("Ellipsoid", "semi_axes", semi_axes)
        if axes.min() < SMALLEST_AXIS or axes.max() > LARGEST_AXIS:
            checks.refuse("Ellipsoid", "semi_axes", semi_axes, f"must lie in [{SMALLEST_AXIS:g}, {LARGEST_AXIS:g}]")
        middle = limits.centre("Ellipsoid", centre, axes.size)
        limits.wide_enough("Ellipsoid", "semi_axes", semi_axes, float(axes.min()), middle)
        turn = np.empty((0, 0)) if rotation is None else _orthogonal(rotation, axes.size)
        return cls._make((frozen(axes), frozen(middle), frozen(turn)))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.semi_axes.size

    @property
    def centre(self) -> Vector:
        middle: Vector = self[1]
        return middle

    @property
    def inner_radius(self) -> float:
        """The length of the shortest semi-axis."""
        return float(self.semi_axes.min())

    @property
    def outer_radius(self) -> float:
        """The length of the longest semi-axis."""
        return float(self.semi_axes.max())

    @property
    def diameter(self) -> float:
        """The length of the longest axis."""
        return 2.0 * self.outer_radius

    def _scaled(self, probe_radius: float) -> Ellipsoid:
        kept = 1.0 - probe_radius / self.inner_radius
        return Ellipsoid._make((frozen(kept * self.semi_axes), self.centre, self.rotation))

    @classmethod
    def example(cls, dim: int) -> Ellipsoid:
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
def from_centre(ellipsoid: Ellipsoid, point: Vector) -> tuple[Vector, float]:
    """``(w, scale)``: scale times Q'(point - p), the point in the coordinates of the axes."""
    gap = np.empty(point.size)
    largest = 0.0
    for i in range(point.size):
        gap[i] = float(point[i]) - float(ellipsoid.centre[i])
        largest = max(largest, abs(float(gap[i])))
    scale = 1.0
    if largest > DISTANT:
        scale = ROOM_FOR_SUMS
        for i in range(point.size):
            gap[i] = float(gap[i]) * scale
    return along_axes(ellipsoid.rotation, gap), scale


@compilable
def is_inside(semi_axes: Vector, along: Vector, scale: float) -> bool:
    r"""Whether \|w / a\| is at most one, up to rounding; nothing that needs a scale is."""
    squares = 0.0
    for i in range(along.size):
        share = float(along[i]) / float(semi_axes[i])
        squares += share * share
    return scale == 1.0 and math.sqrt(squares) <= 1.0 + rounding(along.size)


@compilable
def least_multiplier(semi_axes: Vector, along: Vector, scale: float) -> float:
    r"""The largest of the lower bounds a_i (\|w_i\| - a_i) for mu, or zero."""
    least = 0.0
    for i in range(along.size):
        axis = float(semi_axes[i])
        least = max(least, axis * (abs(float(along[i])) - axis * scale))
    return least


@compilable
def pull_onto_surface(semi_axes: Vector, along: Vector, scale: float) -> None:
    """Replace a point outside, in the coordinates of the axes and scaled, by the nearest one on the surface."""
    multiplier = least_multiplier(semi_axes, along, scale)
    if multiplier > FAR:
        scale = scale * NEARER
        for i in range(along.size):
            along[i] = float(along[i]) * NEARER
        multiplier = least_multiplier(semi_axes, along, scale)
    for _ in range(STEPS):
        squares = 0.0
        slope = 0.0
        for i in range(along.size):
            axis = float(semi_axes[i])
            spread = axis * axis * scale + multiplier
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
        along[i] = axis * (axis * float(along[i]) / (axis * axis * scale + multiplier))


@project.on(Ellipsoid)
def project_ellipsoid(ellipsoid: Ellipsoid, point: Vector, out: Vector) -> None:
    """Solve the secular equation in the coordinates of the axes."""
    along, scale = from_centre(ellipsoid, point)
    if is_inside(ellipsoid.semi_axes, along, scale):
        copy_into(point, out)
        return
    pull_onto_surface(ellipsoid.semi_axes, along, scale)
    offset = from_axes(ellipsoid.rotation, along)
    for i in range(point.size):
        out[i] = float(ellipsoid.centre[i]) + float(offset[i])


@contains.on(Ellipsoid)
def ellipsoid_contains(ellipsoid: Ellipsoid, point: Vector, slack: float) -> bool:
    """Measure the distance to the nearest element; the slack is relative to the longest axis.

    Rounding blurs coordinates alike, and not in proportion to the axes. So a little outside the flat side of a needle
    is still an element if it is little in distance, whatever it is in multiples of the short axis.
    """
    along, scale = from_centre(ellipsoid, point)
    if is_inside(ellipsoid.semi_axes, along, scale):
        return True
    nearest = np.empty(point.size)
    copy_into(along, nearest)
    pull_onto_surface(ellipsoid.semi_axes, nearest, scale)
    longest = 0.0
    gaps = 0.0
    middles = 0.0
    for i in range(point.size):
        longest = max(longest, float(ellipsoid.semi_axes[i]))
        gap = float(along[i]) / scale - float(nearest[i])
        gaps += gap * gap
        middles += float(ellipsoid.centre[i]) * float(ellipsoid.centre[i])
    room = (slack + rounding(point.size)) * longest + COORDINATE_ROUNDING * math.sqrt(middles)
    return math.sqrt(gaps) <= room


@minimise.on(Ellipsoid)
def minimise_on_ellipsoid(ellipsoid: Ellipsoid, direction: Vector, out: Vector) -> None:
    """Go to p - Q (a * v) with v of length one along a * Q' direction; stay at p if the direction is zero."""
    stretch, length = stretched_length(direction)
    if length == 0.0:
        copy_into(ellipsoid.centre, out)
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
        out[i] = float(ellipsoid.centre[i]) - float(offset[i])


@embed.on(Ellipsoid)
def embed_in_ellipsoid(ellipsoid: Ellipsoid, coordinates: Vector, out: Vector) -> None:
    """Copy: an ellipsoid has an interior."""
    copy_into(coordinates, out)
