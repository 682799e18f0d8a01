"""The plan: which rounds are recorded, and chunks that add up."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.errors import InvalidArgument
from belated.sim.plan import (
    LEAST_ROUNDS_PER_CHUNK,
    MOST_RECORDED,
    MOST_ROUNDS_PER_CHUNK,
    NUMBERS_PER_CHUNK,
    PER_DECADE,
    Plan,
    chosen_rounds,
    growing_rounds,
    log_spaced,
    plan_of,
)

LAST = np.array([50])


def chosen(record, rounds=50, regret_at=LAST, curves=1):
    found = chosen_rounds("simulate", record, rounds, regret_at, curves)
    assert found.dtype == np.int64
    return found.tolist()


def test_all_rounds_or_those_given_and_always_the_last_and_those_of_regret():
    assert chosen("all") == list(range(1, 51))
    assert chosen([3, 7]) == [3, 7, 50]
    assert chosen(3) == [3, 50]
    assert chosen(np.array([3, 50], dtype=np.uint8)) == [3, 50]
    assert chosen(range(10, 20)) == [*range(10, 20), 50]
    assert chosen([3, 7], regret_at=np.array([1, 7, 9])) == [1, 3, 7, 9, 50]
    assert set(chosen("log", 10_000, np.array([4321]))) == {*log_spaced(10_000).tolist(), 4321}


@pytest.mark.parametrize("curves", [1, 50, 50_000])
def test_by_default_small_results_are_recorded_whole_and_large_ones_in_ratios(curves):
    most = MOST_RECORDED // curves
    assert chosen(None, most, np.array([most]), curves) == list(range(1, most + 1))
    assert chosen(None, most + 1, np.array([most + 1]), curves) == log_spaced(most + 1).tolist()


def test_a_thousand_seeds_of_a_long_run_are_not_gigabytes_unless_asked_for():
    rounds, curves = 100_000, 3 * 1000
    last = np.array([rounds])
    assert len(chosen(None, rounds, last, curves)) * curves * 16 < 30e6
    assert len(chosen("all", rounds, last, curves)) == rounds


@pytest.mark.parametrize("record", ["every", "", "ALL", [0, 3], [3, 2], [3, 3], [51], 51, 0, [1.0], [True], [[1]]])
def test_other_records_are_refused(record):
    with pytest.raises(InvalidArgument, match=r"^`simulate\(record=.*\)`: must be "):
        chosen(record)


def test_more_rounds_than_memory_can_hold_are_refused():
    with pytest.raises(InvalidArgument, match=r"^`simulate\(record='all'\)`: must be .* 10+ do not fit into memory"):
        chosen("all", 10**17)
    assert len(chosen(None, 10**17)) < 2000


@given(st.integers(1, 10**12))
def test_log_spaced_rounds_begin_with_the_first_end_with_the_last_and_have_equal_ratios(rounds):
    found = log_spaced(rounds)
    assert found[0] == 1
    assert found[-1] == rounds
    assert (np.diff(found) > 0).all()
    assert found.size <= 2 + PER_DECADE * math.log10(rounds)
    widest = 10 ** (1 / PER_DECADE)
    assert (found[1:] <= np.maximum(found[:-1] + 1, found[:-1] * widest + 1)).all(), "none is left out"


@pytest.mark.parametrize("rounds", [1, 2, 3, 10])
def test_few_rounds_are_all_log_spaced(rounds):
    assert log_spaced(rounds).tolist() == list(range(1, rounds + 1))


@pytest.mark.parametrize("given_rounds", [[2, 5, 9], (2, 5, 9), np.array([2, 5, 9], dtype=np.int16)])
def test_growing_rounds_are_copied_as_whole_numbers(given_rounds):
    found = growing_rounds("f", "rounds", given_rounds, 9)
    assert found.tolist() == [2, 5, 9]
    assert found.dtype == np.int64
    assert not np.shares_memory(found, np.asarray(given_rounds))


@pytest.mark.parametrize(
    "wrong",
    [
        [2, 5, 10],
        [0, 1],
        [-1],
        [5, 2],
        [2, 2],
        [[2, 5]],
        [2.0],
        ["2"],
        [None],
        [True],
        np.ma.array([2, 5], mask=[True, False]),
        np.array([2**64 - 1], dtype=np.uint64),
        object(),
        math.nan,
    ],
)
def test_rounds_that_do_not_grow_from_1_to_the_end_are_refused(wrong):
    with pytest.raises(InvalidArgument, match=r"^`f\(rounds=.*\)`: must (be increasing|not be a masked)"):
        growing_rounds("f", "rounds", wrong, 9)


@given(st.integers(1, 10**6), st.integers(1, 10**5))
def test_chunks_add_up_and_are_neither_too_short_nor_too_long(rounds, row_size):
    plan = plan_of(rounds, row_size, np.array([rounds]))
    chunks = plan.chunks()
    assert sum(chunks) == rounds
    assert set(chunks[:-1]) <= {plan.rounds_per_chunk}
    assert 1 <= chunks[-1] <= plan.rounds_per_chunk <= min(rounds, MOST_ROUNDS_PER_CHUNK)
    if plan.rounds_per_chunk < rounds:
        assert plan.rounds_per_chunk >= LEAST_ROUNDS_PER_CHUNK
        fits = plan.rounds_per_chunk * row_size <= NUMBERS_PER_CHUNK
        assert fits or plan.rounds_per_chunk == LEAST_ROUNDS_PER_CHUNK


def test_chunks_of_long_runs_depend_on_the_size_of_the_losses_only():
    long = 2 * MOST_ROUNDS_PER_CHUNK
    every_round = np.arange(1, long + 1)
    plans = [plan_of(long, 3, every_round), plan_of(long, 3, LAST), plan_of(2 * long, 3, LAST)]
    assert len({plan.rounds_per_chunk for plan in plans}) == 1


def test_a_run_that_fits_its_chunks_has_no_empty_one():
    assert Plan(12, 4, LAST).chunks() == [4, 4, 4]
    assert Plan(13, 4, LAST).chunks() == [4, 4, 4, 1]
    assert Plan(4, 4, LAST).chunks() == [4]
