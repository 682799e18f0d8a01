"""DORM against its formula with everything kept in lists, what tells it from DORM+, and the mistakes easily made."""

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.errors import InvalidArgument
from belated.learners.algorithms.dorm import dorm
from belated.learners.parts.policies import regret_matching
from belated.learners.parts.policies.hints import GivenHint, LastGradient, NoHint
from support.naive import rounds_arriving
from support.shares import decisions_of, mixed_delays
from support.strategies import delay_sequences, seeds

DOMAINS = [bl.Simplex(2), bl.Simplex(6), bl.Simplex(4, total=2.0, floor=0.1)]
HINTS = [NoHint(), LastGradient(), GivenHint()]


def naive_dorm(gradient, delays, domain, start, hint, contexts):
    """The regrets of all rounds that came, added up anew in every round."""
    spare = domain.total - domain.dim * domain.floor
    regrets, xs, came = {}, [], []
    for t in range(1, len(delays) + 2):
        total = np.sum([regrets[k] for k in came], axis=0) if came else np.zeros(domain.dim)
        missing = t - len(came)  # this round's own among them
        if type(hint) is LastGradient and came:
            total = total + missing * regrets[came[-1]]
        elif type(hint) is GivenHint:
            total = total + contexts[t - 1]
        above = np.maximum(total, 0)
        w = above / above.sum() if above.any() else (start - domain.floor) / spare
        xs.append(domain.floor + spare * w)
        if t <= len(delays):
            g = gradient(t, xs[-1])
            regrets[t] = g @ w - g
            came += rounds_arriving(delays, t)
    return np.array(xs)


def gap(domain, hint, seed=0, rounds=40, given_delays=None):
    rng = np.random.default_rng(seed)
    rows, contexts = rng.normal(0, 1, (rounds + 1, domain.dim)), rng.normal(0, 2, (rounds + 1, domain.dim))
    start = domain.floor + (domain.total - domain.dim * domain.floor) * rng.dirichlet(np.ones(domain.dim))
    delays = given_delays or mixed_delays(rng, rounds)
    given = contexts if type(hint) is GivenHint else None
    ours = decisions_of(dorm(domain, hint), lambda t, x: rows[t] + x, delays, start, given)
    naive = naive_dorm(lambda t, x: rows[t] + x, delays, domain, start, hint, contexts)
    return np.abs(ours - naive).max()


@pytest.mark.parametrize("hint", HINTS, ids=lambda hint: type(hint).__name__)
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_it_is_the_formula(domain, hint):
    assert max(gap(domain, hint, seed) for seed in range(2)) < 1e-11


@settings(max_examples=20)
@given(delay_sequences(9), seeds)
def test_whatever_the_delays(delays, seed):
    assert gap(bl.Simplex(3), LastGradient(), seed, given_delays=delays) < 1e-9


def cut_the_regrets(state):
    state.regret[:] = np.maximum(state.regret, 0.0)


def keep_the_hint(state):
    state.regret[:] += state.hint


def forget_the_regrets(state):
    """As an implementation did that plays the hint alone when nothing has arrived since."""
    state.regret[:] = 0.0


@pytest.mark.parametrize("change", [cut_the_regrets, keep_the_hint, forget_the_regrets])
def test_the_comparison_notices_what_is_changed_in_between(change, monkeypatch):
    def play(policy, state, *rest):
        change(state)
        regret_matching.play_matching(policy, state, *rest)

    monkeypatch.setitem(regret_matching.play.implementations, regret_matching.RegretMatching, play)
    assert gap(bl.Simplex(4), LastGradient()) > 1e-3


def test_without_delay_it_is_regret_matching():
    rows = np.random.default_rng(1).uniform(0, 1, (30, 4))
    ours = decisions_of(dorm(bl.Simplex(4)), lambda t, x: rows[t - 1], [1] * 30)
    total, w = np.zeros(4), np.full(4, 0.25)
    for t in range(30):
        assert np.allclose(ours[t], w, rtol=0, atol=1e-13)
        total = total + rows[t] @ w - rows[t]
        above = np.maximum(total, 0)
        w = above / above.sum() if above.any() else np.full(4, 0.25)


def test_a_perfect_hint_makes_up_for_any_delay():
    """With h_t the sum of all missing regrets, round t's own left out, decisions are those without delay."""
    rng = np.random.default_rng(5)
    rows, delays = rng.uniform(0, 1, (30, 3)), mixed_delays(rng, 30)
    prompt = decisions_of(dorm(bl.Simplex(3)), lambda t, x: rows[t - 1], [1] * 30)
    regrets = [rows[t] @ prompt[t] - rows[t] for t in range(30)]
    here = [[k for k in range(t) if k + delays[k] <= t] for t in range(31)]
    hints = [sum((regrets[k] for k in range(t) if k not in here[t]), np.zeros(3)) for t in range(31)]
    late = decisions_of(dorm(bl.Simplex(3), GivenHint()), lambda t, x: rows[t - 1], delays, contexts=hints)
    np.testing.assert_allclose(late, prompt, rtol=0, atol=1e-12)


def test_the_order_of_arrival_does_not_matter_as_it_does_to_dorm_plus():
    def final(learner, order):
        player = learner(bl.Simplex(3)).start()
        for _ in range(3):
            player.ask()
        for k in order:
            player.tell([[0.75, 0.0, 0.5], [0.0, 1.0, 0.25], [0.5, 0.5, 0.0]][k - 1], round=k)
            play = player.ask()
        return play.point

    one, other = (final(dorm, order) for order in ([1, 2, 3], [3, 2, 1]))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-15)
    assert np.abs(final(bl.dorm_plus, [1, 2, 3]) - final(bl.dorm_plus, [3, 2, 1])).max() > 0.01


def test_the_scale_of_the_losses_does_not_matter():
    rng = np.random.default_rng(2)
    rows, delays = rng.uniform(0, 1, (40, 3)), mixed_delays(rng, 40)
    once, often = (
        decisions_of(dorm(bl.Simplex(3), LastGradient()), lambda t, x, c=c: c * rows[t - 1], delays)
        for c in (1.0, 1024.0)
    )
    assert np.array_equal(once, often)


def test_what_is_refused():
    with pytest.raises(InvalidArgument, match=r"`dorm\(domain=.*\)`: must be a Simplex"):
        dorm(bl.Ball(3))
    with pytest.raises(InvalidArgument, match=r"`dorm\(hint=0.5\)`: must be a hint"):
        dorm(bl.Simplex(3), 0.5)
