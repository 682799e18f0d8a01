"""Diagonal AdaGrad: against its formula, and the identities that it has."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.domains import Box, Euclidean
from belated.learners.algorithms.adagrad import adagrad
from belated.learners.algorithms.adaptive_revision import adaptive_revision
from belated.learners.learner import from_arrivals
from belated.learners.parts.policies import arrivals
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.steps.diagonal import DiagonalDescent
from belated.learners.verbs import absorb, settle
from support.runs import arrivals_by_round
from support.strategies import delay_sequences, domains, seeds
from support.told import decisions, latest_first, quadratic

ROUNDS, SCALE = 12, 0.6
EXAMPLES = 15
magnitudes = st.sampled_from([0.3, 1.0, 20.0])


def rows_of(seed, dim, magnitude=1.0, rounds=ROUNDS):
    return np.random.default_rng(seed).uniform(-1, 1, (rounds, dim)) * magnitude


def naive(gradient, delays, domain, order=list):
    """A step for each arrival, by the root of all squares that have arrived, its own included."""
    x, came, arrived, told = np.array(domain.centre), [], arrivals_by_round(delays), {}
    seen = [x]
    for t in range(1, len(delays) + 1):
        told[t] = gradient(t, x)
        for k in order(arrived[t]):
            came.append(told[k])
            x = domain.project(x - SCALE * told[k] / np.sqrt(1e-20 + np.sum(np.square(came), axis=0)))
        seen.append(x)
    return np.array(seen)


def agrees(domain, delays, rows, order=list):
    ours = decisions(adagrad(domain, SCALE), quadratic(rows), delays, order=order)
    return np.allclose(ours, naive(quadratic(rows), delays, domain, order), rtol=0.0, atol=1e-10)


@settings(max_examples=EXAMPLES)
@given(st.integers(2, 6).flatmap(domains), delay_sequences(ROUNDS), seeds, magnitudes)
def test_it_is_the_published_step_for_each_arrival(domain, delays, seed, magnitude):
    rows = rows_of(seed, domain.dim, magnitude)
    assert agrees(domain, delays, rows)
    assert agrees(domain, delays, rows, latest_first)


@settings(max_examples=EXAMPLES)
@given(delay_sequences(ROUNDS), seeds)
def test_in_one_dimension_too(delays, seed):
    assert agrees(Box([-1.0], [2.0]), delays, rows_of(seed, 1, 5.0))


@settings(max_examples=EXAMPLES)
@given(seeds, magnitudes)
def test_without_delay_and_with_one_under_the_root_it_is_adaptive_revision_exactly(seed, magnitude):
    rows = quadratic(rows_of(seed, 3, magnitude))
    ours = from_arrivals("with one", Euclidean(3), Sequential(DiagonalDescent(Euclidean(3), SCALE, 1.0)))
    theirs = adaptive_revision(Euclidean(3), SCALE)
    assert np.array_equal(decisions(ours, rows, [1] * ROUNDS), decisions(theirs, rows, [1] * ROUNDS))


@settings(max_examples=EXAMPLES)
@given(delay_sequences(ROUNDS), seeds, st.sampled_from([2.0**-5, 8.0, 2.0**40]))
def test_the_size_of_gradients_does_not_matter(delays, seed, factor):
    """Beyond eps, that is; what is told does not depend on the decisions here."""
    rows, box = rows_of(seed, 3), Box.example(3)
    one = decisions(adagrad(box, SCALE), lambda k, x: rows[k - 1], delays)
    other = decisions(adagrad(box, SCALE), lambda k, x: factor * rows[k - 1], delays)
    np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-6)


@settings(max_examples=EXAMPLES)
@given(seeds)
def test_on_a_box_the_projection_is_the_one_in_the_norm_of_the_rates(seed):
    """x_{t+1} = argmin <g, x> + sum_i sqrt(S_i) / (2 a) (x_i - x_{t,i})^2: no other element is lower."""
    box, rows, rng = Box.example(3), rows_of(seed, 3, 5.0), np.random.default_rng(seed)
    seen = decisions(adagrad(box, SCALE), lambda k, x: rows[k - 1], [1] * ROUNDS)
    squares = 1e-20 + np.cumsum(rows**2, axis=0)
    for t in range(ROUNDS):

        def model(x, t=t):
            return x @ rows[t] + ((x - seen[t]) ** 2) @ np.sqrt(squares[t]) / (2 * SCALE)

        for other in box.lower + rng.uniform(0, 1, (20, 3)) * (box.upper - box.lower):
            assert model(seen[t + 1]) <= model(other) + 1e-12


def river(gradients, lr, eps):
    """As river's documentation has it: g2 += g^2, w -= lr / sqrt(g2 + eps) g, from zero."""
    w, g2, seen = np.zeros(gradients.shape[1]), np.zeros(gradients.shape[1]), []
    for g in gradients:
        seen.append(w)
        g2 = g2 + g**2
        w = w - lr / np.sqrt(g2 + eps) * g
    return np.array([*seen, w])


@pytest.mark.parametrize("eps", [1e-8, 0.5])
def test_it_is_what_river_does(eps):
    rows = rows_of(5, 4, 2.0) * np.array([1.0, 1e-4, 0.0, 30.0])
    ours = decisions(adagrad(Euclidean(4), 0.3, eps=eps), lambda k, x: rows[k - 1], [1] * ROUNDS)
    assert np.abs(ours - river(rows, 0.3, eps)).max() < 1e-13
    assert np.abs(ours - river(rows, 0.3, 3.0 * eps)).max() > 1e-3, "the comparison has power"


def test_a_trajectory_by_hand():
    """Gradients 3, 4 and 0 in [-1, 1] with a = 1/2: steps 1/2, (4/5)/2 and none; then 12, which has 12/13."""
    player = adagrad(Box([-1.0], [1.0]), scale=0.5).start()
    told = iter([3.0, 4.0, 0.0, 12.0])
    for expected in (0.0, -0.5, -0.9, -0.9, -1.0):
        assert player.ask().point[0] == pytest.approx(expected, abs=1e-15)
        player.tell([next(told, 0.0)])


def test_a_coordinate_without_gradients_stays():
    start = np.array([0.3, -0.2])
    seen = decisions(adagrad(Box([-1, -1], [1, 1]), 0.5), lambda k, x: np.array([0.0, 1.0]), [1] * 5, initial=start)
    assert (seen[:, 0] == 0.3).all()
    assert seen[-1, 1] == -1.0


def test_the_witness_catches_one_step_by_the_sum(monkeypatch):
    """The mutant: what comes together is one gradient."""
    rows, delays = rows_of(0, 3), [3, 2, 1] * 4
    assert agrees(Euclidean(3), delays, rows)
    waiting = []
    monkeypatch.setitem(absorb.implementations, Sequential, lambda rule, state, ledger, g: waiting.append(g.copy()))

    def settle_by_the_sum(rule, state, ledger):
        if waiting:
            arrivals.absorb_sequential(rule, state, ledger, np.sum(waiting, axis=0))
            waiting.clear()

    monkeypatch.setitem(settle.implementations, Sequential, settle_by_the_sum)
    assert not agrees(Euclidean(3), delays, rows)


def test_what_is_refused():
    with pytest.raises(bl.errors.InvalidArgument, match=r"`adagrad\(scale=0.0\)`: must be > 0"):
        adagrad(Euclidean(2), 0.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`adagrad\(eps=0.0\)`: must be > 0"):
        adagrad(Euclidean(2), 1.0, eps=0.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`adagrad\(domain=2\)`"):
        adagrad(2, 1.0)
