"""Losses for tests: members of every family, independent formulas for them, and the laws that they must obey."""

from collections.abc import Callable, Iterator

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument
from belated.domains import EVERY as EVERY_DOMAIN
from belated.domains import Ball, Domain
from belated.losses import (
    EVERY,
    Constants,
    Linear,
    Logistic,
    LogWealth,
    Loss,
    Misclassification,
    Quadratic,
    SquaredError,
    SquaredHinge,
)
from belated.losses.forms import DenseForm, Diagonal, Form, Scaled


def random_semidefinite(rng: np.random.Generator, dim: int, rank: int) -> Matrix:
    factor = rng.normal(size=(dim, rank))
    return factor @ factor.T


def members(dim: int = 3) -> list[Loss]:
    """The example of every family, and the variants that an example cannot show."""
    rng = np.random.default_rng(3)
    variants: list[Loss] = [
        Quadratic(dim, curvature=np.linspace(0.0, 2.0, dim), l2=0.3),
        Quadratic(dim, curvature=random_semidefinite(rng, dim, dim), l2=0.3),
        Quadratic(dim, curvature=random_semidefinite(rng, dim, 1)),
        Linear(dim, l2=0.7),
        SquaredError(dim),
        Logistic(dim),
        SquaredHinge(dim),
        LogWealth(dim, l2=0.5),
        Misclassification(dim),
    ]
    return [family.example(dim) for family in EVERY] + variants


def described(part: object) -> str:
    return repr(part)


def regions(loss: Loss, rows: Matrix) -> Iterator[Domain]:
    """The domains over which the loss has constants: all, but where it is not defined everywhere."""
    for domain in [Ball(loss.dim), *(family.example(loss.dim) for family in EVERY_DOMAIN)]:
        try:
            loss.constants(rows, domain)
        except InvalidArgument:
            continue
        yield domain


def matrix_of(form: Form, dim: int) -> Matrix:
    if isinstance(form, Scaled):
        return np.eye(dim) * form.factor
    if isinstance(form, Diagonal):
        return np.diag(form.entries)
    assert isinstance(form, DenseForm)
    return form.matrix


def naive_value(loss: Loss, row: Vector, point: Vector) -> complex:
    """f(point; row) straight from the definition, for complex points too, so that gradients follow by complex steps."""
    definition = DEFINITIONS[type(loss)]
    l2: float = getattr(loss, "l2", 0.0)
    return complex(definition(loss, row, point) + 0.5 * l2 * np.sum(point * point))


def naive_gradient(loss: Loss, row: Vector, point: Vector) -> Vector:
    step = 1e-30
    return np.array([naive_value(loss, row, point + 1j * step * axis).imag / step for axis in np.eye(point.size)])


def _hinge(loss: Loss, row: Vector, point: Vector) -> complex:
    missing = 1.0 - row[-1] * np.sum(row[:-1] * point)
    return 0.5 * missing**2 if missing.real > 0.0 else 0.0


DEFINITIONS: dict[type[Loss], Callable[..., complex]] = {
    Linear: lambda loss, row, point: np.sum(row * point),
    Quadratic: lambda loss, row, point: np.sum((0.5 * matrix_of(loss.form, loss.dim) @ point + row) * point),
    SquaredError: lambda loss, row, point: 0.5 * (np.sum(row[:-1] * point) - row[-1]) ** 2,
    Logistic: lambda loss, row, point: np.log(1.0 + np.exp(-row[-1] * np.sum(row[:-1] * point))),
    SquaredHinge: _hinge,
    LogWealth: lambda loss, row, point: -np.log(np.sum(row * point)),
    Misclassification: lambda loss, row, point: 1.0 - point[int(row[-1])],
}
"""The definition of every family, without the regulariser."""


def spread_points(loss: Loss, rows: Matrix, domain: Domain, rng: np.random.Generator, count: int) -> Matrix:
    """Elements of the domain: inside, on the boundary, and where the gradient of some row is large."""
    scale = 2.0 * domain.diameter if np.isfinite(domain.diameter) else 3.0
    centre = np.array(domain.centre)
    offsets = [rng.normal(size=loss.dim) * rng.uniform(0.0, scale) for _ in range(count)]
    for row in rows:
        steepest = loss.gradient(row, centre)
        length = np.linalg.norm(steepest)
        if length > 0.0:
            offsets += [steepest * scale / length, -steepest * scale / length]
    return np.array([domain.project(centre + offset) for offset in offsets])


def laws_broken(
    value: Callable[[Vector, Vector], float],
    gradient: Callable[[Vector, Vector], Vector],
    constants: Constants,
    rows: Matrix,
    points: Matrix,
) -> set[str]:
    """Which of the laws of a loss these functions and constants break, at these rows and points."""
    broken = set()
    for row in rows:
        values = [value(row, point) for point in points]
        gradients = [gradient(row, point) for point in points]
        for x, at_x, slope in zip(points, values, gradients, strict=True):
            if not np.linalg.norm(slope) <= constants.lipschitz * (1.0 + 1e-12):
                broken.add("lipschitz")
            for y, at_y in zip(points, values, strict=True):
                square = 0.5 * float((y - x) @ (y - x))
                above = at_y - at_x - float(slope @ (y - x))
                noise = 1e-12 * (1.0 + abs(at_x) + abs(at_y) + float(np.abs(slope) @ np.abs(y - x)))
                if not above >= -noise:
                    broken.add("convexity")
                if not above >= constants.strong_convexity * square - noise:
                    broken.add("strong convexity")
                if not above <= constants.smoothness * square + noise:
                    broken.add("smoothness")
    return broken
