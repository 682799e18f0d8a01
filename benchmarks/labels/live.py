"""One event at a time, as a server has them: microseconds of a ``predict`` and a ``learn`` from a mapping.

An example has twenty features, all of them words, or fifteen words and five numbers. A thousand predictions wait. So
many were answered before that the oldest keys are being forgotten, as in a server that has been up for a while.
"""

from functools import partial
from typing import Any

import numpy as np

from belated import models
from belated.models.keys import MOST_ANSWERED
from benchmarks.labels.effort import Effort
from benchmarks.timing import Spread, Work, in_turns, note, spread

FEATURES, NUMBERS, WAITING = 20, 5, 1000
WORDS_ONLY, WITH_NUMBERS = "20 words", "15 words and 5 numbers"


def measure(effort: Effort) -> dict[str, Spread]:
    """Seconds of a predict and a learn together."""
    note("live predictors")
    works = {}
    for name, numbers in ((WORDS_ONLY, 0), (WITH_NUMBERS, NUMBERS)):
        live = Live(numbers)
        live.play(MOST_ANSWERED + 2 * WAITING)
        works[name] = Work(partial(live.play, effort.live_events), effort.live_events)
    return {name: spread(taken) for name, taken in in_turns(works, 2 * effort.repetitions).items()}


class Live:
    """A compiled predictor of the default model, and examples that are used again and again."""

    def __init__(self, numbers: int) -> None:
        rng = np.random.default_rng(5)
        self._examples = [_example(rng, numbers) for _ in range(4000)]
        self._labels = rng.integers(0, 2, 4000).tolist()
        self._predictor = models.logistic().start()
        self._predictor.compile()
        self._next = 0

    def play(self, events: int) -> None:
        """So many predictions, and the labels of those that were made a thousand predictions ago."""
        predict, learn, examples, labels = self._predictor.predict, self._predictor.learn, self._examples, self._labels
        for number in range(self._next, self._next + events):
            predict(examples[number % 4000], number)
            if number >= WAITING:
                learn(number - WAITING, labels[number % 4000])
        self._next += events


def _example(rng: np.random.Generator, numbers: int) -> dict[str, Any]:
    found: dict[str, Any] = {f"word_{i}": f"value-{rng.zipf(1.3) % 5000}" for i in range(FEATURES - numbers)}
    return found | {f"number_{i}": float(rng.normal(100.0, 15.0)) for i in range(numbers)}
