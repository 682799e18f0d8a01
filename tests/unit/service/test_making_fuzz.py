"""Whatever somebody sends, there is a learner or an ``InvalidArgument``, and nothing else; and what there is works."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from belated.core.errors import InvalidArgument
from belated.learners.catalogue import EXAMPLES, typical
from belated.learners.learner import Learner
from belated.service.descriptions import read_back, written
from belated.service.given import read_given
from belated.service.limits import check_size, state_size
from belated.service.making import made, ordered
from belated.service.settings import checked_settings
from contracts.test_models import MODELS, model_of
from support.nasty import anything, resigned, spoilt
from support.specs import spec_of

SPECS = [json.loads(json.dumps(spec_of(typical, label)[1])) for label in EXAMPLES]
SPECS += [
    {
        "algorithm": "logistic",
        "arguments": {
            "bits": 6,
            "horizon": 3.0,
            "while_waiting": "hold",
            "step": {"mixed": {"steps": ["two_speeds", {"adagrad": {"scale": 0.5}}]}},
        },
    }
]
WRITTEN = [json.loads(json.dumps(written(typical(label)))) for label in EXAMPLES]
WRITTEN += [json.loads(json.dumps(written(model_of(name)))) for name in list(MODELS)[::7]]
RANGES = {
    "lower": [5.0, 0.0],
    "upper": [20.0, 1e6],
    "values": [0.0, 100.0],
    "rounds": 1000,
    "delay": 50,
    "feedback": "value",
    "strong_convexity": [0.1, 1e-9],
}
QUICK = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def works(description):
    """Nothing that was let through is too large, and all of it can be kept, started and asked."""
    check_size("test", "description", description)
    assert read_back(written(description)) == description
    if isinstance(description, Learner):
        assert state_size(description) < 10**7
        size = description.interface.context_size
        play = description.start().ask(np.zeros(size) if size else None)
        assert description.domain.contains(play.points[0])
        checked_settings("create", {"timeout": 1.0}, description, {})


def only_refused(read, value):
    try:
        found = read(value)
    except InvalidArgument as refusal:
        problem = refusal
    else:
        works(found)
        return
    assert problem.argument is not None
    assert len(str(problem)) < 1500


def read_order(create):
    return ordered(create).description


@QUICK
@given(value=anything)
def test_anything_at_all_is_refused_or_works(value):
    for read in (made, read_given, read_order):
        only_refused(read, value)
    for way in ("make", "description", "ranges"):
        only_refused(read_order, {way: value})
    only_refused(read_order, {"make": SPECS[0], "seed": value})
    only_refused(read_order, {"make": SPECS[0], "initial": value})
    only_refused(read_order, {"ranges": RANGES, "initial": value})


SPOILT = {
    "make": (made, SPECS),
    "description": (read_given, WRITTEN),
    "ranges": (read_order, [{"ranges": RANGES}]),
}


@pytest.mark.parametrize("way", SPOILT)
@QUICK
@given(data=st.data())
def test_what_is_nearly_right_is_refused_or_works(way, data):
    read, values = SPOILT[way]
    only_refused(read, data.draw(spoilt(data.draw(st.sampled_from(values)))))


@pytest.mark.soak(sampled=False)
@pytest.mark.parametrize("way", SPOILT)
@settings(QUICK, max_examples=5_000)
@given(data=st.data())
def test_what_is_nearly_right_is_refused_or_works_for_long(way, data):
    read, values = SPOILT[way]
    only_refused(read, data.draw(spoilt(data.draw(st.sampled_from(values)))))


@QUICK
@given(data=st.data())
def test_a_right_fingerprint_proves_nothing(data):
    value = data.draw(spoilt(data.draw(st.sampled_from(WRITTEN[: len(EXAMPLES)]))))
    try:
        value = resigned(value)
    except Exception:
        return  # it cannot even be read
    only_refused(read_given, value)


@pytest.mark.soak(sampled=False)
@settings(QUICK, max_examples=5_000)
@given(data=st.data())
def test_a_right_fingerprint_proves_nothing_for_long(data):
    test_a_right_fingerprint_proves_nothing.hypothesis.inner_test(data)
