"""Blocks of time: whatever comes in which order, sums are kept, and blocks of one width do not overlap."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.replays import blocks as module
from belated.replays.blocks import CALENDAR, DAY, MONDAY, Blocks, widths

times = st.lists(st.tuples(st.integers(-(10**9), 10**9), st.integers(-5, 5)), max_size=80)


@pytest.mark.parametrize("calendar", [False, True])
def test_each_width_is_a_multiple_of_the_one_before(calendar):
    found = list(itertools.islice(widths(calendar), 12))
    assert all(wide % narrow == 0 and wide > narrow for narrow, wide in itertools.pairwise(found))
    assert (found[:6] == list(CALENDAR)) == calendar


def naive(events, starts, width):
    return [sum(number for time, number in events if start <= time < start + width) for start in starts]


@given(times, st.integers(0, 20), st.integers(2, 12))
def test_sums_are_those_of_the_events_in_each_block(events, least, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_BLOCKS", most)
        blocks = Blocks(2, calendar=False)
        for time, number in events:
            blocks.add(time, np.array([number, 1.0]))
        starts, width, sums = blocks.table(least)
    assert len(starts) <= most
    assert sums[:, 1].sum() == len(events)
    assert naive(events, starts.tolist(), width) == sums[:, 0].tolist()


def test_wider_blocks_are_taken_while_enough_are_left():
    blocks = Blocks(1, calendar=True)
    for day in range(100):
        blocks.add(MONDAY + day * DAY + 5, np.ones(1))
    assert len(blocks.table(100)[0]) == 100
    starts, width, sums = blocks.table(14)
    assert width == 7 * DAY
    assert sums[:, 0].tolist() == [7.0] * 14 + [2.0]
    assert set(np.diff(starts).tolist()) == {7 * DAY}
    assert starts[0] == MONDAY, "weeks begin on Mondays"
    assert len(blocks.table(0)[0]) == 100, "looking changes nothing"


def test_nothing_is_an_empty_table():
    starts, _, sums = Blocks(3, calendar=True).table(10)
    assert starts.shape == (0,)
    assert sums.shape == (0, 3)


def test_the_width_is_that_of_blocks_also_where_the_log_has_gaps():
    blocks = Blocks(1, calendar=True)
    for month in range(12):
        for day in range(7):
            blocks.add(MONDAY + (28 * month + day) * DAY, np.ones(1))
    starts, width, sums = blocks.table(12)
    assert len(starts) == 12
    assert width == 7 * DAY, "and not the four weeks from one to the next"
    assert sums[:, 0].tolist() == [7.0] * 12
