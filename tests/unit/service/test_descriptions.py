"""Descriptions as plain values: everything that the library makes comes back equal, and nothing else gets through."""

import json
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

import belated as bl
from belated.core.errors import InvalidArgument, StateMismatch
from belated.domains import EVERY as DOMAINS
from belated.learners.catalogue import EXAMPLES, typical
from belated.learners.learner import Learner, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.steps.descent import Descent
from belated.learners.verbs import inverse_rate
from belated.service import descriptions
from belated.service.descriptions import read_back, written
from contracts.test_models import MODELS, model_of


def comes_back(description):
    """Through JSON, equal, and with the same decisions."""
    found = read_back(json.loads(json.dumps(written(description))))
    assert type(found) is type(description)
    assert found == description
    assert found.fingerprint == description.fingerprint
    return found


@pytest.mark.parametrize("label", EXAMPLES)
def test_every_learner_comes_back(label):
    learner = typical(label)
    found, context = comes_back(learner), np.zeros(learner.interface.context_size)
    first, second = (each.start(seed=3).ask(context if context.size else None) for each in (learner, found))
    assert first.points.tobytes() == second.points.tobytes()


@pytest.mark.parametrize("family", DOMAINS, ids=lambda family: family.__name__)
def test_every_domain_comes_back(family):
    comes_back(bl.dogd_sc(family.example(4), 2.0))


@pytest.mark.parametrize("label", MODELS)
def test_every_model_comes_back(label):
    comes_back(model_of(label))


class OwnRate(NamedTuple):
    numbers: Any


inverse_rate.on(OwnRate)(lambda rate, ledger: 1.0)


def own(numbers: Any) -> Learner:
    return from_arrivals("own", bl.Ball(2), Batch(Descent(bl.Ball(2), OwnRate(numbers))))


@pytest.mark.parametrize(
    "numbers",
    [
        (1, 2.5, True, None, "ü"),
        (float("inf"), -0.0, 1e-320, 2**70),
        np.array([[1.0, -np.inf], [0.1, -0.0]]),
        np.array([1, 2], dtype=np.int32),
        (),
        ((), (1,)),
    ],
)
def test_every_kind_of_value_comes_back(numbers):
    comes_back(own(numbers))


@pytest.mark.parametrize("numbers", [abs, [1], {1: 2}, 1j, np.float32(1), np.array([1j]), object(), float])
def test_what_cannot_be_written_is_named(numbers):
    with pytest.raises(InvalidArgument, match=r"`own\.policy\.arrivals\.step\.rate\.numbers` cannot be written"):
        written(own(numbers))


def test_only_learners_and_models_are_written():
    with pytest.raises(InvalidArgument, match="neither a learner nor a model"):
        written(bl.Ball(2))


def test_a_part_of_ones_own_must_be_loaded(monkeypatch):
    kept = written(own((1,)))
    monkeypatch.delitem(sys.modules, __name__)
    with pytest.raises(StateMismatch, match=f"'OwnRate' of {__name__} is not known here; import {__name__} before"):
        read_back(kept)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("kind",), "player"),
        (("fingerprint",), "0" * 32),
        (("policy",), None),
        (("policy", "part"), "belated:Nobody"),
        (("policy", "part"), "os:system"),
        (("policy", "fields", "arrivals", "fields", "step", "fields", "rate", "fields", "strong_convexity"), 3.0),
        (("domain", "fields", "centre", "shape"), [7]),
        (("domain", "fields", "centre", "type"), "no"),
        (("domain", "fields", "radius"), {"number": "one"}),
        (("domain", "fields", "more"), 1),
    ],
)
def test_what_was_changed_is_refused(path, wrong):
    kept = written(bl.dogd_sc(bl.Ball(2), 2.0))
    *above, last = path
    place = kept
    for name in above:
        place = place[name]
    place[last] = wrong
    with pytest.raises(StateMismatch):
        read_back(kept)


def test_a_description_that_would_come_back_changed_is_refused(monkeypatch):
    monkeypatch.setattr(descriptions, "read_back", lambda values: bl.dogd_sc(bl.Ball(3), 2.0))
    with pytest.raises(InvalidArgument, match="would not come back as it is"):
        written(bl.dogd_sc(bl.Ball(2), 2.0))
