"""Balls: values computed by hand, points far away and at the boundary, and refused arguments."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import Ball
from support.domains import same_bits, vectors


def test_a_ball_by_hand() -> None:
    ball = Ball(2, radius=5.0, centre=[1.0, 1.0])
    assert ball.project([7.0, 9.0]).tolist() == [4.0, 5.0]
    assert ball.minimise([3.0, 4.0]).tolist() == [-2.0, -3.0]
    assert ball.contains([4.0, 5.0])
    assert not ball.contains([4.0, 5.001])
    assert (ball.inner_radius, ball.outer_radius, ball.diameter) == (5.0, 5.0, 10.0)
    assert ball.shrink(2.0) == Ball(2, radius=3.0, centre=[1.0, 1.0])


def test_the_constant_vector_of_length_one_is_an_element_in_every_dimension() -> None:
    """Its computed length is 1 + 1e-16 in some dimensions; it must not creep inwards when it is projected."""
    for dim in range(1, 200):
        point = np.full(dim, 1.0 / math.sqrt(dim))
        assert same_bits(Ball(dim).project(point), point)


@given(vectors(7))
def test_projecting_twice_is_projecting_once_bit_for_bit(point: Vector) -> None:
    once = Ball(7, 1.3).project(point)
    assert same_bits(Ball(7, 1.3).project(once), once)


@pytest.mark.parametrize("size", [1e-99, 1.0, 1e153, 1e155, 1e202, 3e205, 1e300, 1.7e308])
@pytest.mark.parametrize("radius", [1e-100, 1e-50, 1.0, 1e150, 1e160, 1e200])
def test_only_the_direction_of_a_far_point_matters(radius: float, size: float) -> None:
    found = Ball(2, radius).project([0.6 * size, -0.8 * size])
    if size > radius:
        np.testing.assert_allclose(found / radius, [0.6, -0.8], rtol=1e-15)
    else:
        assert found.tolist() == [0.6 * size, -0.8 * size]
    assert Ball(2, radius).contains([0.6 * size, -0.8 * size]) == (size <= radius)


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e-136, 1e-45, 1e154, 1.7e308])
@pytest.mark.parametrize("radius", [1e-100, 1e200])
def test_minimise_sees_only_the_direction(radius: float, size: float) -> None:
    np.testing.assert_allclose(Ball(3, radius).minimise([0.0, size, size]) / radius, [0.0, -(0.5**0.5), -(0.5**0.5)])


def test_a_ball_shrunk_to_the_last_bit_is_still_projected_upon() -> None:
    speck = Ball(2, 1e-100).shrink(math.nextafter(1e-100, 0.0))
    for size in (1e150, 1e300, 1.7e308):
        np.testing.assert_allclose(speck.project([size, 0.0]) / speck.radius, [1.0, 0.0], rtol=1e-15)


def test_far_points_in_many_dimensions() -> None:
    np.testing.assert_allclose(Ball(100).project(np.full(100, 1.7e308)), np.full(100, 0.1), rtol=1e-14)


@pytest.mark.parametrize("size", [5e-324, 1e-200])
def test_tiny_points_are_elements(size: float) -> None:
    assert Ball(3).project([size, 0.0, -size]).tolist() == [size, 0.0, -size]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"dim": 0}, r"`Ball\(dim=0\)`: must be >= 1"),
        ({"dim": 2.0}, "dim=2.0"),
        ({"dim": True}, "dim=True"),
        ({"dim": 10**30}, r"dim=1000000000000000000000000000000\)`: must be <= 1000000000$"),
        ({"dim": 2, "radius": 1e-101}, r"`Ball\(radius=1e-101\)`: must lie in \[1e-100, 1e\+200\]"),
        ({"dim": 2, "radius": 1e201}, r"radius=1e\+201.*must lie in"),
        ({"dim": 2, "radius": 1e200, "centre": [0.0, 1e308]}, r"centre=.*entries within \[-1e\+200, 1e\+200\]"),
        ({"dim": 2, "radius": 1e-8, "centre": [0.0, -2e6]}, "radius=1e-08.*must be >= 2e-08, 1e-14 of the centre's"),
        ({"dim": 2, "radius": 0.0}, r"`Ball\(radius=0.0\)`: must be > 0"),
        ({"dim": 2, "radius": math.nan}, "radius=nan"),
        ({"dim": 2, "radius": math.inf}, "radius=inf"),
        ({"dim": 2, "radius": "1"}, "radius='1'"),
        ({"dim": 2, "centre": [1.0]}, r"centre=\[1.0\].*shape \(2,\)"),
        ({"dim": 2, "centre": [1.0, math.nan]}, r"entry \[1\] is nan"),
    ],
)
def test_what_is_no_ball_is_refused(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        Ball(**arguments)


def test_the_centre_is_copied() -> None:
    given_centre = np.ones(2)
    ball = Ball(2, centre=given_centre)
    given_centre[0] = 9.0
    assert ball.centre.tolist() == [1.0, 1.0]
