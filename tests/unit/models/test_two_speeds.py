"""The default step against the formulas of its docstring, written again on dense arrays, and against broken copies."""

import math

import numpy as np
import pytest

import belated as bl
from belated.models import two_speeds as default_step
from belated.models.features import Sparse
from belated.models.named import EVERY
from support.models import NaiveTwoSpeeds, dense

DIM = 12


def label_for(name, rng):
    return {"squared": float(rng.normal(3.0, 20.0)), "poisson": float(rng.poisson(3.0))}.get(
        name, float(rng.integers(2))
    )


def inside(name, label):
    return 2 * label - 1 if name in ("logistic", "squared_hinge") else label


def play(model, naive, rounds=150, seed=0):
    """The largest relative difference of predictions, in a run with late labels in any order, weights and values."""
    rng, predictor, worst, open_keys = np.random.default_rng(seed), model.start(), 0.0, []
    for number in range(1, rounds + 1):
        size = rng.integers(1, 5)
        slots = rng.choice(DIM, size, replace=False)
        values = rng.normal(size=size) if number % 2 else np.ones(size)
        x = np.zeros(DIM + 1)
        x[slots], x[DIM] = values, 1.0
        ours, theirs = predictor.predict((slots, values), number).value, naive.predict(number, x)
        worst = max(worst, abs(ours - theirs) / max(1.0, abs(theirs)))
        open_keys.append(number)
        while open_keys and rng.random() < 0.5:
            key = open_keys.pop(rng.integers(len(open_keys)))
            label, weight = label_for(model.name, rng), float(rng.choice([1.0, 0.5, 3.0]))
            predictor.learn(key, label, weight=weight)
            naive.learn(key, inside(model.name, label), weight)
    return worst


@pytest.mark.parametrize("named", EVERY, ids=lambda named: named.__name__)
def test_predictions_are_those_of_the_formulas(named):
    assert play(named(Sparse(DIM)), NaiveTwoSpeeds(DIM + 1, named.__name__)) < 1e-9


def test_every_argument_counts():
    given = {"slow": (0.5, 2.0), "fast": 0.3, "leak": 0.1, "share": 0.05, "offset": 2.0}
    model = bl.models.logistic(Sparse(DIM), step=default_step(**given))
    assert play(model, NaiveTwoSpeeds(DIM + 1, **given)) < 1e-9
    usual = {"slow": (0.3, 1.0, 3.0), "fast": 0.2, "leak": 0.02, "share": 0.01, "offset": 10.0}
    for name in given:
        assert play(model, NaiveTwoSpeeds(DIM + 1, **{**given, name: usual[name]})) > 1e-5, name


class SlowByTheWholeMargin(NaiveTwoSpeeds):
    """The slow weights learn from what the fast ones have explained."""

    def learn(self, key, y, weight=1.0):
        slow = self.s
        self.s, fast = self.s + self.f, self.f
        self.f = np.zeros_like(fast)
        moved = self.s.copy()
        super().learn(key, y, weight)
        self.s, self.f = slow + (self.s - moved), fast + self.f


class EvidenceOfNow(NaiveTwoSpeeds):
    """Experts are judged by what they would predict now."""

    def learn(self, key, y, weight=1.0):
        x, _, _ = self.remembered[key]
        now = (self.s + self.f) @ x
        self.remembered[key] = x, now, now
        super().learn(key, y, weight)


class SharesPerLabel(NaiveTwoSpeeds):
    """Shares are dealt out when a label comes."""

    def predict(self, key, x):
        before = self.w
        value = super().predict(key, x)
        self.w = before
        return value

    def learn(self, key, y, weight=1.0):
        super().learn(key, y, weight)
        self.w = (1 - self.c) * self.w + self.c / len(self.w)


class LeaksEverywhere(NaiveTwoSpeeds):
    """Fast weights leak in all slots."""

    def learn(self, key, y, weight=1.0):
        x = self.remembered[key][0]
        super().learn(key, y, weight)
        self.f = np.where(x == 0, (1 - self.leak) * self.f, self.f)


class SlopesAtTheDecision(NaiveTwoSpeeds):
    """Pushes are taken at the margins that were predicted."""

    def predict(self, key, x):
        value = super().predict(key, x)
        self.remembered[key] = (*self.remembered[key][:2], ((self.s + self.f) @ x, self.s @ x))
        return value

    def learn(self, key, y, weight=1.0):
        x, predicted, (whole, alone) = self.remembered[key]
        s, f = self.s, self.f
        shift = (whole - (s + f) @ x, alone - s @ x)
        X = float(x @ x)
        self.s, self.f = s + np.outer(shift[1], x) / X, f + np.outer(shift[0] - shift[1], x) / X
        moved = self.s, self.f
        self.remembered[key] = x, predicted, None
        super().learn(key, y, weight)
        self.s, self.f = s + (self.s - moved[0]), f + (self.f - moved[1])


MUTANTS = [each for each in NaiveTwoSpeeds.__subclasses__() if each.__module__ == __name__]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_step_with_a_mistake_would_be_caught(mutant):
    assert play(bl.models.logistic(Sparse(DIM)), mutant(DIM + 1)) > 1e-5


def test_the_shares_are_the_posterior_and_none_dies():
    model = bl.models.logistic(Sparse(DIM))
    predictor, rng = model.start(), np.random.default_rng(1)
    for number in range(1, 200):
        predictor.predict(([number % DIM], [1.0]), number)
        predictor.learn(number, int(rng.random() < 0.9))
        shares = predictor.state()["memory"][-3:]
        assert shares.sum() == pytest.approx(1.0)
        assert shares.min() >= 0.0
    predictor.predict(([0], [1.0]), "next")
    assert predictor.state()["memory"][-3:].min() >= 0.01 / 3


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_shares_stay_numbers_at_the_ends_of_the_range(share):
    predictor = bl.models.squared(Sparse(DIM), step=default_step(share=share)).start()
    for number in range(300):
        predictor.predict(([number % 3], [1e6]), number)
        predictor.learn(number, 1e9 * (-1) ** number)
    assert all(math.isfinite(value) for value in predictor.state()["memory"])


def test_dense_puts_together_what_falls_into_one_slot():
    encoded = bl.models.Named(bits=1)
    row = bl.models.encoders.new_encoder(encoded).encode("here", {"a": "x", "b": "y", "c": "z"}).row
    assert dense(row, 3).sum() == 4.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"slow": ()}, "must be 1 to 7 rates"),
        ({"slow": (1.0,) * 8}, "must be 1 to 7 rates"),
        ({"slow": (0.0,)}, "must be > 0"),
        ({"fast": -1.0}, "must be >= 0"),
        ({"leak": 1.5}, r"must lie in \[0, 1\]"),
        ({"share": -0.1}, r"must lie in \[0, 1\]"),
        ({"offset": 0.0}, "must be > 0"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        default_step(**arguments)
