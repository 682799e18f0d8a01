"""Looking at many examples says of each what looking at it alone says, bit for bit, and changes nothing."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

import belated as bl
from belated.models import Dense, Named, Sparse, encoders, running
from support.compiler import needs_compiler
from support.players import as_bytes


def array(number):
    """Numbers of many sizes with gaps; some rows have ones only."""
    rng = np.random.default_rng(4)
    table = rng.normal(size=(number, 3)) * 10.0 ** rng.integers(-3, 4, (number, 3))
    table[rng.random(table.shape) < 0.2] = math.nan
    table[::7] = 1.0
    return table


def matrix(number):
    return sparse.csr_array(np.nan_to_num(array(number)) * (np.arange(3) != np.arange(number)[:, None] % 4))


def mappings(number):
    return [{"a": f"x{k % 3}", "n": float(row[0]), "m": k} for k, row in enumerate(array(number))]


EXAMPLES = [(Dense(3), array), (Dense(3, scale=False), array), (Sparse(3), matrix), (Named(6), mappings)]


def one_by_one(examples):
    if not hasattr(examples, "indptr"):
        return list(examples)
    ends = examples.indptr.tolist()
    return [(examples.indices[i:j], examples.data[i:j]) for i, j in pairwise(ends)]


def learned(model, examples):
    predictor = model.start()
    for number, example in enumerate(one_by_one(examples)):
        predictor.predict(example, number)
        if number % 3:
            predictor.learn(number, number % 2)
    return predictor


@pytest.mark.parametrize("step", [bl.models.two_speeds(), bl.models.adagrad(0.1)], ids=["two_speeds", "adagrad"])
@pytest.mark.parametrize(("recipe", "make"), EXAMPLES)
@pytest.mark.parametrize("worth_compiling", [10**9, pytest.param(1, marks=needs_compiler)])
def test_many_are_looked_at_as_one_is(recipe, make, step, worth_compiling, monkeypatch):
    model, examples = bl.models.logistic(recipe, step=step), make(40)
    expected = [learned(model, examples).look(example) for example in one_by_one(examples)]
    monkeypatch.setattr(running, "PREDICTIONS_WORTH_COMPILING", worth_compiling)
    monkeypatch.setattr(encoders, "NUMBERS_WORTH_COMPILING", worth_compiling)
    predictor = learned(model, examples)
    before = as_bytes(predictor.state())
    found = predictor.look_many(examples)
    assert found.tobytes() == np.array(expected).tobytes()
    assert len(set(expected)) > 5
    assert predictor.look_many(one_by_one(examples)).tobytes() == found.tobytes()
    assert [predictor.look(example) for example in one_by_one(examples)] == expected
    assert as_bytes(predictor.state()) == before
    assert predictor.look_many(examples[:0]).shape == (0,)


@needs_compiler
def test_looking_is_compiled_when_that_pays(monkeypatch):
    monkeypatch.setattr(running, "PREDICTIONS_WORTH_COMPILING", 30)
    predictor = bl.models.logistic(Dense(3)).start()
    for rows, is_compiled in ((29, False), (1, True)):
        predictor.look_many(array(rows))
        assert (predictor._running._look is not None) == is_compiled


def test_where_nothing_can_be_compiled_looking_goes_on_plainly(monkeypatch):
    def refuse(*_):
        raise bl.errors.CannotCompile("not today")

    for module in (running, encoders):
        monkeypatch.setattr(module, "compiled", refuse)
    monkeypatch.setattr(running, "PREDICTIONS_WORTH_COMPILING", 1)
    monkeypatch.setattr(encoders, "NUMBERS_WORTH_COMPILING", 1)
    predictor = bl.models.logistic(Dense(3)).start()
    assert predictor.look_many(array(5)).tolist() == [0.5] * 5


@pytest.mark.parametrize(
    ("recipe", "examples", "message"),
    [
        (Dense(3), np.ones((2, 4)), r"must have shape \(rows, 3\), got shape \(2, 4\)"),
        (Dense(3), np.array([[1.0, 2.0, math.inf]]), "numbers must be at most"),
        (Dense(3), np.ones(3), "must have shape"),
        (Sparse(3), sparse.csr_array(np.ones((2, 4))), "must have 3 columns"),
        (Sparse(3), sparse.csr_array(np.array([[1.0, 0.0, math.nan]])), "values must be at most"),
        (Sparse(3), np.ones((2, 3)), "must be a pair of arrays"),
        (Named(6), np.ones((2, 3)), "must be a mapping"),
        (Named(6), [{"a": "x"}, {"a": [1]}], "a feature must be a text"),
    ],
)
def test_examples_that_are_none_are_refused(recipe, examples, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        bl.models.logistic(recipe).start().look_many(examples)


def test_the_example_that_has_no_prediction_is_named():
    predictor = bl.models.squared(Dense(1, scale=False), step=bl.models.adagrad(1.0)).start()
    for _ in range(3):
        predictor.learn(predictor.predict([1.0]).key, 1e90)
    predictor._running.machine.table[:] = 1e250
    with pytest.raises(bl.errors.NumericalFailure, match="these features of example 1 is not finite"):
        predictor.look_many(np.array([[1.0], [1e99], [1.0]]))
