"""Quadratic and linear losses: their constants, and what their rows add up to."""

import math

import numpy as np
import pytest

from belated.domains import Ball, Euclidean
from belated.losses import Constants, Linear, Quadratic
from belated.losses.forms import Scaled
from support.sums import quadratic_sum


def test_the_papers_problem_has_the_papers_constants() -> None:
    corner = np.ones(10)
    constants = Quadratic(10, curvature=2.0).constants(corner, Ball(10))
    assert constants.lipschitz == pytest.approx(2.0 + math.sqrt(10.0), rel=1e-15)
    assert (constants.strong_convexity, constants.smoothness) == (2.0, 2.0)


def test_rows_that_were_drawn_have_a_smaller_constant_than_rows_that_might_be() -> None:
    loss = Quadratic.example(10)
    rows = loss.example_rows(np.random.default_rng(0), 1000)
    assert loss.constants(rows, Ball(10)).lipschitz < 2.0 + math.sqrt(10.0) - 0.3


def test_the_regulariser_counts_in_every_constant() -> None:
    rows = np.array([[3.0, 4.0]])
    assert Quadratic(2, curvature=[1.0, 2.0], l2=0.5).constants(rows, Ball(2)) == Constants(5.0 + 2.5, 1.5, 2.5)
    assert Linear(2, l2=0.5).constants(rows, Ball(2)) == Constants(5.5, 0.5, 0.5)


def test_the_centre_moves_the_largest_gradient() -> None:
    constants = Quadratic(1, curvature=2.0).constants([[1.0]], Ball(1, radius=0.5, centre=[3.0]))
    assert constants.lipschitz == 2.0 * 3.5 + 1.0


def test_no_curvature_means_no_growth_on_the_whole_space() -> None:
    rows = np.array([[3.0, 4.0]])
    assert Linear(2).constants(rows, Euclidean(2)) == Constants(5.0, 0.0, 0.0)
    assert Quadratic(2, curvature=0.0).constants(rows, Euclidean(2)) == Constants(5.0, 0.0, 0.0)
    assert Quadratic(2).constants(rows, Euclidean(2)) == Constants(math.inf, 1.0, 1.0)


def test_a_linear_loss_is_a_quadratic_without_curvature() -> None:
    row, point = np.array([0.3, -2.0]), np.array([1.5, 0.25])
    assert Linear(2, l2=0.5).value(row, point) == Quadratic(2, curvature=0.0, l2=0.5).value(row, point)


def test_rows_add_up_to_one_quadratic() -> None:
    rows = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    total = quadratic_sum(Quadratic(2, curvature=2.0, l2=0.5), rows)
    assert total.form == Scaled(7.5)
    np.testing.assert_array_equal(total.linear, [4.5, 1.5])
    assert quadratic_sum(Linear(2, l2=0.5), rows).form == Scaled(1.5)
