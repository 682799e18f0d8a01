"""DORM and DORM+ against their formulas with everything kept in lists, and with the mistakes that are easily made."""

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.errors import InvalidArgument
from belated.learners.algorithms.dorm import dorm
from belated.learners.algorithms.dorm_plus import dorm_plus
from belated.learners.parts.policies import regret_matching
from belated.learners.parts.policies.hints import GivenHint, LastGradient, NoHint
from support.naive import rounds_arriving
from support.shares import decisions_of, mixed_delays
from support.strategies import delay_sequences, seeds

DOMAINS = [bl.Simplex(2), bl.Simplex(3), bl.Simplex(6), bl.Simplex(4, total=2.0, floor=0.1)]
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


NAIVE = {dorm: naive_dorm, dorm_plus: naive_dorm_plus}
both = pytest.mark.parametrize("learner", NAIVE, ids=lambda learner: learner.__name__)


def gap(learner, domain, hint, seed=0, rounds=40, given_delays=None):
    rng = np.random.default_rng(seed)
    rows, contexts = rng.normal(0, 1, (rounds + 1, domain.dim)), rng.normal(0, 2, (rounds + 1, domain.dim))
    start = domain.floor + (domain.total - domain.dim * domain.floor) * rng.dirichlet(np.ones(domain.dim))
    delays = given_delays or mixed_delays(rng, rounds)
    given = contexts if type(hint) is GivenHint else None
    ours = decisions_of(learner(domain, hint), lambda t, x: rows[t] + x, delays, start, given)
    naive = NAIVE[learner](lambda t, x: rows[t] + x, delays, domain, start, hint, contexts)
    return np.abs(ours - naive).max()


@both
@pytest.mark.parametrize("hint", HINTS, ids=lambda hint: type(hint).__name__)
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_it_is_the_formula(domain, hint, learner):
    assert max(gap(learner, domain, hint, seed) for seed in range(2)) < 1e-11


@both
@settings(max_examples=20)
@given(delays=delay_sequences(9), seed=seeds)
def test_whatever_the_delays(learner, delays, seed):
    assert gap(learner, bl.Simplex(3), LastGradient(), seed, given_delays=delays) < 1e-9


def cut_the_regrets(state):
    state.regret[:] = np.maximum(state.regret, 0.0)


def keep_the_hint(state):
    state.regret[:] += state.hint


def forget_the_regrets(state):
    """As an implementation did that plays the hint alone when nothing has arrived since."""
    state.regret[:] = 0.0


def forget_the_hint(state):
    """So that the next round does not take it back."""
    state.hint[:] = 0.0


@pytest.mark.parametrize(
    ("learner", "change"),
    [
        (dorm, cut_the_regrets),
        (dorm, keep_the_hint),
        (dorm, forget_the_regrets),
        (dorm_plus, forget_the_regrets),
        (dorm_plus, forget_the_hint),
    ],
)
def test_the_comparison_notices_what_is_changed_in_between(learner, change, monkeypatch):
    part = type(learner(bl.Simplex(4)).policy)
    sound = regret_matching.play.implementations[part]

    def play(policy, state, *rest):
        change(state)
        sound(policy, state, *rest)

    monkeypatch.setitem(regret_matching.play.implementations, part, play)
    assert gap(learner, bl.Simplex(4), LastGradient()) > 1e-3


@both
def test_the_comparison_notices_regrets_of_the_present_decision(learner, monkeypatch):
    def receive(policy, state, ledger, feedback, memo, scratch):
        now = memo.copy()
        now[-policy.dim :] = regret_matching.shares(policy.domain, state.decision)
        regret_matching.receive_matching(policy, state, ledger, feedback, now, scratch)

    part = type(learner(bl.Simplex(4)).policy)
    monkeypatch.setitem(regret_matching.receive.implementations, part, receive)
    assert gap(learner, bl.Simplex(4), NoHint()) > 1e-3


@pytest.mark.parametrize(("learner", "forgets"), [(dorm, False), (dorm_plus, True)])
def test_without_delay_it_is_regret_matching(learner, forgets):
    rows = np.random.default_rng(1).uniform(0, 1, (30, 4))
    ours = decisions_of(learner(bl.Simplex(4)), lambda t, x: rows[t - 1], [1] * 30)
    total, w = np.zeros(4), np.full(4, 0.25)
    for t in range(30):
        assert np.allclose(ours[t], w, rtol=0, atol=1e-13)
        total = total + rows[t] @ w - rows[t]
        above = np.maximum(total, 0)
        total = above if forgets else total
        w = above / above.sum() if above.any() else np.full(4, 0.25)


def test_a_perfect_hint_of_dorm_makes_up_for_any_delay():
    """With h_t the sum of all missing regrets, round t's own left out, decisions are those without delay."""
    rng = np.random.default_rng(5)
    rows, delays = rng.uniform(0, 1, (30, 3)), mixed_delays(rng, 30)
    prompt = decisions_of(dorm(bl.Simplex(3)), lambda t, x: rows[t - 1], [1] * 30)
    regrets = [rows[t] @ prompt[t] - rows[t] for t in range(30)]
    here = [[k for k in range(t) if k + delays[k] <= t] for t in range(31)]
    hints = [sum((regrets[k] for k in range(t) if k not in here[t]), np.zeros(3)) for t in range(31)]
    late = decisions_of(dorm(bl.Simplex(3), GivenHint()), lambda t, x: rows[t - 1], delays, contexts=hints)
    np.testing.assert_allclose(late, prompt, rtol=0, atol=1e-12)


def test_the_order_of_arrival_does_not_matter_to_dorm_as_it_does_to_dorm_plus():
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
    assert np.abs(final(dorm_plus, [1, 2, 3]) - final(dorm_plus, [3, 2, 1])).max() > 0.01


def test_dorm_plus_by_hand_with_a_given_hint():
    player = dorm_plus(bl.Simplex(2), GivenHint()).start()
    assert player.ask([0.0, 0.0]).point.tolist() == [0.5, 0.5]
    assert player.ask([3.0, 1.0]).point.tolist() == [0.75, 0.25]
    player.tell([1.0, 0.0], round=1)  # regrets -0.5 and 0.5
    assert player.ask([0.5, 0.5]).point.tolist() == [0.0, 1.0], "p = (3, 1) + (-0.5, 0.5) + (0.5, 0.5) - (3, 1)"
    player.tell([0.0, 8.0], round=2)  # 2 suffered: regrets 2 and -6
    assert player.ask([0.5, 0.5]).point.tolist() == [1.0, 0.0]


@both
def test_the_scale_of_the_losses_does_not_matter(learner):
    rng = np.random.default_rng(2)
    rows, delays = rng.uniform(0, 1, (40, 3)), mixed_delays(rng, 40)
    once, often = (
        decisions_of(learner(bl.Simplex(3), LastGradient()), lambda t, x, c=c: c * rows[t - 1], delays)
        for c in (1.0, 1024.0)
    )
    assert np.array_equal(once, often)


@both
def test_what_is_refused(learner):
    with pytest.raises(InvalidArgument, match=rf"`{learner.__name__}\(domain=.*\)`: must be a Simplex"):
        learner(bl.Ball(3))
    with pytest.raises(InvalidArgument, match=rf"`{learner.__name__}\(hint=0.5\)`: must be a hint"):
        learner(bl.Simplex(3), 0.5)
