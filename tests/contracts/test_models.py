"""What every model must do, whatever its link, its step and the recipe of its features."""

import copy
import itertools
import json
import pickle

import numpy as np
import pytest

import belated as bl
from belated.core import compiling
from belated.models import (
    Dense,
    Named,
    Sparse,
    adagrad,
    adaptive_revision,
    composite,
    dogd_sc,
    dual_averaging,
    ftrl_proximal,
    mixed,
    running,
    two_speeds,
)
from belated.models.named import EVERY
from belated.models.pending import USED_ENTRIES
from support.compiler import needs_compiler
from support.players import as_bytes

RECIPES = {"named": Named(8, categorical=["hour"], crosses=["a", "hour"]), "sparse": Sparse(30), "dense": Dense(4)}
STEPS = {
    "two_speeds": two_speeds(),
    "adagrad": adagrad(0.2),
    "ftrl_proximal": ftrl_proximal(0.3, l1=0.01, l2=0.01),
    "adaptive_revision": adaptive_revision(0.2),
    "dual_averaging": dual_averaging(0.2),
    "composite": composite(0.5, radius=3.0, lipschitz=5.0),
    "dogd_sc": dogd_sc(2.0, radius=3.0),
    "mixed": mixed([adaptive_revision(0.1), dual_averaging(0.1)]),
}
WAYS = {
    "as they come": {},
    "slopes at the decision": {"slopes": "decision"},
    "deadlines": {"horizon": 7.0},
    "held": {"horizon": 7.0, "while_waiting": "hold"},
    "held sums": {"horizon": 7.0, "while_waiting": "hold", "outcomes": "last"},
    "assumed": {"while_waiting": "assume"},
    "assumed until the horizon": {"while_waiting": "assume", "wait": 2.0, "horizon": 7.0},
    "assumed at the decision": {"while_waiting": "assume", "wait": 1.5, "slopes": "decision"},
}


def folded():
    """Every step with every way; links and recipes take turns, so that every pair of two of the four occurs."""
    for (i, step), (j, way) in itertools.product(enumerate(STEPS), enumerate(WAYS)):
        yield EVERY[(i + j) % len(EVERY)], list(RECIPES)[(i + 2 * j) % len(RECIPES)], step, way


MODELS = {f"{each[0].__name__}-{'-'.join(each[1:])}": each for each in folded()}


def model_of(name):
    named, recipe, step, way = MODELS[name]
    return named(RECIPES[recipe], step=STEPS[step], **WAYS[way])


def example_for(model, rng):
    if isinstance(model.features, Named):
        example = {"a": f"w{rng.integers(6)}", "hour": int(rng.integers(24)), "x": float(rng.normal(40, 9)), "y": None}
        return {name: value for name, value in example.items() if rng.random() < 0.9}
    if isinstance(model.features, Sparse):
        slots = rng.choice(30, rng.integers(1, 6), replace=False)
        return slots, np.ones(slots.size) if rng.random() < 0.5 else rng.normal(size=slots.size)
    return np.where(rng.random(4) < 0.1, np.nan, rng.normal(size=4))


def label_for(model, rng):
    kinds = {"number": rng.normal(3, 20), "count": rng.poisson(2.0), "-1/1": rng.choice([-1, 1])}
    return kinds.get(model.labels, rng.integers(2))


def play(model, predictor, rounds, seed=0):
    """Predictions and answers of a run with late labels, in any order; what is told too late is an answer as well."""
    rng, found = np.random.default_rng(seed), []
    for number in range(rounds):
        found.append(predictor.predict(example_for(model, rng), f"{seed}-{number}").value)
        for key in predictor.waiting:
            if rng.random() < 0.3:
                try:
                    found.append(predictor.learn(key, label_for(model, rng)))
                except bl.errors.AlreadyAnswered:
                    found.append("too late")
            elif rng.random() < 0.02:
                try:
                    found.append(predictor.give_up(key))
                except bl.errors.AlreadyAnswered:
                    found.append("held")
    return found


every_model = pytest.mark.parametrize("name", MODELS)
some_models = pytest.mark.parametrize("name", [name for name in MODELS if name.endswith(("come", "held", "assumed"))])


@every_model
def test_a_run_can_be_saved_and_resumed_and_goes_on_bit_for_bit(name):
    model = model_of(name)
    predictor = model.start()
    play(model, predictor, 25)
    state = predictor.state()
    others = [model.resume(state), copy.deepcopy(predictor), pickle.loads(pickle.dumps(predictor))]
    as_json = json.loads(json.dumps(state, default=lambda array: array.tolist()))
    others.append(model.resume(as_json))
    expected = play(model, predictor, 25, seed=1)
    for other in others:
        assert play(model, other, 25, seed=1) == expected
        assert as_bytes(other.state()) == as_bytes(predictor.state())


@some_models
def test_the_same_events_give_the_same_predictions(name):
    model = model_of(name)
    assert play(model, model.start(), 40) == play(model, model_of(name).start(), 40)
    assert model == model_of(name)
    assert hash(model) == hash(model_of(name))


@some_models
def test_every_kind_of_bad_call_is_refused_and_changes_nothing(name):
    model = model_of(name)
    predictor, rng = model.start(), np.random.default_rng(3)
    play(model, predictor, 10)
    predictor.predict(example_for(model, rng), "open")
    predictor.predict(example_for(model, rng), "gone")
    predictor.give_up("gone")
    before = as_bytes(predictor.state())
    good = example_for(model, rng)
    calls = [
        lambda: predictor.predict("no example"),
        lambda: predictor.predict(good, "open"),
        lambda: predictor.predict(good, 1.5),
        lambda: predictor.predict(good, True),
        lambda: predictor.predict(good, "new", at=3.0),
        lambda: predictor.predict(good, "new", deadline=float("nan")),
        lambda: predictor.predict(good, "new", deadline=-1.0),
        lambda: predictor.look("no example"),
        lambda: predictor.learn("open", "yes"),
        lambda: predictor.learn("open", float("nan")),
        lambda: predictor.learn("open", None),
        lambda: predictor.learn("open", label_for(model, rng), weight=0.0),
        lambda: predictor.learn("open", label_for(model, rng), weight=float("inf")),
        lambda: predictor.learn("open", label_for(model, rng), at=99.0),
        lambda: predictor.learn("unknown", label_for(model, rng)),
        lambda: predictor.learn(["open"], label_for(model, rng)),
        lambda: predictor.learn("gone", label_for(model, rng)),
        lambda: predictor.give_up("gone"),
        lambda: predictor.give_up("unknown"),
    ]
    for call in calls:
        with pytest.raises(bl.errors.BelatedError, match=f"`{model.name}"):
            call()
        assert as_bytes(predictor.state()) == before


@some_models
def test_looking_changes_nothing_and_arguments_are_not_kept(name):
    model, rng = model_of(name), np.random.default_rng(4)
    predictor = model.start()
    play(model, predictor, 10)
    before, example = as_bytes(predictor.state()), example_for(model, rng)
    assert predictor.look(example) == predictor.look(example)
    assert as_bytes(predictor.state()) == before
    twin = model.resume(predictor.state())
    predictor.predict(example, "k")
    twin.predict(copy.deepcopy(example), "k")
    if isinstance(example, dict):
        example.clear()
    else:
        for array in example if isinstance(example, tuple) else (example,):
            array[...] = 0
    for each in (predictor, twin):
        each.learn("k", 1)
    assert as_bytes(predictor.state()) == as_bytes(twin.state())


@some_models
def test_memory_is_bounded_by_what_waits(name):
    model, rng = model_of(name), np.random.default_rng(5)
    predictor = model.start()
    for number in range(400):
        predictor.predict(example_for(model, rng), number)
        if number >= 5:
            try:
                predictor.learn(number - 5, label_for(model, rng))
            except bl.errors.AlreadyAnswered:
                pytest.fail("a label that is five predictions late is not too late")
    pending = predictor._running.machine.pending
    assert int(pending.counts[USED_ENTRIES]) <= 9
    assert pending.number.size <= 32
    assert len(predictor.waiting) <= 9


COMPILED = [
    (bl.models.squared, "two_speeds", "as they come"),
    (bl.models.logistic, "adagrad", "as they come"),
    (bl.models.squared_hinge, "ftrl_proximal", "as they come"),
    (bl.models.logistic, "composite", "as they come"),
    (bl.models.logistic, "dogd_sc", "as they come"),
    (bl.models.poisson, "mixed", "assumed"),
]
"""Compiling takes seconds, so steps have one link and one way here. Those that are left out are in the mixture."""


def test_every_pair_of_two_kinds_occurs():
    everything = list(map(set, zip(*MODELS.values(), strict=True)))
    for one, two in itertools.combinations(range(4), 2):
        pairs = {(each[one], each[two]) for each in MODELS.values()}
        assert len(pairs) == len(everything[one]) * len(everything[two])


@needs_compiler
@pytest.mark.parametrize(("named", "step", "way"), COMPILED)
def test_compiling_in_the_middle_of_a_run_changes_no_bit(named, step, way, monkeypatch):
    """And it does without memory management, which would take as long as the arithmetic."""
    monkeypatch.setattr(compiling, "_outcomes", {})
    model = named(Sparse(30), step=STEPS[step], **WAYS[way])
    plain, other = model.start(), model.start()
    assert play(model, plain, 20) == play(model, other, 20)
    assert other.compile()
    assert other._running.is_compiled
    lean = {function.__name__: outcome.lean for (function, _), outcome in compiling._outcomes.items()}
    assert {"predict_one", "learn_one"} <= lean.keys()
    assert all(lean.values())
    assert play(model, plain, 60, seed=1) == play(model, other, 60, seed=1)
    assert as_bytes(plain.state()) == as_bytes(other.state())


@needs_compiler
def test_a_predictor_compiles_itself_once_when_it_has_predicted_often_enough(monkeypatch):
    monkeypatch.setattr(running, "PREDICTIONS_WORTH_COMPILING", 5)
    predictor = bl.models.logistic(Sparse(3), step=adagrad(0.1)).start()
    compiled = []
    for number in range(8):
        predictor.predict(([0], [1.0]), number)
        compiled.append(predictor._running.is_compiled)
    assert compiled == [False] * 4 + [True] * 4
