import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import Halfspace
from support.domains import same_bits, vectors


def test_a_half_space_by_hand() -> None:
    halfspace = Halfspace([3.0, 4.0], 10.0)
    assert halfspace.normal.tolist() == [0.6, 0.8]
    assert halfspace.offset == 2.0
    np.testing.assert_allclose(halfspace.project([6.0, 8.0]), [1.2, 1.6], rtol=1e-15)
    assert halfspace.project([1.0, 1.0]).tolist() == [1.0, 1.0]
    assert halfspace.center.tolist() == [0.0, 0.0]
    assert Halfspace([3.0, 4.0], -10.0).center.tolist() == [-1.2, -1.6]
    assert halfspace.shrink(0.5) == Halfspace([3.0, 4.0], 7.5)
    assert halfspace.inner_radius == halfspace.outer_radius == halfspace.diameter == math.inf


@given(vectors(4), vectors(4).filter(lambda normal: bool(np.abs(normal).max() > 1e-3)), st.floats(-9.0, 9.0))
def test_projecting_twice_is_projecting_once_bit_for_bit(point: Vector, normal: Vector, offset: float) -> None:
    halfspace = Halfspace(normal, offset)
    once = halfspace.project(point)
    assert same_bits(halfspace.project(once), once)


def test_from_far_away_the_boundary_is_met() -> None:
    halfspace = Halfspace([0.3, -0.2, 0.7], 1.0)
    nearest = halfspace.project(1e20 * halfspace.normal)
    assert halfspace.contains(nearest, slack=1e-15)


def test_a_form_has_a_minimum_only_against_the_normal() -> None:
    halfspace = Halfspace([3.0, 4.0], -10.0)
    np.testing.assert_allclose(halfspace.minimise([-3.0, -4.0]), [-1.2, -1.6], rtol=1e-15)
    np.testing.assert_allclose(halfspace.minimise([-3e-200, -4e-200]), [-1.2, -1.6], rtol=1e-15)
    for direction in ([3.0, 4.0], [-3.0, -4.0001], [1.0, 0.0], [0.0, -1.0]):
        with pytest.raises(InvalidArgument, match="no minimum"):
            halfspace.minimise(direction)


@given(vectors(5).filter(lambda normal: bool(np.abs(normal).max() > 1e-3)), st.floats(0.1, 10.0))
def test_rounding_does_not_hide_the_minimum(normal: Vector, factor: float) -> None:
    halfspace = Halfspace(normal, 1.0)
    direction = -factor * normal
    assert direction @ halfspace.minimise(direction) == pytest.approx(-factor, rel=1e-12)


def test_the_length_of_the_normal_may_be_extreme() -> None:
    for size in (5e-324, 1e-200, 1e200, 1.7e308):
        assert Halfspace([size, 0.0], 0.0) == Halfspace([1.0, 0.0], 0.0)
    np.testing.assert_allclose(Halfspace(np.full(4, 1.7e308), 0.0).normal, 0.5)


@pytest.mark.parametrize(
    ("normal", "offset", "named"),
    [
        ([0.0, 0.0], 1.0, "normal=.*must not be zero"),
        ([], 1.0, "normal="),
        ([1.0, math.nan], 1.0, "normal=.*finite"),
        ([1.0], math.inf, "offset=inf"),
        ([1.0], "1", "offset='1'"),
        ([1e-200], 1e200, "offset=1e.200.*too large"),
    ],
)
def test_what_is_no_half_space_is_refused(normal: Any, offset: Any, named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        Halfspace(normal, offset)
