"""Copies against a dictionary of players: every copy lives without delay, and fixed delays make both kinds the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import InvalidArgument
from belated.learners.parts.wrappers import copies

DIM = 3
BALL = bl.Ball(DIM)


def played(learner, delays, rows, initial=None):
    """The decisions of a run on gradients 2 x + row, each told after its delay, in order of play."""
    player, due, decisions = learner.start(initial), {}, []
    for t, (row, delay) in enumerate(zip(rows, delays, strict=True), start=1):
        play = player.ask()
        decisions.append(play.decision)
        due.setdefault(t + delay - 1, []).append((t, 2.0 * play.decision + row))
        for number, gradient in due.pop(t, []):
            player.tell(gradient, round=number)
    return np.array(decisions)


def naive_bold(base, delays, rows):
    """A list of players of the base; those that are idle queue up."""
    players, idle, owners, due, decisions = [], [], {}, {}, []
    for t, (row, delay) in enumerate(zip(rows, delays, strict=True), start=1):
        if not idle:
            players.append(base.start())
            idle.append(len(players) - 1)
        owners[t] = owner = idle.pop(0)
        play = players[owner].ask()
        decisions.append(play.decision)
        due.setdefault(t + delay - 1, []).append((t, play.round, 2.0 * play.decision + row))
        for number, own_round, gradient in due.pop(t, []):
            players[owners[number]].tell(gradient, round=own_round)
            idle.append(owners[number])
    return np.array(decisions), len(players)


def rows_of(seed, rounds):
    return np.random.default_rng(seed).uniform(-3.0, 3.0, (rounds, DIM))


BASES = {
    "ogd_sc": bl.ogd_sc(BALL, strong_convexity=2.0),
    "dogd, count-adaptive": bl.dogd(BALL, bl.rates.count_adaptive(BALL, lipschitz=5.0)),
    "ftdl, which has a memo": bl.ftdl(BALL, strong_convexity=2.0),
    "dda, which moves at rest": bl.dda(BALL, lipschitz=5.0),
}


@pytest.mark.parametrize("name", BASES)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_bold_is_a_queue_of_players(name, delays, seed):
    rows = rows_of(seed, len(delays))
    expected, _ = naive_bold(BASES[name], delays, rows)
    assert played(bl.bold(BASES[name]), delays, rows).tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", BASES)
def test_without_delay_there_is_one_copy_the_base(name):
    rows = rows_of(1, 40)
    base = played(BASES[name], [1] * 40, rows)
    assert played(bl.bold(BASES[name]), [1] * 40, rows).tobytes() == base.tobytes()
    assert played(bl.weinberger_ordentlich(BASES[name], delay=1), [1] * 40, rows).tobytes() == base.tobytes()


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("delay", [1, 2, 5, 9])
def test_with_a_fixed_delay_both_kinds_are_the_same(name, delay):
    rows = rows_of(2, 60)
    queue = played(bl.bold(BASES[name]), [delay] * 60, rows)
    assert queue.tobytes() == played(bl.weinberger_ordentlich(BASES[name], delay), [delay] * 60, rows).tobytes()


def test_there_are_as_many_copies_as_were_in_flight_at_once():
    delays = [40, 1, 30, 2, 2, 25] + [7] * 40
    _, number = naive_bold(BASES["ogd_sc"], delays, rows_of(3, len(delays)))
    player, due = bl.bold(BASES["ogd_sc"]).start(), {}
    for t, delay in enumerate(delays, start=1):
        player.ask()
        due.setdefault(t + delay - 1, []).append(t)
        for told in due.pop(t, []):
            player.tell(np.zeros(DIM), round=told)
    state = player.state()
    assert state["policy.marks"][copies.NUMBER] == number
    assert number <= len(state["policy.queue"]) <= 2 * number + 4


def test_what_never_comes_keeps_a_copy_and_the_others_go_on():
    rows = rows_of(4, 30)
    delays = [10**6] * 6 + [1] * 24
    decisions = played(bl.bold(BASES["ogd_sc"]), delays, rows)
    assert decisions[6:].tobytes() == played(BASES["ogd_sc"], [1] * 24, rows[6:]).tobytes()


def test_the_paper_setting():
    learner = bl.bold(bl.ogd_sc(bl.Ball(10), strong_convexity=2.0))
    regrets = []
    for factor in (1, 10):
        law = bl.delays.Periodic([factor * delay for delay in (2, 3, 2, 1, 4, 1, 3)])
        first = np.full(10, 10**-0.5)
        result = bl.simulate({"it": learner}, bl.problems.RandomQuadratic(10), law, 1000, range(20), initial=first)
        regrets.append(float(result.regret.mean()))
    assert regrets == pytest.approx([19.68, 109.25], abs=0.01)


@pytest.mark.parametrize("bug", ["last in, first out", "forgets to queue"])
def test_wrong_queues_are_noticed(bug, monkeypatch):
    def last_first(turns, state, ledger):
        if state.marks[copies.WAITING] == 0:
            state.marks[copies.NUMBER] += 1
            return int(state.marks[copies.NUMBER]) - 1
        state.marks[copies.WAITING] -= 1
        return int(state.queue[(state.marks[copies.FIRST] + state.marks[copies.WAITING]) % state.queue.size])

    if bug == "last in, first out":
        monkeypatch.setitem(copies.choose.implementations, copies.Idle, last_first)
    else:
        monkeypatch.setitem(copies.dismiss.implementations, copies.Idle, lambda turns, state, copy: None)
    delays, rows = [3, 1, 4, 1, 5, 2, 6] * 6, rows_of(5, 42)
    expected, _ = naive_bold(BASES["ogd_sc"], delays, rows)
    assert played(bl.bold(BASES["ogd_sc"]), delays, rows).tobytes() != expected.tobytes()


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidArgument, match="delay=0"):
        bl.weinberger_ordentlich(BASES["ogd_sc"], delay=0)
    for wrong in ("ogd_sc", bl.skipping(BASES["ogd_sc"])):
        with pytest.raises(InvalidArgument, match=r"`bold\(base="):
            bl.bold(wrong)
