"""Mixtures of steps against the steps alone, averaged by shares that are computed again, plainly."""

import math
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest

import belated as bl
from belated.models import adagrad, adaptive_revision, dual_averaging, ftrl_proximal, mixed, two_speeds
from belated.models.features import Sparse
from belated.models.pushes import STATISTICS
from belated.models.verbs import adapt, lanes
from support.broken import broken

mixed_file, pairs_file = import_module("belated.models.mixed"), import_module("belated.models.pairs")

DIM = 6
STEPS = [adagrad(0.5), adaptive_revision(0.3), ftrl_proximal(0.4, l1=0.1), dual_averaging(0.5)]


def events(seed, rounds=80):
    """Predictions and labels of a run: ("predict", key, row) and ("learn", key, weight), late and in any order."""
    rng, waiting = np.random.default_rng(seed), []
    for key in range(rounds):
        slots = rng.choice(DIM, rng.integers(1, 4), replace=False)
        yield "predict", key, (slots, rng.normal(size=slots.size))
        waiting.append(key)
        while waiting and rng.random() < 0.5:
            yield "learn", waiting.pop(rng.integers(len(waiting))), float(rng.choice([1.0, 0.5, 2.0]))


def labels_for(link, seed, rounds=80):
    rng = np.random.default_rng(seed + 100)
    return rng.integers(0, 2, rounds) if link == "logistic" else rng.normal(1.0, 2.0, rounds)


class Shares:
    """The shares of single predictors, by the formulas of the module."""

    def __init__(self, number, link, eta, share):
        self.w, self.link, self.eta, self.share = np.full(number, 1.0 / number), link, eta, share
        self.errors = []

    def mean(self, said):
        self.w = (1.0 - self.share) * self.w + self.share / self.w.size
        return float(self.w @ said)

    def learn(self, said, label, weight):
        self.errors.append((float(self.w @ said) - label) ** 2)
        if self.link == "logistic":
            against = -np.log(np.where(label == 1, said, 1.0 - said))
        else:
            against = (said - label) ** 2 / 2.0 / max(float(np.mean(self.errors)), 1e-18)
        raised = self.w * np.exp(-self.eta * weight * (against - against.min()))
        self.w = raised / raised.sum()


def difference(steps, link="logistic", eta=1.0, share=0.01, slopes="arrival", seed=0):
    """The largest difference between a mixture and the mean of its steps alone, of predictions and of shares."""
    named = {"logistic": bl.models.logistic, "squared": bl.models.squared}[link]
    together = named(Sparse(DIM), step=mixed(steps, eta=eta, share=share), slopes=slopes).start()
    alone = [named(Sparse(DIM), step=step, slopes=slopes).start() for step in steps]
    shares, said, worst = Shares(len(steps), link, eta, share), {}, 0.0
    labels = labels_for(link, seed)
    for kind, key, what in events(seed):
        if kind == "predict":
            value = together.predict(what, key).value
            said[key] = np.array([each.predict(what, key).value for each in alone])
            worst = max(worst, abs(value - shares.mean(said[key])))
        else:
            for each in (together, *alone):
                each.learn(key, labels[key].item(), weight=what)
            shares.learn(said[key], labels[key], what)
        found = together.state()["memory"][STATISTICS : STATISTICS + len(steps)]
        worst = max(worst, float(np.abs(found - shares.w).max()))
    return worst


@pytest.mark.parametrize("link", ["logistic", "squared"])
@pytest.mark.parametrize(("eta", "share"), [(1.0, 0.01), (0.3, 0.2), (1.0, 0.0)])
def test_a_mixture_is_the_mean_of_its_steps_by_their_evidence(link, eta, share):
    """Margins are kept with seven digits."""
    assert max(difference(STEPS, link, eta, share, seed=seed) for seed in range(2)) < 1e-5


def test_mixtures_may_be_mixed_themselves():
    """What a mixture had predicted is judged, by its shares of that moment."""
    assert difference([two_speeds(), mixed([adagrad(0.1), adagrad(2.0)]), adaptive_revision(0.2)]) < 1e-5


MUTANTS = {
    "evidence of now": (mixed_file.adapt_mixed, "float(before[j]), label", "float(now[number + j]), label"),
    "eta left out": (mixed_file.adapt_mixed, "step.eta * weight", "weight"),
    "weight left out": (mixed_file.adapt_mixed, "step.eta * weight", "step.eta"),
    "nothing dealt out": (mixed_file.decide_mixed, "step.share", "0.0"),
    "steps learn the first margin": (pairs_file.adapt_pair, "now[at:]", "now[:at]"),
    "notes of the first": (pairs_file.adapt_pair, "notes[split:]", "notes"),
    "shares the wrong way round": (pairs_file.blend_pair, "shares[1:]", "shares"),
    "a mixture speaks by its first expert": (pairs_file.speak_one, "margin_count(group) == 1", "True"),
    "steps are not told of predictions": (
        pairs_file.decide_pair,
        "decide(step.first",
        "(lambda *given: None)(step.first",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mixture_with_a_mistake_would_be_caught(mutant):
    with broken(*MUTANTS[mutant]):
        assert difference([two_speeds(), adaptive_revision(0.9), *STEPS], eta=0.7, share=0.1) > 1e-4


def difference_with_assumptions(steps, eta=0.7, share=0.1, seed=3):
    """As above, of predictions, where the label 0 is learned at once and corrected if 1 comes later."""
    together, *alone = (
        bl.models.logistic(Sparse(DIM), step=step, while_waiting="assume").start()
        for step in (mixed(steps, eta=eta, share=share), *steps)
    )
    shares, said, worst = Shares(len(steps), "logistic", eta, share), {}, 0.0
    labels = labels_for("logistic", seed)
    for moment, (kind, key, what) in enumerate(events(seed)):
        if kind == "predict":
            value = together.predict(what, key, at=moment).value
            said[key] = np.array([each.predict(what, key, at=moment).value for each in alone])
            worst = max(worst, abs(value - shares.mean(said[key])))
            shares.learn(said[key], 0, 1.0)
        else:
            for each in (together, *alone):
                each.learn(key, labels[key].item(), at=moment, weight=what)
            right = -np.log(np.where(labels[key] == 1, said[key], 1.0 - said[key]))
            against = eta * (what * right + np.log(1.0 - said[key]))
            raised = shares.w * np.exp(-(against - against.min()))
            shares.w = raised / raised.sum()
    return worst


def test_a_correction_of_a_mixture_is_that_of_its_steps_and_of_the_evidence():
    assert difference_with_assumptions([two_speeds(), adaptive_revision(0.9), *STEPS]) < 1e-5


CORRECTIONS = {
    "wrong evidence stays": (mixed_file.amend_mixed, "label) - wrong)", "label))"),
    "eta left out": (mixed_file.amend_mixed, "step.eta * (", "("),
    "weight left out": (mixed_file.amend_mixed, "(weight * evidence", "(evidence"),
    "margins of the first": (pairs_file.amend_pair, "then[at:]", "then[:at]"),
    "notes of the first": (pairs_file.amend_pair, "notes[split:]", "notes"),
}


@pytest.mark.parametrize("mutant", CORRECTIONS)
def test_a_wrong_correction_would_be_caught(mutant):
    with broken(*CORRECTIONS[mutant]):
        assert difference_with_assumptions([two_speeds((1.0,)), adaptive_revision(0.9), *STEPS]) > 1e-4


@pytest.mark.parametrize("slopes", ["arrival", "decision"])
@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("step", [*STEPS, two_speeds()], ids=lambda step: type(step).__name__)
def test_a_mixture_of_one_step_or_of_copies_is_the_step(step, copies, slopes):
    one = bl.models.logistic(Sparse(DIM), step=step, slopes=slopes).start()
    other = bl.models.logistic(Sparse(DIM), step=mixed([step] * copies), slopes=slopes).start()
    labels = labels_for("logistic", 5)
    for kind, key, what in events(5):
        if kind == "predict":
            assert other.predict(what, key).value == pytest.approx(
                one.predict(what, key).value, rel=1e-12 if slopes == "arrival" else 1e-5
            )
        else:
            for each in (one, other):
                each.learn(key, labels[key].item(), weight=what)


def test_without_sharing_the_mixture_is_bayes():
    """Predictions are those of the posterior, so their losses add up to that of the mean of the likelihoods."""
    steps = [dual_averaging(0.2), dual_averaging(2.0), adagrad(0.5)]
    together = bl.models.logistic(Sparse(DIM), step=mixed(steps, share=0.0)).start()
    alone = [bl.models.logistic(Sparse(DIM), step=step).start() for step in steps]
    rng, loss, losses = np.random.default_rng(8), 0.0, np.zeros(3)
    for key in range(120):
        row, label = ([int(rng.integers(DIM))], [1.0]), int(rng.random() < 0.8)
        said = [each.predict(row, key).value for each in (together, *alone)]
        against = [-math.log(p if label else 1.0 - p) for p in said]
        loss, losses = loss + against[0], losses + against[1:]
        for each in (together, *alone):
            each.learn(key, label)
    assert loss == pytest.approx(-math.log(np.mean(np.exp(-losses))), rel=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mixed([]), "must be a list of 1 to 8 steps"),
        (lambda: mixed([adagrad()] * 9), "must be a list of 1 to 8 steps"),
        (lambda: mixed(adagrad()), "must be a list of 1 to 8 steps"),
        (lambda: mixed([adagrad(), 0.1]), "must be a step for models"),
        (lambda: mixed([mixed([adagrad(), adagrad()]).steps]), "must be a step for models"),
        (lambda: mixed([adagrad()], eta=0.0), "must be > 0"),
        (lambda: mixed([adagrad()], share=1.5), r"must lie in \[0, 1\]"),
    ],
)
def test_bad_arguments_are_refused(call, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        call()


class Unamended(NamedTuple):
    """A step that somebody has written without `amend`."""


lanes.on(Unamended)(lambda step: 1)
adapt.on(Unamended)(lambda *call: None)


@pytest.mark.parametrize("deep", [False, True])
def test_a_mixture_with_a_step_that_cannot_be_corrected_is_refused_where_labels_are_assumed(deep):
    step = mixed([adagrad(), Unamended()])
    step = mixed([adagrad(), step]) if deep else step
    assert bl.models.logistic(Sparse(DIM), step=step).step is step
    with pytest.raises(bl.errors.InvalidArgument, match="cannot correct a label that was assumed"):
        bl.models.logistic(Sparse(DIM), step=step, while_waiting="assume")


def test_the_parts_of_a_mixture_are_its_steps_at_any_depth():
    assert mixed_file.parts_of(adagrad()) == (adagrad(),)
    assert mixed_file.parts_of(mixed([STEPS[0], mixed(STEPS[1:3]), STEPS[3]])) == tuple(STEPS)
