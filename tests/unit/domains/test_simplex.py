"""Simplices: projections compared with rational arithmetic, radii by hand, and refused arguments."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import Simplex
from support.domains import same_bits, vectors


def bisected(simplex: Simplex, point: Vector) -> list[float]:
    """floor + max(y - level, 0), with the level found by halving an interval in rational numbers."""
    spare = Fraction(simplex.total) - simplex.dim * Fraction(simplex.floor)
    heights = [Fraction(entry) for entry in point.tolist()]
    low, high = min(heights) - spare, max(heights)
    for _ in range(120):
        middle = (low + high) / 2
        if sum(max(height - middle, Fraction(0)) for height in heights) > spare:
            low = middle
        else:
            high = middle
    return [float(Fraction(simplex.floor) + max(height - low, Fraction(0))) for height in heights]


@pytest.mark.parametrize("simplex", [Simplex(2), Simplex(5), Simplex(4, total=3.0, floor=0.25)])
@given(data=st.data())
def test_project_agrees_with_exact_bisection(simplex: Simplex, data: st.DataObject) -> None:
    point = data.draw(vectors(simplex.dim))
    np.testing.assert_allclose(simplex.project(point), bisected(simplex, point), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("simplex", [Simplex(2), Simplex(7), Simplex(4, total=3.0, floor=0.25)])
@given(data=st.data())
def test_projecting_twice_is_projecting_once_bit_for_bit(simplex: Simplex, data: st.DataObject) -> None:
    once = simplex.project(data.draw(vectors(simplex.dim)))
    assert same_bits(simplex.project(once), once)


def test_a_simplex_by_hand() -> None:
    simplex = Simplex(3)
    assert simplex.project([2.0, 0.0, 0.0]).tolist() == [1.0, 0.0, 0.0]
    assert simplex.project([1.0, 1.0, -5.0]).tolist() == [0.5, 0.5, 0.0]
    assert simplex.minimise([3.0, -1.0, -1.0]).tolist() == [0.0, 1.0, 0.0]
    assert simplex.contains([0.2, 0.3, 0.5])
    assert not simplex.contains([0.2, 0.3, 0.4999])
    assert not simplex.contains([0.6, 0.5, -0.1])


def test_radii_are_those_of_the_triangle() -> None:
    """The triangle with corners e_1, e_2, e_3 has sides sqrt(2), an incircle of a third of its height, and so on."""
    simplex, height = Simplex(3), math.sqrt(1.5)
    assert simplex.diameter == pytest.approx(math.sqrt(2.0), rel=1e-15)
    assert simplex.inner_radius == pytest.approx(height / 3.0, rel=1e-15)
    assert simplex.outer_radius == pytest.approx(2.0 * height / 3.0, rel=1e-15)


def test_shrinking_raises_the_floor() -> None:
    simplex = Simplex(3, total=3.0)
    half = simplex.shrink(0.5 * simplex.inner_radius)
    assert half.floor == pytest.approx(0.5, rel=1e-15)
    assert half.total == 3.0
    assert half.inner_radius == pytest.approx(0.5 * simplex.inner_radius, rel=1e-14)


def test_a_simplex_of_one_share_is_a_point() -> None:
    simplex = Simplex(1, total=3.0)
    assert (simplex.centre.tolist(), simplex.project([-9.0]).tolist(), simplex.minimise([1.0]).tolist()) == ([3.0],) * 3
    assert (simplex.hull_dim, simplex.inner_radius, simplex.outer_radius) == (0, math.inf, 0.0)
    assert (simplex.diameter, simplex.longest_side, simplex.shrink(7.0)) == (0.0, 0.0, simplex)
    assert simplex.contains([3.0])
    assert not simplex.contains([2.9])


def helmert(dim: int) -> Vector:
    """The basis written out, a row a vector."""
    rows = [[1.0] * k + [-float(k)] + [0.0] * (dim - k - 1) for k in range(1, dim)]
    return np.array([np.array(row) / np.linalg.norm(row) for row in rows])


@pytest.mark.parametrize("dim", [2, 3, 8])
def test_embed_combines_the_helmert_basis(dim: int) -> None:
    coordinates = np.random.default_rng(dim).normal(size=dim - 1)
    np.testing.assert_allclose(Simplex(dim).embed(coordinates), coordinates @ helmert(dim), rtol=0.0, atol=1e-15 * dim)


def test_distant_points_keep_the_order_of_their_shares() -> None:
    assert Simplex(3).project([1e200, 1e200, 0.0]).tolist() == [0.5, 0.5, 0.0]
    assert Simplex(3, total=1e200).project([1.7e308, 1.7e308, -1.7e308]).tolist() == [5e199, 5e199, 0.0]
    assert Simplex(3).project([1e16 + 2.0, 1e16, 1e16]).tolist() == [1.0, 0.0, 0.0]


def test_many_shares_still_sum_to_the_total() -> None:
    point = np.random.default_rng(0).normal(size=20_000)
    shares = Simplex(20_000).project(point)
    assert math.fsum(shares.tolist()) == pytest.approx(1.0, rel=1e-12)
    assert shares.min() == 0.0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"dim": 0}, r"`Simplex\(dim=0\)`: must be >= 1"),
        ({"dim": 1, "floor": 1.0}, r"floor=1.0\)`: must be < total / dim = 1"),
        ({"dim": 10**10}, "dim=.*must be <= 1000000000"),
        ({"dim": 3, "total": 0.0}, "total=0.0"),
        ({"dim": 3, "total": 1e-101}, "total=1e-101.*must lie in"),
        ({"dim": 3, "total": 1e201}, "total=1e.201.*must lie in"),
        ({"dim": 4, "floor": 0.25 * (1.0 - 1e-15)}, "floor=.*must leave at least 1e-14 of the total"),
        ({"dim": 3, "total": math.inf}, "total=inf"),
        ({"dim": 3, "floor": -0.1}, "floor=-0.1"),
        ({"dim": 4, "floor": 0.25}, r"floor=0.25\)`: must be < total / dim = 0.25"),
        ({"dim": 4, "floor": math.nan}, "floor=nan"),
    ],
)
def test_what_is_no_simplex_is_refused(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        Simplex(**arguments)
