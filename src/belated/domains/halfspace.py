"""The half-space: all points on one side of a hyperplane."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Vector, frozen
from belated.core.vectors import copy_into, fill
from belated.core.verbs import compilable
from belated.domains import limits
from belated.domains.arithmetic import ROOM_FOR_SUMS, rounding
from belated.domains.base import Domain, contains, minimise, project

PASSES = 45
"""The most corrections of a projection: each gains 15 digits, and 45 times 15 cover the whole range of numbers."""


NOTHING = 1e-290
"""An excess below this is none: so near the smallest number, the products of which it is the sum have lost digits."""


class _HalfspaceFields(NamedTuple):
    """What a :class:`Halfspace` stores: both divided by the length of the normal."""

    normal: Vector
    offset: float


class Halfspace(Domain, _HalfspaceFields):
    """{x : normal . x <= offset}, stored with a normal of length one and then an offset within [-1e200, 1e200].

    The set is unbounded and holds balls of every radius r, whose centres move away from the boundary as r grows. Hence
    ``inner_radius`` is ``inf``, and ``shrink`` is the limit of p + (1 - delta / r)(X - p) for such balls: the boundary
    moves inwards by delta, and by the rounding of that: a probe may end near the origin, where the size of its entries
    no longer tells what rounding they have seen. ``centre`` is no centre of these balls but the element nearest to the
    origin, a fair first decision.

    Args:
        normal: A vector that points out of the set; of any length but zero.
        offset: How far the boundary lies along ``normal``.
    """

    __slots__ = ()

    def __new__(cls, normal: ArrayLike, offset: float) -> Halfspace:
        """Check the arguments and make the domain."""
        given = checks.vector("Halfspace", "normal", normal)
        largest = float(np.abs(given).max())
        if largest == 0.0:
            checks.refuse("Halfspace", "normal", normal, "must not be zero")
        direction = given / largest
        length = math.hypot(*direction.tolist())
        distance = checks.number("Halfspace", "offset", offset) / largest / length
        if not abs(distance) <= limits.LARGEST:
            checks.refuse("Halfspace", "offset", offset, f"must be within {limits.LARGEST:g} times the normal's length")
        return cls._make((frozen(direction / length), distance))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.normal.size

    @property
    def centre(self) -> Vector:
        """The element nearest to the origin."""
        return frozen(min(self.offset, 0.0) * self.normal)

    @property
    def inner_radius(self) -> float:
        """Infinite: balls of any size lie in the set, about other centres than ``centre``."""
        return math.inf

    @property
    def outer_radius(self) -> float:
        """Infinite: no ball holds the set."""
        return math.inf

    @property
    def diameter(self) -> float:
        """Infinite: there is no largest distance."""
        return math.inf

    def _scaled(self, probe_radius: float) -> Halfspace:
        return Halfspace._make((self.normal, self.offset - probe_radius * (1.0 + 2.0 * rounding(self.dim))))

    @classmethod
    def example(cls, dim: int) -> Halfspace:
        """A half-space without the origin."""
        return cls(np.linspace(1.0, -2.0, dim), -0.5)


@compilable
def excess_and_size(halfspace: Halfspace, point: Vector) -> tuple[float, float, float]:
    """How far the point is beyond the boundary, and the size of the terms whose rounding blurs that number.

    Both are multiplied by the third result, a power of two that is 1 unless the sums overflow.
    """
    scale = 1.0
    while True:
        excess = -halfspace.offset * scale
        size = abs(excess)
        for i in range(point.size):
            term = float(halfspace.normal[i]) * (float(point[i]) * scale)
            excess += term
            size += abs(term)
        if size < math.inf or scale < 1.0:
            return excess, size, scale
        scale = ROOM_FOR_SUMS


@project.on(Halfspace)
def project_halfspace(halfspace: Halfspace, point: Vector, out: Vector) -> None:
    """Go back along the normal, then correct what that has lost by cancellation, which is much for distant points.

    Each pass corrects about 15 digits. One is enough unless the point is nearly a multiple of the normal.

    An entry of the nearest element can be larger than all of the point's. If it is too large to be represented, ``inf``
    is written.
    """
    copy_into(point, out)
    excess, size, scale = excess_and_size(halfspace, out)
    if excess <= rounding(point.size) * size + NOTHING:
        return
    for _ in range(PASSES):
        for i in range(point.size):
            out[i] = (float(out[i]) * scale - excess * float(halfspace.normal[i])) / scale
        excess, size, scale = excess_and_size(halfspace, out)
        if abs(excess) <= rounding(point.size) * size + NOTHING:
            return


@contains.on(Halfspace)
def halfspace_contains(halfspace: Halfspace, point: Vector, slack: float) -> bool:
    """Look on which side the point is; the set has no size, so the slack is relative to the terms of normal . x."""
    excess, size, _ = excess_and_size(halfspace, point)
    return excess <= (slack + rounding(point.size)) * size + NOTHING


@minimise.on(Halfspace)
def minimise_on_halfspace(halfspace: Halfspace, direction: Vector, out: Vector) -> None:
    """Go to the boundary if the direction is against the normal, up to rounding; anywhere if it is zero.

    No other form has a minimum; ``inf`` is written then.
    """
    largest = 0.0
    for i in range(direction.size):
        largest = max(largest, abs(float(direction[i])))
    reach = min(halfspace.offset, 0.0)
    if largest > 0.0:
        reach = halfspace.offset
        along = 0.0
        for i in range(direction.size):
            along += float(halfspace.normal[i]) * (float(direction[i]) / largest)
        for i in range(direction.size):
            aside = abs(float(direction[i]) / largest - along * float(halfspace.normal[i]))
            if along > 0.0 or aside > rounding(direction.size):
                fill(out, math.inf)
                return
    for i in range(direction.size):
        out[i] = reach * float(halfspace.normal[i])
