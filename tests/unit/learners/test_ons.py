"""The online Newton step: its decisions minimise the surrogates, written out one by one in NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core import errors
from belated.domains import EVERY
from belated.learners.algorithms import ons as quadratic_leader
from belated.learners.algorithms.ons import QuadraticLeader, ons
from belated.learners.parts import cholesky
from belated.learners.verbs import receive
from support.naive import rounds_arriving
from support.strategies import delay_sequences, seeds

ROUNDS = 15
BOUNDED = [kind for kind in EVERY if np.isfinite(kind.example(3).diameter)]
LIPSCHITZ, ALPHA = 2.0, 0.5


def gamma_of(domain):
    return 0.5 * min(1.0 / (4.0 * LIPSCHITZ * domain.diameter), ALPHA)


def weight_of(domain):
    return 1.0 / (gamma_of(domain) * domain.diameter**2)


def surrogate_gradient(x, received, gamma, weight, start):
    """The gradient at x of the sum over (g, x_k) of <g, x> + (gamma / 2) <g, x - x_k>^2, and of the weight."""
    slopes = [g + gamma * (g @ (x - at)) * g for g, at in received]
    return np.sum(slopes, axis=0) + weight * (x - start)


def steepest(received, gamma, weight):
    return weight + gamma * np.linalg.norm(np.array([g for g, _ in received]), 2) ** 2


def errors_of_rounds(domain, delays, seed, size=4.0, start=None):
    """Of every round with something received, how far x_t moves under a projected gradient step, in diameters."""
    rows = np.random.default_rng(seed).uniform(-size, size, (len(delays) + 1, domain.dim))
    start = domain.centre if start is None else np.array(start)
    player = ons(domain, LIPSCHITZ, ALPHA).start(start)
    gamma, weight, given, received, result = gamma_of(domain), weight_of(domain), {}, [], []
    for t in range(1, len(delays) + 1):
        x = player.ask().point
        if received:
            slope = surrogate_gradient(x, received, gamma, weight, start)
            after = domain.project(x - slope / steepest(received, gamma, weight))
            result.append(np.linalg.norm(after - x) / domain.diameter)
        else:
            assert np.array_equal(x, start)
        given[t] = (2 * x + rows[t], x)
        for k in rounds_arriving(delays, t):
            received.append(given[k])
            player.tell(given[k][0], round=k)
    return result


@settings(max_examples=25)
@given(st.sampled_from([bl.Ball, bl.Box, bl.L1Ball, bl.Ellipsoid]), st.integers(1, 6), delay_sequences(ROUNDS), seeds)
def test_every_decision_minimises_the_surrogates_received(kind, dim, delays, seed):
    assert max(errors_of_rounds(kind.example(dim), delays, seed), default=0.0) < 1e-12


@pytest.mark.parametrize("kind", BOUNDED)
@pytest.mark.parametrize("size", [1.0, 30.0])
def test_it_does_so_on_every_domain_and_for_gradients_beyond_the_bound(kind, size):
    delays = np.random.default_rng(0).integers(1, 6, ROUNDS)
    assert max(errors_of_rounds(kind.example(3), delays, 1, size)) < 1e-12


def test_it_does_so_from_any_start():
    assert max(errors_of_rounds(bl.Ball(2), [1] * ROUNDS, 3, start=[0.3, -0.9])) < 1e-12


def test_in_one_dimension_it_is_a_clipped_quotient():
    domain, rng = bl.Box([-1.0], [2.0]), np.random.default_rng(5)
    gamma, weight, start = gamma_of(domain), weight_of(domain), domain.centre[0]
    player, top, bottom, seen = ons(domain, LIPSCHITZ, ALPHA).start(), 0.0, weight, set()
    for t in range(1, 60):
        x = player.ask().point[0]
        assert x == pytest.approx(np.clip(start + top / bottom, -1.0, 2.0), abs=1e-12)
        seen.add(-1 if x < -0.999 else 1 if x > 1.999 else 0)
        g = rng.normal() + (4.0 if t < 20 else -8.0)
        player.tell([g], round=t)
        top += gamma * g * g * (x - start) - g
        bottom += gamma * g * g
    assert seen == {-1, 0, 1}, "both ends and the inside were played"


def test_two_rounds_by_hand():
    """Gamma = 1/4 and a = 3.75: g = 1 at 0 gives -1/4; then g = -1 at -1/4 has the slope -1 + 1/16 at 0, A = 4.25."""
    player = ons(bl.Ball(1, radius=0.5), lipschitz=0.5, exp_concavity=0.5, weight=3.75).start()
    player.ask()
    player.tell([1.0], round=1)
    assert player.ask().point == pytest.approx([-0.25])
    player.tell([-1.0], round=2)
    assert player.ask().point == pytest.approx([-(1.0 - 1.0 + -0.25 * -1.0 * -0.25 * -1.0) / 4.25])


def test_a_burst_counts_as_the_same_feedback_one_by_one():
    """Surrogates are summed: what came together and what came in turn have the same minimiser."""
    domain, rng = bl.Simplex(4), np.random.default_rng(2)
    gradients = rng.normal(size=(6, 4)) * 5.0
    learner = ons(domain, LIPSCHITZ, ALPHA)
    together, in_turn = learner.start(), learner.start()
    for _ in gradients:
        together.ask(), in_turn.ask()
    for k, gradient in enumerate(gradients, start=1):
        together.tell(gradient, round=k)
        in_turn.tell(gradient, round=k)
        in_turn.ask()
    assert np.allclose(together.ask().point, in_turn.ask().point, rtol=0.0, atol=1e-12)


def about_the_present_decision(policy, state, ledger, feedback, memo, scratch):
    """A plausible mistake: the surrogate stands about x_t and not about x_k."""
    quadratic_leader.receive_in_quadratic_leader(policy, state, ledger, feedback, state.decision, scratch)


def without_its_bend(policy, state, ledger, feedback, memo, scratch):
    """Another: A grows, and the slope is left as it was told."""
    quadratic_leader.receive_in_quadratic_leader(policy, state, ledger, feedback, state.anchor, scratch)


@pytest.mark.parametrize("mutant", [about_the_present_decision, without_its_bend])
def test_a_wrong_surrogate_is_caught(mutant, monkeypatch):
    delays = np.random.default_rng(0).integers(1, 6, ROUNDS)
    monkeypatch.setitem(receive.implementations, QuadraticLeader, mutant)
    assert max(errors_of_rounds(bl.Ball.example(3), delays, 1)) > 1e-4


def test_a_search_that_ends_too_soon_is_caught(monkeypatch):
    monkeypatch.setattr(quadratic_leader, "MOST_STEPS", 3)
    assert max(errors_of_rounds(bl.Simplex.example(3), [1] * ROUNDS, 1)) > 1e-9


@given(st.integers(1, 6), seeds)
def test_the_factor_is_that_of_the_sum_of_outer_products(size, seed):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(rng.integers(1, 9), size)) * 10.0 ** rng.uniform(-2, 2, size)
    factor, half, image = 0.5 * np.eye(size), np.zeros(size), np.zeros(size)
    factor[np.tril_indices(size, -1)] = np.nan  # which nobody may look at
    for vector in vectors:
        cholesky.add_outer(factor, vector.copy())
    matrix, probe = 0.25 * np.eye(size) + vectors.T @ vectors, rng.normal(size=size)
    cholesky.multiply(factor, probe, half, image)
    scale = np.abs(matrix).max() * size
    assert np.allclose(image, matrix @ probe, rtol=0.0, atol=1e-13 * scale * np.abs(probe).max())
    assert half @ half == pytest.approx(probe @ matrix @ probe)
    assert cholesky.trace(factor) == pytest.approx(np.trace(matrix))
    solution = image.copy()
    cholesky.solve(factor, solution)
    assert np.allclose(solution, probe, rtol=0.0, atol=1e-14 * np.linalg.cond(matrix) * 10)


@pytest.mark.parametrize("name", ["lipschitz", "exp_concavity", "weight"])
def test_misuse_fails_at_construction(name):
    good = {"lipschitz": 1.0, "exp_concavity": 1.0, "weight": 1.0}
    with pytest.raises(errors.InvalidArgument, match=rf"`ons\({name}=0.0\)`: must be > 0"):
        ons(bl.Ball(2), **good | {name: 0.0})
    with pytest.raises(errors.InvalidArgument, match="bounded"):
        ons(bl.Euclidean(2), **good)


def test_gamma_stands_for_the_two_constants_behind_it():
    ball = bl.Ball(3)
    assert ons(ball, gamma=gamma_of(ball)) == ons(ball, LIPSCHITZ, ALPHA)
    assert ons(ball, gamma=0.3, weight=2.0).policy.bend == 0.3
    assert ons(ball, gamma=0.3).policy.weight == 1.0 / (0.3 * 4.0)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, r"`ons\(lipschitz=None\)`: must be given, or gamma in place of"),
        ({"lipschitz": 1.0}, r"`ons\(exp_concavity=None\)`: must be given, or gamma in place of"),
        ({"exp_concavity": 1.0}, r"`ons\(lipschitz=None\)`: must be given, or gamma in place of"),
        ({"gamma": 0.0}, r"`ons\(gamma=0.0\)`: must be > 0"),
        ({"gamma": 0.1, "lipschitz": 1.0}, r"`ons\(gamma=0.1\)`: must not be given together with"),
        ({"gamma": 0.1, "exp_concavity": 1.0}, r"`ons\(gamma=0.1\)`: must not be given together with"),
    ],
)
def test_there_is_either_gamma_or_both_of_them(given, named):
    with pytest.raises(errors.InvalidArgument, match=named):
        ons(bl.Ball(2), **given)
