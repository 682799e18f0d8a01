"""Boxes: values computed by hand, pinned and infinite sides, and refused arguments."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import Box
from support.domains import same_bits, vectors

BOX = Box([-1.0, 0.0, 2.0], [1.0, 4.0, 3.0])


@given(vectors(3))
def test_project_clips(point: Vector) -> None:
    assert same_bits(BOX.project(point), np.clip(point, BOX.lower, BOX.upper))


def test_a_box_by_hand() -> None:
    assert BOX.centre.tolist() == [0.0, 2.0, 2.5]
    assert BOX.inner_radius == 0.5
    assert BOX.diameter == math.sqrt(4.0 + 16.0 + 1.0)
    assert BOX.outer_radius == 0.5 * BOX.diameter
    assert BOX.minimise([1.0, -1.0, 0.0]).tolist() == [-1.0, 4.0, 2.0]
    assert BOX.shrink(0.25) == Box([-0.5, 1.0, 2.25], [0.5, 3.0, 2.75])
    assert BOX.contains(BOX.upper)
    assert not BOX.contains([0.0, 2.0, 3.001])


def test_a_box_of_enormous_sides_has_finite_radii() -> None:
    assert Box([-1e200, -1e200], [1e200, 1e200]).outer_radius == pytest.approx(math.sqrt(2.0) * 1e200)


def test_pinned_sides_by_hand() -> None:
    box = Box([-1.0, 5.0, 0.0], [1.0, 5.0, 4.0])
    assert (box.hull_dim, box.inner_radius, box.longest_side) == (2, 1.0, 4.0)
    assert box.diameter == math.sqrt(4.0 + 16.0)
    assert box.centre.tolist() == [0.0, 5.0, 2.0]
    assert box.project([9.0, 9.0, 1.0]).tolist() == [1.0, 5.0, 1.0]
    assert box.embed([0.6, -0.8]).tolist() == [0.6, 0.0, -0.8]
    assert box.shrink(0.5) == Box([-0.5, 5.0, 1.0], [0.5, 5.0, 3.0])
    assert not box.contains([0.0, 5.0001, 2.0])


def test_a_box_with_all_sides_pinned_is_a_point() -> None:
    point = Box([1.0, 2.0], [1.0, 2.0])
    assert (point.hull_dim, point.diameter, point.inner_radius) == (0, 0.0, math.inf)
    assert point.project([9.0, -9.0]).tolist() == [1.0, 2.0]


def test_infinite_sides_by_hand() -> None:
    box = Box([-math.inf, 2.0, -math.inf, 0.0], [math.inf, math.inf, 5.0, 4.0])
    assert (box.inner_radius, box.outer_radius, box.diameter, box.longest_side) == (2.0, *[math.inf] * 3)
    assert box.centre.tolist() == [0.0, 2.0, 0.0, 2.0]
    assert box.project([1e300, 0.0, 1e300, -1.0]).tolist() == [1e300, 2.0, 5.0, 0.0]
    assert box.minimise([0.0, 1.0, -1.0, 0.0]).tolist() == [0.0, 2.0, 5.0, 0.0]
    assert box.minimise([0.0, 0.0, 0.0, -1.0]).tolist() == [0.0, 2.0, 5.0, 4.0]
    for direction in ([1.0, 1.0, -1.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]):
        with pytest.raises(InvalidArgument, match=r"`Box.minimise\(direction=.*no minimum"):
            box.minimise(direction)
    shrunk = box.shrink(1.0)
    assert shrunk.lower.tolist() == [-math.inf, pytest.approx(3.0, rel=1e-14), -math.inf, 1.0]
    assert shrunk.upper.tolist() == [math.inf, math.inf, pytest.approx(4.0, rel=1e-14), 3.0]


def test_an_infinite_side_does_not_open_the_other_end() -> None:
    """The slack of a side without a size is relative to its finite end."""
    box = Box([2.0, -math.inf, 0.0], [math.inf, -2.0, math.inf])
    assert box.contains([2.0 - 1e-10, -2.0, 0.0])
    for outside in ([1.99, -5.0, 1.0], [5.0, -1.99, 1.0], [5.0, -5.0, -1e-9]):
        assert not box.contains(outside)


@pytest.mark.parametrize(
    ("lower", "upper", "named"),
    [
        ([0.0, 2.0], [1.0, 1.0], r"upper=.*must be >= lower, entry \[1\] is 1 < 2"),
        ([0.0], [1.0, 2.0], r"upper=.*shape \(1,\)"),
        ([], [], "lower=.*non-empty"),
        ([[0.0]], [[1.0]], "lower="),
        ([0.0, math.inf], [math.inf, math.inf], r"lower=\[0.0, inf\].*finite, entry \[1\] is inf"),
        ([-math.inf], [-math.inf], "upper=.*finite"),
        ([0.0], [math.nan], "upper=.*finite"),
        ([-math.inf, math.nan], [1.0, 1.0], r"lower=\[-inf, nan\].*entry \[1\] is nan"),
        ([-math.inf, 0.0], [1e201, 1.0], "upper=.*entries within"),
        ([-1.7e308], [1.0], r"lower=.*entries within \[-1e\+200, 1e\+200\]"),
        ([0.0], [1.7e308], "upper=.*entries within"),
        ([0.0, 0.0], [1.0, 1e-101], r"upper=.*must be lower, or >= lower \+ 1e-100 .*entry \[1\] is less"),
        ([0.0, 1e20], [1.0, 1e20 + 2e4], r"upper=.*must be lower, or >= lower \+ 1e\+06 .*entry \[1\] is less"),
        (0.0, 1.0, "lower="),
    ],
)
def test_what_is_no_box_is_refused(lower: Any, upper: Any, named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        Box(lower, upper)
