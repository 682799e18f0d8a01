"""The Euclidean ball."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Vector, frozen
from belated.domains.arithmetic import (
    BIG_STEP,
    EPSILON,
    TINIEST_SQUARES,
    copy_into,
    stretched_distance,
    stretched_length,
)
from belated.domains.base import Domain, contains, embed, minimise, project


class BallFields(NamedTuple):
    """What a :class:`Ball` stores."""

    center: Vector
    radius: float


class Ball(Domain, BallFields):
    r"""{x : \|x - center\| <= radius}, about the origin unless a ``center`` is given.

    A point whose distance from the centre is the radius up to rounding counts as an element, and is not moved.
    """

    __slots__ = ()

    def __new__(cls, dim: int, radius: float = 1.0, center: ArrayLike | None = None) -> "Ball":
        """Check the arguments and make the domain."""
        size = checks.count("Ball", "dim", dim)
        middle = np.zeros(size) if center is None else checks.vector("Ball", "center", center, size)
        return cls._make((frozen(middle), checks.positive("Ball", "radius", radius)))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.center.size

    @property
    def center(self) -> Vector:
        """The centre."""
        middle: Vector = self[0]
        return middle

    @property
    def inner_radius(self) -> float:
        """The radius."""
        return self.radius

    @property
    def outer_radius(self) -> float:
        """The radius."""
        return self.radius

    @property
    def diameter(self) -> float:
        """Twice the radius."""
        return 2.0 * self.radius

    def _scaled(self, probe_radius: float) -> "Ball":
        return Ball._make((self.center, self.radius - probe_radius))

    @classmethod
    def example(cls, dim: int) -> "Ball":
        """A ball of radius 1.5 that does not have the origin as its centre."""
        return cls(dim, radius=1.5, center=np.linspace(0.5, -1.0, dim))


@project.on(Ball)
def project_ball(ball: Ball, point: Vector, out: Vector) -> None:
    r"""Pull the point straight towards the centre: p + (radius / \|y - p\|)(y - p).

    Most runs spend their time here, so this is :func:`stretched_distance` and the copy written out: that makes it three
    times as fast, since a call that takes arrays costs the compiled code as much as ten entries do.
    """
    stretch = 1.0
    squares = 0.0
    for i in range(point.size):
        gap = float(point[i]) - float(ball.center[i])
        squares += gap * gap
    if not TINIEST_SQUARES < squares < math.inf:
        stretch = BIG_STEP if squares <= TINIEST_SQUARES else 1.0 / BIG_STEP
        squares = 0.0
        for i in range(point.size):
            gap = (float(point[i]) - float(ball.center[i])) * stretch
            squares += gap * gap
    distance = math.sqrt(squares)
    if distance / stretch <= ball.radius * (1.0 + (point.size + 8) * EPSILON):
        for i in range(point.size):
            out[i] = point[i]
    else:
        factor = ball.radius / distance
        for i in range(point.size):
            middle = float(ball.center[i])
            out[i] = middle + factor * ((float(point[i]) - middle) * stretch)


@contains.on(Ball)
def ball_contains(ball: Ball, point: Vector, slack: float) -> bool:
    """Compare the distance from the centre with the radius."""
    stretch, distance = stretched_distance(point, ball.center)
    return distance / stretch <= ball.radius * (1.0 + slack)


@minimise.on(Ball)
def minimise_on_ball(ball: Ball, direction: Vector, out: Vector) -> None:
    """Go from the centre against the direction, as far as possible."""
    stretch, length = stretched_length(direction)
    factor = 0.0 if length == 0.0 else ball.radius / length
    for i in range(direction.size):
        out[i] = float(ball.center[i]) - factor * (float(direction[i]) * stretch)


@embed.on(Ball)
def embed_in_ball(ball: Ball, coordinates: Vector, out: Vector) -> None:
    """Copy: a ball has an interior."""
    copy_into(coordinates, out)
