"""The l1 ball, also called the cross-polytope."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Vector, frozen
from belated.core.vectors import copy_into
from belated.core.verbs import compilable
from belated.domains import limits
from belated.domains.arithmetic import gap_beyond_rounding, rounding, water_level
from belated.domains.base import Domain, contains, minimise, project


class _L1BallFields(NamedTuple):
    centre: Vector
    radius: float


class L1Ball(Domain, _L1BallFields):
    r"""{x : sum of \|x_i - centre_i\| <= radius}, about the origin unless a ``centre`` is given.

    Its projections are sparse: entries nearer to the centre than a common threshold become the centre's. The
    radius lies in [1e-100, 1e200], and is at least 1e-14 of the centre's largest entry.

    Args:
        dim: Dimension of the space, at least 1.
        radius: Its radius in the l1 norm.
        centre: Its centre; by default the origin.

    Raises:
        InvalidArgument: An argument is out of its range.
    """

    __slots__ = ()

    def __new__(cls, dim: int, radius: float = 1.0, centre: ArrayLike | None = None) -> L1Ball:
        """Check the arguments and make the domain."""
        size = limits.dimension("L1Ball", dim)
        middle = limits.centre("L1Ball", centre, size)
        reach = limits.extent("L1Ball", "radius", radius)
        limits.wide_enough("L1Ball", "radius", radius, reach, middle)
        return cls._make((frozen(middle), reach))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.centre.size

    @property
    def centre(self) -> Vector:
        """The centre that was given, or the origin."""
        middle: Vector = self[0]
        return middle

    @property
    def inner_radius(self) -> float:
        """The distance from the centre to a facet."""
        return self.radius / math.sqrt(self.dim)

    @property
    def outer_radius(self) -> float:
        """The distance from the centre to a corner."""
        return self.radius

    @property
    def diameter(self) -> float:
        """The distance of two opposite corners."""
        return 2.0 * self.radius

    @property
    def longest_side(self) -> float:
        """Twice the radius, in every coordinate."""
        return self.diameter

    def _scaled(self, probe_radius: float) -> L1Ball:
        return L1Ball._make((self.centre, (1.0 - probe_radius / self.inner_radius) * self.radius))

    @classmethod
    def example(cls, dim: int) -> L1Ball:
        """An l1 ball of radius 1.5 that does not have the origin as its centre."""
        return cls(dim, radius=1.5, centre=np.linspace(-0.5, 1.0, dim))


@compilable
def distance_and_rest(entry: float, middle: float) -> tuple[float, float]:
    """The distance of two numbers as it is rounded, and what must be added for the exact one (Knuth's two-sum)."""
    gap = entry - middle
    back = gap - entry
    rest = (entry - (gap - back)) - (middle + back)
    return (-gap, -rest) if gap < 0.0 else (gap, rest)


@project.on(L1Ball)
def project_l1_ball(ball: L1Ball, point: Vector, out: Vector) -> None:
    r"""Bring every entry nearer to the centre by a common threshold, but not past it.

    What stays of an entry is a small difference of distances from the centre, which may all be large. So each distance
    is kept with what rounding has taken from it: size + rest is \|y_i - c_i\| exactly.
    """
    distance = 0.0
    for i in range(point.size):
        distance += abs(float(point[i]) - float(ball.centre[i]))
    if distance <= ball.radius * (1.0 + rounding(point.size)):
        copy_into(point, out)
        return
    heights = np.empty(point.size)
    top, top_rest = distance_and_rest(float(point[0]), float(ball.centre[0]))
    for i in range(point.size):
        size, rest = distance_and_rest(float(point[i]), float(ball.centre[i]))
        if size > top or (size == top and rest > top_rest):
            top, top_rest = size, rest
    for i in range(point.size):
        size, rest = distance_and_rest(float(point[i]), float(ball.centre[i]))
        heights[i] = (size - top) + (rest - top_rest)
    highest, level = water_level(heights, ball.radius)
    for i in range(point.size):
        kept = (float(heights[i]) - highest) - level
        middle = float(ball.centre[i])
        if kept <= 0.0:
            out[i] = middle
        elif point[i] < middle:
            out[i] = middle - kept
        else:
            out[i] = middle + kept


@contains.on(L1Ball)
def l1_ball_contains(ball: L1Ball, point: Vector, slack: float) -> bool:
    """Compare the l1 distance from the centre, as far as rounding does not explain it, with the radius."""
    distance = 0.0
    for i in range(point.size):
        distance += gap_beyond_rounding(float(point[i]), float(ball.centre[i]))
    return distance <= ball.radius * (1.0 + slack + rounding(point.size))


@minimise.on(L1Ball)
def minimise_on_l1_ball(ball: L1Ball, direction: Vector, out: Vector) -> None:
    """Go to the corner against the first of the largest entries."""
    best = 0
    for i in range(direction.size):
        if abs(direction[i]) > abs(direction[best]):
            best = i
    copy_into(ball.centre, out)
    if direction[best] > 0.0:
        out[best] -= ball.radius
    else:
        out[best] += ball.radius
