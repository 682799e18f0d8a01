"""The box, a product of intervals."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Vector, frozen
from belated.domains import limits
from belated.domains.arithmetic import COORDINATE_ROUNDING
from belated.domains.base import Domain, contains, minimise, project


class BoxFields(NamedTuple):
    """What a :class:`Box` stores."""

    lower: Vector
    upper: Vector


class Box(Domain, BoxFields):
    """{x : lower <= x <= upper}, entry by entry, with ``lower`` < ``upper``.

    The bounds lie within [-1e200, 1e200], and each interval is at least 1e-100, and 1e-14 of its bounds, wide.
    """

    __slots__ = ()

    def __new__(cls, lower: ArrayLike, upper: ArrayLike) -> "Box":
        """Check the arguments and make the domain."""
        least = limits.coordinates("Box", "lower", lower)
        most = limits.coordinates("Box", "upper", upper, least.size)
        if not (least < most).all():
            first = int(np.argmin(least < most))
            checks.refuse(
                "Box", "upper", upper, f"must be > lower, entry [{first}] is {most[first]:g} <= {least[first]:g}"
            )
        needed = np.maximum(limits.SMALLEST, limits.FINEST * np.maximum(np.abs(least), np.abs(most)))
        if not (most - least >= needed).all():
            first = int(np.argmin(most - least >= needed))
            wanted = f"must be >= lower + {needed[first]:g} for numbers of this size, entry [{first}] is less"
            checks.refuse("Box", "upper", upper, wanted)
        return cls._make((frozen(least), frozen(most)))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.lower.size

    @property
    def center(self) -> Vector:
        """The middle of every interval."""
        return frozen(0.5 * self.lower + 0.5 * self.upper)

    @property
    def inner_radius(self) -> float:
        """Half the shortest interval."""
        return float(self._half_widths.min())

    @property
    def outer_radius(self) -> float:
        """Half the diagonal."""
        return math.hypot(*self._half_widths.tolist())

    @property
    def diameter(self) -> float:
        """The diagonal."""
        return 2.0 * self.outer_radius

    @property
    def _half_widths(self) -> Vector:
        return 0.5 * self.upper - 0.5 * self.lower

    def _scaled(self, probe_radius: float) -> "Box":
        kept = (1.0 - probe_radius / self.inner_radius) * self._half_widths
        return Box._make((frozen(self.center - kept), frozen(self.center + kept)))

    @classmethod
    def example(cls, dim: int) -> "Box":
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
    """Look at every entry; the slack is relative to its own interval, and there is room for the bounds' rounding."""
    for i in range(point.size):
        entry = float(point[i])
        lower = float(box.lower[i])
        upper = float(box.upper[i])
        room = slack * (upper - lower) + COORDINATE_ROUNDING * max(abs(lower), abs(upper))
        if not lower - room <= entry <= upper + room:
            return False
    return True


@minimise.on(Box)
def minimise_on_box(box: Box, direction: Vector, out: Vector) -> None:
    """Take the end of every interval that lies against the direction; the lower one where it does not matter."""
    for i in range(direction.size):
        out[i] = box.upper[i] if direction[i] < 0.0 else box.lower[i]
