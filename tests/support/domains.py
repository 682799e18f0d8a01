"""What the tests of the domains share: the cases, the definitions as constraints, and the checks.

A check takes the domain and the map that it judges, raises ``AssertionError`` if the map is wrong, and so can be shown
to catch a wrong one.
"""

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import (
    EVERY,
    Ball,
    Box,
    Domain,
    Ellipsoid,
    Euclidean,
    Halfspace,
    L1Ball,
    Product,
    Simplex,
)

Map = Callable[[Vector], Vector]

DIMS = (2, 5)
ROUNDING = 1e-12


def probe_of(domain: Domain) -> float:
    """A probe radius that shrinks the domain noticeably."""
    return 0.4 * min(domain.inner_radius, 1.0)


def every_case() -> dict[str, Domain]:
    """A name and a domain for each family and dimension, a few of particular form, and the larger ones shrunk."""
    whole: dict[str, Domain] = {f"{family.__name__}-{dim}": family.example(dim) for family in EVERY for dim in DIMS}
    whole["Ball-1"] = Ball.example(1)
    whole["Ball-small-and-far"] = Ball(3, 1e-2, [10.0, -10.0, 5.0])
    whole["Box-1"] = Box.example(1)
    whole["Box-pinned"] = Box([-1.0, 0.3, 0.0, -2.0], [1.0, 0.3, 4.0, -2.0])
    whole["Box-infinite"] = Box([-math.inf, 1.0, -math.inf, -1.0], [math.inf, math.inf, -0.5, 1.0])
    whole["Box-pinned-and-infinite"] = Box([7.0, -math.inf, -3.0], [7.0, 2.0, math.inf])
    whole["Box-point"] = Box([0.5, -1.0], [0.5, -1.0])
    whole["Simplex-1"] = Simplex.example(1)
    whole["L1Ball-1"] = L1Ball.example(1)
    whole["Ellipsoid-1"] = Ellipsoid.example(1)
    whole["Ellipsoid-aligned"] = Ellipsoid([0.5, 3.0, 1.0], [1.0, 0.0, -2.0])
    whole["Ellipsoid-needle"] = Ellipsoid([1e-2, 20.0])
    whole["Halfspace-with-origin"] = Halfspace([3.0, 4.0], 10.0)
    whole["Product-of-three"] = several()
    whole["Product-unbounded"] = Product(Euclidean(1), Simplex.example(3), Halfspace.example(2))
    shrunk = {f"{name}-shrunk": domain.shrink(probe_of(domain)) for name, domain in whole.items() if domain.dim > 2}
    return whole | shrunk


def several() -> Product:
    """A product of three, the middle one without interior."""
    return Product(Ball.example(2), Simplex.example(3), Box.example(1))


CASES = every_case()


def vectors(size: int, reach: float = 50.0) -> st.SearchStrategy[Vector]:
    """Vectors of ordinary size, with the entries at which formulas like to break."""
    entries = st.floats(-reach, reach) | st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-9, -1e-9])
    return arrays(np.float64, size, elements=entries)


def directions(size: int) -> st.SearchStrategy[Vector]:
    """Vectors of length at most one, many of them of length one."""

    def within(vector: Vector) -> Vector:
        length = float(np.linalg.norm(vector))
        return vector / length if length > 1.0 else vector

    return vectors(size, 3.0).map(within)


ENDS = (5e-324, 1e-300, 1e-155, 1e153, 1e155, 1e202, 3e205, 1e300, 1e308, 1.7e308)
"""Sizes at which squares, sums, quotients or differences leave the range of numbers."""


def finite_vectors(size: int) -> st.SearchStrategy[Vector]:
    """Vectors of any finite size, many of them at the ends of the range."""
    ends = st.sampled_from([sign * end for end in ENDS for sign in (-1.0, 1.0)] + [0.0])
    return arrays(np.float64, size, elements=ends | st.floats(-1.7e308, 1.7e308) | st.floats(-10.0, 10.0))


def at(family: type[Domain], dim: int, size: float, distance: float) -> Domain:
    """A member of a family that is as large as ``size`` and lies as far as ``distance`` from the origin."""
    away = distance * np.linspace(-1.0, 0.7, dim)
    if family is Ball:
        return Ball(dim, size, away)
    if family is L1Ball:
        return L1Ball(dim, size, away)
    if family is Ellipsoid:
        typical = Ellipsoid.example(dim)
        return Ellipsoid(size * typical.semi_axes, away, typical.rotation)
    if family is Box:
        return Box(away, away + size * np.linspace(1.0, 2.0, dim))
    if family is Halfspace:
        return Halfspace(np.linspace(1.0, -2.0, dim), distance)
    if family is Simplex:
        return Simplex(dim, size + dim * distance, distance)
    if family is Euclidean:
        return Euclidean(dim)
    if family is Product:
        return Product(at(Ball, 1, size, distance), at(Simplex, dim - 1, size, distance))
    raise NotImplementedError(f"say here how a {family.__name__} of some size is put at some distance")


FAR: dict[str, Domain] = {
    f"{family.__name__}-{size:g}-at-{ratio:g}": at(family, 3, size, size * ratio)
    for family in EVERY
    for size, ratio in [
        *((1.0, 10.0**power) for power in (3, 6, 8, 9, 10, 11, 12)),
        *((size, ratio) for size in (1e-70, 1e-8, 1e60) for ratio in (0.0, 0.3, 1e8)),
    ]
}
"""Each family far away, small and large; and the balls at the ends of what they may be."""
FAR |= {
    f"{family.__name__}-{size:g}": at(family, 3, size, 0.0)
    for family in (Ball, L1Ball, Box, Simplex)
    for size in (1e-100, 1e160, 5e199)
}


# --- definitions, written as constraints g(x) >= 0 and h(x) = 0

Function = Callable[[Vector], Vector]


def definition(domain: Domain) -> tuple[list[Function], list[Function]]:
    """The set as its textbook definition: functions that must not be negative, and functions that must vanish."""
    match domain:
        case Product():
            return _joined(domain)
        case Ball():
            return [lambda x: domain.radius**2 - np.sum((x - domain.centre) ** 2, keepdims=True)], []
        case Box():
            pinned = domain.lower == domain.upper
            low, high = np.isfinite(domain.lower) & ~pinned, np.isfinite(domain.upper) & ~pinned
            bounds: list[Function] = [lambda x: (x - domain.lower)[low], lambda x: (domain.upper - x)[high]]
            return (
                [g for g, some in zip(bounds, (low, high), strict=True) if some.any()],
                [lambda x: (x - domain.lower)[pinned]] if pinned.any() else [],
            )
        case Simplex():
            return [lambda x: x - domain.floor], [lambda x: np.sum(x, keepdims=True) - domain.total]
        case L1Ball():
            signs = np.array(list(itertools.product((-1.0, 1.0), repeat=domain.dim)))
            return [lambda x: domain.radius - signs @ (x - domain.centre)], []
        case Ellipsoid():
            turn = domain.rotation if domain.rotation.size else np.eye(domain.dim)
            form = turn @ np.diag(domain.semi_axes**-2.0) @ turn.T
            return [lambda x: np.array([1.0 - (x - domain.centre) @ form @ (x - domain.centre)])], []
        case Halfspace():
            return [lambda x: domain.offset - np.sum(domain.normal * x, keepdims=True)], []
        case Euclidean():
            return [], []
    raise NotImplementedError(f"write the definition of {type(domain).__name__} here; it is the witness of its tests")


def _joined(product: Product) -> tuple[list[Function], list[Function]]:
    def on(part: slice, function: Function) -> Function:
        return lambda x: function(x[part])

    parts = (slice(None, product.split), slice(product.split, None))
    pieces = [definition(factor) for factor in (product.first, product.rest)]
    return (
        [on(part, g) for part, (bounds, _) in zip(parts, pieces, strict=True) for g in bounds],
        [on(part, h) for part, (_, plane) in zip(parts, pieces, strict=True) for h in plane],
    )


def violation(domain: Domain, point: Vector) -> float:
    """By how much the worst of the constraints is missed; below zero if there is room to the boundary."""
    bounds, planes = definition(domain)
    misses = [-float(g(point).min()) for g in bounds] + [float(np.abs(h(point)).max()) for h in planes]
    return max(misses, default=-math.inf)


def searched_projection(domain: Domain, point: Vector) -> Vector:
    """The nearest element as a general solver finds it from the definition alone."""
    bounds, planes = definition(domain)
    constraints = [{"type": "ineq", "fun": g} for g in bounds] + [{"type": "eq", "fun": h} for h in planes]
    found = minimize(
        lambda x: 0.5 * np.sum((x - point) ** 2),
        np.array(domain.centre),
        jac=lambda x: x - point,
        method="SLSQP",
        constraints=constraints,
        options={"maxiter": 500, "ftol": 1e-15},
    )
    nearest: Vector = found.x
    return nearest


# --- checks


def least_on(domain: Domain, direction: Vector) -> Vector | None:
    """``domain.minimise(direction)``, or ``None`` if the form has no minimum on an unbounded set."""
    try:
        return domain.minimise(direction)
    except InvalidArgument:
        assert not math.isfinite(domain.outer_radius)
        return None


def scale(*vectors: Vector) -> float:
    """One, or the length of the longest of the vectors."""
    return max(1.0, *(float(np.linalg.norm(v)) for v in vectors))


def check_lands_inside(domain: Domain, project: Map, point: Vector) -> None:
    assert domain.contains(project(point))


def check_idempotent(domain: Domain, project: Map, point: Vector) -> None:
    nearest = project(point)
    np.testing.assert_allclose(project(nearest), nearest, rtol=0.0, atol=ROUNDING * scale(nearest))


def check_nearest(domain: Domain, project: Map, point: Vector, elements: Iterable[Vector]) -> None:
    """<y - Py, z - Py> <= 0 for all elements z: this says that Py is the nearest one, and nothing else does."""
    nearest = project(point)
    gap = point - nearest
    farthest = least_on(domain, -gap)
    for element in [*elements, *([] if farthest is None else [farthest])]:
        assert gap @ (element - nearest) <= ROUNDING * scale(gap) * scale(element, nearest)


def check_not_expansive(domain: Domain, project: Map, point: Vector, other: Vector) -> None:
    images, originals = np.linalg.norm(project(point) - project(other)), np.linalg.norm(point - other)
    assert images <= originals + ROUNDING * scale(point, other)


def check_projection(domain: Domain, project: Map, point: Vector, other: Vector) -> None:
    """Everything that a projection must be, on two points."""
    check_lands_inside(domain, project, point)
    check_idempotent(domain, project, point)
    check_nearest(domain, project, point, [domain.centre, domain.project(other)])
    check_not_expansive(domain, project, point, other)


def check_least(domain: Domain, minimise: Map, direction: Vector, elements: Iterable[Vector]) -> None:
    least = minimise(direction)
    assert domain.contains(least)
    for element in elements:
        assert direction @ least <= direction @ element + ROUNDING * scale(direction) * scale(element, least)


def check_probes_stay_inside(domain: Domain, shrunk: Domain, probe_radius: float, point: Vector, along: Vector) -> None:
    """x + delta u is in X for x in X_delta and every direction u of the hull, |u| <= 1."""
    assert domain.contains(shrunk.project(point) + probe_radius * domain.embed(along))


def check_membership(domain: Domain, contains: Callable[[Vector], bool], point: Vector, along: Vector) -> None:
    """Nearest elements are elements, and so are probes from a shrunk set, also for ``contains`` in place of its own."""
    assert contains(domain.project(point))
    if math.isfinite(domain.inner_radius):
        for share in (1e-3, 0.5, 0.999):
            probe_radius = share * domain.inner_radius
            start = domain.shrink(probe_radius).project(point)
            step = domain.embed(along)
            assert contains(start + probe_radius * step)
            assert contains(start - probe_radius * step)


def check_nearest_at_any_size(domain: Domain, project: Map, point: Vector) -> None:
    """As :func:`check_nearest`, with a gap of length one, so that nothing in the check overflows."""
    nearest = project(point)
    assert domain.contains(nearest)
    gap = 0.5 * point - 0.5 * nearest
    largest = float(np.abs(gap).max())
    if largest == 0.0:
        return
    outwards = gap / largest
    outwards = outwards / float(np.linalg.norm(outwards))
    farthest = least_on(domain, -outwards)
    if farthest is not None:
        # The coordinates of both, and of the point itself, are rounded; so is the direction that these define.
        coordinates = float(np.abs(nearest).max() + np.abs(farthest).max())
        blurred = 1.0 + min(coordinates, 0.5 * float(np.abs(point).max())) / largest
        room = 1e-12 * min(domain.outer_radius, coordinates) * blurred + 1e-15 * coordinates * blurred
        assert outwards @ farthest - outwards @ nearest <= room


def check_isometry(domain: Domain, embed: Map, first: Vector, second: Vector) -> None:
    """Lengths, angles and linear combinations survive, and the directions lie in the hull."""
    one, two = embed(first), embed(second)
    room = ROUNDING * scale(first) * scale(second)
    assert abs(one @ two - first @ second) <= room
    np.testing.assert_allclose(embed(2.0 * first - second), 2.0 * one - two, rtol=0.0, atol=room)
    for plane in definition(domain)[1]:
        np.testing.assert_allclose(plane(domain.centre + one), 0.0, rtol=0.0, atol=room)


def same_bits(one: Any, other: Any) -> bool:
    """Equality that tells 0.0 from -0.0 and finds a NaN equal to itself."""
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()
