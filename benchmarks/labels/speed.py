"""Rows per second through the calls that people make: ours, river and Vowpal Wabbit take turns on rows of five words.

Each row is predicted once and learned once, by a logistic model. What people write is timed, from the rows to the
last weight:

========================  ============================================================================================
contender                 what is timed
========================  ============================================================================================
``replay``                ``bl.replay`` of one model on a log in memory; its answers come a thousand rows later
``predict and learn``     the two calls of a compiled predictor, with a thousand predictions waiting
``river``                 ``predict_proba_one`` and ``learn_one`` with a thousand rows waiting; the words of a row are
                          made features before, which is not timed
``Vowpal Wabbit``         its driver on a file of text, which it parses meanwhile; it learns each row at once
========================  ============================================================================================

``python -m benchmarks.labels.speed`` measures this alone, in a few minutes.
"""

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from river import linear_model, optim
from vowpalwabbit import pyvw

import belated as bl
from benchmarks.labels.effort import FULL, Effort
from benchmarks.timing import Spread, Work, in_turns, note, ratio, spread

WORDS = ("site", "page", "device", "country", "campaign")
WAITING = 1000
MODELS = {"default": bl.models.logistic(), "adagrad": bl.models.logistic(step=bl.models.adagrad())}
REPLAYED, LIVE = "bl.replay", "predict and learn"
RIVER, RIVER_ADAGRAD, WABBIT = "river, SGD", "river, AdaGrad", "Vowpal Wabbit, text"


class Speed(NamedTuple):
    """Seconds of the processor for a row, and how many times as fast each contender is as the two peers."""

    seconds: dict[str, Spread]
    times_river: dict[str, Spread]
    times_wabbit: dict[str, Spread]


def measure(effort: Effort) -> Speed:
    """All contenders on the same rows."""
    note(f"speed, {effort.rows:,} rows of {len(WORDS)} words")
    rows = rows_of(effort.rows)
    log = bl.read_log(rows, decided_at="asked", answered_at="answered", label="label")
    works: dict[str, Callable[[], object]] = {
        f"{REPLAYED}, {name}": partial(bl.replay, {name: model}, log, progress=False) for name, model in MODELS.items()
    }
    works |= {f"{LIVE}, {name}": Live(model, rows).play for name, model in MODELS.items()}
    works |= {
        RIVER: River(linear_model.LogisticRegression(), rows).play,
        RIVER_ADAGRAD: River(linear_model.LogisticRegression(optim.AdaGrad(0.1)), rows).play,
    }
    with tempfile.TemporaryDirectory() as place:
        text = Path(place, "rows.txt")
        write_text(rows, text)
        works[WABBIT] = partial(_wabbit, effort.rows, text)
        for run in works.values():  # the first turn compiles and fills caches, and does not count
            run()
        taken = in_turns({name: Work(run, effort.rows) for name, run in works.items()}, effort.repetitions)
    return Speed(
        {name: spread(each) for name, each in taken.items()},
        {name: ratio(taken[RIVER], each) for name, each in taken.items()},
        {name: ratio(taken[WABBIT], each) for name, each in taken.items()},
    )


def rows_of(number: int) -> list[dict[str, Any]]:
    """So many rows of a log: a moment, five words by Zipf's law, a label, and the moment of the label."""
    rng = np.random.default_rng(7)
    values = rng.zipf(1.3, (number, len(WORDS))) % 5000
    labels = (rng.random(number) < 0.25).astype(int)
    return [
        {
            "asked": moment,
            **{name: f"{name}-{value}" for name, value in zip(WORDS, each, strict=True)},
            "label": label,
            "answered": moment + WAITING,
        }
        for moment, (each, label) in enumerate(zip(values.tolist(), labels.tolist(), strict=True))
    ]


def write_text(rows: list[dict[str, Any]], path: Path) -> None:
    """Write rows as Vowpal Wabbit reads them."""
    with path.open("w", encoding="ascii") as file:
        for row in rows:
            file.write(f"{2 * row['label'] - 1} | {' '.join(row[name] for name in WORDS)}\n")


class Live:
    """A compiled predictor that goes on from turn to turn, a thousand predictions ahead of the labels."""

    def __init__(self, model: bl.models.Model, rows: list[dict[str, Any]]) -> None:
        self._examples = [{name: row[name] for name in WORDS} for row in rows]
        self._labels = [row["label"] for row in rows]
        self._predictor = model.start()
        self._predictor.compile()
        self._next = 0

    def play(self) -> None:
        """Predict all rows, and learn as many."""
        predict, learn, labels, size = self._predictor.predict, self._predictor.learn, self._labels, len(self._labels)
        for number, example in enumerate(self._examples, self._next):
            predict(example, number)
            if number >= WAITING:
                learn(number - WAITING, labels[(number - WAITING) % size])
        self._next += size


class River:
    """A model of river that goes on from turn to turn; rows that wait are kept as the mappings that it takes."""

    def __init__(self, model: Any, rows: list[dict[str, Any]]) -> None:
        self._predict, self._learn = model.predict_proba_one, model.learn_one
        self._rows = [(dict.fromkeys((row[name] for name in WORDS), 1.0), bool(row["label"])) for row in rows]

    def play(self) -> None:
        """Predict all rows, and learn as many; in the first thousand, the last ones of the turn before."""
        for number, (row, _) in enumerate(self._rows):
            self._predict(row)
            self._learn(*self._rows[number - WAITING])


def _wabbit(rows: int, text: Path) -> None:
    workspace = pyvw.Workspace(f"--quiet --no_stdin -b 20 --loss_function logistic -d {text}")
    assert workspace.get_weighted_examples() == rows  # noqa: S101  # it reads all of them while it is made
    workspace.finish()


def main() -> None:
    """Measure this alone, and print it."""
    from benchmarks.labels.report import about, as_markdown, speed_table  # which needs this file

    circumstances = about()
    sys.stdout.write(as_markdown([speed_table(measure(FULL))], circumstances))


if __name__ == "__main__":
    main()
