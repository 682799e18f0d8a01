"""The half-space."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Vector, frozen
from belated.core.verbs import compilable
from belated.domains.arithmetic import copy_into, fill, rounding
from belated.domains.base import Domain, contains, embed, minimise, project


class HalfspaceFields(NamedTuple):
    """What a :class:`Halfspace` stores: both divided by the length of the normal."""

    normal: Vector
    offset: float


class Halfspace(Domain, HalfspaceFields):
    """{x : normal . x <= offset}, stored with a normal of length one.

    The set is unbounded and holds balls of every radius r, whose centres move away from the boundary as r grows. Hence
    ``inner_radius`` is ``inf``, and ``shrink`` is the limit of p + (1 - delta / r)(X - p) for such balls: the boundary
    moves inwards by delta. ``center`` is no centre of these balls but the element nearest to the origin, a fair first
    decision.
    """

    __slots__ = ()

    def __new__(cls, normal: ArrayLike, offset: float) -> "Halfspace":
        """Check the arguments and make the domain."""
        given = checks.vector("Halfspace", "normal", normal)
        largest = float(np.abs(given).max())
        if largest == 0.0:
            checks.refuse("Halfspace", "normal", normal, "must not be zero")
        direction = given / largest
        length = math.hypot(*direction.tolist())
        distance = checks.number("Halfspace", "offset", offset) / largest / length
        if not math.isfinite(distance):
            checks.refuse("Halfspace", "offset", offset, "is too large for so short a normal")
        return cls._make((frozen(direction / length), distance))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.normal.size

    @property
    def center(self) -> Vector:
        """The element nearest to the origin."""
        return frozen(min(self.offset, 0.0) * self.normal)

    @property
    def inner_radius(self) -> float:
        """No ball is too large, if it may choose its centre."""
        return math.inf

    @property
    def outer_radius(self) -> float:
        """No ball is large enough."""
        return math.inf

    @property
    def diameter(self) -> float:
        """There is no largest distance."""
        return math.inf

    def _scaled(self, probe_radius: float) -> "Halfspace":
        return Halfspace._make((self.normal, self.offset - probe_radius))

    @classmethod
    def example(cls, dim: int) -> "Halfspace":
        """A half-space without the origin."""
        return cls(np.linspace(1.0, -2.0, dim), -0.5)


@compilable
def excess_and_size(halfspace: Halfspace, point: Vector) -> tuple[float, float]:
    """How far the point is beyond the boundary, and the size of the terms whose rounding blurs that number."""
    excess = -halfspace.offset
    size = abs(halfspace.offset)
    for i in range(point.size):
        term = float(halfspace.normal[i]) * float(point[i])
        excess += term
        size += abs(term)
    return excess, size


@project.on(Halfspace)
def project_halfspace(halfspace: Halfspace, point: Vector, out: Vector) -> None:
    """Go back along the normal; a second time for what the first, from far away, has left by cancellation."""
    copy_into(point, out)
    for _ in range(2):
        excess, size = excess_and_size(halfspace, out)
        if excess <= rounding(point.size) * size:
            return
        for i in range(point.size):
            out[i] = float(out[i]) - excess * float(halfspace.normal[i])


@contains.on(Halfspace)
def halfspace_contains(halfspace: Halfspace, point: Vector, slack: float) -> bool:
    """Look on which side the point is; the set has no size, so the slack is relative to the terms of normal . x."""
    excess, size = excess_and_size(halfspace, point)
    return excess <= slack * size


@minimise.on(Halfspace)
def minimise_on_halfspace(halfspace: Halfspace, direction: Vector, out: Vector) -> None:
    """Go to the boundary if the direction is against the normal, up to rounding; anywhere if it is zero.

    No other form has a minimum; ``inf`` is written then.
    """
    along = 0.0
    largest = 0.0
    for i in range(direction.size):
        along += float(halfspace.normal[i]) * float(direction[i])
        largest = max(largest, abs(float(direction[i])))
    for i in range(direction.size):
        aside = abs(float(direction[i]) - along * float(halfspace.normal[i]))
        if along > 0.0 or aside > rounding(direction.size) * largest:
            fill(out, math.inf)
            return
    reach = min(halfspace.offset, 0.0) if largest == 0.0 else halfspace.offset
    for i in range(direction.size):
        out[i] = reach * float(halfspace.normal[i])


@embed.on(Halfspace)
def embed_in_halfspace(halfspace: Halfspace, coordinates: Vector, out: Vector) -> None:
    """Copy: a half-space has an interior."""
    copy_into(coordinates, out)
