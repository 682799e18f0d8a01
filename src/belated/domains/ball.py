"""The Euclidean ball: all points within a radius of a centre."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Vector, frozen
from belated.core.reductions import squared_distance
from belated.core.vectors import copy_into
from belated.core.verbs import compiled_as
from belated.domains import limits
from belated.domains.arithmetic import BIG_STEP, EPSILON, gap_beyond_rounding, rounding, stretched_length
from belated.domains.base import Domain, contains, minimise, project


class _BallFields(NamedTuple):
    centre: Vector
    radius: float


class Ball(Domain, _BallFields):
    r"""{x : \|x - centre\| <= radius}, about the origin unless a ``centre`` is given.

    A point whose distance from the centre is the radius up to rounding counts as an element, and is not moved. The
    radius lies in [1e-100, 1e200], and is at least 1e-14 of the centre's largest entry: smaller balls have hardly any
    elements among floating-point numbers.

    Args:
        dim: Dimension of the space, at least 1.
        radius: Its radius.
        centre: Its centre; by default the origin.
    """

    __slots__ = ()

    def __new__(cls, dim: int, radius: float = 1.0, centre: ArrayLike | None = None) -> Ball:
        """Check the arguments and make the domain."""
        size = limits.dimension("Ball", dim)
        middle = limits.centre("Ball", centre, size)
        reach = limits.extent("Ball", "radius", radius)
        limits.wide_enough("Ball", "radius", radius, reach, middle)
        return cls._make((frozen(middle), reach))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.centre.size

    @property
    def centre(self) -> Vector:
        middle: Vector = self[0]
        return middle

    @property
    def inner_radius(self) -> float:
        return self.radius

    @property
    def outer_radius(self) -> float:
        return self.radius

    @property
    def diameter(self) -> float:
        return 2.0 * self.radius

    @property
    def longest_side(self) -> float:
        """Twice the radius, in every coordinate."""
        return self.diameter

    def _scaled(self, probe_radius: float) -> Ball:
        return Ball._make((self.centre, self.radius - probe_radius))

    @classmethod
    def example(cls, dim: int) -> Ball:
        """A ball of radius 1.5 that does not have the origin as its centre."""
        return cls(dim, radius=1.5, centre=np.linspace(0.5, -1.0, dim))


@project.on(Ball)
def project_ball(ball: Ball, point: Vector, out: Vector) -> None:
    r"""Pull the point straight towards the centre: p + (radius / \|y - p\|)(y - p).

    Squares too small for the range belong to points within any radius. Where they are too large for it, all is measured
    in units of 2^600. Distances are then below 1e154 units either way, so the factor is above 1e-270: it has all its
    digits, also for a ball shrunk to the last bit.
    """
    stretch = 1.0
    centre = ball[0]  # sooner read than by its name
    squares = squared_distance(point, centre)
    if squares <= ball.radius * ball.radius < math.inf:  # most points: no root is needed to see that they are inside
        copy_into(point, out)
        return
    if not squares < math.inf:
        stretch = 1.0 / BIG_STEP
        squares = 0.0
        for i in range(point.size):
            gap = (float(point[i]) - float(centre[i])) * stretch
            squares += gap * gap
    distance = math.sqrt(squares)
    if distance / stretch <= ball.radius * (1.0 + (point.size + 8) * EPSILON):
        copy_into(point, out)
    else:
        pull(point, centre, stretch, ball.radius / distance, out)


def _pulling(point: Vector, centre: Vector, stretch: float, factor: float, out: Any) -> None:
    """Do what :func:`pull` does, one entry at a time."""
    for i in range(len(point)):
        out[i] = centre[i] + factor * ((point[i] - centre[i]) * stretch)


@compiled_as(_pulling)
def pull(point: Vector, centre: Vector, stretch: float, factor: float, out: Vector) -> None:
    """Write ``centre + factor * ((point - centre) * stretch)``; ``out`` may be ``point`` itself.

    A point that needs a stretch may be so far away that NumPy would warn of its distance. Python's numbers do not.
    """
    if stretch == 1.0:
        np.subtract(point, centre, out)
        np.multiply(out, factor, out)
        np.add(centre, out, out)
    else:
        entries = point.tolist()
        _pulling(entries, centre.tolist(), stretch, factor, entries)
        out[:] = entries


@contains.on(Ball)
def ball_contains(ball: Ball, point: Vector, slack: float) -> bool:
    """Compare the distance from the centre, as far as rounding does not explain it, with the radius."""
    stretch = 1.0
    squares = 0.0
    for i in range(point.size):
        gap = gap_beyond_rounding(float(point[i]), float(ball.centre[i]))
        squares += gap * gap
    if not squares < math.inf:
        stretch = 1.0 / BIG_STEP
        squares = 0.0
        for i in range(point.size):
            gap = gap_beyond_rounding(float(point[i]), float(ball.centre[i])) * stretch
            squares += gap * gap
    return math.sqrt(squares) / stretch <= ball.radius * (1.0 + slack + rounding(point.size))


@minimise.on(Ball)
def minimise_on_ball(ball: Ball, direction: Vector, out: Vector) -> None:
    """Go from the centre against the direction, as far as possible."""
    stretch, length = stretched_length(direction)
    if length == 0.0:
        copy_into(ball.centre, out)
        return
    for i in range(direction.size):
        out[i] = float(ball.centre[i]) - ball.radius * (float(direction[i]) * stretch / length)
