"""DORM+ against its formula with everything kept in lists, by hand, and with the mistakes that are easily made."""

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.errors import InvalidArgument
from belated.learners.algorithms.dorm_plus import dorm_plus
from belated.learners.parts.policies import regret_matching
from belated.learners.parts.policies.hints import GivenHint, LastGradient, NoHint
from support.naive import rounds_arriving
from support.shares import decisions_of, mixed_delays
from support.strategies import delay_sequences, seeds

DOMAINS = [bl.Simplex(2), bl.Simplex(3), bl.Simplex(6), bl.Simplex(4, total=2.0, floor=0.1)]
HINTS = [NoHint(), LastGradient(), GivenHint()]


def naive_dorm_plus(gradient, delays, domain, start, hint, contexts):
    """Plays and regrets of all rounds in lists; hints counted from the delays."""
    spare = domain.total - domain.dim * domain.floor
    p, old, last, missing = np.zeros(domain.dim), np.zeros(domain.dim), np.zeros(domain.dim), 0
    plays, regrets, xs, arrived = [], [], [], []
    for t in range(1, len(delays) + 2):
        for k in arrived:
            p = p + regrets[k - 1]
            last = regrets[k - 1]
        if type(hint) is LastGradient:
            new = (missing + 1) * last
        elif type(hint) is GivenHint:
            new = contexts[t - 1]
        else:
            new = np.zeros(domain.dim)
        p = np.maximum(0, p + new - old)
        old = new
        w = p / p.sum() if p.any() else (start - domain.floor) / spare
        xs.append(domain.floor + spare * w)
        plays.append(w)
        if t <= len(delays):
            g = gradient(t, xs[-1])
            regrets.append(g @ w - g)
            arrived = rounds_arriving(delays, t)
            missing += 1 - len(arrived)
    return np.array(xs)


def gap(domain, hint, seed=0, rounds=40, given_delays=None):
    rng = np.random.default_rng(seed)
    rows, contexts = rng.normal(0, 1, (rounds + 1, domain.dim)), rng.normal(0, 2, (rounds + 1, domain.dim))
    start = domain.floor + (domain.total - domain.dim * domain.floor) * rng.dirichlet(np.ones(domain.dim))
    delays = given_delays or mixed_delays(rng, rounds)
    given = contexts if type(hint) is GivenHint else None
    ours = decisions_of(dorm_plus(domain, hint), lambda t, x: rows[t] + x, delays, start, given)
    naive = naive_dorm_plus(lambda t, x: rows[t] + x, delays, domain, start, hint, contexts)
    return np.abs(ours - naive).max()


@pytest.mark.parametrize("hint", HINTS, ids=lambda hint: type(hint).__name__)
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_it_is_the_formula(domain, hint):
    assert max(gap(domain, hint, seed) for seed in range(3)) < 1e-11


@settings(max_examples=30)
@given(delay_sequences(9), seeds)
def test_whatever_the_delays(delays, seed):
    assert gap(bl.Simplex(3), LastGradient(), seed, given_delays=delays) < 1e-9


def mutant_play(change):
    """The play verb after ``change(state)``."""

    def play(policy, state, *rest):
        change(state)
        regret_matching.play_matching_plus(policy, state, *rest)

    return play


def forget_the_regrets(state):
    state.regret[:] = 0.0


def keep_the_old_hint(state):
    state.hint[:] = 0.0


@pytest.mark.parametrize("change", [forget_the_regrets, keep_the_old_hint])
def test_the_comparison_notices_what_is_dropped(change, monkeypatch):
    monkeypatch.setitem(regret_matching.play.implementations, regret_matching.RegretMatchingPlus, mutant_play(change))
    assert gap(bl.Simplex(4), LastGradient()) > 1e-3


def test_the_comparison_notices_regrets_of_the_present_decision(monkeypatch):
    def receive(policy, state, ledger, feedback, memo, scratch):
        now = memo.copy()
        now[-policy.dim :] = regret_matching.shares(policy.domain, state.decision)
        regret_matching.receive_matching(policy, state, ledger, feedback, now, scratch)

    monkeypatch.setitem(regret_matching.receive.implementations, regret_matching.RegretMatchingPlus, receive)
    assert gap(bl.Simplex(4), NoHint()) > 1e-3


def test_without_delay_it_is_regret_matching_plus():
    rows = np.random.default_rng(1).uniform(0, 1, (30, 4))
    ours = decisions_of(dorm_plus(bl.Simplex(4)), lambda t, x: rows[t - 1], [1] * 30)
    p, w = np.zeros(4), np.full(4, 0.25)
    for t in range(30):
        assert np.allclose(ours[t], w, rtol=0, atol=1e-13)
        p = np.maximum(0, p + rows[t] @ w - rows[t])
        w = p / p.sum() if p.any() else np.full(4, 0.25)


def test_by_hand_with_a_given_hint():
    player = dorm_plus(bl.Simplex(2), GivenHint()).start()
    assert player.ask([0.0, 0.0]).point.tolist() == [0.5, 0.5]
    assert player.ask([3.0, 1.0]).point.tolist() == [0.75, 0.25]
    player.tell([1.0, 0.0], round=1)  # regrets -0.5 and 0.5
    assert player.ask([0.5, 0.5]).point.tolist() == [0.0, 1.0], "p = (3, 1) + (-0.5, 0.5) + (0.5, 0.5) - (3, 1)"
    player.tell([0.0, 8.0], round=2)  # 2 suffered: regrets 2 and -6
    assert player.ask([0.5, 0.5]).point.tolist() == [1.0, 0.0]


def test_the_scale_of_the_losses_does_not_matter():
    rng = np.random.default_rng(2)
    rows, delays = rng.uniform(0, 1, (40, 3)), mixed_delays(rng, 40)
    once, often = (
        decisions_of(dorm_plus(bl.Simplex(3), LastGradient()), lambda t, x, c=c: c * rows[t - 1], delays)
        for c in (1.0, 1024.0)
    )
    assert np.array_equal(once, often)


def test_what_is_refused():
    with pytest.raises(InvalidArgument, match=r"`dorm_plus\(domain=.*\)`: must be a Simplex"):
        dorm_plus(bl.Ball(3))
    with pytest.raises(InvalidArgument, match=r"`dorm_plus\(hint=0.5\)`: must be a hint"):
        dorm_plus(bl.Simplex(3), 0.5)
