"""Langford's slow learner: against its formula, its two undelayed limits, and what it does off its assumption."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.domains import Ball, Box, Euclidean
from belated.learners.algorithms.langford import LatePerRound, langford
from belated.learners.verbs import inverse_rate
from support.runs import arrivals_by_round
from support.strategies import delay_sequences, domains, seeds
from support.told import decisions, quadratic

ROUNDS, L, BETA = 14, 3.0, 2.0
bounded = st.integers(2, 6).flatmap(lambda dim: domains(dim, bounded=True))
EXAMPLES = 25
magnitudes = st.sampled_from([0.3, 1.0, 20.0])


def rows_of(seed, dim, magnitude=1.0):
    return np.random.default_rng(seed).uniform(-1, 1, (ROUNDS, dim)) * magnitude


def published(gradient, delay, domain, eta):
    """x_{t+1} = Pi(x_t - eta(t) g_{t - tau}), one gradient a round from round tau + 1 on."""
    tau, xs, g = delay - 1, [np.array(domain.centre)], {}
    for t in range(1, ROUNDS + 1):
        x = xs[-1]
        g[t] = gradient(t, x)
        xs.append(domain.project(x - eta(t) * g[t - tau]) if t > tau else x)
    return np.array(xs)


def agrees(domain, delay, rows, lipschitz=None, strong_convexity=None):
    tau = delay - 1
    if lipschitz is None:
        eta = lambda t: 1.0 / (strong_convexity * (t - tau))  # noqa: E731  # a formula, beside its twin
    else:
        sigma = np.sqrt(domain.diameter**2 / 2 / (2 * tau * lipschitz**2))
        eta = lambda t: sigma / np.sqrt(t - tau)  # noqa: E731  # a formula, beside its twin
    learner = langford(domain, delay, lipschitz, strong_convexity)
    ours = decisions(learner, quadratic(rows), [delay] * ROUNDS)
    return np.allclose(ours, published(quadratic(rows), delay, domain, eta), rtol=0.0, atol=1e-10)


@settings(max_examples=EXAMPLES)
@given(bounded, st.integers(2, 6) | st.just(ROUNDS + 5), seeds, magnitudes)
def test_the_rate_for_convex_losses_is_the_published_one(domain, delay, seed, magnitude):
    assert agrees(domain, delay, rows_of(seed, domain.dim, magnitude), lipschitz=L)


@settings(max_examples=EXAMPLES)
@given(st.integers(2, 6).flatmap(domains), st.integers(1, 6) | st.just(ROUNDS + 5), seeds, magnitudes)
def test_the_rate_for_strongly_convex_losses_is_the_published_one(domain, delay, seed, magnitude):
    assert agrees(domain, delay, rows_of(seed, domain.dim, magnitude), strong_convexity=BETA)


@settings(max_examples=EXAMPLES)
@given(bounded, seeds, magnitudes)
def test_without_delay_it_is_ogd_and_ogd_sc_exactly(domain, seed, magnitude):
    gradient, now = quadratic(rows_of(seed, domain.dim, magnitude)), [1] * ROUNDS
    for ours, theirs in [
        (langford(domain, 1, lipschitz=L), bl.ogd(domain, L)),
        (langford(domain, 1, strong_convexity=BETA), bl.ogd_sc(domain, BETA)),
    ]:
        assert np.array_equal(decisions(ours, gradient, now), decisions(theirs, gradient, now))


@settings(max_examples=EXAMPLES)
@given(delay_sequences(ROUNDS), st.integers(1, 6), seeds)
def test_off_its_assumption_it_is_one_step_by_the_sum_at_the_rate_of_the_round(delays, delay, seed):
    box, arrived, told = Box.example(3), arrivals_by_round(delays), {}
    gradient = quadratic(rows_of(seed, 3, 5.0))
    seen = decisions(langford(box, delay, strong_convexity=BETA), gradient, delays)
    x = np.array(box.centre)
    for t in range(1, ROUNDS + 1):
        np.testing.assert_allclose(seen[t - 1], x, rtol=0.0, atol=1e-10)
        told[t] = gradient(t, x)
        if arrived[t]:
            h = BETA * max(1, t - (delay - 1))
            x = box.project(x - sum(told[k] for k in arrived[t]) / h)


def test_a_trajectory_by_hand():
    """In [-1, 1] with tau = 1, L = 1: Dm = 2, eta_t = 1 / sqrt(t - 1). f(x) = (x - 1/2)^2 / 2 from 0."""
    player = langford(Box([-1.0], [1.0]), delay=2, lipschitz=1.0).start([0.0])
    fourth = 0.5 + 0.5 / np.sqrt(2.0)
    told = []
    for t, expected in enumerate([0.0, 0.0, 0.5, fourth, fourth], start=1):
        x = player.ask().point[0]
        assert x == pytest.approx(expected, abs=1e-15)
        told.append(x - 0.5)
        if t > 1:
            player.tell([told[t - 2]])


def test_the_witness_catches_a_rate_that_is_one_round_off(monkeypatch):
    rows = rows_of(0, 3)
    assert agrees(Ball(3), 4, rows, strong_convexity=BETA)
    off = lambda rate, ledger: rate.strong_convexity * (ledger.round - rate.lag + 1)  # noqa: E731  # the mutant
    monkeypatch.setitem(inverse_rate.implementations, LatePerRound, off)
    assert not agrees(Ball(3), 4, rows, strong_convexity=BETA)


def test_what_is_refused():
    for given_ones in ({}, {"lipschitz": 1.0, "strong_convexity": 1.0}):
        with pytest.raises(bl.errors.InvalidArgument, match=r"`langford\(lipschitz=.*\)`: give exactly one"):
            langford(Ball(2), 3, **given_ones)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`langford\(delay=0\)`: must be >= 1"):
        langford(Ball(2), 0, lipschitz=1.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`langford\(domain=.*\)`: must be bounded"):
        langford(Euclidean(2), 2, lipschitz=1.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`langford\(strong_convexity=-1.0\)`: must be > 0"):
        langford(Euclidean(2), 2, strong_convexity=-1.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`langford\(domain=2\)`"):
        langford(2, 2, lipschitz=1.0)
