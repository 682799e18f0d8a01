"""ODAFTRL and its tunings against a witness that keeps every round, the identity with Hedge, by hand, and mutants."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.errors import InvalidArgument
from belated.learners.algorithms.hedge import hedge
from belated.learners.algorithms.odaftrl import odaftrl
from belated.learners.parts.policies.hints import GivenHint, LastGradient, NoHint
from belated.learners.parts.rates import tunings
from belated.learners.parts.rates.tunings import ada_hedge_d, dub
from belated.learners.parts.rates.weights import PlayWeight
from support.naive import rounds_arriving
from support.shares import decisions_of, mixed_delays
from support.strategies import delay_sequences, seeds

HINTS = [NoHint(), LastGradient(), GivenHint()]
DOMAINS = [bl.Simplex(2), bl.Simplex(3), bl.Simplex(6), bl.Simplex(4, total=2.0, floor=0.1)]


def leader(prior, z, weight):
    """argmin <z, w> + weight KL(w, prior)."""
    behind = z - z.min()
    w = prior * np.exp(-behind / weight) if weight > 0 else np.where(behind == 0, prior, 0.0)
    return w / w.sum()


def objective(prior, z, weight, w):
    held = w[w > 0]
    return z @ w + weight * float(np.sum(held * np.log(held / prior[w > 0])))


class Naive:
    """Everything that was ever played or received, by round."""

    def __init__(self, domain, start, tuning, hint):
        self.spare = domain.total - domain.dim * domain.floor
        self.domain, self.tuning, self.hint = domain, tuning, hint
        self.prior = (start - domain.floor) / self.spare
        self.g, self.w, self.h, self.lam, self.known, self.order = {}, {}, {}, {}, {}, []

    def weight(self):
        if not isinstance(self.tuning, str):
            return self.tuning
        alpha, deltas, windows, charges, held, bounds = math.log(self.domain.dim), 0.0, [0.0], 0.0, 0.0, {}
        for j, k in enumerate(self.order, start=1):
            z = np.sum([self.g[i] for i in self.order[:j]], axis=0)
            fresh = [i for i in self.order[:j] if i not in self.known[k]]  # came since k was played, and k itself
            error = self.h[k] - np.sum([self.g[i] for i in fresh], axis=0)
            e, size = np.abs(error).max(), np.abs(self.g[k]).max()
            bounds[k] = 2 * min(e, size)
            windows.append(sum(bounds[i] for i in fresh if i != k))
            charges += bounds[k] ** 2 + 2 * alpha * (e**2 / 2 - max(0, e - size) ** 2 / 2)
            held = max(held, self.lam[k])
            best, tilted = (leader(self.prior, z + s, held) for s in (0, error * (min(1, size / e) if e else 1)))
            low = objective(self.prior, z, held, best)
            first = objective(self.prior, z, held, self.w[k]) - low
            second = self.g[k] @ (self.w[k] - best)
            third = objective(self.prior, z, held, tilted) - low + self.g[k] @ (self.w[k] - tilted)
            deltas += max(0, min(first, second, third))
        if self.tuning == "dub":
            return (2 * max(windows) + math.sqrt(charges)) / alpha
        return deltas / alpha

    def run(self, gradient, delays, contexts):
        xs = []
        for t in range(1, len(delays) + 2):
            missing = t - 1 - len(self.order)
            last = self.g[self.order[-1]] if self.order else np.zeros(self.domain.dim)
            guesses = {"NoHint": 0 * last, "LastGradient": (missing + 1) * last, "GivenHint": contexts[t - 1]}
            self.h[t] = guesses[type(self.hint).__name__]
            self.lam[t], self.known[t] = self.weight(), list(self.order)
            received = np.sum([self.g[k] for k in self.order], axis=0) if self.order else 0 * last
            self.w[t] = leader(self.prior, received + self.h[t], self.lam[t])
            xs.append(self.domain.floor + self.spare * self.w[t])
            if t <= len(delays):
                self.g[t] = gradient(t, xs[-1])
                self.order += rounds_arriving(delays, t)
        return np.array(xs)


def tuning_of(name, domain):
    return {"ada": ada_hedge_d, "dub": dub}[name](domain) if isinstance(name, str) else name


def gap(domain, name, hint, seed=0, rounds=18, given_delays=None):
    rng = np.random.default_rng(seed)
    rows, contexts = rng.normal(0, 1, (rounds + 1, domain.dim)), rng.normal(0, 2, (rounds + 1, domain.dim))
    start = domain.floor + (domain.total - domain.dim * domain.floor) * rng.dirichlet(np.ones(domain.dim))
    delays = given_delays or mixed_delays(rng, rounds)

    def gradient(t, x):
        return rows[t] + x

    given = contexts if type(hint) is GivenHint else None
    ours = decisions_of(odaftrl(domain, tuning_of(name, domain), hint), gradient, delays, start, given)
    return np.abs(ours - Naive(domain, start, name, hint).run(gradient, delays, contexts)).max()


@pytest.mark.parametrize("hint", HINTS, ids=lambda hint: type(hint).__name__)
@pytest.mark.parametrize("name", ["ada", "dub", 2.5])
def test_it_is_the_formula(name, hint):
    for seed, domain in enumerate(DOMAINS):
        assert gap(domain, name, hint, seed) < 1e-9


@settings(max_examples=30)
@given(delay_sequences(9), seeds)
def test_whatever_the_delays(delays, seed):
    assert gap(bl.Simplex(3), "dub", LastGradient(), seed, given_delays=delays) < 1e-9


@pytest.mark.parametrize(
    ("name", "part"), [("ada", tunings.AdaHedgeD), ("dub", tunings.DelayedUpperBound)], ids=["ada", "dub"]
)
def test_the_comparison_notices_an_error_that_forgets_the_present_round(name, part, monkeypatch):
    right = tunings.learn.implementations[part]

    def wrong(tuning, spent, prior, linear, gradient, marked, scratch):
        right(tuning, spent, prior, linear - gradient, gradient, marked, scratch)

    monkeypatch.setitem(tunings.learn.implementations, part, wrong)
    assert gap(bl.Simplex(3), name, LastGradient()) > 1e-3


def test_the_comparison_notices_a_window_that_is_too_short(monkeypatch):
    right = tunings.learn.implementations[tunings.DelayedUpperBound]

    def wrong(tuning, spent, prior, linear, gradient, marked, scratch):
        marked = marked.copy()
        marked[-1] = spent[0]
        right(tuning, spent, prior, linear, gradient, marked, scratch)

    monkeypatch.setitem(tunings.learn.implementations, tunings.DelayedUpperBound, wrong)
    assert gap(bl.Simplex(3), "dub", NoHint()) > 1e-3


def test_with_the_rate_of_hedge_and_no_hint_it_is_hedge():
    rng = np.random.default_rng(5)
    rows, delays, domain = rng.integers(0, 9, (41, 4)) / 8, mixed_delays(rng, 40), bl.Simplex(4)  # sums are exact
    tuned = odaftrl(domain, PlayWeight(1.0 / math.sqrt(math.log(4))))
    assert not tuned.needs_round
    ours, hedged = (decisions_of(learner, lambda t, x: rows[t], delays) for learner in (tuned, hedge(domain)))
    assert np.array_equal(ours, hedged)


def test_without_delay_and_hint_it_is_adahedge():
    """De Rooij and others 2014: lambda is the sum of the mixability gaps over ln n."""
    rows, n = np.random.default_rng(6).uniform(0, 1, (40, 4)), 4
    ours = decisions_of(odaftrl(bl.Simplex(n)), lambda t, x: rows[t - 1], [1] * 40)
    lost, gaps = np.zeros(n), 0.0
    for t in range(40):
        weight = gaps / math.log(n)
        w = leader(np.full(n, 1 / n), lost, weight)
        assert np.allclose(ours[t], w, rtol=0, atol=1e-10)
        mixed = -weight * math.log(w @ np.exp(-rows[t] / weight)) if weight else (lost + rows[t]).min() - lost.min()
        lost, gaps = lost + rows[t], gaps + max(0, w @ rows[t] - mixed)


def test_a_perfect_hint_costs_nothing():
    rows = np.random.default_rng(7).uniform(0, 1, (11, 3))
    player = odaftrl(bl.Simplex(3), hint=GivenHint()).start()
    for row in rows:
        play = player.ask(row)
        player.tell(row, round=play.round)
        assert player.state()["policy.held"] == pytest.approx(0.0, abs=1e-12)


def test_by_hand():
    player = odaftrl(bl.Simplex(2), dub(bl.Simplex(2)), LastGradient()).start()
    player.ask()
    player.tell([1.0, 0.0], round=1)  # no hint yet: e = -g, a = 2, b = 1/2; lambda = sqrt(4 + ln 2) / ln 2
    weight = math.sqrt(4 + math.log(2)) / math.log(2)
    odds = math.exp(2 / weight)  # one has come, and one more like it is expected
    assert player.ask().point == pytest.approx([1 / (1 + odds), odds / (1 + odds)], abs=1e-15)
    odds = math.exp(3 / weight)  # now two are missing
    assert player.ask().point == pytest.approx([1 / (1 + odds), odds / (1 + odds)], abs=1e-15)


def test_what_is_refused():
    with pytest.raises(InvalidArgument, match=r"`odaftrl\(domain=.*\)`: must be a Simplex"):
        odaftrl(bl.Ball(3))
    with pytest.raises(InvalidArgument, match=r"`odaftrl\(tuning=0.0\)`: must be > 0"):
        odaftrl(bl.Simplex(3), 0.0)
    with pytest.raises(InvalidArgument, match=r"`odaftrl\(hint=None\)`: must be a hint"):
        odaftrl(bl.Simplex(3), hint=None)
    with pytest.raises(InvalidArgument, match=r"`dub\(domain=.*\)`: must be a Simplex"):
        dub(bl.Ball(3))
