"""FTRL-Proximal: against the minimum that defines it, and the identities that it has."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.domains import Ball, Box, Euclidean, Simplex
from belated.learners.algorithms.adagrad import adagrad
from belated.learners.algorithms.ftrl_proximal import ftrl_proximal
from belated.learners.parts.steps.diagonal import Proximal, move_proximal
from belated.learners.verbs import move
from support.runs import arrivals_by_round
from support.strategies import delay_sequences, seeds
from support.told import decisions, latest_first, quadratic

ROUNDS, SCALE, EPS = 12, 0.6, 1e-20
dims = st.integers(1, 6)
separable = dims.map(Box.example) | dims.map(Euclidean)
EXAMPLES = 25
magnitudes = st.sampled_from([0.3, 1.0, 20.0])


def rows_of(seed, dim, magnitude=1.0):
    return np.random.default_rng(seed).uniform(-1, 1, (ROUNDS, dim)) * magnitude


def lowest(domain, gradients, bowls, centers):
    """The minimum of sum <g_s, x> + bowl_s (x - center_s)^2 / 2: where the slope vanishes, or the nearer end."""
    free = (np.sum(np.multiply(bowls, centers), axis=0) - np.sum(gradients, axis=0)) / np.sum(bowls, axis=0)
    return domain.project(free)


def naive(gradient, delays, domain, order=list):
    """All gradients and bowls are kept, and the minimum is worked out anew for each arrival."""
    x, arrived, told = np.array(domain.center), arrivals_by_round(delays), {}
    gradients, bowls, centers, seen = [np.zeros(domain.dim)], [np.full(domain.dim, np.sqrt(EPS) / SCALE)], [x], [x]
    for t in range(1, len(delays) + 1):
        told[t] = gradient(t, x)
        for k in order(arrived[t]):
            gradients.append(told[k])
            inverse_rate = np.sqrt(EPS + np.sum(np.square(gradients), axis=0)) / SCALE
            bowls.append(inverse_rate - np.sum(bowls, axis=0))
            centers.append(x)
            x = lowest(domain, gradients, bowls, centers)
        seen.append(x)
    return np.array(seen)


def agrees(domain, delays, rows, order=list):
    ours = decisions(ftrl_proximal(domain, SCALE), quadratic(rows), delays, order=order)
    return np.allclose(ours, naive(quadratic(rows), delays, domain, order), rtol=0.0, atol=1e-9)


@settings(max_examples=EXAMPLES)
@given(separable, delay_sequences(ROUNDS), seeds, magnitudes)
def test_it_is_the_minimum_of_what_came_and_the_bowls(domain, delays, seed, magnitude):
    rows = rows_of(seed, domain.dim, magnitude)
    assert agrees(domain, delays, rows)
    assert agrees(domain, delays, rows, latest_first)


@settings(max_examples=EXAMPLES)
@given(dims, delay_sequences(ROUNDS), seeds, magnitudes)
def test_in_the_whole_space_it_is_adagrad(dim, delays, seed, magnitude):
    gradient, space = quadratic(rows_of(seed, dim, magnitude)), Euclidean(dim)
    ours = decisions(ftrl_proximal(space, SCALE), gradient, delays)
    theirs = decisions(adagrad(space, SCALE), gradient, delays)
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-9)


def test_at_a_boundary_it_is_not_adagrad():
    """Pushed into the end of the interval twice as far as there is room, it comes back later."""
    box, told = Box([-1.0], [1.0]), [3.0, -4.0]
    ours, theirs = (decisions(f(box, 1.5), lambda k, x: [told[k - 1]], [1, 1]) for f in (ftrl_proximal, adagrad))
    np.testing.assert_allclose(ours[:, 0], [0.0, -1.0, -0.1], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(theirs[:, 0], [0.0, -1.0, 0.2], rtol=0.0, atol=1e-12)


def test_nothing_moves_before_the_first_arrival():
    start = np.array([0.3, -0.7])
    seen = decisions(ftrl_proximal(Box([-1, -1], [1, 1]), 0.5), quadratic(rows_of(0, 2)), [9] * ROUNDS, initial=start)
    assert (seen[:9] == start).all()
    assert not (seen[9] == start).any()


def test_the_witness_catches_bowls_about_the_origin(monkeypatch):
    """The mutant: held near 0 and not near its decisions, which is dual averaging."""
    rows, delays = rows_of(0, 3), [1] * ROUNDS

    def held_at_the_origin(step, state, ledger, gradient):
        state.decision[:] = 0.0
        move_proximal(step, state, ledger, gradient)

    assert agrees(Box.example(3), delays, rows)
    monkeypatch.setitem(move.implementations, Proximal, held_at_the_origin)
    assert not agrees(Box.example(3), delays, rows)


def test_what_is_refused():
    for domain in (Ball(2), Simplex(2)):
        with pytest.raises(
            bl.errors.InvalidArgument, match=r"`ftrl_proximal\(domain=.*\)`: must be a Box or Euclidean"
        ):
            ftrl_proximal(domain, 1.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`ftrl_proximal\(domain=2\)`: must be a domain"):
        ftrl_proximal(2, 1.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`ftrl_proximal\(scale=-1.0\)`: must be > 0"):
        ftrl_proximal(Euclidean(2), -1.0)
