"""Marks along axes lie within them, are as round as their kind, and are few enough to be read."""

import itertools
import math

import numpy as np
import pytest

from belated.output.page.scales import (
    Scale,
    linear_scale,
    log_allowed,
    log_scale,
    read_text,
    span_text,
    tick_text,
    ticks,
)


@pytest.mark.parametrize("most", [3, 5, 9, 14])
@pytest.mark.parametrize("kind", ["number", "span", "date"])
def test_marks_are_within_the_axis_in_order_and_not_too_many(kind, most):
    rng = np.random.default_rng(most)
    for _ in range(200):
        low, length = rng.normal() * 10.0 ** rng.integers(-3, 9), 10.0 ** rng.uniform(-2, 11)
        low = abs(low) if kind == "span" else low
        found = ticks(Scale(False, low, low + length), kind, most)
        assert all(low - 1e-6 * length <= each <= low + length * (1 + 1e-6) for each in found)
        assert all(one < other for one, other in itertools.pairwise(found))
        assert len(found) <= most + 2
        words = [tick_text(each, kind, found[1] - found[0]) for each in found] if len(found) > 1 else []
        if kind == "number" and length > 1e-5 * abs(low):
            assert len(set(words)) == len(words), "two marks of one name"


@pytest.mark.parametrize("kind", ["number", "span"])
def test_logarithmic_marks_are_within_the_axis(kind):
    for low, decades in itertools.product((3e-4, 0.7, 1.0, 40.0), (1.0, 1.7, 3.0, 7.5)):
        high = low * 10.0**decades
        found = ticks(Scale(True, low, high), kind, 6)
        assert 2 <= len(found) <= 8
        assert all(low * (1 - 1e-6) <= each <= high * (1 + 1e-6) for each in found)
    assert ticks(Scale(True, 1.0, 1000.0), "number", 6) == [1.0, 10.0, 100.0, 1000.0]
    assert ticks(Scale(True, 100.0, 110.0), "number", 5) == [100.0, 102.0, 104.0, 106.0, 108.0, 110.0]
    assert ticks(Scale(True, 3600.0, 1e5), "span", 6) == [3600.0, 7200.0, 21_600.0, 43_200.0, 86_400.0]


def test_months_begin_on_their_first_day():
    year = [np.datetime64(day, "ms").astype(float) for day in ("2013-01-01", "2014-01-01")]
    found = ticks(Scale(False, *year), "date", 6)
    assert [tick_text(each, "date", found[1] - found[0]) for each in found] == [
        "2013-01",
        "2013-03",
        "2013-05",
        "2013-07",
        "2013-09",
        "2013-11",
        "2014-01",
    ]
    day = [np.datetime64(each, "ms").astype(float) for each in ("2013-01-01T00:00", "2013-01-01T12:00")]
    found = ticks(Scale(False, *day), "date", 4)
    assert [tick_text(each, "date", found[1] - found[0]) for each in found][:2] == ["01-01 00:00", "01-01 03:00"]


def test_words_for_numbers():
    assert [tick_text(each, "number", 0.0) for each in (0.0, -0.05, 0.3, 999, 10_000, 2.5e6, 3e9, 1e-7, 1e15)] == [
        "0", "-0.05", "0.3", "999", "10k", "2.5M", "3000000000", "1e-7", "1e15",
    ]  # fmt: skip
    assert [span_text(each) for each in (0.05, 90, 172_800, 86_400)] == ["50 ms", "1.5 min", "2 d", "24 h"]
    assert [read_text(each) for each in (1234, 1234.56, -0.000123456, 1e-9, math.inf)] == [
        "1,234", "1,234.6", "-0.00012346", "1e-9", "-",
    ]  # fmt: skip


def test_scales_hold_their_numbers():
    assert linear_scale([2.0, 5.0], padded=True).low == 0.0
    assert linear_scale([4.0, 5.0], padded=True).low == pytest.approx(3.96)
    assert linear_scale([4.0, 5.0], padded=True, from_zero=True).low == 0.0
    assert linear_scale([3.0, 3.0], padded=False) == Scale(False, 1.5, 4.5)
    assert linear_scale([math.nan, 0.0], padded=True) == Scale(False, -0.5, 0.5)
    assert linear_scale([], padded=True).high > 1.0
    scale = log_scale([0.0, 1.0, 100.0, math.inf], padded=True)
    assert scale.low < 1.0 < 100.0 < scale.high
    assert Scale(True, 1.0, 100.0).share(10.0) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("numbers", "allowed"),
    [
        ([[1.0, 10.0]], True),
        ([[1.0, 9.0]], False),
        ([[-1.0, *range(1, 20)]], True),
        ([[-1.0, 1.0, 10.0]], False),
        ([[*range(1, 30), 0.0]], False),
        ([[1.0, 10.0], [1.0, math.nan]], True),
        ([[]], False),
    ],
)
def test_a_logarithmic_scale_needs_numbers_above_zero(numbers, allowed):
    assert log_allowed(numbers) == allowed
