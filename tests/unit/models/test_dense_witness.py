"""Hashed mappings, and many events in a row, against AdaGrad on dense vectors, and against broken copies of both.

The witness has a place of its own for each word, cross, number and gap that there is, and hashes nothing. With 2^22
slots for some forty of them, no two fall into one slot.
"""

import inspect
import math
import textwrap

import numpy as np
import pytest

import belated as bl
from belated.models import Named, Sparse, adagrad, machine, many_events
from belated.models.encoders import NamedEncoder
from support.broken import broken
from unit.models.test_machine import DIM, ROWS, events_of, played, rows_of

SCALE, OFFSET = 0.3, adagrad(0.3).offset


class DenseAdaGrad:
    """Logistic AdaGrad with the slope at the arrival; a row is a mapping from places to values."""

    def __init__(self):
        self.weights, self.squares, self.rows = {}, {}, {}

    def predict(self, row, key):
        self.rows[key] = row
        margin = sum(self.weights.get(place, 0.0) * value for place, value in row)
        return 1.0 / (1.0 + math.exp(-margin))

    def learn(self, key, label):
        row = self.rows.pop(key)
        margin = sum(self.weights.get(place, 0.0) * value for place, value in row)
        slope = -label / (1.0 + math.exp(label * margin))
        for place, value in row:
            self.squares[place] = self.squares.get(place, OFFSET) + (slope * value) ** 2
            step = SCALE * slope * value / math.sqrt(self.squares[place])
            self.weights[place] = self.weights.get(place, 0.0) - step


def plain_row(example):
    """Each feature under its own name; numbers are in here only as words, so that nothing is scaled."""
    row = [((name, "gap" if value is None else str(value)), 1.0) for name, value in example.items()]
    words = {name: str(value) for name, value in example.items()}
    for one, two in (("page", "hour"), ("hour", "device")):
        if one in words and two in words:
            row.append(((one, words[one], two, words[two]), 1.0))
    return [*row, ("intercept", 1.0)]


def hashed_apart(seed=0):
    """How far a model of hashed mappings is from the witness, over late labels in any order."""
    rng = np.random.default_rng(seed)
    recipe = Named(22, categorical=["hour"], crosses=[("page", "hour"), ("hour", "device")])
    mine, dense = bl.models.logistic(recipe, step=adagrad(SCALE)).start(), DenseAdaGrad()
    waiting, furthest = [], 0.0
    for number in range(200):
        drawn = {
            "page": f"p{rng.integers(5)}",
            "hour": int(rng.integers(4)),
            "device": None if rng.random() < 0.3 else f"d{rng.integers(2)}",
            "seen": bool(rng.integers(2)),
        }
        example = {name: value for name, value in drawn.items() if rng.random() < 0.9}
        furthest = max(furthest, abs(mine.predict(example, number).value - dense.predict(plain_row(example), number)))
        waiting.append(number)
        while waiting and rng.random() < 0.5:
            key, label = waiting.pop(int(rng.integers(len(waiting)))), int(rng.integers(2))
            mine.learn(key, label)
            dense.learn(key, 2.0 * label - 1.0)
    return furthest


def test_hashed_mappings_are_those_of_dense_code():
    assert hashed_apart() < 1e-12


@pytest.mark.parametrize(
    ("function", "piece", "other"),
    [
        (NamedEncoder.encode, "if one in words and two in words:", "if False:"),
        (NamedEncoder.encode, "crossed(words[one], words[two])", "crossed(words[one], words[one])"),
        (NamedEncoder.encode, "slots.append(self.recipe.dim)", "slots.append(slots[0] if slots else 0)"),
    ],
    ids=["no crosses", "a cross with itself", "no slot for the intercept"],
)
def test_mappings_that_are_hashed_wrongly_would_be_caught(function, piece, other, monkeypatch):
    text, made = textwrap.dedent(inspect.getsource(function)), {}
    assert text.count(piece) == 1
    exec(f"from __future__ import annotations\n{text.replace(piece, other)}", function.__globals__, made)
    monkeypatch.setattr(NamedEncoder, function.__name__, made[function.__name__])
    assert hashed_apart() > 1e-6


def batch_apart(seed=3):
    """How far many events in a row, as plain Python runs them, are from the witness."""
    rng = np.random.default_rng(seed)
    model = bl.models.logistic(Sparse(DIM), step=adagrad(SCALE), labels="-1/1")
    starts, slots, values = rows_of(rng, valued=True)
    for row in range(ROWS):  # dense code knows no slot that is in a row twice
        inside = slice(starts[row], starts[row + 1] - 1)
        slots[inside] = rng.choice(DIM, starts[row + 1] - 1 - starts[row], replace=False)
    events, labels, dense = events_of(rng), rng.choice([-1.0, 1.0], ROWS), DenseAdaGrad()
    found = played(model, (starts, slots, values), events, labels, many_events.play_events)[0]
    furthest = 0.0
    for event in events.tolist():
        if event >= 0:
            inside = slice(starts[event], starts[event + 1])
            row = list(zip(slots[inside].tolist(), values[inside].tolist(), strict=True))
            furthest = max(furthest, abs(dense.predict(row, event) - found[event]))
        else:
            dense.learn(-1 - event, labels[-1 - event])
    return furthest


def test_many_events_in_a_row_are_those_of_dense_code():
    assert batch_apart() < 1e-12


@pytest.mark.parametrize(
    ("function", "piece", "other"),
    [
        (many_events.play_events, "float(labels[row])", "float(labels[row - 1])"),
        (many_events.play_events, ", 1.0, at_arrival, False)", ", 2.0, at_arrival, False)"),
        (many_events.play_events, "given = values[begin : end if values.size > 0 else begin]", "given = values[:0]"),
        (machine.study, "if at_arrival:", "if not at_arrival:"),
    ],
    ids=["another label", "another weight", "no values", "the slope of the decision"],
)
def test_events_in_a_row_that_are_done_wrongly_would_be_caught(function, piece, other):
    with broken(function, piece, other):
        assert not batch_apart() < 1e-6
