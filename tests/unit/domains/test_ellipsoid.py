"""Ellipsoids: projections compared with bisection in 400 digits, extreme axes, and refused arguments."""

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import Ball, Ellipsoid
from belated.domains.ellipsoid import FAR, LARGEST_AXIS, SMALLEST_AXIS
from support.domains import same_bits, vectors

QUARTER_TURN = [[0.0, -1.0], [1.0, 0.0]]


def bisected(semi_axes: Vector, point: Vector) -> list[float]:
    """The projection about the origin from the secular equation, by bisection with 400 digits."""
    with localcontext() as context:
        context.prec = 400
        context.Emin, context.Emax = -(10**6), 10**6
        axes = [Decimal(a) for a in semi_axes.tolist()]
        entries = [Decimal(y) for y in point.tolist()]
        if sum((y / a) ** 2 for a, y in zip(axes, entries, strict=True)) <= 1:
            return [float(entry) for entry in point]
        low, high = Decimal(0), sum(a * abs(y) for a, y in zip(axes, entries, strict=True))
        # Halving the logarithm first finds the order of the root, however many orders away it is.
        lowest = high * Decimal(10) ** -360
        for _ in range(600):
            middle = (max(low, lowest) * high).sqrt() if high > 4 * max(low, lowest) else (low + high) / 2
            if sum((a * y / (a * a + middle)) ** 2 for a, y in zip(axes, entries, strict=True)) > 1:
                low = middle
            else:
                high = middle
        return [float(a * a * y / (a * a + high)) for a, y in zip(axes, entries, strict=True)]


def assert_matches_bisection(semi_axes: Vector, point: Vector) -> None:
    np.testing.assert_allclose(Ellipsoid(semi_axes).project(point), bisected(semi_axes, point), rtol=2e-14, atol=1e-300)


@pytest.mark.parametrize("spread", [1.0, 8.0, 60.0])
def test_project_is_right_to_the_last_digits_whatever_the_axes(spread: float) -> None:
    rng = np.random.default_rng(int(spread))
    for _ in range(12):
        semi_axes = 10.0 ** rng.uniform(-spread, spread, 4)
        assert_matches_bisection(semi_axes, rng.normal(size=4) * 10.0 ** rng.uniform(-spread, spread, 4))
        assert_matches_bisection(semi_axes, rng.normal(size=4) * semi_axes)


@pytest.mark.parametrize(
    ("semi_axes", "point"),
    [
        ([1.0, 2.0], [0.0, 0.0]),
        ([1.0, 2.0], [0.0, 3.0]),
        ([1.0, 2.0], [1.0 + 1e-15, 0.0]),
        ([1.0, 2.0], [math.nextafter(1.0, 2.0), 1e-300]),
        ([1.0, 1e-8], [0.5, 1e-7]),
        ([1e-8, 1e8], [1.0, 1e7]),
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
        ([1e75, 1e-75], [1e200, 1e200]),
        ([1e75, 1e75], [1e300, -1e290]),
        ([1.0, 2.0], [1.7e308, -1.7e308]),
        ([1e75, 1e-75], [1e100, 1.7e308]),
        ([1e75, 1e-75], [1e280, 1.7e308]),
        ([1e-75, 1e75], [1.7e308, 1e75]),
        ([3.0], [-7.0]),
        ([1.0, 2.0], [1e-200, 1e-310]),
    ],
)
def test_awkward_points(semi_axes: list[float], point: list[float]) -> None:
    assert_matches_bisection(np.array(semi_axes), np.array(point))


def test_distant_points_are_turned_without_overflow() -> None:
    slanted = Ellipsoid([1.0, 2.0], rotation=np.array([[1.0, 1.0], [1.0, -1.0]]) / 2.0**0.5)
    np.testing.assert_allclose(slanted.project([1.7e308, 1.7e308]), [0.5**0.5, 0.5**0.5], rtol=1e-14)
    np.testing.assert_allclose(slanted.project([1.7e308, -1.7e308]), [2.0**0.5, -(2.0**0.5)], rtol=1e-14)
    assert not slanted.contains([1.7e308, 1.7e308])


def test_a_needle_s_slack_is_a_distance() -> None:
    """Beside its flat side and beyond its point alike, an element is what is within 1e-9 of the longest axis."""
    needle = Ellipsoid([1e-6, 1.0], rotation=[[0.6, -0.8], [0.8, 0.6]])
    side, tip = np.array([0.6, 0.8]), np.array([-0.8, 0.6])
    assert needle.contains((1e-6 + 0.9e-9) * side)
    assert not needle.contains((1e-6 + 1.1e-9) * side)
    assert needle.contains((1.0 + 0.9e-9) * tip)
    assert not needle.contains((1.0 + 1.1e-9) * tip)


def test_points_beyond_the_range_of_the_multiplier_keep_their_direction() -> None:
    """a w overflows here; only the direction matters so far out: p - Pi(p) = -minimise."""
    ellipsoid = Ellipsoid([1e75, 1e60, 1e-75])
    point = np.array([1e300, -1e305, 1e307])
    assert float(ellipsoid.semi_axes[0]) * float(point[0]) > FAR
    np.testing.assert_allclose(ellipsoid.project(point), ellipsoid.minimise(-point), rtol=1e-14)


@given(
    arrays(np.float64, 4, elements=st.floats(1e-3, 1e3)),
    arrays(np.float64, 4, elements=st.floats(-1e4, 1e4)),
)
def test_projecting_twice_is_projecting_once_bit_for_bit(semi_axes: Vector, point: Vector) -> None:
    ellipsoid = Ellipsoid(semi_axes)
    once = ellipsoid.project(point)
    assert same_bits(ellipsoid.project(once), once)


@given(vectors(3))
def test_equal_axes_make_a_ball(point: Vector) -> None:
    centre = [1.0, 2.0, 3.0]
    expected = Ball(3, 2.0, centre).project(point)
    for rotation in (None, np.linalg.qr(np.arange(9.0).reshape(3, 3) + np.eye(3))[0]):
        found = Ellipsoid([2.0, 2.0, 2.0], centre, rotation).project(point)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-13)


@given(vectors(3))
def test_turning_the_ellipsoid_turns_everything(point: Vector) -> None:
    turn = np.linalg.qr(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 4.0], [5.0, 6.0, 0.0]]))[0]
    upright, centre = Ellipsoid([0.5, 1.0, 4.0]), np.array([1.0, -1.0, 2.0])
    turned = Ellipsoid([0.5, 1.0, 4.0], centre, turn)
    moved = turn @ point + centre
    np.testing.assert_allclose(turned.project(moved), turn @ upright.project(point) + centre, rtol=0.0, atol=1e-12)
    assume(point.any())
    least = turn @ upright.minimise(point) + centre
    assert (turn @ point) @ turned.minimise(turn @ point) == pytest.approx((turn @ point) @ least, abs=1e-12, rel=1e-12)


def test_the_columns_of_the_rotation_are_the_axes() -> None:
    slanted = Ellipsoid([3.0, 1.0], rotation=[[0.6, -0.8], [0.8, 0.6]])
    assert slanted.contains([1.8, 2.4])
    assert not slanted.contains([1.8, -2.4])


def test_an_ellipsoid_by_hand() -> None:
    ellipsoid = Ellipsoid([2.0, 1.0], [1.0, 1.0], QUARTER_TURN)
    assert ellipsoid.project([1.0, 9.0]).tolist() == [1.0, 3.0]
    assert ellipsoid.minimise([1.0, 0.0]).tolist() == [0.0, 1.0]
    assert (ellipsoid.inner_radius, ellipsoid.outer_radius, ellipsoid.diameter) == (1.0, 2.0, 4.0)
    assert ellipsoid.shrink(0.5) == Ellipsoid([1.0, 0.5], [1.0, 1.0], QUARTER_TURN)


def test_an_axis_aligned_one_stores_no_matrix() -> None:
    assert Ellipsoid([1.0, 2.0]).rotation.shape == (0, 0)
    assert Ellipsoid(np.ones(100_000)).project(np.ones(100_000))[0] == pytest.approx(100_000**-0.5, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"semi_axes": [1.0, 0.0]}, "semi_axes=.*must lie in"),
        ({"semi_axes": [1.0, -1.0]}, "semi_axes=.*must lie in"),
        ({"semi_axes": [SMALLEST_AXIS / 2.0]}, "semi_axes=.*must lie in"),
        ({"semi_axes": [LARGEST_AXIS * 2.0]}, "semi_axes=.*must lie in"),
        ({"semi_axes": [1.0, 1e-8], "centre": [1e7, 0.0]}, "semi_axes=.*must be >= 1e-07"),
        ({"semi_axes": [1.0], "centre": [1e308]}, "centre=.*entries within"),
        ({"semi_axes": [1.0, math.nan]}, "semi_axes=.*finite"),
        ({"semi_axes": 1.0}, "semi_axes="),
        ({"semi_axes": [1.0, 2.0], "centre": [1.0]}, r"centre=.*shape \(2,\)"),
        ({"semi_axes": [1.0, 2.0], "rotation": [[1.0, 0.0]]}, r"rotation=.*\(2, 2\)"),
        ({"semi_axes": [1.0, 2.0], "rotation": np.eye(3)}, r"rotation=.*\(rows, 2\)"),
        ({"semi_axes": [1.0, 2.0], "rotation": [[1.0, 0.0], [0.1, 1.0]]}, "must be an orthogonal matrix"),
        ({"semi_axes": [1.0, 2.0], "rotation": [[1e300, 0.0], [0.0, 1.0]]}, "must be an orthogonal matrix"),
        ({"semi_axes": [1.0, 2.0], "rotation": [[2.0, 0.0], [0.0, 0.5]]}, "must be an orthogonal matrix"),
        ({"semi_axes": [1.0, 2.0], "rotation": [[math.nan, 0.0], [0.0, 1.0]]}, "rotation=.*finite"),
    ],
)
def test_what_is_no_ellipsoid_is_refused(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        Ellipsoid(**arguments)
