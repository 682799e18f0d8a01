"""The box, a product of intervals: bounded ones, half-lines, whole lines and single numbers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Anything, Vector, frozen
from belated.domains import limits
from belated.domains.arithmetic import COORDINATE_ROUNDING, rounding
from belated.domains.base import Domain, contains, embed, minimise, project


class _BoxFields(NamedTuple):
    lower: Vector
    upper: Vector


class Box(Domain, _BoxFields):
    """{x : lower <= x <= upper}, entry by entry.

    A side with ``lower`` = ``upper`` is pinned: that entry never changes. The affine hull has a dimension less for each
    pinned side, and radii and probes are those within the hull; a box with all sides pinned has a single element.

    A side may be infinite at one end or at both. The set is unbounded then, and as in a
    :class:`~belated.domains.halfspace.Halfspace` the centre of such a side is its number nearest to zero, and
    ``shrink`` moves its finite end inwards by the probe radius.

    Finite bounds lie within [-1e200, 1e200], and each interval between two different ones is at least 1e-100, and 1e-14
    of its bounds, wide.

    Args:
        lower: The least values, ``-inf`` where there is none.
        upper: The largest values, ``inf`` where there is none.

    Raises:
        InvalidArgument: The two are no vectors of one size, or have NaN, or a side that is empty or too narrow.

    Example:
        >>> box = Box([0.0, -float("inf"), 2.0], [1.0, float("inf"), 2.0])
        >>> box.project([3.0, -50.0, 9.0])
        array([  1., -50.,   2.])
        >>> box.hull_dim
        2
    """

    __slots__ = ()

    def __new__(cls, lower: ArrayLike, upper: ArrayLike) -> Box:
        """Check the arguments and make the domain."""
        least = limits.coordinates("Box", "lower", lower, besides=-math.inf)
        most = limits.coordinates("Box", "upper", upper, least.size, besides=math.inf)
        if not (least <= most).all():
            first = int(np.argmin(least <= most))
            checks.refuse(
                "Box", "upper", upper, f"must be >= lower, entry [{first}] is {most[first]:g} < {least[first]:g}"
            )
        needed = np.maximum(limits.SMALLEST, limits.FINEST * np.maximum(np.abs(least), np.abs(most)))
        good = (least == most) | np.isinf(needed) | (most - least >= needed)
        if not good.all():
            first = int(np.argmin(good))
            wanted = f"must be lower, or >= lower + {needed[first]:g} for numbers of this size, entry [{first}] is less"
            checks.refuse("Box", "upper", upper, wanted)
        return cls._make((frozen(least), frozen(most)))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.lower.size

    @property
    def hull_dim(self) -> int:
        """How many of the sides are not pinned."""
        return int(self._free.sum())

    @property
    def centre(self) -> Vector:
        """The middle of every interval; of one with an infinite end, the number nearest to zero."""
        nearest: Vector = np.clip(0.0, self.lower, self.upper)
        bounded = np.isfinite(self._half_widths)
        return frozen(np.add(0.5 * self.lower, 0.5 * self.upper, out=nearest, where=bounded))

    @property
    def inner_radius(self) -> float:
        """Half the shortest interval that is not pinned; ``inf`` if there is none."""
        return float(self._half_widths.min(where=self._free, initial=math.inf))

    @property
    def outer_radius(self) -> float:
        """Half the diagonal; ``inf`` with an infinite side."""
        return math.hypot(*self._half_widths.tolist())

    @property
    def diameter(self) -> float:
        """The diagonal; ``inf`` with an infinite side."""
        return 2.0 * self.outer_radius

    @property
    def longest_side(self) -> float:
        """The length of the longest interval."""
        return float((self.upper - self.lower).max())

    @property
    def _half_widths(self) -> Vector:
        return 0.5 * self.upper - 0.5 * self.lower

    @property
    def _free(self) -> Anything:
        """Which sides are not pinned."""
        return self.lower < self.upper

    def _scaled(self, probe_radius: float) -> Box:
        half, centre = self._half_widths, self.centre
        kept = (1.0 - probe_radius / self.inner_radius) * half
        # A probe may end near zero, where the size of its entry no longer tells what rounding it has seen.
        inwards = probe_radius * (1.0 + 2.0 * rounding(self.dim))
        bounded = np.isfinite(half)
        lower = np.where(bounded, centre - kept, self.lower + inwards)
        upper = np.where(bounded, centre + kept, self.upper - inwards)
        # What is left of a side may be less than the distance of two numbers, but that does not pin it.
        upper = np.where(self._free & (upper <= lower), np.nextafter(lower, math.inf), upper)
        return Box._make((frozen(lower), frozen(upper)))

    @classmethod
    def example(cls, dim: int) -> Box:
        """A box with sides of different length that does not have the origin as its centre."""
        lower = np.linspace(-1.0, 0.5, dim)
        return cls(lower, lower + np.linspace(2.0, 1.0, dim))


@project.on(Box)
def project_box(box: Box, point: Vector, out: Vector) -> None:
    """Move every entry to the nearest number of its interval."""
    for i in range(point.size):
        entry = point[i]
        if entry < box.lower[i]:
            entry = box.lower[i]
        elif entry > box.upper[i]:
            entry = box.upper[i]
        out[i] = entry


@contains.on(Box)
def box_contains(box: Box, point: Vector, slack: float) -> bool:
    """Look at every entry; the slack is relative to its own interval, and there is room for the bounds' rounding.

    An interval with an infinite end has no size, so the slack is relative to its finite end.
    """
    for i in range(point.size):
        entry = float(point[i])
        lower = float(box.lower[i])
        upper = float(box.upper[i])
        if upper - lower < math.inf:
            room = slack * (upper - lower) + COORDINATE_ROUNDING * max(abs(lower), abs(upper))
        else:
            end = min(abs(lower), abs(upper))
            room = (slack + COORDINATE_ROUNDING) * end if end < math.inf else 0.0
        if not lower - room <= entry <= upper + room:
            return False
    return True


@minimise.on(Box)
def minimise_on_box(box: Box, direction: Vector, out: Vector) -> None:
    """Take the end of every interval that lies against the direction, be it infinite.

    Where the direction is zero, take the lower end; if that is infinite, the upper end; if both are infinite, take 0.
    """
    for i in range(direction.size):
        out[i] = box.upper[i] if direction[i] < 0.0 else box.lower[i]
        if direction[i] == 0.0 and math.isinf(out[i]):
            out[i] = box.upper[i] if box.upper[i] < math.inf else 0.0


@embed.on(Box)
def embed_in_box(box: Box, coordinates: Vector, out: Vector) -> None:
    """Hand the coordinates to the sides that are not pinned, in their order; the others do not move."""
    taken = 0
    for i in range(out.size):
        if box.lower[i] < box.upper[i]:
            out[i] = coordinates[taken]
            taken += 1
        else:
            out[i] = 0.0
