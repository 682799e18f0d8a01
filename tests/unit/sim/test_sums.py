"""Sums of sums: linear terms keep the digits that cancel, in chunks as in one."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.core.arrays import Matrix
from belated.losses import Linear, Loss, Quadratic
from belated.losses.forms import Scaled
from belated.sim.compensated import ColumnSums, Total
from belated.sim.hindsight.sums import QuadraticSum, RunningSum, SumsToQuadratic


def torn(loss: Loss, rows: Matrix, size: int) -> QuadraticSum:
    assert isinstance(loss, SumsToQuadratic)
    running = RunningSum(loss.quadratic_form, loss.dim)
    for begin in range(0, len(rows), size):
        running.add(rows[begin : begin + size])
    return running.total()


def tides(seed: int, count: int) -> Matrix:
    """Rows that come in huge waves and cancel, but for their last digits."""
    rng = np.random.default_rng(seed)
    high = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(0.0, 16.0, (count, 3))
    return np.concatenate([high, -high * (1.0 + rng.choice([0.0, 1e-15], (count, 3)))])


def assert_sound(total: QuadraticSum, rows: Matrix) -> None:
    for i, column in enumerate(rows.T.tolist()):
        truth = sum(map(Fraction, column), Fraction(0))
        assert abs(truth - Fraction(total.linear[i])) <= Fraction(total.blur[i])


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 30))
@settings(max_examples=100, deadline=None)
def test_chunks_of_any_size_add_up_to_within_the_bound(seed: int, count: int, size: int) -> None:
    rows = tides(seed, count)
    assert_sound(torn(Linear(3), rows, size), rows)


@pytest.mark.parametrize("size", [1, 7, 64, 400])
def test_chunks_have_the_bits_of_the_whole(size: int) -> None:
    rows = tides(3, 200)
    whole, chunks = (torn(Linear(3), rows, part) for part in (len(rows), size))
    assert whole.linear.tobytes() == chunks.linear.tobytes()
    assert whole.blur.tobytes() == chunks.blur.tobytes()


def test_the_curvature_is_rounded_once() -> None:
    total = torn(Quadratic(3, 0.1), np.ones((1000, 3)), 1)
    assert isinstance(total.form, Scaled)
    true = 1000 * Fraction(0.1)
    assert abs(Fraction(total.form.factor) - true) <= Fraction(2) ** -53 * true


def test_a_sum_that_forgets_what_it_loses_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    total = ColumnSums.total

    def forgetful(self: ColumnSums) -> Total:
        self._missing[:] = 0.0
        return total(self)

    monkeypatch.setattr(ColumnSums, "total", forgetful)
    rows = tides(3, 40)
    with pytest.raises(AssertionError):
        assert_sound(torn(Linear(3), rows, 7), rows)
