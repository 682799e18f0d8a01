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


def lowest(domain, gradients, bowls, centres):
    """The minimum of sum <g_s, x> + bowl_s (x - centre_s)^2 / 2: where the slope vanishes, or the nearer end."""
    free = (np.sum(np.multiply(bowls, centres), axis=0) - np.sum(gradients, axis=0)) / np.sum(bowls, axis=0)
    return domain.project(free)


def naive(gradient, delays, domain, order=list):
    """All gradients and bowls are kept, and the minimum is worked out anew for each arrival."""
    x, arrived, told = np.array(domain.centre), arrivals_by_round(delays), {}
    gradients, bowls, centres, seen = [np.zeros(domain.dim)], [np.full(domain.dim, np.sqrt(EPS) / SCALE)], [x], [x]
    for t in range(1, len(delays) + 1):
        told[t] = gradient(t, x)
        for k in order(arrived[t]):
            gradients.append(told[k])
            inverse_rate = np.sqrt(EPS + np.sum(np.square(gradients), axis=0)) / SCALE
            bowls.append(inverse_rate - np.sum(bowls, axis=0))
            centres.append(x)
            x = lowest(domain, gradients, bowls, centres)
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


# --- with beta, l1 and l2


def published(gradients, alpha, beta, l1, l2):
    """Algorithm 1 of McMahan and others 2013, a coordinate at a time; w_t is worked out before g_t is seen."""
    size, seen = gradients.shape[1], []
    z, n = np.zeros(size), np.zeros(size)

    def weights():
        w = np.zeros(size)
        for i in range(size):
            if abs(z[i]) > l1:
                w[i] = -(z[i] - np.sign(z[i]) * l1) / ((beta + np.sqrt(n[i])) / alpha + l2)
        return w

    for g in gradients:
        w = weights()
        seen.append(w)
        for i in range(size):
            sigma = (np.sqrt(n[i] + g[i] ** 2) - np.sqrt(n[i])) / alpha
            z[i] += g[i] - sigma * w[i]
            n[i] += g[i] ** 2
    return np.array([*seen, weights()])


OPTIONS = [
    {"beta": 1.0, "l1": 0.0, "l2": 0.0},
    {"beta": 1.0, "l1": 0.7, "l2": 0.0},
    {"beta": 0.0, "l1": 0.3, "l2": 0.5},
    {"beta": 0.2, "l1": 1.5, "l2": 2.0},
]


def published_gap(seed=4, **options):
    rows = rows_of(seed, 5, 2.0) * np.array([1.0, 0.3, 1e-3, 20.0, 0.0])
    ours = decisions(ftrl_proximal(Euclidean(5), SCALE, eps=0.0, **options), lambda k, x: rows[k - 1], [1] * ROUNDS)
    return np.abs(ours - published(rows, SCALE, **options)).max(), ours


@pytest.mark.parametrize("options", OPTIONS)
def test_it_is_the_published_algorithm(options):
    difference, ours = published_gap(**options)
    assert difference < 1e-13
    assert (ours[-1] != 0.0).any()
    if options["l1"]:
        assert (ours[1:, :4] == 0.0).any(), "some entries are zero, and not only those without a gradient"


@pytest.mark.parametrize("changed", ["beta", "l1", "l2"])
def test_the_comparison_notices_each_option(changed, monkeypatch):
    def forgetful(step, state, ledger, gradient):
        move_proximal(step._replace(**{changed: 0.0}), state, ledger, gradient)

    monkeypatch.setitem(move.implementations, Proximal, forgetful)
    assert published_gap(**OPTIONS[-1])[0] > 1e-3


@settings(max_examples=EXAMPLES)
@given(st.integers(1, 4).map(Box.example), delay_sequences(ROUNDS), seeds)
def test_on_a_box_it_is_the_minimum_with_the_penalties(box, delays, seed):
    """No other element has a lower sum of what came, the bowls and the penalties; beta is a bowl about the start."""
    options, rng = {"beta": 0.3, "l1": 0.4, "l2": 0.2}, np.random.default_rng(seed)
    rows, arrived, start = rows_of(seed, box.dim, 2.0), arrivals_by_round(delays), np.array(box.centre)
    seen = decisions(ftrl_proximal(box, SCALE, **options), lambda k, x: rows[k - 1], delays)
    came, bowls = [], [(options["beta"] / SCALE * np.ones(box.dim), start)]
    for t in range(1, ROUNDS + 1):
        for number, k in enumerate(arrived[t]):
            before = np.sqrt(np.sum(np.square(came), axis=0)) if came else 0.0
            came.append(rows[k - 1])
            if number == 0:
                bowls.append(((np.sqrt(np.sum(np.square(came), axis=0)) - before) / SCALE, seen[t - 1]))
        if len(arrived[t]) > 1:
            return  # the decisions in between are not played, so nobody has seen where their bowls stand

        def total(x):
            held = sum(0.5 * bowl @ (x - at) ** 2 for bowl, at in bowls)
            return x @ np.sum(came, axis=0) + held + options["l1"] * np.abs(x).sum() + options["l2"] / 2 * x @ x

        if came:
            for other in box.lower + rng.uniform(0, 1, (10, box.dim)) * (box.upper - box.lower):
                assert total(seen[t]) <= total(other) + 1e-9


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
    for name in ("eps", "beta", "l1", "l2"):
        with pytest.raises(bl.errors.InvalidArgument, match=rf"`ftrl_proximal\({name}=-1.0\)`: must be >= 0"):
            ftrl_proximal(Euclidean(2), 1.0, **{name: -1.0})
        with pytest.raises(bl.errors.InvalidArgument, match=rf"`ftrl_proximal\({name}=1e.51\)`: must lie in"):
            ftrl_proximal(Euclidean(2), 1.0, **{name: 1e51})
    with pytest.raises(bl.errors.InvalidArgument, match=r"`ftrl_proximal\(eps=0.0\)`: must be > 0, or beta or l2"):
        ftrl_proximal(Euclidean(2), 1.0, eps=0.0, l1=1.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`ftrl_proximal\(scale=-1.0\)`: must be > 0"):
        ftrl_proximal(Euclidean(2), -1.0)
