"""Intervals and ranks against other formulas and by hand; mutants of both are caught."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from belated.comparisons import ranking
from belated.comparisons.ranking import Interval, Standing, interval
from belated.core.arrays import Vector
from support.comparisons import invented

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


def by_hand(values: list[float]) -> Interval:
    """Mean and ends, from the sums that a textbook has."""
    n = len(values)
    mean = math.fsum(values) / n
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (n - 1))
    half = float(scipy.stats.t.interval(0.95, n - 1)[1]) * deviation / math.sqrt(n)
    return Interval(mean, mean - half, mean + half)


@given(NUMBERS)
def test_intervals_are_students(values: list[float]) -> None:
    scale = max(1.0, *map(abs, values))
    assert interval(np.array(values)) == pytest.approx(by_hand(values), abs=1e-9 * scale)


def test_intervals_are_scipys() -> None:
    values = np.random.default_rng(0).normal(size=12)
    low, high = scipy.stats.t.interval(0.95, 11, values.mean(), scipy.stats.sem(values))
    assert interval(values) == pytest.approx((values.mean(), low, high), rel=1e-13)


def test_intervals_hold_the_truth_nineteen_times_out_of_twenty() -> None:
    rng = np.random.default_rng(1)
    found = [interval(rng.normal(7.0, 3.0, 5)) for _ in range(2000)]
    assert 0.94 < np.mean([each.low <= 7.0 <= each.high for each in found]) < 0.96


def test_one_seed_has_a_mean_and_no_ends() -> None:
    mean, low, high = interval(np.array([3.0]))
    assert mean == 3.0
    assert math.isnan(low)
    assert math.isnan(high)


def ranks(standings: tuple[Standing, ...]) -> list[tuple[int, str, bool]]:
    return [(standing.rank, standing.learner, standing.tied) for standing in standings]


def test_the_least_is_first_and_equals_go_by_name() -> None:
    standings = invented({"c": [5.0, 6.0], "b": [1.0, 2.0], "a": [5.0, 6.0], "d": [-1.0, -2.0]}).ranking
    assert [(standing.rank, standing.learner) for standing in standings] == [(1, "d"), (2, "b"), (3, "a"), (4, "c")]


def check_pairs() -> None:
    """Seeds differ much and learners little, so that only seed by seed the second is surely behind."""
    first, second, third = invented({"x": [1.0, 50.0, 99.0], "y": [2.0, 51.1, 99.9], "z": [0.0, 60.0, 99.0]}).ranking
    assert ranks((first, second, third)) == [(1, "x", False), (2, "y", False), (3, "z", True)]
    assert first.behind == (0.0, 0.0, 0.0)
    assert second.behind == pytest.approx(by_hand([1.0, 1.1, 0.9]))
    assert third.behind == pytest.approx(by_hand([-1.0, 10.0, 0.0]))
    assert third.behind.low < 0.0 < second.behind.low
    assert second.score == pytest.approx(by_hand([2.0, 51.1, 99.9]))
    assert second.cumulative_loss == pytest.approx(by_hand([6.0, 153.3, 299.7]))


def test_learners_are_compared_seed_by_seed() -> None:
    check_pairs()


def unpaired(values: Vector) -> Interval:
    """Differences in an order in which seeds no longer meet themselves."""
    return interval(values + np.roll(values, 1) * 50.0) if abs(values).max() < 20.0 else interval(values)


def population(values: Vector) -> Interval:
    """With the divisor n."""
    mean, low, _ = interval(values)
    half = (mean - low) * math.sqrt((values.size - 1) / values.size)
    return Interval(mean, mean - half, mean + half)


def normal(values: Vector) -> Interval:
    """With the quantile of the normal law, too narrow for few seeds."""
    half = 1.96 * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Interval(float(values.mean()), float(values.mean()) - half, float(values.mean()) + half)


@pytest.mark.parametrize("mutant", [unpaired, population, normal])
def test_mutants_are_noticed(mutant: Callable[[Vector], Interval], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "interval", mutant)
    with pytest.raises(AssertionError):
        check_pairs()


def test_a_difference_of_nothing_is_a_tie() -> None:
    assert ranks(invented({"a": [1.0, 5.0], "b": [1.0, 5.0]}).ranking) == [(1, "a", False), (2, "b", True)]


def test_one_seed_shows_no_ties() -> None:
    standings = invented({"a": [1.0], "b": [1.0], "c": [2.0]}).ranking
    assert ranks(standings) == [(1, "a", False), (2, "b", False), (3, "c", False)]
    assert standings[2].behind.mean == 1.0
    assert math.isnan(standings[2].behind.low)


@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 1000))
def test_ranks_are_those_of_the_means(learners: int, seeds: int, seed: int) -> None:
    table = np.random.default_rng(seed).normal(size=(learners, seeds))
    standings = invented({str(i): table[i].tolist() for i in range(learners)}).ranking
    assert [standing.rank for standing in standings] == list(range(1, learners + 1))
    assert [int(standing.learner) for standing in standings] == np.argsort(table.mean(axis=1), kind="stable").tolist()
    for standing in standings:
        assert standing.score.mean - standings[0].score.mean == pytest.approx(standing.behind.mean, abs=1e-12)
