"""Wrong domains, kept so that the checks of the contract are seen to catch them."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from belated.core.arrays import Vector
from belated.domains import Ball, Box, Domain, Ellipsoid, Halfspace, L1Ball, Simplex
from support.domains import (
    Map,
    at,
    check_idempotent,
    check_isometry,
    check_lands_inside,
    check_least,
    check_membership,
    check_nearest,
    check_nearest_at_any_size,
    check_not_expansive,
    check_probes_stay_inside,
    check_projection,
    several,
    violation,
)

POINTS = np.random.default_rng(0).normal(size=(40, 6)) * np.logspace(-1, 1.5, 40)[:, None]


def run_projection_checks(domain: Domain, project: Map) -> None:
    for point, other in zip(POINTS[:, : domain.dim], POINTS[::-1, : domain.dim], strict=True):
        check_projection(domain, project, point, other)


def forgets_the_centre(y: Vector) -> Vector:
    return y * min(1.0, 1.5 / float(np.linalg.norm(y)))


def stops_short_of_the_sphere(y: Vector) -> Vector:
    ball = Ball.example(3)
    return ball.centre + 0.999 * (ball.project(y) - ball.centre)


def scales_everything(y: Vector) -> Vector:
    """The l1 ball by pulling towards the centre, as if it were round."""
    ball = L1Ball.example(3)
    gap = y - ball.centre
    return ball.centre + gap * min(1.0, ball.radius / float(np.abs(gap).sum()))


def clips_the_whole_vector(y: Vector) -> Vector:
    """A box that moves the point towards its centre until all entries fit."""
    box = Box.example(3)
    gap, half = y - box.centre, 0.5 * (box.upper - box.lower)
    return box.centre + gap * min(1.0, float((half / np.abs(gap)).min()))


def ignores_the_floor(y: Vector) -> Vector:
    return Simplex(3, total=2.0).project(y)


def normalises_the_shares(y: Vector) -> Vector:
    """The simplex by cutting at the floor and dividing by the sum."""
    simplex = Simplex(3, total=2.0)
    positive = np.maximum(y, 0.0)
    return positive * (2.0 / positive.sum()) if positive.any() else simplex.centre


def rescales_radially(y: Vector) -> Vector:
    ellipsoid = Ellipsoid.example(3)
    gap = y - ellipsoid.centre
    gauge = float(np.linalg.norm((ellipsoid.rotation.T @ gap) / ellipsoid.semi_axes))
    return ellipsoid.centre + gap / max(1.0, gauge)


def turns_the_wrong_way(y: Vector) -> Vector:
    turn = np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 2 + np.eye(3))[0]
    return Ellipsoid([0.5, 1.0, 3.0], rotation=turn.T).project(y)


def reflects(y: Vector) -> Vector:
    """A half-space that goes as far inside as the point was outside."""
    halfspace = Halfspace.example(3)
    return y + 2.0 * (halfspace.project(y) - y)


def projects_the_first_factor_only(y: Vector) -> Vector:
    product = several()
    return np.concatenate((product.first.project(y[:2]), y[2:]))


TURNED = Ellipsoid([0.5, 1.0, 3.0], rotation=np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 2 + np.eye(3))[0])

WRONG_PROJECTIONS: list[tuple[Domain, Map]] = [
    (Ball.example(3), forgets_the_centre),
    (Ball.example(3), stops_short_of_the_sphere),
    (L1Ball.example(3), scales_everything),
    (Box.example(3), clips_the_whole_vector),
    (Simplex.example(3), ignores_the_floor),
    (Simplex(3, total=2.0), normalises_the_shares),
    (Ellipsoid.example(3), rescales_radially),
    (TURNED, turns_the_wrong_way),
    (Halfspace.example(3), reflects),
    (several(), projects_the_first_factor_only),
]


@pytest.mark.parametrize(("domain", "project"), WRONG_PROJECTIONS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_wrong_projection_is_caught(domain: Domain, project: Map) -> None:
    run_projection_checks(domain, domain.project)
    with pytest.raises(AssertionError):
        run_projection_checks(domain, project)


def test_each_projection_check_has_its_own_prey() -> None:
    ball, point, other = Ball(2), np.array([3.0, 0.0]), np.array([0.0, 4.0])
    with pytest.raises(AssertionError):
        check_lands_inside(ball, lambda y: y, point)
    with pytest.raises(AssertionError):
        check_idempotent(ball, lambda y: 0.5 * y, point)
    with pytest.raises(AssertionError):
        check_nearest(ball, lambda y: np.array([0.0, 1.0]), point, [])
    with pytest.raises(AssertionError):
        check_not_expansive(ball, lambda y: 10.0 * y, point, other)


@pytest.mark.parametrize(
    ("domain", "contains"),
    [
        # A slack relative to an infinite width leaves no end at all.
        (Box([2.0], [math.inf]), lambda x: bool(2.0 - 1e-9 * math.inf <= x[0])),
        # A pinned side with room of its own size is not pinned.
        (Box([3.0, 0.0], [3.0, 1.0]), lambda x: bool(abs(x[0] - 3.0) <= 0.1 and 0.0 <= x[1] <= 1.0)),
    ],
)
def test_the_definition_catches_a_box_that_is_open(domain: Domain, contains: Callable[[Vector], bool]) -> None:
    rng = np.random.default_rng(3)
    points = [domain.centre + 0.05 * rng.normal(size=domain.dim) for _ in range(20)]
    assert all(domain.contains(point) == (violation(domain, point) <= 1e-10) for point in points)
    assert any(contains(point) and violation(domain, point) > 1e-10 for point in points)


def test_probes_along_a_pinned_side_are_caught() -> None:
    box = Box([3.0, 0.0, 0.0], [3.0, 1.0, 1.0])
    check_isometry(box, box.embed, np.array([1.0, 0.5]), np.array([0.0, 1.0]))
    with pytest.raises(AssertionError):
        check_isometry(box, lambda along: np.array([along[0], along[1], 0.0]), np.array([1.0, 0.5]), np.zeros(2))


def squares_anything(y: Vector) -> Vector:
    return y * min(1.0, 1e-100 / math.sqrt(sum(float(entry) * float(entry) for entry in y)))


def divides_by_the_distance(y: Vector) -> Vector:
    """No square overflows, but the radius divided by the distance loses its digits, or is zero."""
    return y * min(1.0, 1e-100 / math.hypot(*y.tolist()))


@pytest.mark.parametrize(("project", "size"), [(squares_anything, 1e155), (divides_by_the_distance, 3e219)])
def test_a_projection_wrong_for_distant_points_is_caught(project: Map, size: float) -> None:
    ball = Ball(2, 1e-100)
    for ordinary in (1e-90, 1.0, 1e100):
        check_nearest_at_any_size(ball, project, np.array([0.6, 0.8]) * ordinary)
    distant = np.array([0.6, 0.8]) * size
    check_nearest_at_any_size(ball, ball.project, distant)
    with pytest.raises(AssertionError):
        check_nearest_at_any_size(ball, project, distant)


def exact_about_the_centre(domain: Domain) -> Callable[[Vector], bool]:
    """``contains`` without room for the rounding of coordinates."""
    match domain:
        case Ball():
            return lambda x: bool(np.linalg.norm(x - domain.centre) <= domain.radius * (1.0 + 1e-9))
        case L1Ball():
            return lambda x: bool(np.abs(x - domain.centre).sum() <= domain.radius * (1.0 + 1e-9))
        case Box():
            room = 1e-9 * (domain.upper - domain.lower)
            return lambda x: bool((x >= domain.lower - room).all() and (x <= domain.upper + room).all())
        case Ellipsoid():
            axes = domain.semi_axes + 1e-9 * domain.semi_axes.max()
            return lambda x: bool(np.linalg.norm(domain.rotation.T @ (x - domain.centre) / axes) <= 1.0)
    raise NotImplementedError


@pytest.mark.parametrize("family", [Ball, L1Ball, Box, Ellipsoid])
def test_membership_without_the_coordinates_rounding_is_caught(family: type[Domain]) -> None:
    def run(distances: Vector, judged: Callable[[Domain], Callable[[Vector], bool]]) -> None:
        for distance in distances:
            domain = at(family, 3, 0.3, distance)
            for point in POINTS[:, :3]:
                for along in (point / np.linalg.norm(point), *np.eye(3)):
                    check_membership(domain, judged(domain), domain.centre + point, along)

    far = np.linspace(1.1e10, 2e10, 5)
    run(np.array([1e3]), exact_about_the_centre)
    run(far, lambda domain: domain.contains)
    with pytest.raises(AssertionError):
        run(far, exact_about_the_centre)


@pytest.mark.parametrize(
    ("domain", "minimise"),
    [
        (Ball.example(3), lambda d: Ball.example(3).minimise(-d)),
        (Box.example(3), lambda d: np.where(d > 0.0, Box.example(3).upper, Box.example(3).lower)),
        (Simplex.example(3), lambda d: Simplex(3, total=2.0).minimise(d)),
        (L1Ball.example(3), lambda d: L1Ball.example(3).centre - 0.5 * np.sign(d)),
        (Ellipsoid.example(3), lambda d: Ellipsoid.example(3).project(Ellipsoid.example(3).centre - 9.0 * d)),
    ],
    ids=["largest", "wrong-ends", "no-floor", "all-signs", "projects-instead"],
)
def test_a_wrong_minimiser_is_caught(domain: Domain, minimise: Map) -> None:
    def run(judged: Map) -> None:
        for direction in POINTS[:, :3]:
            elements = [domain.centre, domain.minimise(direction), *(domain.project(p) for p in POINTS[:, :3])]
            check_least(domain, judged, direction, elements)

    run(domain.minimise)
    with pytest.raises(AssertionError):
        run(minimise)


@pytest.mark.parametrize(
    ("domain", "shrunk"),
    [
        (Ball.example(3), Ball.example(3)),
        (Ball.example(3), Ball(3, 1.1, 0.6 * Ball.example(3).centre)),
        (Box.example(3), Box(0.6 * Box.example(3).lower, 0.6 * Box.example(3).upper)),
        (Simplex.example(3), Simplex(3, total=2.0, floor=Simplex.example(3).floor * 1.4)),
        (L1Ball.example(3), L1Ball(3, 1.5 - 0.4 * L1Ball.example(3).inner_radius, L1Ball.example(3).centre)),
        (Halfspace([3.0, 4.0], 10.0), Halfspace([3.0, 4.0], 10.0 - 0.4)),
    ],
    ids=["not-at-all", "towards-origin", "box-towards-origin", "floor-times", "radius-minus", "not-normalised"],
)
def test_a_wrong_shrinking_is_caught(domain: Domain, shrunk: Domain) -> None:
    probe_radius = 0.4 * min(domain.inner_radius, 1.0)

    def run(judged: Domain) -> None:
        for point in 100.0 * POINTS[:, : domain.dim]:
            nearest = judged.project(point)
            outwards = (point - nearest) if domain.hull_dim == domain.dim else POINTS[0]
            for along in (outwards, -outwards, *POINTS):
                unit = along[: domain.hull_dim] / max(1e-300, float(np.linalg.norm(along[: domain.hull_dim])))
                check_probes_stay_inside(domain, judged, probe_radius, point, unit)

    run(domain.shrink(probe_radius))
    with pytest.raises(AssertionError):
        run(shrunk)


@pytest.mark.parametrize(
    "embed",
    [
        lambda u: np.append(u, 0.0),
        lambda u: np.append(u, -u.sum()),
        lambda u: 1.01 * Simplex.example(3).embed(u),
        lambda u: np.abs(Simplex.example(3).embed(u)),
    ],
    ids=["leaves-the-plane", "bends-lengths", "stretches", "not-linear"],
)
def test_a_wrong_embedding_is_caught(embed: Map) -> None:
    simplex = Simplex.example(3)

    def run(judged: Map) -> None:
        for first, second in zip(POINTS[:, :2], POINTS[::-1, :2], strict=True):
            check_isometry(simplex, judged, first, second)

    run(simplex.embed)
    with pytest.raises(AssertionError):
        run(embed)
