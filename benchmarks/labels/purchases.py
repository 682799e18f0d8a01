"""The trap of early labels: a purchase is known when it happens, its absence only at the end of a horizon.

Clicks come for 120 days. A few in a hundred lead to a purchase, after a day on average; who has not bought after 30
days will not. Labels that are learned as they come are all positive for 30 days. Labels that are held to the end of
their horizon are not.

The mark is a constant that holds labels, too: the mean of those whose horizon has passed, 1/2 before the first.
"""

from typing import Any, NamedTuple

import numpy as np
from river import linear_model

from belated import models
from belated.core.arrays import Integers, Vector
from benchmarks.labels.contenders import Ours, River, Wabbit
from benchmarks.labels.effort import Effort
from benchmarks.labels.intervals import Difference, difference
from benchmarks.labels.quality import Mean
from benchmarks.labels.stream import Contender, Example, Stream, Task, losses, predictions
from benchmarks.timing import note

DAYS, HORIZON, MEAN_WAIT, BLOCK = 120.0, 30.0, 1.0, 7
CONSTANT, HELD = "constant, labels held", "belated, labels held"
AS_THEY_COME = ("belated, as labels come", "river, as labels come", "Vowpal Wabbit, as labels come")
TASK = Task("purchases", "A", "late")
"""Words without crosses, and labels 0 and 1, as for flights."""


class Purchases(NamedTuple):
    """The mean loss of each contender, and its difference to the constant with an interval; the share of purchases."""

    share: float
    losses: dict[str, float]
    differences: dict[str, Difference]


class Clicks(NamedTuple):
    """What happened: examples, their moments in days, whether they led to a purchase, and when that was known."""

    examples: list[Example]
    moments: Vector
    labels: Vector
    known: Vector


class Holding:
    """A predictor of ours that holds labels by itself: it is told of purchases only, and of the time."""

    def __init__(self, clicks: Clicks) -> None:
        self._predictor = models.logistic(horizon=HORIZON, while_waiting="hold").start()
        self._moments, self._known = clicks.moments.tolist(), clicks.known.tolist()

    def predict(self, number: int, example: Example) -> float:
        return self._predictor.predict(example, number, at=self._moments[number]).value

    def learn(self, number: int, label: float) -> None:
        if label:
            self._predictor.learn(number, label, at=self._known[number])


def measure(effort: Effort) -> Purchases:
    """All contenders on one stream."""
    clicks = clicks_of(effort.clicks)
    coming, held = (_stream(clicks, known) for known in (clicks.known, clicks.moments + HORIZON))
    runs: dict[str, tuple[Contender, Stream]] = {
        CONSTANT: (Mean(TASK), held),
        HELD: (Holding(clicks), coming),
        "river, labels held": (River(linear_model.LogisticRegression(), TASK), held),
        "Vowpal Wabbit, labels held": (Wabbit("", TASK), held),
        AS_THEY_COME[0]: (Ours(models.logistic()), coming),
        AS_THEY_COME[1]: (River(linear_model.LogisticRegression(), TASK), coming),
        AS_THEY_COME[2]: (Wabbit("", TASK), coming),
    }
    found: dict[str, Vector] = {}
    for name, (contender, stream) in runs.items():
        note(f"purchases: {name}")
        found[name] = losses(predictions(contender, stream, stream.events.tolist()), clicks.labels, of_numbers=False)
    blocks = coming.days // BLOCK
    return Purchases(
        float(clicks.labels.mean()),
        {name: float(each.mean()) for name, each in found.items()},
        {name: difference(each, found[CONSTANT], blocks) for name, each in found.items()},
    )


def clicks_of(number: int) -> Clicks:
    """So many clicks, with words on which the chance of a purchase depends."""
    rng, sizes = np.random.default_rng(21), {"page": 50, "source": 8, "device": 4, "campaign": 200}
    moments = np.sort(rng.uniform(0.0, DAYS, number))
    margin, drawn = np.full(number, -3.5), dict[str, Any]()
    for name, size in sizes.items():
        chosen = rng.integers(0, size, number)
        margin += rng.normal(0.0, 0.7, size)[chosen]
        drawn[name] = [f"{each}" for each in chosen.tolist()]
    wait = rng.exponential(MEAN_WAIT, number)
    bought = (rng.random(number) < 1.0 / (1.0 + np.exp(-margin))) & (wait < HORIZON)
    examples = [dict(zip(drawn, each, strict=True)) for each in zip(*drawn.values(), strict=True)]
    return Clicks(examples, moments, bought.astype(np.float64), moments + np.where(bought, wait, HORIZON))


def _stream(clicks: Clicks, known: Vector) -> Stream:
    """Clicks and answers in the order of time; answers at the same time come first."""
    number = len(clicks.examples)
    times = np.concatenate([known, clicks.moments])
    events: Integers = np.concatenate([-1 - np.arange(number), np.arange(number)])
    order = np.argsort(times, kind="stable")
    days = clicks.moments.astype(np.int64)
    return Stream(clicks.examples, clicks.labels, days, events[order], 0, 0)
