"""The whole space R^n: every point is an element, and only the zero form has a minimum."""

import math
from typing import Any

import pytest

from belated.core.errors import InvalidArgument
from belated.domains import Euclidean


def test_the_whole_space() -> None:
    space = Euclidean(2)
    assert space.project([1e300, -3.0]).tolist() == [1e300, -3.0]
    assert space.contains([1e300, -3.0])
    assert space.centre.tolist() == [0.0, 0.0]
    assert space.inner_radius == space.outer_radius == space.diameter == math.inf
    assert space.shrink(1e9) == space


def test_only_the_zero_form_has_a_minimum() -> None:
    assert Euclidean(2).minimise([0.0, -0.0]).tolist() == [0.0, 0.0]
    with pytest.raises(InvalidArgument, match="no minimum"):
        Euclidean(2).minimise([0.0, 1e-300])


@pytest.mark.parametrize("dim", [0, -1, 1.5, "2", True, 10**9 + 1])
def test_an_impossible_dimension_is_refused(dim: Any) -> None:
    with pytest.raises(InvalidArgument, match="dim"):
        Euclidean(dim)
