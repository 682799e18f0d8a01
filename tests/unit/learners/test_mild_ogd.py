"""Mild-OGD against separate descents and weights by multiplication, its reductions, and mutants."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.errors import InvalidArgument
from belated.learners.algorithms.dogd import dogd
from belated.learners.algorithms.mild_ogd import mild_ogd
from belated.learners.parts.wrappers import experts
from support.naive import rounds_arriving
from support.shares import decisions_of, mixed_delays
from support.strategies import delay_sequences, domains, seeds

LIPSCHITZ, ROUNDS = 3.0, 12


def naive_mild_ogd(gradient, delays, domain, start, lipschitz, rounds):
    """A list of experts; the weights of each round afresh from all gradients received."""
    count = 1 + math.ceil(math.log2(rounds))
    rates = [2 ** (i - 1) * domain.diameter / (lipschitz * rounds) for i in range(1, count + 1)]
    prior = np.array([1 / (i * (i + 1)) for i in range(1, count + 1)])
    where, history, g, received, xs, missing, charge = [np.array(start)] * count, {}, {}, [], [], 0, 0
    for t in range(1, len(delays) + 2):
        charge += 1 + 2 * missing
        weight = lipschitz * domain.diameter / 2 * math.sqrt(charge)
        lost = np.array([sum(g[k] @ history[k][i] for k in received) for i in range(count)])
        odds = prior * np.exp(-(lost - lost.min()) / weight)
        xs.append((odds / odds.sum()) @ np.array(where))
        if t <= len(delays):
            history[t], g[t] = list(where), gradient(t, xs[-1])
            for k in rounds_arriving(delays, t):
                received.append(k)
                where = [domain.project(x - rate * g[k]) for x, rate in zip(where, rates, strict=True)]
            missing = t - len(received)
    return np.array(xs)


def gap(domain, delays, seed):
    rows = np.random.default_rng(seed).normal(0, 3, (len(delays) + 1, domain.dim))

    def gradient(t, x):
        return rows[t] + x

    ours = decisions_of(mild_ogd(domain, LIPSCHITZ, ROUNDS), gradient, delays)
    return np.abs(ours - naive_mild_ogd(gradient, delays, domain, domain.centre, LIPSCHITZ, ROUNDS)).max()


@settings(max_examples=40)
@given(domains(3, bounded=True), delay_sequences(ROUNDS), seeds)
def test_it_is_hedge_over_descents(domain, delays, seed):
    assert gap(domain, delays, seed) < 1e-10


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_in_other_dimensions(dim):
    delays = mixed_delays(np.random.default_rng(dim), 30)
    assert gap(bl.Box([-1.0] * dim, [0.5] * dim), delays, dim) < 1e-11


def judged_by_where_they_are_now(policy, state, ledger, feedback, memo, scratch):
    now = state.experts.arrivals.step.decision
    experts.receive_advice(policy, state, ledger, feedback, now.ravel().copy(), scratch)


def moved_by_the_first_only(policy, state, ledger, feedback, memo, scratch):
    now = state.experts.arrivals.step.decision
    before = now.copy()
    experts.receive_advice(policy, state, ledger, feedback, memo, scratch)
    if np.abs(before - before[0]).max() > 0:
        now[-1] = before[-1]


@pytest.mark.parametrize("mutant", [judged_by_where_they_are_now, moved_by_the_first_only])
def test_the_comparison_notices_wrong_experts(mutant, monkeypatch):
    monkeypatch.setitem(experts.receive.implementations, experts.Advice, mutant)
    assert gap(bl.Ball(3), mixed_delays(np.random.default_rng(0), 30), 0) > 1e-3


def test_with_one_round_to_play_there_is_one_expert_and_it_is_sequential_dogd():
    ball, rng = bl.Ball(3), np.random.default_rng(1)
    rows, delays = rng.normal(0, 1, (31, 3)), [3] * 30  # one comes at a time: a batch is a sequence
    ours = decisions_of(mild_ogd(ball, 4.0, 1), lambda t, x: rows[t] + x, delays)
    single = decisions_of(dogd(ball, rate=0.5), lambda t, x: rows[t] + x, delays)
    assert np.allclose(ours, single, rtol=0, atol=1e-14)


def test_every_expert_is_a_descent_of_its_own():
    ball, rng = bl.Ball(2), np.random.default_rng(2)
    rows = rng.normal(0, 1, (20, 2))
    player = mild_ogd(ball, 1.0, 8).start()
    singles = [dogd(ball, rate=rate).start() for rate in (0.25, 0.5, 1.0, 2.0)]
    for row in rows:
        play = player.ask()
        now = [single.ask().decision for single in singles]
        assert np.array_equal(player.state()["policy.decisions"], now)
        player.tell(row, round=play.round)
        for single in singles:
            single.tell(row)


def test_by_hand():
    player = mild_ogd(bl.Box([-1.0], [1.0]), lipschitz=2.0, rounds=2).start()  # rates 1/2 and 1, shares 3/4 and 1/4
    assert player.ask().point.tolist() == [0.0]
    player.tell([1.0], round=1)
    assert player.ask().point.tolist() == [-0.625], "-3/8 - 1/4: both had been at 0"
    assert player.ask().point.tolist() == [-0.625], "nothing came, and both have still lost the same"
    player.tell([-1.0], round=2)  # the experts were at -1/2 and -1; V_4 = 1 + 1 + 3 + 3; both move back to 0
    assert player.ask().point.tolist() == [0.0]
    player.tell([1.0], round=3)  # at -1/2 and -1 again: now both have lost 0; they go to -1/2 and -1
    assert player.ask().point == pytest.approx([-0.625], abs=1e-15)


def test_what_is_refused():
    with pytest.raises(InvalidArgument, match=r"`mild_ogd\(lipschitz=0.0\)`: must be > 0"):
        mild_ogd(bl.Ball(2), 0.0, 10)
    with pytest.raises(InvalidArgument, match=r"`mild_ogd\(rounds=0\)`: must be >= 1"):
        mild_ogd(bl.Ball(2), 1.0, 0)
    with pytest.raises(InvalidArgument, match=r"`mild_ogd\(domain=.*\)`: must be bounded"):
        mild_ogd(bl.Euclidean(2), 1.0, 10)
