"""Delayed Frank-Wolfe against the published formula in plain NumPy, and where its decisions may lie."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core import errors
from belated.core.ledger import Ledger
from belated.domains import EVERY
from belated.domains.base import contains
from belated.learners.algorithms import delayed_frank_wolfe as frank_wolfe
from belated.learners.algorithms.delayed_frank_wolfe import FrankWolfe, delayed_frank_wolfe, frank_wolfe_rate
from belated.learners.verbs import begin, move
from support.naive import rounds_arriving
from support.strategies import delay_sequences, seeds

ROUNDS = 25
BOUNDED = [kind for kind in EVERY if np.isfinite(kind.example(3).diameter)]


def witness(domain, delays, gradient, start, eta=None, beta=None):
    """The two objectives as they are written, the line search from three values of a parabola."""
    ys, arrived, given, plays = [np.array(start)], [], {}, []
    for t in range(1, len(delays) + 1):
        plays.append(ys[-1])
        given[t] = gradient(t, plays[-1])
        for k in rounds_arriving(delays, t):
            arrived.append(given[k])
            here, starts = ys[-1], list(ys)

            def objective(y, starts=starts):
                if beta is None:
                    return eta * np.sum(arrived, axis=0) @ y + np.sum((y - start) ** 2)
                pairs = zip(arrived, starts, strict=True)
                return sum(g @ y + beta / 2 * np.sum((y - before) ** 2) for g, before in pairs)

            if beta is None:
                slope = eta * np.sum(arrived, axis=0) + 2 * (here - start)
            else:
                slope = np.sum(arrived, axis=0) + beta * np.sum([here - before for before in starts], axis=0)
            v = domain.minimise(slope)
            f0, f1, f2 = (objective(here + s * (v - here)) for s in (0.0, 0.5, 1.0))
            bend = 2 * (f0 - 2 * f1 + f2)  # f(s) = f0 + tilt s + bend s^2
            tilt = f2 - f0 - bend
            s = np.clip(-tilt / (2 * bend), 0.0, 1.0) if bend > 0 else 0.0
            ys.append(here + s * (v - here))
    return np.array(plays)


def played(learner, delays, gradient, start):
    player, given, plays = learner.start(start), {}, []
    for t in range(1, len(delays) + 1):
        plays.append(player.ask().point)
        given[t] = gradient(t, plays[-1])
        for k in rounds_arriving(delays, t):
            player.tell(given[k])
    return np.array(plays)


def quadratic(seed, dim, size=3.0):
    rows = np.random.default_rng(seed).uniform(-size, size, (ROUNDS + 1, dim))
    return lambda t, x: 2 * x + rows[t]


def check_against_witness(domain, delays, seed, start=None, **how):
    gradient = quadratic(seed, domain.dim)
    start = domain.centre if start is None else start
    ours = played(
        delayed_frank_wolfe(domain, **{HOW[name]: value for name, value in how.items()}), delays, gradient, start
    )
    assert np.allclose(ours, witness(domain, delays, gradient, start, **how), rtol=0.0, atol=1e-6)


HOW = {"eta": "rate", "beta": "strong_convexity"}
either = pytest.mark.parametrize("how", [{"eta": 0.1}, {"beta": 2.0}], ids=["convex", "strongly convex"])
strictly_bowed = st.sampled_from([bl.Ball, bl.Ellipsoid])


@either
@settings(max_examples=15)
@given(strictly_bowed, st.integers(1, 6), delay_sequences(ROUNDS), seeds)
def test_it_follows_the_published_formula(how, kind, dim, delays, seed):
    """On strictly convex sets, where the minimiser of a linear form does not jump."""
    check_against_witness(kind.example(dim), delays, seed, **how)


@either
@pytest.mark.parametrize("kind", BOUNDED)
def test_it_follows_the_published_formula_on_every_domain(how, kind):
    for seed in range(3):
        delays = np.random.default_rng(seed).integers(1, 9, ROUNDS)
        check_against_witness(kind.example(3), delays, seed, **how)


def test_one_arrival_by_hand():
    """On [-1, 1] from 1/2 with g = 2: v = -1, F'(1/2) = eta g = 1, s = 1 * 1.5 / (2 * 1.5^2) = 1/3."""
    player = delayed_frank_wolfe(bl.Box([-1.0], [1.0]), rate=0.5).start([0.5])
    player.ask()
    player.tell([2.0])
    assert player.ask().point == pytest.approx([0.0], abs=1e-15)
    # F' = eta (2 - 6) + 2 (0 - 1/2) = -3, v = 1, s = 3 / 2: the whole way
    player.tell([-6.0])
    assert player.ask().point == [1.0]


def test_two_arrivals_by_hand_for_strongly_convex_losses():
    """From 0 with beta = 4 and g = 2 to -1/2; then with g = -1: F' = 1 + 4 (-1/2 - 0) = -1, s = 1.5 / (8 * 1.5^2)."""
    player = delayed_frank_wolfe(bl.Box([-1.0], [1.0]), strong_convexity=4.0).start()
    player.ask(), player.ask()
    player.tell([2.0])
    player.tell([-1.0])
    assert player.ask().point == pytest.approx([-0.5 + 1.5 / 12])


@either
def test_a_burst_is_the_undelayed_algorithm_on_the_same_gradients(how):
    """Arrivals count one by one: a burst moves as the same gradients do when each has a round of its own."""
    domain, rng = bl.Ball.example(4), np.random.default_rng(0)
    gradients = rng.normal(size=(12, 4))
    learner = delayed_frank_wolfe(domain, **{HOW[name]: value for name, value in how.items()})
    at_once, one_by_one = learner.start(), learner.start()
    for _ in gradients:
        at_once.ask()
    for gradient in gradients:
        one_by_one.ask()
        one_by_one.tell(gradient)
        at_once.tell(gradient)
    assert np.array_equal(at_once.ask().point, one_by_one.ask().point)


@either
@pytest.mark.parametrize("kind", BOUNDED)
def test_decisions_stay_in_the_domain(how, kind):
    """Nothing projects, so nothing repairs what rounding does: a hundredth of what ``contains`` allows is enough."""
    domain, rng = kind.example(4), np.random.default_rng(0)
    step = delayed_frank_wolfe(domain, **{HOW[name]: value for name, value in how.items()}).policy.arrivals.step
    state, gradients = begin(step, domain.centre), rng.normal(size=(3000, 4))
    gradients[::50] *= 100.0
    for gradient in gradients:
        move(step, state, Ledger(), gradient)
        assert contains(domain, state.decision, 1e-11)


def no_line_search(step, state, ledger, gradient):
    """A plausible mistake: the open-loop share 2 / (i + 2)."""
    frank_wolfe.move_frank_wolfe(step, before := copied(state), ledger, gradient)
    share = 2.0 / (before.updates[0] + 2)
    moved = state.decision + share * (before.vertex - state.decision)
    for old, new in zip(state, before, strict=True):
        old[...] = new
    state.decision[...] = moved


def bowls_about_the_next_iterate(step, state, ledger, gradient):
    """Another: the bowl is put about y_{i+1}."""
    before = state.decision.copy()
    frank_wolfe.move_frank_wolfe(step, state, ledger, gradient)
    state.linear[...] -= step.brought * (state.decision - before)


def copied(state):
    return type(state)._make(array.copy() for array in state)


@pytest.mark.parametrize(
    ("mutant", "how"),
    [(no_line_search, {"eta": 0.1}), (no_line_search, {"beta": 2.0}), (bowls_about_the_next_iterate, {"beta": 2.0})],
)
def test_a_wrong_step_is_caught(mutant, how, monkeypatch):
    delays = np.random.default_rng(1).integers(1, 6, ROUNDS)
    monkeypatch.setitem(move.implementations, FrankWolfe, mutant)
    with pytest.raises(AssertionError):
        check_against_witness(bl.Ball.example(3), delays, 1, **how)


def test_the_rate_for_a_horizon():
    simplex = bl.Simplex(3)
    assert frank_wolfe_rate(simplex, lipschitz=2.0, rounds=81) == pytest.approx(simplex.outer_radius / (2.0 * 27.0))
    for wrong in ({"lipschitz": 0.0, "rounds": 1}, {"lipschitz": 1.0, "rounds": 0}):
        with pytest.raises(errors.InvalidArgument, match="frank_wolfe_rate"):
            frank_wolfe_rate(simplex, **wrong)
    with pytest.raises(errors.InvalidArgument, match="bounded"):
        frank_wolfe_rate(bl.Euclidean(2), lipschitz=1.0, rounds=5)


@pytest.mark.parametrize(
    ("domain", "arguments", "match"),
    [
        (bl.Ball(2), {}, "not both"),
        (bl.Ball(2), {"rate": 1.0, "strong_convexity": 1.0}, "not both"),
        (bl.Ball(2), {"rate": 0.0}, r"delayed_frank_wolfe\(rate=0.0\)`: must be > 0"),
        (bl.Ball(2), {"strong_convexity": -1.0}, "strong_convexity=-1.0"),
        (bl.Euclidean(2), {"rate": 1.0}, "bounded"),
        ("ball", {"rate": 1.0}, "domain"),
    ],
)
def test_misuse_fails_at_construction(domain, arguments, match):
    with pytest.raises(errors.InvalidArgument, match=match):
        delayed_frank_wolfe(domain, **arguments)
