"""Half-spaces: values computed by hand, points at the end of the range, and refused arguments."""

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
    assert halfspace.centre.tolist() == [0.0, 0.0]
    assert Halfspace([3.0, 4.0], -10.0).centre.tolist() == [-1.2, -1.6]
    assert halfspace.shrink(0.5).normal.tolist() == halfspace.normal.tolist()
    assert 1.5 - 1e-14 < halfspace.shrink(0.5).offset < 1.5
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


def test_points_at_the_end_of_the_range() -> None:
    wedge = Halfspace(np.ones(4), 0.0)
    for size in (1e307, 1e308, 1.7e308):
        assert not wedge.contains(np.full(4, size))
        assert wedge.contains(np.full(4, -size))
        assert np.abs(wedge.project(np.full(4, size))).max() <= 1e-15 * size
        np.testing.assert_allclose(wedge.project([size, size, size, 0.0]) / size, [0.25, 0.25, 0.25, -0.75], rtol=1e-14)
    assert Halfspace([1.0], 1.0).project([1.7e308]).tolist() == [1.0]


def test_a_nearest_element_beyond_the_range_is_refused() -> None:
    """It has an entry of 2.55e308: the set is unbounded, and so are its elements."""
    with pytest.raises(InvalidArgument, match=r"`Halfspace.project\(point=.*too large to be represented"):
        Halfspace([-1.0, 1.0, 1.0, 1.0], 0.0).project(np.full(4, 1.7e308))


@pytest.mark.parametrize("offset", [0.0, 1e-30, -1e-3])
def test_probes_that_end_at_the_origin_stay_inside(offset: float) -> None:
    """Nothing about such a point tells that it is the difference of two of length 0.7 or 1e6."""
    rng = np.random.default_rng(3)
    for probe_radius in (0.7, 1e6):
        for normal in rng.normal(size=(100, 3)):
            halfspace = Halfspace(normal, offset)
            start = halfspace.shrink(probe_radius).project(5.0 * probe_radius * halfspace.normal)
            assert halfspace.contains(start + probe_radius * halfspace.normal)


def test_a_form_has_a_minimum_only_against_the_normal() -> None:
    halfspace = Halfspace([3.0, 4.0], -10.0)
    np.testing.assert_allclose(halfspace.minimise([-3.0, -4.0]), [-1.2, -1.6], rtol=1e-15)
    for size in (5e-324, 1e-200, 1e200, 4e307):
        np.testing.assert_allclose(halfspace.minimise([-3.0 * size, -4.0 * size]), [-1.2, -1.6], rtol=1e-15)
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
        ([1e-200], 1e200, "offset=1e.200.*within 1e.200 times the normal's length"),
    ],
)
def test_what_is_no_half_space_is_refused(normal: Any, offset: Any, named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        Halfspace(normal, offset)
