"""Losses of a linear prediction: huge margins, labels, constants."""

import math

import numpy as np
import pytest

from belated.core.errors import InvalidArgument
from belated.domains import Ball, Box, Euclidean
from belated.losses import Constants, Logistic, Loss, SquaredError, SquaredHinge
from belated.losses.prediction import link_slope, link_value
from support.losses import described
from support.sums import quadratic_sum


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_logistic_is_exact_for_huge_margins(label: float) -> None:
    loss = Logistic(1)
    right, wrong = np.array([label, label]), np.array([-label, label])
    assert loss.value(right, [1e4]) == 0.0
    assert loss.gradient(right, [1e4])[0] == 0.0
    assert loss.value(wrong, [1e4]) == 1e4
    assert loss.gradient(wrong, [1e4])[0] == 1.0


@pytest.mark.parametrize("margin", [20.0, 40.0, 100.0, 700.0])
def test_logistic_keeps_its_digits_where_one_plus_a_tail_would_lose_them(margin: float) -> None:
    loss = Logistic(1)
    tail = math.exp(-margin)
    exact = tail - 0.5 * tail**2 + tail**3 / 3.0
    assert link_value(loss, margin, 1.0) == pytest.approx(exact, rel=1e-14)
    assert link_slope(loss, margin, 1.0) == pytest.approx(-tail / (1.0 + tail), rel=1e-14)
    assert link_value(loss, -margin, 1.0) - margin == pytest.approx(exact, abs=1e-13)
    if margin >= 40.0:
        assert math.log(1.0 + tail) == 0.0  # the naive formula fails this test


def test_squared_hinge_is_zero_beyond_the_margin_and_joins_smoothly() -> None:
    loss = SquaredHinge(1)
    assert loss.value([1.0, 1.0], [1.0]) == loss.value([1.0, 1.0], [1e4]) == 0.0
    assert loss.gradient([1.0, 1.0], [1.0])[0] == 0.0
    assert loss.value([1.0, -1.0], [1e4]) == 0.5 * 10001.0**2
    assert loss.gradient([1.0, -1.0], [1e4])[0] == 10001.0


@pytest.mark.parametrize("loss", [Logistic(2), SquaredHinge(2)], ids=described)
def test_labels_must_be_minus_or_plus_one(loss: Loss) -> None:
    rows = [[1.0, 2.0, 1.0], [1.0, 2.0, -1.0], [1.0, 2.0, 0.0]]
    complaint = r"labels must be -1 or \+1, that of row 2 is 0"
    with pytest.raises(InvalidArgument, match=rf"`{type(loss).__name__}\.constants\(rows=.*{complaint}"):
        loss.constants(rows, Ball(2))
    with pytest.raises(InvalidArgument, match=r"labels must be -1 or \+1, that of row 0 is 0\.5"):
        loss.value([1.0, 2.0, 0.5], [0.0, 0.0])


def test_labels_of_a_regression_may_be_anything() -> None:
    assert SquaredError(2).value([1.0, 2.0, 0.5], [0.0, 0.0]) == 0.125


def test_constants_of_known_rows() -> None:
    rows, ball = [[3.0, 4.0, 1.0]], Ball(2, radius=2.0)
    # Predictions range over [-10, 10].
    assert SquaredError(2, l2=0.5).constants(rows, ball) == Constants(11.0 * 5.0 + 1.0, 0.5, 25.5)
    assert SquaredHinge(2, l2=0.5).constants(rows, ball) == Constants(11.0 * 5.0 + 1.0, 0.5, 25.5)
    lipschitz, beta, alpha = Logistic(2, l2=0.5).constants(rows, ball)
    assert lipschitz == pytest.approx(5.0 / (1.0 + math.exp(-10.0)) + 1.0, rel=1e-15)
    assert (beta, alpha) == (0.5, 6.75)


def test_lipschitz_constants_are_attained_on_a_ball_without_regulariser() -> None:
    row, ball = np.array([3.0, 4.0, -1.0]), Ball(2, radius=2.0, centre=[1.0, 1.0])
    far = np.array([1.0, 1.0]) + 2.0 * np.array([0.6, 0.8])
    for loss in (SquaredError(2), Logistic(2), SquaredHinge(2)):
        attained = float(np.linalg.norm(loss.gradient(row, far)))
        assert loss.constants(row, ball).lipschitz == pytest.approx(attained, rel=1e-14)


def test_squared_error_is_strongly_convex_in_one_dimension_only() -> None:
    assert SquaredError(1, l2=0.5).constants([[2.0, 1.0], [-3.0, 1.0]], Box([0.0], [1.0])).strong_convexity == 4.5
    assert Logistic(1, l2=0.5).constants([[2.0, 1.0]], Box([0.0], [1.0])).strong_convexity == 0.5
    assert SquaredError(2).constants([[2.0, 1.0, 1.0]], Ball(2)).strong_convexity == 0.0


def test_constants_on_the_whole_space() -> None:
    rows = [[3.0, 4.0, 1.0], [0.0, 0.0, 1.0]]
    assert Logistic(2).constants(rows, Euclidean(2)) == Constants(5.0, 0.0, 6.25)
    assert Logistic(2, l2=0.1).constants(rows, Euclidean(2)).lipschitz == math.inf
    assert SquaredError(2).constants(rows, Euclidean(2)).lipschitz == math.inf
    assert SquaredError(2).constants(rows[1:], Euclidean(2)) == Constants(0.0, 0.0, 0.0)


def test_rows_of_a_regression_add_up_to_one_quadratic() -> None:
    loss = SquaredError(3, l2=0.2)
    rng = np.random.default_rng(4)
    rows, point = loss.example_rows(rng, 9), rng.normal(size=3)
    total = quadratic_sum(loss, rows)
    value = 0.5 * point @ total.form.image(point) + total.linear @ point + total.constant
    assert value == pytest.approx(sum(loss.value(row, point) for row in rows), rel=1e-13)
