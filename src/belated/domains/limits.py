"""What a domain may be made of: limits on its sizes, under which its arithmetic can be right for every finite point.

A difference of a finite point and a centre within ``LARGEST`` is finite, because so small a number no longer moves one
at the end of the range. A radius of at least ``SMALLEST``, divided by the distance of any finite point, is an ordinary
number and not a subnormal one, which would have lost its digits. And a set must be wide enough against the size of its
coordinates that there are numbers between one side and the other.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Vector

MOST_ENTRIES = 10**9
"""The largest dimension: a vector of it takes eight gigabytes."""

SMALLEST = 1e-100
LARGEST = 1e200
"""Radii, widths and totals lie between these; coordinates and offsets are no larger."""

FINEST = 1e-14
"""How small a set may be against its coordinates: some fifty of the steps between neighbouring numbers."""


def dimension(where: str, value: Any, least: int = 1) -> int:
    """A dimension for which there can be vectors."""
    return checks.count(where, "dim", value, least, most=MOST_ENTRIES)


def extent(where: str, name: str, value: Any) -> float:
    """A radius or a total."""
    result = checks.positive(where, name, value)
    if not SMALLEST <= result <= LARGEST:
        checks.refuse(where, name, value, f"must lie in [{SMALLEST:g}, {LARGEST:g}]")
    return result


def coordinates(where: str, name: str, value: ArrayLike, size: int | None = None, besides: float = 0.0) -> Vector:
    """A point on which a set is built; entries may also be ``besides``, the infinity that stands for a missing end."""
    result = checks.vector(where, name, value, size, besides)
    if np.abs(result[np.isfinite(result)]).max(initial=0.0) > LARGEST:
        checks.refuse(where, name, value, f"must have entries within [{-LARGEST:g}, {LARGEST:g}]")
    return result


def centre(where: str, value: ArrayLike | None, size: int) -> Vector:
    """A centre: the origin if none is given."""
    return np.zeros(size) if value is None else coordinates(where, "centre", value, size)


def wide_enough(where: str, name: str, value: Any, radius: float, middle: Vector) -> None:
    """Refuse a set whose radius drowns in the rounding of its own coordinates."""
    least = FINEST * float(np.abs(middle).max())
    if radius < least:
        checks.refuse(where, name, value, f"must be >= {least:g}, {FINEST:g} of the centre's largest entry")
