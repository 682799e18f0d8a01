"""Problems: the same losses from NumPy alone, and constants that hold for whatever is drawn."""

import math

import numpy as np
import pytest

import belated as bl
from belated.core.errors import InvalidArgument
from belated.domains import EVERY
from belated.sim.problems import RandomQuadratic, Recorded

DIM = 4


@pytest.mark.parametrize("seed", [0, 7, 2**40])
def test_anybody_can_draw_the_same_rows_with_numpy_alone(seed):
    expected = np.random.default_rng(seed).uniform(-1, 1, (30, DIM))
    assert np.array_equal(RandomQuadratic(DIM).rows(seed, 30), expected)


def test_a_longer_run_begins_with_the_rows_of_a_shorter_one():
    problem = RandomQuadratic(DIM)
    assert np.array_equal(problem.rows(3, 50)[:20], problem.rows(3, 20))


def test_the_loss_is_the_squared_norm_plus_a_linear_term():
    rng = np.random.default_rng(1)
    row, x = rng.normal(size=DIM), rng.normal(size=DIM)
    loss = RandomQuadratic(DIM).loss
    assert loss.value(row, x) == pytest.approx(np.sum(x**2) + np.sum(row * x), rel=1e-14)
    assert loss.gradient(row, x) == pytest.approx(2 * x + row, rel=1e-14)


@pytest.mark.parametrize("domain", [family.example(DIM) for family in EVERY], ids=lambda d: type(d).__name__)
def test_constants_hold_over_the_domain_for_any_row(domain):
    lipschitz, beta, alpha = RandomQuadratic(DIM).constants(domain)
    assert (beta, alpha) == (2.0, 2.0)
    rng = np.random.default_rng(2)
    for corner in rng.choice([-1.0, 1.0], (50, DIM)):
        x = domain.project(10.0 * rng.normal(size=DIM))
        assert np.linalg.norm(2 * x + corner) <= lipschitz * (1 + 1e-12)


def test_the_lipschitz_constant_is_the_least_on_a_ball_about_the_origin():
    """It is reached where x is longest and points along the largest b, and equals the paper's 2 + sqrt(10)."""
    constants = RandomQuadratic(10).constants(bl.Ball(10))
    x = b = np.ones(10)
    assert constants.lipschitz == pytest.approx(np.linalg.norm(2 * x / np.linalg.norm(x) + b), rel=1e-14)
    assert constants.lipschitz == pytest.approx(2 + math.sqrt(10), rel=1e-15)


def test_constants_on_another_dimension_are_refused():
    with pytest.raises(InvalidArgument, match=r"`RandomQuadratic.constants\(domain=.*must have dimension 4"):
        RandomQuadratic(DIM).constants(bl.Ball(3))


@pytest.mark.parametrize("dim", [0, -1, 2.0, "2", None, True])
def test_the_dimension_must_be_a_positive_whole_number(dim):
    with pytest.raises(InvalidArgument, match=r"^`RandomQuadratic\(dim="):
        RandomQuadratic(dim)


def test_recorded_rows_are_the_same_for_every_seed_and_nobody_can_change_them():
    given = np.arange(12.0).reshape(4, 3)
    problem = Recorded(bl.losses.Quadratic(3), given)
    given[0, 0] = 99.0
    assert np.array_equal(problem.rows(0, 4), np.arange(12.0).reshape(4, 3))
    assert np.array_equal(problem.rows(5, 2), problem.rows(0, 4)[:2])
    with pytest.raises(ValueError, match="read-only"):
        problem.rows(0, 4)[0, 0] = 1.0


def test_more_rounds_than_were_recorded_are_refused():
    problem = Recorded(bl.losses.Quadratic(1), [[1.0], [2.0]])
    with pytest.raises(InvalidArgument, match=r"^`simulate\(rounds=3\)`: must be <= 2, the rows that were recorded$"):
        problem.rows(0, 3)


@pytest.mark.parametrize("rows", [[[1.0, 2.0]], [1.0], [[math.nan]], [["a"]], np.empty((0, 1))])
def test_rows_that_do_not_fit_the_loss_are_refused(rows):
    with pytest.raises(InvalidArgument, match=r"^`Recorded\(rows="):
        Recorded(bl.losses.Quadratic(1), rows)


def test_recorded_needs_a_loss():
    with pytest.raises(InvalidArgument, match=r"^`Recorded\(loss='quadratic'\)`: must be a loss"):
        Recorded("quadratic", [[1.0]])


def test_recorded_shows_what_it_is_without_all_of_its_rows():
    shown = repr(Recorded(bl.losses.Quadratic(1), np.zeros((1000, 1))))
    assert shown.startswith("Recorded(Quadratic(")
    assert shown.endswith(", 1000 rows)")


def test_recorded_constants_hold_for_every_row():
    loss, rows = bl.losses.Logistic(2, l2=0.5), [[1.0, 2.0, 1.0], [3.0, -1.0, -1.0]]
    assert Recorded(loss, rows).constants(bl.Ball(2)) == loss.constants(rows, bl.Ball(2))
