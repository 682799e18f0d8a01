"""Scales of numeric features: what one value can do is bounded, and units do not matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.compiling import compiled
from belated.models.scaling import (
    CENTRE,
    FIRST,
    INFLUENCE,
    LARGEST_SCALED,
    LEAST_STEP,
    NOTHING_SEEN,
    SEEN,
    SPREAD,
    follow,
    followed,
    no_scales,
    scaled,
)
from support.compiler import needs_compiler

numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)
extreme = st.lists(st.sampled_from([0.0, 1.0, -1.0, 1e100, -1e100, 1e-300, 3.5]), min_size=1, max_size=60)


def through(values):
    row, found = no_scales(1)[0], []
    for value in values:
        found.append(scaled(row, value))
        follow(row, value)
    return found, row


@given(st.one_of(numbers, extreme))
def test_scaled_values_are_bounded_and_numbers(values):
    found, row = through(values)
    assert all(abs(z) <= LARGEST_SCALED for z in found)
    assert found[0] == 0.0
    assert np.isfinite(row).all()
    assert row[SPREAD] >= 0.0


@given(numbers, st.sampled_from([1e100, -1e100, 5e3, -5e3]))
def test_one_value_moves_centre_and_spread_by_a_bounded_part_of_the_spread(values, outlier):
    _, row = through([*values, *np.linspace(-3.0, 3.0, FIRST)])
    centre, spread = float(row[CENTRE]), float(row[SPREAD])
    step = max(1.0 / (int(row[SEEN]) + 1), LEAST_STEP)
    follow(row, outlier)
    assert abs(float(row[CENTRE]) - centre) <= step * INFLUENCE * spread * (1 + 1e-12)
    assert float(row[SPREAD]) <= spread * (1 + (INFLUENCE - 1) * step) * (1 + 1e-12)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=60), st.sampled_from([2.0, 0.125, -4.0]))
def test_another_unit_gives_the_same_scaled_values(values, factor):
    """Powers of two change no digit."""
    one, other = through([float(v) for v in values])[0], through([factor * v for v in values])[0]
    assert [z * (1 if factor > 0 else -1) for z in one] == other


def test_the_first_values_are_judged_by_their_median():
    _, row = through([1e100, 1.0, 2.0, 3.0, 4.0])
    assert float(row[CENTRE]) == 3.0
    assert float(row[SPREAD]) == pytest.approx((2 + 1 + 0 + 1) / 4)


def test_in_the_long_run_scaled_values_have_mean_zero_and_spread_one():
    values = np.random.default_rng(0).normal(50.0, 7.0, 20_000)
    found, row = through(values.tolist())
    assert np.mean(found[1000:]) == pytest.approx(0.0, abs=0.05)
    assert np.mean(np.abs(found[1000:])) == pytest.approx(1.0, abs=0.05)
    assert float(row[CENTRE]) == pytest.approx(50.0, abs=0.5)


def test_a_feature_that_was_constant_gets_a_scale_when_it_varies():
    found, _ = through([5.0] * 50 + np.random.default_rng(1).normal(5.0, 2.0, 5000).tolist())
    assert set(found[:50]) == {0.0}
    assert abs(found[50]) == LARGEST_SCALED
    assert 0.3 < np.mean(np.abs(found[-1000:])) < 1.5


def test_a_row_that_has_followed_a_value_is_a_new_one_with_the_same_bits():
    row, expected = NOTHING_SEEN, no_scales(1)[0]
    for value in [3.0, 1.0, 2.0, *range(20), 1e100]:
        before = list(row)
        fresh = followed(row, float(value))
        assert list(row) == before
        assert fresh == followed(row, float(value))
        follow(expected, float(value))
        row = fresh
        assert np.array(row).tobytes() == expected.tobytes()


def both(row, values, out):
    for i in range(values.size):
        out[i] = scaled(row, float(values[i]))
        follow(row, float(values[i]))


@needs_compiler
def test_compiled_code_has_the_same_bits():
    values = np.random.default_rng(2).normal(size=300) * 10.0 ** np.random.default_rng(3).integers(-3, 4, 300)
    results = []
    for function in (both, compiled(both, no_scales(1)[0], values, values)):
        row, out = no_scales(1)[0], np.empty(300)
        function(row, values, out)
        results.append((out.tobytes(), row.tobytes()))
    assert results[0] == results[1]
