"""A loss and a domain as a user would write them, each in three ways: one that compiles, one that is declared as plain
Python, and one that cannot be compiled and does not say so.

All three do the same arithmetic, so that whoever runs them must get the same bits.
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector, frozen
from belated.core.region import Region
from belated.domains.base import Domain, contains, embed, minimise, project
from belated.losses.base import Constants, Loss, gradient, value


class BowlFields(NamedTuple):
    size: int


class Bowl(Loss, BowlFields):
    """|x|^2 + b.x + (sum of x)^2 / 2, with the row b."""

    __slots__ = ()

    @property
    def dim(self) -> int:
        return self.size

    @property
    def row_size(self) -> int:
        return self.size

    def _constants(self, rows: Matrix, domain: Region) -> Constants:
        return Constants(np.inf, 2.0, 2.0 + self.size)

    @classmethod
    def example(cls, dim: int) -> Any:
        return cls(dim)

    def example_rows(self, rng: np.random.Generator, rounds: int) -> Matrix:
        return rng.uniform(-1.0, 1.0, (rounds, self.size))


class DeclaredBowl(Bowl):
    __slots__ = ()


class ObscureBowl(Bowl):
    __slots__ = ()


@value.on(Bowl)
@value.on(DeclaredBowl, compiled=False)
def bowl_value(loss: Bowl, row: Vector, point: Vector) -> float:
    total, together = 0.0, 0.0
    for i in range(loss.size):
        total += (float(point[i]) + float(row[i])) * float(point[i])
        together += float(point[i])
    return total + 0.5 * together * together


@gradient.on(Bowl)
@gradient.on(DeclaredBowl, compiled=False)
def bowl_gradient(loss: Bowl, row: Vector, point: Vector, out: Vector) -> None:
    together = 0.0
    for i in range(loss.size):
        together += float(point[i])
    for i in range(loss.size):
        out[i] = 2.0 * float(point[i]) + float(row[i]) + together


@value.on(ObscureBowl)
def obscure_value(loss: Bowl, row: Vector, point: Vector) -> float:
    return float(repr(bowl_value(loss, row, point)))


@gradient.on(ObscureBowl)
def obscure_gradient(loss: Bowl, row: Vector, point: Vector, out: Vector) -> None:
    bowl_gradient(loss, row, point, out)


BOWLS = (Bowl, DeclaredBowl, ObscureBowl)


class CubeFields(NamedTuple):
    centre: Vector
    half: float


class Cube(Domain, CubeFields):
    """The points whose entries lie in [-half, half]."""

    __slots__ = ()

    def __new__(cls, dim: int, half: float) -> Any:
        return cls._make((frozen(np.zeros(dim)), half))

    centre = property(lambda self: self[0])
    dim = property(lambda self: self.centre.size)
    inner_radius = property(lambda self: self.half)
    outer_radius = property(lambda self: self.half * self.dim**0.5)
    diameter = property(lambda self: 2.0 * self.outer_radius)

    def _scaled(self, probe_radius: float) -> Any:
        return type(self)(self.dim, self.half - probe_radius)

    @classmethod
    def example(cls, dim: int) -> Any:
        return cls(dim, 0.5)


class DeclaredCube(Cube):
    __slots__ = ()


class ObscureCube(Cube):
    __slots__ = ()


@project.on(Cube)
@project.on(DeclaredCube, compiled=False)
def project_cube(cube: Cube, point: Vector, out: Vector) -> None:
    for i in range(point.size):
        out[i] = min(max(float(point[i]), -cube.half), cube.half)


@project.on(ObscureCube)
def obscure_project(cube: Cube, point: Vector, out: Vector) -> None:
    for i in range(point.size):
        out[i] = float(repr(min(max(float(point[i]), -cube.half), cube.half)))


@contains.on(Cube, DeclaredCube, ObscureCube)
def cube_contains(cube: Cube, point: Vector, slack: float) -> bool:
    inside = True
    for i in range(point.size):
        inside = inside and abs(point[i]) <= cube.half * (1.0 + slack)
    return inside


@minimise.on(Cube, DeclaredCube, ObscureCube)
def minimise_on_cube(cube: Cube, direction: Vector, out: Vector) -> None:
    for i in range(direction.size):
        out[i] = -cube.half if direction[i] > 0.0 else cube.half


@embed.on(Cube, DeclaredCube, ObscureCube)
def embed_in_cube(cube: Cube, coordinates: Vector, out: Vector) -> None:
    for i in range(out.size):
        out[i] = coordinates[i]


CUBES = (Cube, DeclaredCube, ObscureCube)
