"""Restarting against a fresh player for every phase, fed with that phase's feedback only: the same bits."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core import streams
from belated.core.errors import InvalidArgument
from belated.core.ledger import Ledger, after_arrivals, after_play
from belated.learners.algorithms import restarting as restart
from belated.learners.learner import from_arrivals
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.policies.hints import LastGradient
from belated.learners.parts.steps.descent import Descent
from belated.learners.parts.wrappers import aside
from belated.learners.verbs import Desk, begin, play, receive, settle
from support.players import context_for
from support.runs import arrivals_by_round

DIM = 3
BALL = bl.Ball(DIM)
BASES = {
    "dogd_sc": bl.dogd_sc(BALL, strong_convexity=2.0),
    "dogd, count-adaptive": bl.dogd(BALL, bl.rates.count_adaptive(BALL, lipschitz=5.0)),
    "ftdl, which has a memo": bl.ftdl(BALL, strong_convexity=2.0),
    "dda, which moves at rest": bl.dda(BALL, lipschitz=5.0),
    "adaptive revision, whose steps depend on each other": bl.adaptive_revision(BALL, scale=0.5),
    "one that moves once a feedback": from_arrivals("one", BALL, Sequential(Descent(BALL, bl.rates.PerFeedback(1.0)))),
    "ons, which has matrices": bl.ons(BALL, lipschitz=3.0, exp_concavity=0.5),
    "bdogd_sc, which is told values": bl.bdogd_sc(BALL, strong_convexity=2.0, probe_radius=0.1),
    "vaw, which has a context": bl.vaw(bl.Euclidean(DIM), regulariser=1.0, label_bound=20.0),
    "odaftrl, which has a history": bl.odaftrl(bl.Simplex(DIM), hint=LastGradient()),
}


def lengths(first, growth):
    """How many whole numbers lie between two ends."""
    end, length = 0.0, float(first)
    while True:
        yield int(end + length) - int(end)
        end, length = end + length, length * growth


def feedback_of(learner, row, points):
    """Something that depends on the points and on the round."""
    size = learner.interface.feedback_size
    return 2.0 * points[0][:size] + row[:size] if size <= DIM else np.append(2.0 * points[0], 1.0) + row[:size]


def played(learner, delays, rows, initial=None):
    """The points of a run, and the player at its end."""
    player, arrived, told, points = learner.start(initial), arrivals_by_round(delays), {}, []
    for t, row in enumerate(rows, start=1):
        points.append(player.ask(context_for(learner, t)).points)
        told[t] = feedback_of(learner, row, points[-1])
        for k in arrived[t]:
            player.tell(told[k], round=k)
    return np.array(points), player


def naive(base, first, growth, delays, rows, initial=None):
    """A list of players, one a phase; nobody is told of another one's rounds."""
    arrived, told, owner, points = arrivals_by_round(delays), {}, {}, []
    for phase, length in enumerate(lengths(first, growth)):
        player, start = base.start(initial), len(points)
        for t in range(start + 1, min(start + length, len(rows)) + 1):
            points.append(player.ask(context_for(base, t)).points)
            told[t], owner[t] = feedback_of(base, rows[t - 1], points[-1]), phase
            for k in arrived[t]:
                if owner[k] == phase:
                    player.tell(told[k], round=k - start)
        if len(points) == len(rows):
            return np.array(points)
    raise AssertionError("phases end")


def rows_of(seed, rounds):
    return np.random.default_rng(seed).uniform(-3.0, 3.0, (rounds, DIM + 1))


DELAYS = st.lists(st.one_of(st.integers(1, 4), st.integers(1, 40), st.just(10**6)), min_size=1, max_size=40)


@pytest.mark.parametrize("name", BASES)
@given(DELAYS, st.integers(1, 12), st.sampled_from([1.0, 1.1, 1.5, 2.0, 1e50]), st.integers(0, 99))
@settings(max_examples=8, deadline=None)
def test_every_phase_is_a_player_of_its_own(name, delays, first, growth, seed):
    rows = rows_of(seed, len(delays))
    ours, _ = played(bl.restarting(BASES[name], first, growth), delays, rows)
    assert ours.tobytes() == naive(BASES[name], first, growth, delays, rows).tobytes()


@pytest.mark.parametrize("name", BASES)
def test_bursts_that_reach_back_into_earlier_phases(name):
    """All of 28 rounds comes at once, for which room must be made; phases end within, between and beyond them."""
    delays, rows = [28 - t % 28 for t in range(70)], rows_of(1, 70)
    for first, growth in [(5, 1.0), (6, 1.0), (28, 1.0), (29, 1.0), (3, 2.0)]:
        ours, _ = played(bl.restarting(BASES[name], first, growth), delays, rows)
        assert ours.tobytes() == naive(BASES[name], first, growth, delays, rows).tobytes()


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("growth", [1.0, 2.0])
def test_a_phase_that_does_not_end_is_the_base(name, growth):
    delays, rows = [3, 1, 4, 1, 5, 9, 2, 6] * 5, rows_of(2, 40)
    ours, _ = played(bl.restarting(BASES[name], 40, growth), delays, rows)
    assert ours.tobytes() == played(BASES[name], delays, rows)[0].tobytes()


def test_every_phase_begins_at_the_first_decision_that_was_given():
    start, rows = [0.1, -0.2, 0.3], rows_of(3, 30)
    ours, _ = played(bl.restarting(BASES["dogd_sc"], 2, 2.0), [1] * 30, rows, start)
    begins = [0, 2, 6, 14]
    assert (ours[begins, 0] == start).all()
    others = np.setdiff1d(np.arange(30), begins)
    assert (np.abs(ours[others, 0] - start).max(axis=1) > 0).all()
    assert ours.tobytes() == naive(BASES["dogd_sc"], 2, 2.0, [1] * 30, rows, start).tobytes()


def test_phases_with_a_growth_that_is_not_whole():
    assert list(itertools.islice(lengths(1, 1.5), 5)) == [1, 1, 2, 4, 5]
    player = bl.restarting(BASES["dogd_sc"], 1, 1.5).start()
    phases = []
    for _ in range(13):
        number = player.ask().round
        phases.append(int(player.state()["policy.phase"][0]))
        player.tell([0.0] * DIM, round=number)
    assert phases == [0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4]


def test_perturbations_go_on_from_phase_to_phase():
    """A phase is a run of the base that draws from where the last one ended, not the same draws again."""
    base = bl.one_point_dda(BALL, lipschitz=2.0, bound=4.0, probe_radius=0.2)
    rows = rows_of(4, 24)
    ours, _ = played(bl.restarting(base, 8, 1.0), [2] * 24, rows)
    rng, interface, expected = streams.learner(0), base.interface, []
    for start in range(0, 24, 8):
        state, ledger, memos, told = begin(base.policy, base.decision_domain.centre), Ledger(), {}, {}
        for t in range(start, start + 8):
            ledger, points = after_play(ledger), np.empty((1, DIM))
            memos[t], scratch = np.empty(interface.memo_size), np.empty(interface.scratch_size)
            play(base.policy, state, ledger, Desk(rng, scratch, points, memos[t]))
            expected.append(points)
            told[t] = feedback_of(base, rows[t], points)
            ledger = after_arrivals(ledger, int(t > start))
            if t > start:
                receive(base.policy, state, ledger, told[t - 1], memos[t - 1], scratch)
            settle(base.policy, state, ledger)
    assert ours.tobytes() == np.array(expected).tobytes()


def test_by_hand():
    player = bl.restarting(bl.ogd_sc(bl.Box([-9.0], [9.0]), strong_convexity=1.0), first=2).start([1.0])
    decisions = []
    for told in ([1], [2], [], [3, 4], [5], []):
        decisions.append(float(player.ask().point[0]))
        for number in told:
            player.tell([3.0], round=number)
    # Round 2 comes at the end of its phase. Rounds 3 and 4 come together, in the second round of theirs.
    assert decisions == [1.0, -2.0, 1.0, 1.0, -2.0, -3.0]


def test_room_for_arrivals_is_made_only_as_the_phase_needs_it():
    _, player = played(bl.restarting(BASES["dogd_sc"], 10, 1.0), [10**6] * 300, rows_of(5, 300))
    assert len(player.state()["policy.aside.feedback"]) == 16
    _, player = played(bl.restarting(BASES["dogd_sc"], 100, 1.0), [10**6] * 100, rows_of(5, 100))
    assert len(player.state()["policy.aside.feedback"]) == 128


def takes_earlier_phases(monkeypatch):
    def lenient(policy, state, ledger, feedback, memo, scratch):
        aside.put_aside(state.aside, feedback, memo)

    monkeypatch.setitem(restart.receive.implementations, restart.Restart, lenient)
    monkeypatch.delitem(restart.oldest_wanted.implementations, restart.Restart)  # or the player does not hand it over


def keeps_the_state(monkeypatch):
    monkeypatch.setattr(restart, "overwrite", lambda state, source: None)


def begins_a_round_late(monkeypatch):
    def late(policy, state, ledger):
        restart.settle_restart(policy, state, ledger._replace(round=ledger.round - 1))

    monkeypatch.setitem(restart.settle.implementations, restart.Restart, late)


def keeps_the_ledger(monkeypatch):
    def settled(policy, state, ledger):
        before = state.counts.copy()
        phase = int(state.phase[0])
        restart.settle_restart(policy, state, ledger)
        if state.phase[0] > phase:
            state.counts[:] = before

    monkeypatch.setitem(restart.settle.implementations, restart.Restart, settled)


def counts_arrivals_as_they_come(monkeypatch):
    def one_by_one(held, base, state, ledger):
        number = int(held.number[0])
        for i in range(number):
            seen = ledger._replace(arrived=i + 1, received=ledger.received - number + i + 1)
            receive(base, state, seen, held.feedback[i], held.memos[i], held.scratch)
        settle(base, state, ledger)
        held.number[0] = 0

    monkeypatch.setattr(restart, "hand_over", one_by_one)


@pytest.mark.parametrize(
    "bug",
    [takes_earlier_phases, keeps_the_state, begins_a_round_late, keeps_the_ledger, counts_arrivals_as_they_come],
)
def test_wrong_restarts_are_noticed(bug, monkeypatch):
    delays, rows, base = [3, 1, 4, 1, 5, 2, 6] * 5, rows_of(6, 35), BASES["one that moves once a feedback"]
    expected = naive(base, 8, 1.0, delays, rows).tobytes()
    assert played(bl.restarting(base, 8, 1.0), delays, rows)[0].tobytes() == expected
    bug(monkeypatch)
    assert played(bl.restarting(base, 8, 1.0), delays, rows)[0].tobytes() != expected


def test_what_is_refused():
    with pytest.raises(InvalidArgument, match=r"`restarting\(first=0\)`: must be >= 1"):
        bl.restarting(BASES["dogd_sc"], first=0)
    with pytest.raises(InvalidArgument, match=r"`restarting\(growth=0.5\)`: must be >= 1"):
        bl.restarting(BASES["dogd_sc"], first=3, growth=0.5)
    for wrong in ("dogd_sc", bl.skipping(BASES["dogd_sc"]), bl.restarting(BASES["dogd_sc"], first=3)):
        with pytest.raises(InvalidArgument, match=r"`restarting\(base="):
            bl.restarting(wrong, first=3)
