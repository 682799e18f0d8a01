"""Hedge against the textbook formula, its limits, and a mutant."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.errors import InvalidArgument
from belated.learners.algorithms.hedge import hedge
from belated.learners.parts.steps import entropy
from support.naive import rounds_arriving
from support.shares import decisions_of, mixed_delays
from support.strategies import delay_sequences, seeds

CASES = [(bl.Simplex(n, total, floor / n), seed) for n, total, floor, seed in
         [(2, 1.0, 0.0, 0), (3, 1.0, 0.0, 1), (5, 2.0, 0.3, 2), (6, 1.0, 0.9, 3)]]  # fmt: skip


def naive_hedge(gradient, delays, domain, start):
    """Weights by multiplication, counted from the delays, over the corners as points."""
    n, spare = domain.dim, domain.total - domain.dim * domain.floor
    corners = domain.floor + spare * np.eye(n)
    prior = (start - domain.floor) / spare
    x, xs, g, received, weight, missing = np.array(start), [np.array(start)], {}, [], 1, 0
    for t in range(1, len(delays) + 1):
        g[t] = gradient(t, x)
        arrived = rounds_arriving(delays, t)
        received += arrived
        missing += 1 - len(arrived)
        weight += 1 + 2 * missing
        eta = math.sqrt(math.log(n) / weight) / spare  # the loss of a corner is spare times as wide
        odds = prior.copy()
        for k in received:
            odds = odds * np.exp(-eta * (corners @ g[k]))
            odds /= odds.sum()
        x = odds @ corners if received else x
        xs.append(x)
    return np.array(xs)


def example(domain, seed, rounds=40):
    rng = np.random.default_rng(seed)
    rows = rng.uniform(0, 1, (rounds + 1, domain.dim))
    start = domain.floor + (domain.total - domain.dim * domain.floor) * rng.dirichlet(np.ones(domain.dim))
    return (lambda t, x: rows[t] + 0.1 * x), mixed_delays(rng, rounds), start


def gap(domain, seed, given_delays=None):
    gradient, delays, start = example(domain, seed)
    delays = given_delays or delays
    ours = decisions_of(hedge(domain), gradient, delays, start)
    return np.abs(ours - naive_hedge(gradient, delays, domain, start)).max()


@pytest.mark.parametrize(("domain", "seed"), CASES)
def test_it_is_exponential_weights_over_the_corners(domain, seed):
    assert gap(domain, seed) < 1e-12


@settings(max_examples=30)
@given(delay_sequences(9), seeds)
def test_whatever_the_delays(delays, seed):
    assert gap(bl.Simplex(3), seed, delays) < 1e-12


def test_the_comparison_notices_a_rate_that_rests_when_nothing_arrives(monkeypatch):
    monkeypatch.setitem(entropy.rest.implementations, entropy.Entropic, lambda step, state, ledger: None)
    monkeypatch.setitem(
        entropy.move.implementations,
        entropy.Entropic,
        lambda step, state, ledger, gradient: (
            np.add(state.linear, gradient, out=state.linear),
            entropy.follow_entropic(step, state, ledger),
        ),
    )
    assert min(gap(domain, seed) for domain, seed in CASES) > 1e-4


def test_without_delay_the_rate_is_that_of_the_round():
    rows = np.random.default_rng(4).uniform(0, 1, (31, 4))
    ours = decisions_of(hedge(bl.Simplex(4)), lambda t, x: rows[t - 1], [1] * 30)
    for t in range(1, 31):
        odds = np.exp(-math.sqrt(math.log(4) / (t + 1)) * rows[:t].sum(axis=0))
        assert np.allclose(ours[t], odds / odds.sum(), rtol=0, atol=1e-14)


def test_by_hand():
    player = hedge(bl.Simplex(2)).start([0.25, 0.75])
    assert player.ask().point.tolist() == [0.25, 0.75]
    assert player.ask().point.tolist() == [0.25, 0.75], "nothing has arrived"
    player.tell([0.0, 2.0])  # V_3 = 1 + 3 + 3: one of two is still missing
    odds = 0.25, 0.75 * math.exp(-2 * math.sqrt(math.log(2) / 7))
    assert player.ask().point == pytest.approx([odds[0] / sum(odds), odds[1] / sum(odds)], abs=1e-15)
    odds = 0.25, 0.75 * math.exp(-2 * math.sqrt(math.log(2) / 12))  # V_4 = 7 + 5, and nobody came
    assert player.ask().point == pytest.approx([odds[0] / sum(odds), odds[1] / sum(odds)], abs=1e-15)


def test_a_corner_without_a_share_never_gets_one_and_huge_losses_do_no_harm():
    player = hedge(bl.Simplex(3)).start([0.5, 0.5, 0.0])
    player.ask()
    player.tell([1e90, 2e90, -1e90])
    assert player.ask().point.tolist() == [1.0, 0.0, 0.0]


def test_only_a_simplex_will_do():
    with pytest.raises(InvalidArgument, match=r"`hedge\(domain=Ball.*\)`: must be a Simplex"):
        hedge(bl.Ball(3))
