"""Sums of sums: linear terms keep the digits that cancel, and curvatures are rounded few times."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.core.arrays import Matrix
from belated.losses import Linear, Loss, Quadratic
from belated.losses.forms import Scaled
from belated.losses.sums import QuadraticSum, RunningSum, SumsToQuadratic


def torn(loss: Loss, rows: Matrix, size: int) -> QuadraticSum:
    assert isinstance(loss, SumsToQuadratic)
    running = RunningSum()
    for begin in range(0, len(rows), size):
        running.add(loss.quadratic_sum(rows[begin : begin + size]))
    return running.total()


def tides(seed: int, count: int) -> Matrix:
    """Rows that come in huge waves and cancel, but for their last digits."""
    rng = np.random.default_rng(seed)
    high = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(0.0, 16.0, (count, 3))
    return np.concatenate([high, -high * (1.0 + rng.choice([0.0, 1e-15], (count, 3)))])


def assert_sound(total: QuadraticSum, rows: Matrix) -> None:
    for i, column in enumerate(rows.T.tolist()):
        truth = sum(map(Fraction, column), Fraction(0))
        assert abs(truth - Fraction(total.linear[i]) - Fraction(total.rest[i])) <= Fraction(total.blur[i])
        settled = total.settled()
        assert abs(truth - Fraction(settled.linear[i])) <= Fraction(settled.blur[i])


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_pieces_of_any_size_add_up_to_within_the_bound(seed: int, count: int, size: int) -> None:
    rows = tides(seed, count)
    assert_sound(torn(Linear(3), rows, size), rows)


@pytest.mark.parametrize("size", [1, 7, 64, 400])
def test_small_pieces_are_no_worse_than_the_whole(size: int) -> None:
    rows = tides(3, 200)
    whole, pieces = (torn(Linear(3), rows, part).settled().blur for part in (len(rows), size))
    assert (pieces <= 1.01 * whole + 1e-28 * np.abs(rows).sum(axis=0)).all()


def test_curvatures_are_rounded_as_often_as_the_number_of_pieces_has_digits() -> None:
    total = torn(Quadratic(3, 0.1), np.ones((1000, 3)), 1)
    assert isinstance(total.form, Scaled)
    assert total.roundings <= 4 + 2 * math.ceil(math.log2(1000))
    true = 1000 * Fraction(0.1)
    assert abs(Fraction(total.form.factor) - true) <= total.roundings * Fraction(2) ** -52 * true


def test_a_sum_that_says_nothing_of_its_rest_has_none() -> None:
    total = QuadraticSum(Scaled(1.0), np.array([1.0, -2.0]), 0.0)
    np.testing.assert_array_equal(total.rest, [0.0, 0.0])
    assert total.settled() is total


def test_a_sum_that_forgets_what_it_loses_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plus = QuadraticSum.plus

    def forgetful(self: QuadraticSum, other: QuadraticSum) -> QuadraticSum:
        return plus(self, other)._replace(linear_rest=self.rest + other.rest)

    monkeypatch.setattr(QuadraticSum, "plus", forgetful)
    rows = tides(3, 40)
    with pytest.raises(AssertionError):
        assert_sound(torn(Linear(3), rows, 7), rows)
