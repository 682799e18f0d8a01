"""Sums of feedback on their way: what they hold, and that their room is used again.

That runs have the bits of players, whichever way their feedback takes, is in ``tests/differential/test_engine.py``.
"""

import numpy as np
import pytest

import belated as bl
from belated.delays import NEVER
from belated.learners.verbs import adds_up
from belated.sim import delivery
from belated.sim.calendar import LONGEST_WEEK, SHORTEST_WEEK_OF_SUMS, week_for
from belated.sim.plain_or_compiled import plain_loop
from support.engine import begun

LEARNER, LINEAR = bl.dogd_sc(bl.Ball(1), 2.0), bl.losses.Linear(1)
WEEK = 16


def calendar_after(delays):
    """The calendar at the end of a run in weeks of ``WEEK`` rounds; the gradient of round t is t."""
    rounds = len(delays)
    run = begun(LEARNER, LINEAR, rounds, WEEK)
    run.take(plain_loop, np.arange(1.0, rounds + 1)[:, np.newaxis], np.asarray(delays))
    return run._calendar


def test_a_learner_that_adds_up_keeps_no_feedback_of_the_present_week():
    calendar = calendar_after([3] * 50)
    assert adds_up(LEARNER.policy)
    assert len(calendar.soon.feedback) == len(calendar.dealt.feedback) == 0
    assert calendar.sums.shape == (WEEK, 1)


@pytest.mark.parametrize("delay", [1, 7, 50])
def test_a_sum_holds_what_arrives_in_its_round(delay, monkeypatch):
    """Gradients 1, 2, ..., ``delay`` arrive together at the end of round ``delay``."""
    settled, settle_sum = {}, delivery.settle_sum

    def noted(policy, state, ledger, total):
        settled[ledger.round] = (ledger.arrived, total.tolist())
        settle_sum(policy, state, ledger, total)

    monkeypatch.setattr(delivery, "settle_sum", noted)
    calendar_after([delay - t for t in range(delay)] + [NEVER] * 5)
    assert settled[delay] == (delay, [delay * (delay + 1) / 2])
    assert [arrived for arrived, _ in settled.values()].count(0) == len(settled) - 1


def sizes_after(rounds, delay):
    return calendar_after([delay] * rounds).next_block.size


@pytest.mark.parametrize("delay", [3, 70])
def test_room_is_used_again(delay):
    assert sizes_after(300, delay) == sizes_after(1500, delay)


def test_room_that_is_not_given_back_would_be_noticed(monkeypatch):
    monkeypatch.setattr(delivery, "free_chain", lambda calendar, week: None)
    with pytest.raises(AssertionError):
        test_room_is_used_again(70)


@pytest.mark.parametrize("size", [1, 10, 1000, 10**6])
def test_sums_of_a_week_stay_in_a_fast_cache(size):
    week = week_for(10**9, size, 0, size)
    assert SHORTEST_WEEK_OF_SUMS <= week <= LONGEST_WEEK
    assert week == SHORTEST_WEEK_OF_SUMS or 8 * week * size <= 2**18
    assert week_for(5, size, 0, size) == 5
