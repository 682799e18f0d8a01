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
    assert BOX.center.tolist() == [0.0, 2.0, 2.5]
    assert BOX.inner_radius == 0.5
    assert BOX.diameter == math.sqrt(4.0 + 16.0 + 1.0)
    assert BOX.outer_radius == 0.5 * BOX.diameter
    assert BOX.minimise([1.0, -1.0, 0.0]).tolist() == [-1.0, 4.0, 2.0]
    assert BOX.shrink(0.25) == Box([-0.5, 1.0, 2.25], [0.5, 3.0, 2.75])
    assert BOX.contains(BOX.upper)
    assert not BOX.contains([0.0, 2.0, 3.001])


def test_a_box_of_enormous_sides_has_finite_radii() -> None:
    assert Box([-1e200, -1e200], [1e200, 1e200]).outer_radius == pytest.approx(math.sqrt(2.0) * 1e200)


@pytest.mark.parametrize(
    ("lower", "upper", "named"),
    [
        ([0.0, 0.0], [1.0, 0.0], r"upper=.*must be > lower, entry \[1\] is 0 <= 0"),
        ([0.0, 2.0], [1.0, 1.0], r"entry \[1\] is 1 <= 2"),
        ([0.0], [1.0, 2.0], r"upper=.*shape \(1,\)"),
        ([], [], "lower=.*non-empty"),
        ([[0.0]], [[1.0]], "lower="),
        ([-math.inf], [1.0], "lower=.*finite"),
        ([0.0], [math.nan], "upper=.*finite"),
        ([-1.7e308], [1.0], r"lower=.*entries within \[-1e\+200, 1e\+200\]"),
        ([0.0], [1.7e308], "upper=.*entries within"),
        ([0.0, 0.0], [1.0, 1e-101], r"upper=.*must be >= lower \+ 1e-100 .*entry \[1\] is less"),
        ([0.0, 1e20], [1.0, 1e20 + 2e4], r"upper=.*must be >= lower \+ 1e\+06 .*entry \[1\] is less"),
        (0.0, 1.0, "lower="),
    ],
)
def test_what_is_no_box_is_refused(lower: Any, upper: Any, named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        Box(lower, upper)
