"""The arithmetic that domains share, at every size of numbers, compared with exact arithmetic."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from belated.core.arrays import Vector
from belated.domains.arithmetic import (
    COORDINATE_ROUNDING,
    EPSILON,
    gap_beyond_rounding,
    rounding,
    stretched_length,
    water_level,
)

any_size = arrays(np.float64, st.integers(1, 6), elements=st.floats(allow_nan=False, allow_infinity=False))


def test_epsilon_is_the_machine_s() -> None:
    assert sys.float_info.epsilon == EPSILON
    assert rounding(10) < 1e-14


@given(any_size)
def test_a_length_is_right_at_any_size(vector: Vector) -> None:
    stretch, length = stretched_length(vector)
    exact = sum(Fraction(entry) ** 2 for entry in vector.tolist())
    squared = (Fraction(length) / Fraction(stretch)) ** 2
    assert abs(squared - exact) <= Fraction(1e-14) * exact + Fraction(1, 2**2000)
    assert math.isfinite(length)


@given(st.floats(-1e150, 1e150), st.floats(1e-150, 1e150))
def test_a_gap_that_two_sums_can_have_made_is_none(middle: float, offset: float) -> None:
    """The excess over the true offset is at most what rounding does to the offset itself."""
    there = middle + offset
    assert gap_beyond_rounding(there, middle) <= offset * (1.0 + 2.0 * EPSILON)
    assert gap_beyond_rounding(there - offset, middle) <= offset * 2.0 * EPSILON
    assert gap_beyond_rounding(middle, middle) == 0.0


def test_a_gap_beyond_rounding_is_seen() -> None:
    assert gap_beyond_rounding(3.0, 0.0) == gap_beyond_rounding(-3.0, 0.0) == 3.0
    assert gap_beyond_rounding(2.0, 1.0) == 1.0 - COORDINATE_ROUNDING
    assert gap_beyond_rounding(1.0 + 8.0 * EPSILON, 1.0) == 4.0 * EPSILON
    assert math.isnan(gap_beyond_rounding(math.nan, 1.0))


def test_ordinary_vectors_are_not_stretched() -> None:
    assert stretched_length(np.array([3.0, 4.0])) == (1.0, 5.0)
    assert stretched_length(np.zeros(3))[1] == 0.0


def exact_level(heights: Vector, amount: float) -> Fraction:
    """The level by sorting and in rational numbers: the only k for which the k highest and no others rise above it."""
    falling = sorted((Fraction(height) for height in heights.tolist()), reverse=True)
    for k in range(1, len(falling) + 1):
        level = (sum(falling[:k]) - Fraction(amount)) / k
        if falling[k - 1] > level and (k == len(falling) or falling[k] <= level):
            return level
    raise AssertionError("there is always one")


@given(
    arrays(np.float64, st.integers(1, 8), elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1e-300])),
    st.floats(1e-3, 1e3),
)
def test_the_water_level_is_exact(heights: Vector, amount: float) -> None:
    top, level = water_level(heights, amount)
    assert top == heights.max()
    assert abs(Fraction(top) + Fraction(level) - exact_level(heights, amount)) <= 1e-14 * amount


def test_the_water_level_needs_no_sums_of_large_numbers() -> None:
    assert water_level(np.array([1e200, 1e200, -1e200]), 1.0) == (1e200, -0.5)
    assert water_level(np.array([-1e16, -1e16 + 2.0]), 1.0) == (-1e16 + 2.0, -1.0)


@pytest.mark.parametrize("ratio", [0.5, 0.9, 0.99])
def test_heights_that_leave_one_by_one_end_soon(ratio: float) -> None:
    """Geometric heights make the passes as many as they can be; the level must still be right."""
    heights = ratio ** np.arange(200.0)
    top, level = water_level(heights, 0.7)
    assert np.maximum(heights - top - level, 0.0).sum() == pytest.approx(0.7, rel=1e-13)
