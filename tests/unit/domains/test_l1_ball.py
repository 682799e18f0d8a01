"""l1 balls: projections compared with rational arithmetic, centres far away, and refused arguments."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import L1Ball
from support.domains import same_bits, vectors


def exact_about(ball: L1Ball, point: Vector) -> list[Fraction]:
    """The nearest element in rational numbers: the threshold is the mean excess of the k largest distances."""
    gaps = [Fraction(y) - Fraction(c) for y, c in zip(point.tolist(), ball.centre.tolist(), strict=True)]
    sizes, total = sorted((abs(gap) for gap in gaps), reverse=True), Fraction(0)
    threshold = Fraction(0)
    for count, size in enumerate(sizes, start=1):
        total += size
        excess = (total - Fraction(ball.radius)) / count
        threshold = excess if excess < size else threshold
    kept = [max(abs(gap) - max(threshold, Fraction(0)), Fraction(0)) for gap in gaps]
    return [Fraction(c) + (k if gap > 0 else -k) for c, k, gap in zip(ball.centre.tolist(), kept, gaps, strict=True)]


def worst_digit(ball: L1Ball, project: Any, seed: int) -> float:
    """How far results are from the exact ones, in radii, beyond half the distance of neighbouring numbers."""
    rng, worst = np.random.default_rng(seed), 0.0
    reach = max(1.0, float(np.abs(ball.centre).max()))
    for _ in range(40):
        steps = rng.choice([0.0, 1e-9, 0.4, 1.0], ball.dim) * rng.random(ball.dim)
        signs = rng.choice([-1.0, 1.0], ball.dim)
        point = (ball.centre + signs * reach) + signs * ball.radius * steps  # near zero it has digits to lose
        for found, wanted in zip(project(point).tolist(), exact_about(ball, point), strict=True):
            half = Fraction(math.ulp(float(wanted))) / 2
            worst = max(worst, float((abs(Fraction(found) - wanted) - half) / Fraction(ball.radius)))
    return worst


CENTRES = [[0.0, 0.0, 0.0], [0.3, -0.7, 0.1], [1e6, -1e-3, 0.0], [1e12, 1e12, -1e3], [3e13, 0.1, -7.0]]


@pytest.mark.parametrize("centre", CENTRES)
def test_digits_survive_a_centre_far_away(centre: list[float]) -> None:
    ball = L1Ball(3, 1.0, centre)
    assert worst_digit(ball, ball.project, seed=1) < 1e-15


def test_a_difference_that_is_rounded_once_loses_digits() -> None:
    """The mutant: distances from the centre as plain differences."""
    ball, about_zero = L1Ball(3, 1.0, [1e12, 1e12, -1e3]), L1Ball(3, 1.0)
    assert worst_digit(ball, lambda point: ball.centre + about_zero.project(point - ball.centre), seed=1) > 1e-6


def bisected(radius: float, point: Vector) -> list[float]:
    """Soft thresholding about the origin, with the threshold found by halving an interval in rational numbers."""
    sizes = [abs(Fraction(entry)) for entry in point.tolist()]
    low, high = Fraction(0), max(sizes)
    if sum(sizes) <= radius:
        return [float(entry) for entry in point]
    for _ in range(120):
        middle = (low + high) / 2
        if sum(max(size - middle, Fraction(0)) for size in sizes) > radius:
            low = middle
        else:
            high = middle
    return [math.copysign(float(max(s - low, Fraction(0))), y) for s, y in zip(sizes, point.tolist(), strict=True)]


@given(vectors(5))
def test_project_agrees_with_exact_bisection(point: Vector) -> None:
    np.testing.assert_allclose(L1Ball(5, 1.5).project(point), bisected(1.5, point), rtol=0.0, atol=1e-14)


@given(vectors(6))
def test_projecting_twice_is_projecting_once_bit_for_bit(point: Vector) -> None:
    once = L1Ball(6, 1.3).project(point)
    assert same_bits(L1Ball(6, 1.3).project(once), once)


def test_an_l1_ball_by_hand() -> None:
    ball = L1Ball(4, radius=2.0, centre=[1.0, 0.0, 0.0, 0.0])
    assert ball.project([4.0, 0.0, -3.0, 0.5]).tolist() == [2.0, 0.0, -1.0, 0.0]
    assert ball.minimise([1.0, -3.0, 3.0, 0.0]).tolist() == [1.0, 2.0, 0.0, 0.0]
    assert (ball.inner_radius, ball.outer_radius, ball.diameter) == (1.0, 2.0, 4.0)
    assert ball.shrink(0.5) == L1Ball(4, radius=1.0, centre=[1.0, 0.0, 0.0, 0.0])
    assert ball.contains([1.0, 1.0, -1.0, 0.0])
    assert not ball.contains([1.0, 1.0, -1.0, 0.001])


def test_distant_points() -> None:
    assert L1Ball(3).project([1e200, -1e200, 1e199]).tolist() == [0.5, -0.5, 0.0]
    assert L1Ball(2).project([1e308, 1e308]).tolist() == [0.5, 0.5]
    assert L1Ball(3, 1e-100).project([1.7e308, -1.7e308, 1e308]).tolist() == [5e-101, -5e-101, 0.0]
    assert L1Ball(2, 1e200, [1e200, 0.0]).project([-1.7e308, 0.0]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"dim": 0}, r"`L1Ball\(dim=0\)`: must be >= 1"),
        ({"dim": 10**10}, "dim=.*must be <= 1000000000"),
        ({"dim": 2, "radius": -1.0}, "radius=-1.0"),
        ({"dim": 2, "radius": 1e300}, "radius=1e.300.*must lie in"),
        ({"dim": 2, "centre": [1e15, 0.0]}, "radius=1.0.*must be >= 10, 1e-14 of the centre's"),
        ({"dim": 2, "centre": [1e308, 0.0]}, "centre=.*entries within"),
        ({"dim": 2, "centre": [0.0, 0.0, 0.0]}, r"centre=.*shape \(2,\)"),
        ({"dim": 2, "centre": [math.inf, 0.0]}, "centre=.*finite"),
    ],
)
def test_what_is_no_l1_ball_is_refused(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        L1Ball(**arguments)
