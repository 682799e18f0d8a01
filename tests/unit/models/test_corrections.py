"""Corrections of assumed labels: against the formulas, written again on dense arrays, and against broken copies."""

import math
from importlib import import_module

import numpy as np
import pytest

import belated as bl
from belated.models import (
    Sparse,
    adagrad,
    adaptive_revision,
    composite,
    dogd_sc,
    dual_averaging,
    ftrl_proximal,
    two_speeds,
)
from support.assuming import (
    Agenda,
    NaiveAdaGrad,
    NaiveAssumingTwoSpeeds,
    NaiveDescent,
    NaiveLeader,
    NaiveProximal,
    NaiveRevision,
)
from support.broken import broken

DIM = 7
NAMES = ("adagrad", "ftrl_proximal", "adaptive_revision", "dogd_sc", "leader", "two_speeds", "mixed", "pushes")
files = {name: import_module(f"belated.models.{name}") for name in NAMES}

TWINS = {
    "adagrad": (adagrad(0.5), NaiveAdaGrad),
    "ftrl_proximal": (ftrl_proximal(0.5, beta=0.5, l1=0.05, l2=0.1), NaiveProximal),
    "adaptive_revision": (adaptive_revision(0.4), NaiveRevision),
    "dogd_sc": (dogd_sc(0.3, radius=0.9), NaiveDescent),
    "dual_averaging": (dual_averaging(0.6, radius=0.9), NaiveLeader),
    "two_speeds": (two_speeds(), NaiveAssumingTwoSpeeds),
}


def difference(name, link="logistic", wait=2.5, horizon=None, seed=0, rounds=100):
    """The largest relative difference of predictions of a step and of its naive twin, labels late and in any order."""
    step, twin = TWINS[name]
    named = {"logistic": bl.models.logistic, "squared": bl.models.squared}[link]
    naive = twin(DIM + 1) if link == "logistic" else twin(DIM + 1, link)
    agenda = Agenda(naive, wait, math.inf if horizon is None else horizon)
    options = {"while_waiting": "assume", "wait": wait, "horizon": horizon}
    predictor, rng, worst, waiting = (
        named(Sparse(DIM), step=step, **options).start(),
        np.random.default_rng(seed),
        0.0,
        [],
    )
    moment = 0.0
    for number in range(rounds):
        moment += float(rng.choice([0.0, 0.5, 1.0]))  # so that moments coincide
        slots = rng.choice(DIM, rng.integers(1, 4), replace=False)
        values, x = rng.normal(size=slots.size), np.zeros(DIM + 1)
        x[slots], x[DIM] = values, 1.0
        ours, theirs = predictor.predict((slots, values), number, at=moment).value, agenda.predict(number, x, moment)
        worst = max(worst, abs(ours - theirs) / max(1.0, abs(theirs)))
        waiting.append(number)
        while waiting and rng.random() < 0.5:
            moment += float(rng.choice([0.0, 0.5]))
            key, weight = waiting.pop(rng.integers(len(waiting))), float(rng.choice([1.0, 0.5, 2.0]))
            label = int(rng.integers(2)) if link == "logistic" else float(rng.choice([0.0, rng.normal(3.0, 5.0)]))
            in_time = key in agenda.open and agenda.learn(
                key, 2.0 * label - 1.0 if link == "logistic" else label, weight, moment
            )
            if in_time:
                assert predictor.learn(key, label, at=moment, weight=weight)
            else:
                with pytest.raises(bl.errors.AlreadyAnswered, match="deadline"):
                    predictor.learn(key, label, at=moment, weight=weight)
    return worst


@pytest.mark.parametrize(("wait", "horizon"), [(0.0, None), (2.5, None), (1.0, 6.0)])
@pytest.mark.parametrize("name", TWINS)
def test_assumptions_and_corrections_are_those_of_the_formulas(name, wait, horizon):
    assert max(difference(name, wait=wait, horizon=horizon, seed=seed) for seed in range(2)) < 1e-9


def test_the_statistics_of_the_labels_are_corrected_too():
    assert difference("two_speeds", "squared") < 1e-7


RIGHT = "weight * link_slope(link, float(then[0]), label)"
MUTANTS = {
    "adagrad keeps the square": ("adagrad", "adagrad", "amend_adagrad", "max(raised, step.offset)", "lane[SQUARES]"),
    "adagrad does not move": ("adagrad", "adagrad", "amend_adagrad", "step.scale * (right", "0.0 * (right"),
    "adagrad forgets the weight": ("adagrad", "adagrad", "amend_adagrad", RIGHT, RIGHT[9:]),
    "adagrad at the prediction": ("adagrad", "adagrad", "amend_adagrad", RIGHT, RIGHT.replace("then", "before")),
    "proximal keeps the square": ("ftrl_proximal", "ftrl_proximal", "amend_proximal", "(right + wrong)", "0.0"),
    "proximal adds the label": (
        "ftrl_proximal",
        "ftrl_proximal",
        "amend_proximal",
        "(right - wrong) * value, square",
        "right * value, square",
    ),
    "revision adds the label": ("adaptive_revision", "adaptive_revision", "amend_revision", "label) - wrong", "label)"),
    "revision of the prediction": (
        "adaptive_revision",
        "adaptive_revision",
        "adapt_revision",
        "take_notes(step, table, slots, notes)",
        "pass",
    ),
    "descent counts twice": (
        "dogd_sc",
        "dogd_sc",
        "amend_descent",
        "float(memory[RECEIVED]) + 1.0",
        "float(memory[RECEIVED]) + 1.5",
    ),
    "leader adds the label": (
        "dual_averaging",
        "leader",
        "amend_leader",
        "right - link_slope(link, float(then[0]), assumed)",
        "right",
    ),
    "experts: evidence added": (
        "two_speeds",
        "two_speeds",
        "amend_two_speeds",
        "label) - evidence(link, labels, margin, assumed)",
        "label)",
    ),
    "experts: G as it was": (
        "two_speeds",
        "two_speeds",
        "amend_two_speeds",
        "max(raised, step.offset)",
        "table[slot, 0]",
    ),
    "experts: fast weights keep it": ("two_speeds", "two_speeds", "amend_two_speeds", "value * float(then[k])", "0.0"),
    "experts: slow weights keep it": (
        "two_speeds",
        "two_speeds",
        "amend_two_speeds",
        "slowed * float(then[number + k])",
        "0.0",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_correction_would_be_caught(mutant):
    name, file, function, *change = MUTANTS[mutant]
    with broken(getattr(files[file], function), *change):
        assert difference(name) > 1e-5


@pytest.mark.parametrize(
    ("piece", "other"),
    [
        ("labels[MEAN] += difference / float(labels[COUNT])", "pass"),
        ("(label - float(labels[MEAN])) + (assumed - was)", "label - float(labels[MEAN])"),
        ("label + assumed - 2.0 * prediction", "label - assumed"),
    ],
)
def test_wrong_statistics_would_be_caught(piece, other):
    with broken(files["pushes"].replace_label, piece, other):
        assert difference("two_speeds", "squared") > 1e-5


SUMS = {
    "dual_averaging": dual_averaging(0.8),
    "dual_averaging in a ball": dual_averaging(0.8, radius=0.5),
    "composite": composite(0.3),
    "composite with caution": composite(0.1, radius=0.5, lipschitz=1.0, caution=0.5),
}


def apart(name, named=bl.models.logistic, seed=0):
    """How far the corrected state is from that of the right labels, learned at the moments of the assumptions."""
    model = named(Sparse(DIM), step=SUMS[name], slopes="decision", while_waiting="assume", wait=50.0)
    rng, one = np.random.default_rng(seed), model.start()
    other = named(Sparse(DIM), step=SUMS[name], slopes="decision").start()
    worst, key = 0.0, 0
    for batch in range(12):
        begin, keys = 1000.0 * batch, []
        for place in range(8):
            slots, key = rng.choice(DIM, 3, replace=False), key + 1
            row = slots, rng.normal(size=3)
            moment = begin + place
            worst = max(worst, abs(one.predict(row, key, at=moment).value - other.predict(row, key, at=moment).value))
            keys.append(key)
        labels = rng.integers(0, 2, len(keys)) if named is bl.models.logistic else rng.normal(1.0, 2.0, len(keys))
        weights = rng.choice([1.0, 3.0], len(keys))
        for place, each in enumerate(keys):
            other.learn(each, labels[place].item(), at=begin + place + 50.0, weight=weights[place])
        for place in rng.permutation(len(keys)):
            one.learn(keys[place], labels[place].item(), at=begin + 500.0, weight=weights[place])
        mine, theirs = one._running.machine, other._running.machine
        for ours, right in ((mine.table, theirs.table), (mine.memory, theirs.memory)):
            worst = max(worst, float((np.abs(ours - right) / np.maximum(1.0, np.abs(right))).max()))
    return worst


@pytest.mark.parametrize("named", [bl.models.logistic, bl.models.squared], ids=lambda named: named.__name__)
@pytest.mark.parametrize("name", SUMS)
def test_a_sum_is_that_of_the_right_labels_at_the_moment_of_the_assumption(name, named):
    assert max(apart(name, named, seed) for seed in range(3)) < 1e-12


def sums_apart(seed=0):
    """How far Z is from the sum of the right slopes at what was predicted, also between assumptions and corrections."""
    model = bl.models.logistic(Sparse(DIM), step=dual_averaging(0.5), slopes="decision", while_waiting="assume")
    predictor, rng, right, keys = model.start(), np.random.default_rng(seed), np.zeros(DIM + 1), []
    for key in range(60):
        slots, values = rng.choice(DIM, 3, replace=False), rng.normal(size=3)
        value = predictor.predict((slots, values), key, at=key).value
        label, weight = int(rng.integers(2)), float(rng.choice([1.0, 2.0]))
        right[slots] += weight * (value - label) * values
        right[DIM] += weight * (value - label)
        keys.append((key, label, weight))
        while keys and rng.random() < 0.4:
            told, label, weight = keys.pop(rng.integers(len(keys)))
            predictor.learn(told, label, at=key, weight=weight)
    for told, label, weight in keys:
        predictor.learn(told, label, at=100.0, weight=weight)
    return float(np.abs(predictor._running.machine.table[:, 0] - right).max())


def test_a_sum_is_that_of_the_right_labels_whatever_is_predicted_in_between():
    assert max(map(sums_apart, range(3))) < 1e-12
    with broken(files["leader"].amend_leader, "right - link_slope", "right - 0.9 * link_slope"):
        assert sums_apart() > 1e-3


def test_a_correction_that_counts_as_a_label_would_be_caught():
    with broken(files["leader"].amend_leader, "right = weight", "memory[RECEIVED] += 1.0; right = weight"):
        assert apart("composite") > 0.1
