"""Skipping against a naive bookkeeper: what is given up, when, and that nothing else changes."""

import math
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import StateMismatch
from belated.core.ledger import Ledger, after_arrivals, after_giving_up, after_play
from belated.learners.algorithms import skipping as skip

DIM = 2
BALL = bl.Ball(DIM)
BASES = {
    "dda": bl.dda(BALL, lipschitz=4.0),
    "dogd_sc": bl.dogd_sc(BALL, strong_convexity=2.0),
    "ftdl": bl.ftdl(BALL, strong_convexity=2.0),
}


def arrivals_of(delays):
    due = {}
    for t, delay in enumerate(delays, start=1):
        due.setdefault(t + delay - 1, []).append(t)
    return due


def rows_of(seed, rounds):
    return np.random.default_rng(seed).uniform(-3.0, 3.0, (rounds, DIM))


def played(learner, delays, rows):
    player, due, gradients, decisions = learner.start(), arrivals_of(delays), {}, []
    for t, row in enumerate(rows, start=1):
        decisions.append(player.ask().decision)
        gradients[t] = 2.0 * decisions[-1] + row
        for number in due.get(t, []):
            player.tell(gradients[number], round=number)
    return np.array(decisions), player


def given_up(delays):
    """The rounds that are given up, each with the round at whose end that happens: straight from the definition."""
    due, missing, gone, weight = arrivals_of(delays), set(), {}, 0
    for t in range(1, len(delays) + 1):
        weight += 1 + 2 * len(missing)
        missing.add(t)
        missing -= set(due.get(t, []))
        for s in sorted(missing):
            if t - s > math.sqrt(2.0 * weight):
                gone[s] = t
        missing -= set(gone)
    return gone


DELAYS = st.lists(st.one_of(st.integers(1, 5), st.integers(1, 80), st.just(10**9)), min_size=1, max_size=80)


@given(DELAYS)
@settings(max_examples=60, deadline=None)
def test_the_right_rounds_are_given_up_at_the_right_time(delays):
    gone = given_up(delays)
    player, due = bl.skipping(BASES["dogd_sc"]).start(), arrivals_of(delays)
    for t in range(1, len(delays) + 1):
        player.ask()
        for number in due.get(t, []):
            player.tell(np.zeros(DIM), round=number)
    player.ask()
    assert player.state()["policy.marks"][skip.GIVEN_UP] == len(gone)


@pytest.mark.parametrize("name", BASES)
@given(DELAYS, st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_decisions_are_those_of_the_base_with_a_ledger_that_knows_what_is_given_up(name, delays, seed):
    rows, gone, due = rows_of(seed, len(delays)), given_up(delays), arrivals_of(delays)
    decisions, _ = played(bl.skipping(BASES[name]), delays, rows)
    policy = BASES[name].policy
    interface = BASES[name].interface
    state = bl.learners.verbs.begin(policy, BALL.centre)
    ledger, memos, scratch = Ledger(), {}, np.empty(interface.scratch_size)
    for t in range(1, len(rows) + 1):
        ledger, points, memos[t] = after_play(ledger), np.empty((1, DIM)), np.empty(interface.memo_size)
        bl.learners.verbs.play(policy, state, ledger, bl.learners.verbs.Desk(None, scratch, points, memos[t]))
        assert points[0].tobytes() == decisions[t - 1].tobytes()
        counted = [s for s in due.get(t, []) if s not in gone or gone[s] >= t]
        ledger = after_giving_up(after_arrivals(ledger, len(counted)), sum(when == t for when in gone.values()))
        for s in counted:
            gradient = 2.0 * decisions[s - 1] + rows[s - 1]
            bl.learners.verbs.receive(policy, state, ledger, gradient, memos[s], scratch)
        bl.learners.verbs.settle(policy, state, ledger)


@pytest.mark.parametrize("name", BASES)
def test_where_nothing_is_late_nothing_changes(name):
    delays, rows = [1, 2, 1, 3, 1, 1] * 10, rows_of(1, 60)
    assert not given_up(delays)
    assert played(bl.skipping(BASES[name]), delays, rows)[0].tobytes() == played(BASES[name], delays, rows)[0].tobytes()


def test_what_never_comes_does_not_fill_the_memory():
    delays = [10**9, *[1] * 9] * 200
    _, player = played(bl.skipping(BASES["dogd_sc"]), delays, rows_of(2, 2000))
    assert player.state()["policy.marks"][skip.GIVEN_UP] == len(given_up(delays)) > 100
    assert len(player.state()["policy.answered"]) <= 512


@pytest.mark.parametrize("number", [2**63 - 1, 2**62, -1, -(2**63)])
def test_counts_that_no_player_had_are_a_damaged_state(number):
    learner = bl.skipping(BASES["dogd_sc"])
    player = learner.start()
    player.ask()
    state = player.state()
    state["policy.counts"] = np.full_like(state["policy.counts"], number)
    with pytest.raises(StateMismatch, match=r"^the state was changed or damaged since it was saved: "):
        learner.resume(state)


@pytest.mark.parametrize(
    "bug", ["takes what was given up", "never gives up", "counts those given up as in flight", "gives up a round late"]
)
def test_wrong_bookkeeping_is_noticed(bug, monkeypatch):
    delays, rows = ([60] + [1] * 11) * 6, rows_of(3, 72)
    right, _ = played(bl.skipping(BASES["dda"]), delays, rows)
    if bug == "takes what was given up":
        original = skip.receive_skip

        def lenient(policy, state, ledger, feedback, memo, scratch):
            oldest = state.marks[skip.OLDEST]
            state.marks[skip.OLDEST] = 0
            original(policy, state, ledger, feedback, memo, scratch)
            state.marks[skip.OLDEST] = oldest

        monkeypatch.setitem(skip.receive.implementations, skip.Skip, lenient)
        monkeypatch.delitem(skip.oldest_wanted.implementations, skip.Skip)  # or the player does not hand it over
    elif bug == "never gives up":
        monkeypatch.setattr(skip, "math", types.SimpleNamespace(sqrt=lambda number: math.inf))
    elif bug == "counts those given up as in flight":
        monkeypatch.setattr(skip, "after_giving_up", lambda ledger, lost: ledger)
    else:  # the base still sees them in flight when it settles
        hand_over = skip.hand_over

        def late(aside, base, state, ledger):
            hand_over(aside, base, state, ledger._replace(in_flight=ledger.outstanding + 1 - ledger.arrived))

        monkeypatch.setattr(skip, "hand_over", late)
    wrong, _ = played(bl.skipping(BASES["dda"]), delays, rows)
    assert wrong.tobytes() != right.tobytes()
