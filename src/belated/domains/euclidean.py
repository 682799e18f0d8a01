"""The whole space R^n, for problems without constraints."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector, frozen
from belated.core.vectors import copy_into, fill
from belated.domains import limits
from belated.domains.base import Domain, contains, minimise, project


class _EuclideanFields(NamedTuple):
    size: int


class Euclidean(Domain, _EuclideanFields):
    """All of R^dim. Nothing is ever projected, probes of any size stay inside, and shrinking changes nothing.

    Args:
        dim: Dimension of the space, at least 1.
    """

    __slots__ = ()

    def __new__(cls, dim: int) -> Euclidean:
        """Check the arguments and make the domain."""
        return cls._make((limits.dimension("Euclidean", dim),))

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.size

    @property
    def centre(self) -> Vector:
        """The origin, since no point is in the middle."""
        return frozen(np.zeros(self.size))

    @property
    def inner_radius(self) -> float:
        """Infinite: balls of any size lie in the space."""
        return math.inf

    @property
    def outer_radius(self) -> float:
        """Infinite: no ball holds the space."""
        return math.inf

    @property
    def diameter(self) -> float:
        """Infinite: there is no largest distance."""
        return math.inf

    def _scaled(self, probe_radius: float) -> Euclidean:
        return self

    @classmethod
    def example(cls, dim: int) -> Euclidean:
        """The whole space has only one form."""
        return cls(dim)


@project.on(Euclidean)
def project_euclidean(space: Euclidean, point: Vector, out: Vector) -> None:
    """Copy: every point is an element."""
    copy_into(point, out)


@contains.on(Euclidean)
def euclidean_contains(space: Euclidean, point: Vector, slack: float) -> bool:
    """Every point is an element."""
    return True


@minimise.on(Euclidean)
def minimise_on_euclidean(space: Euclidean, direction: Vector, out: Vector) -> None:
    """Only the zero form has a minimum, everywhere; for any other one write ``inf``."""
    fill(out, 0.0)
    for i in range(direction.size):
        if direction[i] != 0.0:
            fill(out, math.inf)
            return
