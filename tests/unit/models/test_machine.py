"""Many events in a row, plain and compiled, are the same as one after the other through a predictor, bit for bit."""

import numpy as np
import pytest

import belated as bl
from belated.core.compiling import compiled
from belated.core.prefetching import prefetch
from belated.models import Sparse, adagrad, machine, many_events, two_speeds
from belated.models.pending import FULL, enlarged
from belated.models.rows import Row
from support.compiler import needs_compiler

DIM, ROWS = 50, 120


def rows_of(rng, valued):
    """Rows of several lengths; the intercept is the last slot of each."""
    sizes = rng.integers(0, 9, ROWS)
    starts = np.concatenate([[0], np.cumsum(sizes + 1)])
    slots = rng.integers(0, DIM, starts[-1]).astype(np.uint32)
    slots[starts[1:] - 1] = DIM
    return starts, slots, rng.normal(size=starts[-1]) if valued else np.empty(0)


def events_of(rng):
    """Each row is predicted and, at once or later, learned; some never are."""
    found, waiting = [], []
    for row in range(ROWS):
        found.append(row)
        waiting.append(row)
        while waiting and rng.random() < 0.5:
            found.append(-1 - waiting.pop(int(rng.choice([0, -1]))))
    return np.array(found)


def played(model, rows, events, labels, run):
    starts, slots, values = rows
    made = machine.new_machine(model.step, model.features)
    entries, done, predictions = np.full(ROWS, 2**40), np.zeros(2, dtype=np.int64), np.zeros(ROWS)
    while True:
        rest = starts, slots, values, events, labels, entries, done, predictions
        call = (model.step, model.link, made, model.slopes == "arrival", *rest)
        if run(*call) != FULL:
            return predictions, made.table, made.memory
        made = made._replace(pending=enlarged(made.pending, 16))


def one_by_one(model, rows, events, labels):
    starts, slots, values = rows
    predictor, predictions = model.start(), np.zeros(ROWS)
    for event in events:
        if event >= 0:
            row = slice(starts[event], starts[event + 1])
            given = Row(slots[row], values[row], model.features.signature)
            predictions[event] = predictor.predict(given, int(event)).value
        else:
            predictor.learn(int(-1 - event), labels[-1 - event])
    return predictions, predictor._running.machine.table, predictor._running.machine.memory


@needs_compiler
@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("step", [two_speeds(), adagrad(0.2)], ids=["two_speeds", "adagrad"])
def test_events_in_a_row_are_the_same_as_one_by_one(step, valued):
    rng = np.random.default_rng(11)
    model = bl.models.logistic(Sparse(DIM), step=step, labels="-1/1")
    rows, events, labels = rows_of(rng, valued), events_of(rng), rng.choice([-1.0, 1.0], ROWS)

    def as_code(*call):
        return compiled(many_events.play_events, *call)(*call)

    expected = one_by_one(model, rows, events, labels)
    for run in (many_events.play_events, as_code):
        for found, wanted in zip(played(model, rows, events, labels, run), expected, strict=True):
            assert found.tobytes() == wanted.tobytes()


def test_prefetching_does_nothing_that_shows():
    table = np.arange(6.0).reshape(3, 2)
    assert prefetch(table, 10**9) is None
    assert table.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
