"""The simplex: ways to split a total into shares, none below a floor."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector, frozen
from belated.core.vectors import copy_into
from belated.core.verbs import compilable
from belated.domains import limits
from belated.domains.arithmetic import rounding, water_level
from belated.domains.base import Domain, contains, embed, minimise, project


class _SimplexFields(NamedTuple):
    size: int
    total: float
    floor: float


class Simplex(Domain, _SimplexFields):
    """{x : every x_i >= floor, sum of x = total}.

    A simplex shrunk about its barycentre is a simplex with a higher floor, which is why there is one. The set has no
    interior in R^n: its radii are those of balls within the plane sum of x = total, which has n - 1 dimensions. With
    n = 1 that is a single point, and the simplex with it.

    The total lies in [1e-100, 1e200], and the floor leaves at least 1e-14 of it to share out.

    Args:
        dim: How many shares there are, at least 1.
        total: What the shares add up to.
        floor: What no share may be below.

    Raises:
        InvalidArgument: An argument is out of its range, or the floor leaves nothing to share out.
    """

    __slots__ = ()

    def __new__(cls, dim: int, total: float = 1.0, floor: float = 0.0) -> Simplex:
        """Check the arguments and make the domain."""
        size = limits.dimension("Simplex", dim)
        whole = limits.extent("Simplex", "total", total)
        least = checks.not_negative("Simplex", "floor", floor)
        if least * size >= whole:
            checks.refuse("Simplex", "floor", floor, f"must be < total / dim = {whole / size:g}")
        if whole - least * size < limits.FINEST * whole:
            checks.refuse("Simplex", "floor", floor, f"must leave at least {limits.FINEST:g} of the total to share out")
        return cls._make((size, whole, least))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.size

    @property
    def hull_dim(self) -> int:
        """The plane in which the set lies has n - 1 dimensions."""
        return self.size - 1

    @property
    def centre(self) -> Vector:
        """The barycentre, where all shares are equal."""
        return frozen(np.full(self.size, self.total / self.size))

    @property
    def inner_radius(self) -> float:
        """The distance from the barycentre to a facet; a single point has none."""
        return self._spare / math.sqrt(self.size * (self.size - 1)) if self.size > 1 else math.inf

    @property
    def outer_radius(self) -> float:
        """The distance from the barycentre to a corner."""
        return self._spare * math.sqrt((self.size - 1) / self.size)

    @property
    def diameter(self) -> float:
        """The length of an edge; a single point has none."""
        return self._spare * math.sqrt(2.0) if self.size > 1 else 0.0

    @property
    def longest_side(self) -> float:
        """What is left of the total when every share has the floor; 0 if there is only one share."""
        return self._spare if self.size > 1 else 0.0

    @property
    def _spare(self) -> float:
        return spare(self)

    def _scaled(self, probe_radius: float) -> Simplex:
        if self.size == 1:
            return self
        share = self.total / self.size
        kept = 1.0 - probe_radius / self.inner_radius
        return Simplex._make((self.size, self.total, share - kept * (share - self.floor)))

    @classmethod
    def example(cls, dim: int) -> Simplex:
        """Shares of 2, none below a tenth of the equal share."""
        return cls(dim, total=2.0, floor=0.2 / dim)


@compilable
def spare(simplex: Simplex) -> float:
    """What is left of the total when every share has the floor; rounding must not make it negative."""
    return max(simplex.total - simplex.size * simplex.floor, 0.0)


@project.on(Simplex)
def project_simplex(simplex: Simplex, point: Vector, out: Vector) -> None:
    """Give every share the floor and what rises above a common level; elements stay as they are."""
    total = 0.0
    least = float(point[0])
    for i in range(point.size):
        total += float(point[i])
        least = min(least, float(point[i]))
    if least >= simplex.floor and abs(total - simplex.total) <= rounding(point.size) * simplex.total:
        copy_into(point, out)
        return
    top, level = water_level(point, spare(simplex))
    for i in range(point.size):
        height = float(point[i]) - top
        out[i] = simplex.floor if height <= level else simplex.floor + (height - level)


@contains.on(Simplex)
def simplex_contains(simplex: Simplex, point: Vector, slack: float) -> bool:
    """Look at every share and at their sum; the slack is relative to what is spare, the rounding to the total.

    Sums are rounded when a point is made and when it is looked at.
    """
    room = slack * spare(simplex) + 2.0 * rounding(point.size) * simplex.total
    total = 0.0
    for i in range(point.size):
        if not float(point[i]) >= simplex.floor - room:
            return False
        total += float(point[i])
    return abs(total - simplex.total) <= room


@minimise.on(Simplex)
def minimise_on_simplex(simplex: Simplex, direction: Vector, out: Vector) -> None:
    """Give all that is spare to the first of the smallest entries."""
    best = 0
    for i in range(direction.size):
        if direction[i] < direction[best]:
            best = i
    for i in range(direction.size):
        out[i] = simplex.floor
    out[best] = simplex.floor + spare(simplex)


@embed.on(Simplex)
def embed_in_simplex(simplex: Simplex, coordinates: Vector, out: Vector) -> None:
    """Combine the Helmert basis: its k-th vector is (1, ..., 1, -k, 0, ..., 0) / sqrt(k (k + 1)), with k ones.

    Entry i (from 0) is the i-th vector's -i, and a one from every later vector, so sums from the end do it in O(n).
    """
    later = 0.0
    for i in range(simplex.size - 1, 0, -1):
        share = float(coordinates[i - 1]) / math.sqrt(i * (i + 1))
        out[i] = later - i * share
        later += share
    out[0] = later
