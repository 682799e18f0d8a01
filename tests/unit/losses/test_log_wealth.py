"""Logarithmic wealth: where it is defined, and its constants."""

import math

import numpy as np
import pytest

from belated.core.errors import InvalidArgument
from belated.domains import Ball, Box, Euclidean, Simplex
from belated.losses import Constants, LogWealth
from belated.losses.base import gradient, value


def test_constants_on_the_simplex_come_from_its_worst_corner() -> None:
    constants = LogWealth(2).constants([[0.5, 2.0], [1.0, 1.0]], Simplex(2))
    steepest = math.hypot(0.5, 2.0) / 0.5
    assert constants == pytest.approx(Constants(steepest, 0.0, steepest**2), rel=1e-15)


def test_the_regulariser_counts_in_every_constant() -> None:
    constants = LogWealth(1, l2=0.5).constants([[2.0]], Box([1.0], [3.0]))
    assert constants == Constants(1.0 + 1.5, 0.5, 1.5)


@pytest.mark.parametrize(("domain", "least"), [(Ball(2), "-1.41421"), (Euclidean(2), "-inf")])
def test_a_domain_where_wealth_can_vanish_is_refused(domain: Ball | Euclidean, least: str) -> None:
    with pytest.raises(InvalidArgument, match=rf"`LogWealth\.constants\(domain=.*falls to {least} in row 0"):
        LogWealth(2).constants([[1.0, 1.0]], domain)


def test_relatives_must_be_positive() -> None:
    with pytest.raises(InvalidArgument, match=r"price relatives must be > 0, entry 1 of row 2 is -0\.5"):
        LogWealth(2).constants([[1.0, 1.0], [1.0, 1.0], [1.0, -0.5]], Simplex(2))
    with pytest.raises(InvalidArgument, match="price relatives must be > 0, entry 0 of row 0 is 0"):
        LogWealth(2).value([0.0, 1.0], [0.5, 0.5])


@pytest.mark.parametrize("point", [[0.5, -0.5], [-1.0, 0.0]])
def test_methods_raise_and_verbs_take_the_limit_where_there_is_no_wealth(point: list[float]) -> None:
    loss, row = LogWealth(2), np.array([1.0, 1.0])
    with pytest.raises(InvalidArgument, match=r"`LogWealth\.value\(point=.*must give a wealth r'x > 0"):
        loss.value(row, point)
    with pytest.raises(InvalidArgument, match=r"`LogWealth\.gradient\(point=.*must give a wealth r'x > 0"):
        loss.gradient(row, point)
    slope = np.empty(2)
    gradient(loss, row, np.array(point), slope)
    assert value(loss, row, np.array(point)) == math.inf
    np.testing.assert_array_equal(slope, [-math.inf, -math.inf])
