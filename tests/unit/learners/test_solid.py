"""SOLID: its decisions are those of its base, told the same feedback one by one and without delay."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.ledger import COUNTS, Ledger, after_arrivals, after_play, read_ledger, write_ledger
from belated.domains import Ball, Box
from belated.learners.algorithms.adagrad import adagrad
from belated.learners.algorithms.adaptive_revision import adaptive_revision
from belated.learners.algorithms.bdogd_sc_two_point import bdogd_sc_two_point
from belated.learners.algorithms.bold import bold
from belated.learners.algorithms.composite_ftrl import composite_ftrl
from belated.learners.algorithms.dda import dda
from belated.learners.algorithms.dogd import dogd
from belated.learners.algorithms.dogd_sc import dogd_sc
from belated.learners.algorithms.ftdl import ftdl
from belated.learners.algorithms.ftrl_proximal import ftrl_proximal
from belated.learners.algorithms.ogd import ogd
from belated.learners.algorithms.ogd_sc import ogd_sc
from belated.learners.algorithms.solid import solid
from belated.learners.parts.rates import count_adaptive
from belated.learners.parts.wrappers.replay import Replay, receive_replay
from belated.learners.verbs import receive, settle
from support.runs import arrivals_by_round
from support.strategies import delay_sequences, seeds
from support.told import arrival_order, decisions, latest_first, quadratic

ROUNDS = 12
BOX = Box.example(3)
ANONYMOUS = {
    "ogd": ogd(BOX, 2.0),
    "ogd_sc": ogd_sc(BOX, 2.0),
    "dogd": dogd(BOX, 0.2),
    "dogd, count-adaptive": dogd(BOX, count_adaptive(BOX, 2.0)),
    "dogd_sc": dogd_sc(BOX, 2.0),
    "adagrad": adagrad(BOX, 0.5),
    "ftrl_proximal": ftrl_proximal(BOX, 0.5),
    "dda": dda(BOX, 2.0),
    "composite_ftrl": composite_ftrl(BOX, 0.5, lipschitz=2.0),
}
GRADIENT = ANONYMOUS | {"ftdl": ftdl(BOX, 2.0), "adaptive_revision": adaptive_revision(BOX, 0.5)}
magnitudes = st.sampled_from([1.0, 20.0])


def rows_of(seed, magnitude=1.0):
    return np.random.default_rng(seed).uniform(-1, 1, (ROUNDS, 3)) * magnitude


@pytest.mark.parametrize("name", GRADIENT)
@settings(max_examples=5)
@given(seed=seeds, magnitude=magnitudes)
def test_without_delay_it_is_the_base_exactly(name, seed, magnitude):
    gradient, now = quadratic(rows_of(seed, magnitude)), [1] * ROUNDS
    assert np.array_equal(decisions(solid(GRADIENT[name]), gradient, now), decisions(GRADIENT[name], gradient, now))


def replayed(base, gradient, delays, order=list):
    """SOLID's decisions, and those of the base after as many feedbacks, told the same one by one and without delay."""
    told = {}

    def noted(k, x):
        told[k] = gradient(k, x)
        return told[k]

    seen = decisions(solid(base), noted, delays, order=order)
    ordered, received = arrival_order(delays, order)
    life = decisions(base, lambda s, x: told[ordered[s - 1]], [1] * len(ordered))
    return seen, life[[0, *received]]


@pytest.mark.parametrize("name", ANONYMOUS)
@settings(max_examples=8)
@given(delays=delay_sequences(ROUNDS), seed=seeds, magnitude=magnitudes)
def test_it_plays_what_the_base_plays_after_as_many_rounds_without_delay(name, delays, seed, magnitude):
    seen, life = replayed(ANONYMOUS[name], quadratic(rows_of(seed, magnitude)), delays)
    assert np.array_equal(seen, life)


def test_the_order_in_which_things_are_told_is_that_of_the_life():
    delays, gradient = [3, 2, 1] * 4, quadratic(rows_of(0, 20.0))
    orders = [replayed(ogd_sc(BOX, 2.0), gradient, delays, order) for order in (list, latest_first)]
    assert all(np.array_equal(*pair) for pair in orders)
    assert not np.allclose(orders[0][0], orders[1][0])


@pytest.mark.parametrize("name", ["adagrad", "ftrl_proximal"])
@settings(max_examples=10)
@given(delays=delay_sequences(ROUNDS), seed=seeds)
def test_a_base_that_looks_at_no_count_and_takes_a_step_each_is_left_as_it_is(name, delays, seed):
    gradient = quadratic(rows_of(seed, 5.0))
    assert np.array_equal(
        decisions(solid(ANONYMOUS[name]), gradient, delays), decisions(ANONYMOUS[name], gradient, delays)
    )


@settings(max_examples=10)
@given(delay_sequences(ROUNDS), seeds)
def test_twice_is_once(delays, seed):
    gradient, once = quadratic(rows_of(seed)), solid(dogd_sc(BOX, 2.0))
    assert np.array_equal(decisions(solid(once), gradient, delays), decisions(once, gradient, delays))


@settings(max_examples=10)
@given(delay_sequences(ROUNDS), seeds)
def test_a_base_that_needs_the_round_is_given_its_own_memo(delays, seed):
    """FTDL takes each gradient for a bowl about the decision that it belongs to, however late that is."""
    rows, arrived, told, points = rows_of(seed), arrivals_by_round(delays), {}, []
    seen = decisions(solid(ftdl(BOX, 2.0)), quadratic(rows), delays)
    x, came = np.array(BOX.centre), []
    for t in range(1, ROUNDS + 1):
        np.testing.assert_allclose(seen[t - 1], x, rtol=0.0, atol=1e-9)
        points.append(x)
        told[t] = 2.0 * x + rows[t - 1]
        came += arrived[t]
        if came:
            x = BOX.project(np.mean([points[k - 1] - told[k] / 2.0 for k in came], axis=0))


def test_an_estimator_draws_anew_for_every_round():
    ball, f = Ball(3), np.array([1.0, -2.0, 0.5])
    player, base = solid(bdogd_sc_two_point(ball, 2.0, 0.05)).start(seed=3), bdogd_sc_two_point(ball, 2.0, 0.05)
    plays = [player.ask() for _ in range(4)]
    assert len({play.points.tobytes() for play in plays}) == 4
    direct = base.start(seed=3)
    for play in plays:
        assert np.array_equal(direct.ask().points, play.points)
    for play in plays[:1]:
        player.tell(play.points @ f, round=play.round)
        direct.tell(play.points @ f, round=play.round)
    assert np.array_equal(player.ask().points, direct.ask().points)


@settings(max_examples=10)
@given(delay_sequences(ROUNDS))
def test_the_ledger_of_the_base_is_that_of_a_run_without_delay(delays):
    player, arrived = solid(ogd_sc(BOX, 2.0)).start(), arrivals_by_round(delays)
    life = after_play(Ledger())
    for t in range(1, ROUNDS + 1):
        player.ask()
        state = player.state()
        assert read_ledger(state["policy.counts"]) == life
        for k in arrived[t]:
            player.tell(np.zeros(3), round=k)
            life = after_play(after_arrivals(life, 1))


def test_a_trajectory_by_hand():
    """OGD-SC with beta = 1 in [-1, 1]: rounds 1 to 3 arrive together; steps 1, 1/2 and 1/3, the first is clipped."""
    player = solid(ogd_sc(Box([-1.0], [1.0]), 1.0)).start()
    for _ in range(3):
        assert player.ask().point[0] == 0.0
    for gradient in (3.0, -1.0, 0.75):
        player.tell([gradient])
    assert player.ask().point[0] == -0.75


def with_the_delayed_ledger(policy, state, ledger, feedback, memo, scratch):
    """The mutant: the base sees how many rounds were really played."""
    receive(policy.base, state.base, ledger, feedback, memo, scratch)
    settle(policy.base, state.base, ledger)
    write_ledger(after_play(ledger), state.counts)


def without_the_next_round(policy, state, ledger, feedback, memo, scratch):
    """The mutant: the base's round is never over."""
    kept = np.empty(COUNTS, dtype=np.int64)
    kept[:] = state.counts
    receive_replay(policy, state, ledger, feedback, memo, scratch)
    state.counts[:] = kept


@pytest.mark.parametrize("mutant", [with_the_delayed_ledger, without_the_next_round])
def test_the_identity_catches_a_mutant(monkeypatch, mutant):
    gradient, delays, base = quadratic(rows_of(0)), [3, 1, 2, 5] * 3, ogd_sc(BOX, 2.0)
    assert np.array_equal(*replayed(base, gradient, delays))
    monkeypatch.setitem(receive.implementations, Replay, mutant)
    assert not np.allclose(*replayed(base, gradient, delays))


def test_what_is_refused():
    with pytest.raises(bl.errors.InvalidArgument, match=r"`solid\(base=.*\)`: must be a learner"):
        solid(Ball(2))
    with pytest.raises(bl.errors.InvalidArgument, match=r"`solid\(base=.*\)`: must be a learner whose memory"):
        solid(bold(ogd_sc(Ball(2), 2.0)))
