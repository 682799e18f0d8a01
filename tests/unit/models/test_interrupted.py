"""An interrupt at any line of a predictor leaves each event done or not done, and the run goes on as it would."""

import contextlib

import numpy as np
import pytest

import belated as bl
from belated.models import Named, Sparse, beginnings, encoders, endings, keys, scaling
from support.compiler import needs_compiler
from support.interrupting import Interrupted, interrupted_at
from support.players import as_bytes

MODEL = bl.models.logistic(Named(6, crosses=["a", "b"]), horizon=4.0)


def example(number):
    return {"a": f"x{number % 3}", "b": f"y{number % 2}", "n": 1.5 * number, "m": float(number % 7)}


def run(at, compiled):
    """A run in which a prediction, a label and a giving up are interrupted at their ``at``-th line, and repeated."""
    predictor = MODEL.start()
    if compiled:
        assert predictor.compile()
    for number in range(6):
        predictor.predict(example(number), f"k{number}", at=float(number))
        if number in (1, 3):
            predictor.learn(f"k{number}", number == 1, at=float(number))

    def predict():
        predictor.predict(example(6), "new", at=6.0)

    stopped = interrupted_at(at, predict)
    if stopped:
        with contextlib.suppress(bl.errors.InvalidArgument):  # it was made, and is waiting already
            predict()
    stopped |= interrupted_at(at, lambda: predictor.learn("new", 1, at=7.0))
    predictor.learn("new", 1, at=7.0)
    stopped |= interrupted_at(at, lambda: predictor.give_up("k5"))
    with contextlib.suppress(bl.errors.AlreadyAnswered):
        predictor.give_up("k5")
    last = predictor.predict(example(8), "last", at=9.0)
    return stopped, last.value, predictor


def same(one, other):
    """Whether two runs are the same, but for the statistic of when labels came, which an interrupt may leave out."""
    states = [
        {name: value for name, value in run.state().items() if not name.startswith("answers")} for run in (one, other)
    ]
    return as_bytes({**states[0], "digest": ""}) == as_bytes({**states[1], "digest": ""})


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_compiler)])
def test_an_interrupt_at_any_line_leaves_a_run_that_goes_on_as_if_nothing_happened(compiled):
    _, expected, whole = run(10**9, False)
    at, stopped = 1, True
    while stopped:
        stopped, value, predictor = run(at, compiled)
        assert value == expected, f"interrupted at line {at}"
        assert same(predictor, whole), f"interrupted at line {at}"
        at += 1 if at < 150 else 11
    assert at > 100


def no_tidying(self):
    """The mutant: nobody looks what an interrupt has left."""


def noticed_whenever(self, encoded):
    """The mutant: the scales that there are now follow a number as often as it is tried."""
    for name, _, number in encoded.numbers:
        self._scales[name] = scaling.followed(self._scales.get(name, scaling.NOTHING_SEEN), number)


@pytest.mark.parametrize(
    ("place", "name", "mutant"),
    [
        (beginnings.Beginnings, "tidy", no_tidying),
        (encoders.NamedEncoder, "notice", noticed_whenever),
    ],
)
def test_a_run_that_is_not_put_in_order_would_be_caught(place, name, mutant, monkeypatch):
    monkeypatch.setattr(place, name, mutant)
    with pytest.raises((AssertionError, bl.errors.BelatedError, IndexError, KeyError)):
        test_an_interrupt_at_any_line_leaves_a_run_that_goes_on_as_if_nothing_happened(False)


def interrupted_after_the_machine(monkeypatch):
    """A run whose label was learned by the machine, and whose key is still there."""
    predictor, original = MODEL.start(), keys.Keys.drop_ended

    def pressed(self, key):
        raise Interrupted

    predictor.predict(example(1), "a", at=0.0)
    predictor.predict(example(2), "b", at=0.0)
    monkeypatch.setattr(keys.Keys, "drop_ended", pressed)
    with pytest.raises(Interrupted):
        predictor.learn("a", 1, at=1.0)
    monkeypatch.setattr(keys.Keys, "drop_ended", original)
    return predictor


def test_a_label_that_the_machine_has_learned_is_not_learned_again(monkeypatch):
    predictor = interrupted_after_the_machine(monkeypatch)
    assert not predictor.learn("a", 1, at=1.0)
    assert predictor.waiting == ("b",)


def test_without_tidying_it_would_be_learned_again(monkeypatch):
    monkeypatch.setattr(endings.Endings, "tidy", no_tidying)
    predictor = interrupted_after_the_machine(monkeypatch)
    assert predictor.waiting == ("a", "b")


def test_the_number_of_a_prediction_is_used_once():
    predictor = MODEL.start()
    for at in range(1, 60):
        interrupted_at(at, lambda: predictor.predict(example(1)))
    numbers = [each.number for each in predictor._keys.open.values()]
    assert len(set(numbers)) == len(numbers)
    assert np.array_equal(sorted(numbers), predictor.state()["open.number"])


def freed(at, verb):
    """A run in which a row is freed whose assumed label was right or stays, interrupted at a line and repeated."""
    predictor = bl.models.logistic(Sparse(6), step=bl.models.adagrad(0.3), while_waiting="assume").start()
    for key in range(4):
        predictor.predict(([key], [1.0]), key, at=float(key))

    def free():
        predictor.give_up(1) if verb == "give_up" else predictor.learn(1, 0, at=3.0)

    stopped = interrupted_at(at, free)
    with contextlib.suppress(bl.errors.AlreadyAnswered):
        free()
    for key in range(4, 9):  # rows of the same size, which must not share a block
        predictor.predict(([key % 6], [1.0]), key, at=float(key))
    for key in (0, *range(2, 9)):
        predictor.learn(key, 1, at=9.0)
    return stopped, predictor


@pytest.mark.parametrize("verb", ["give_up", "learn"])
def test_an_interrupt_leaves_no_block_that_is_free_twice(verb):
    _, whole = freed(10**9, verb)
    at, stopped = 1, True
    while stopped:
        stopped, predictor = freed(at, verb)
        assert same(predictor, whole), f"interrupted at line {at}"
        at += 1
    assert at > 30
