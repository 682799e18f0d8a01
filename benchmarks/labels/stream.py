"""The flights of 2013 as a stream that every contender meets alike: the same examples, the same order of events.

At a question a contender predicts; at its answer, hours later, it learns the label of the example that it was asked
about. The order is that of :meth:`belated.logs.Log.events`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np

from belated.core.arrays import Integers, Vector
from belated.logs import flights
from belated.logs.events import Asked

DAY = 86_400_000_000
"""A day in microseconds."""

LEAST_PROBABILITY = 1e-6
"""Probabilities count as at least this, for everybody: some peers are certain and wrong now and then."""

Example = dict[str, Any]


class Task(NamedTuple):
    """What is predicted from what: the features and the label of ``flights``, and whether all pairs are crossed."""

    name: str
    features: str
    label: str

    @property
    def crossed(self) -> bool:
        """Whether contenders take all pairs of words as features of their own."""
        return self.features == "B"

    @property
    def of_numbers(self) -> bool:
        """Whether minutes are predicted; otherwise the probability of being late."""
        return self.label == "minutes"


TASKS = (
    Task("A: six words", "A", "late"),
    Task("B: six words and their pairs", "B", "late"),
    Task("C: six words and the weather", "C", "late"),
    Task("S: minutes late, six words", "A", "minutes"),
)


class Stream(NamedTuple):
    """Questions by their numbers, and events: i for the question i, -1 - i for its answer.

    Labels that never come are NaN. ``days`` are those of the questions, counted from the first. The first ``january``
    questions are those of January, and the first ``january_events`` events lead up to the last of them.
    """

    examples: list[Example]
    labels: Vector
    days: Integers
    events: Integers
    january: int
    january_events: int


class Contender(Protocol):
    """Whoever predicts and learns; both know a question by its number."""

    def predict(self, number: int, example: Example) -> float:
        """What the label will be."""

    def learn(self, number: int, label: float) -> None:
        """Take the label of an earlier question."""


def stream_of(task: Task, most: int | None = None) -> Stream:
    """The stream of a task: all flights, or the first ``most`` of them."""
    numbers: dict[Any, int] = {}
    examples: list[Example] = []
    labels: list[float] = []
    times: list[int] = []
    events: list[int] = []
    january_events = 0
    for event in flights(task.features, task.label):
        if isinstance(event, Asked):
            if len(examples) == most:
                break
            number = numbers[event.key] = len(examples)
            examples.append(event.example)
            labels.append(np.nan)
            times.append(event.time)
            events.append(number)
            if event.example["month"] == "1":
                january_events = len(events)
        else:
            number = numbers[event.key]
            labels[number] = float(event.label)
            events.append(-1 - number)
    days = (np.array(times) - times[0]) // DAY
    january = sum(each["month"] == "1" for each in examples)
    return Stream(examples, np.array(labels), days, np.array(events), january, january_events)


def predictions(contender: Contender, stream: Stream, events: Iterable[int]) -> Vector:
    """What a contender predicts, by the number of the question; NaN for questions that are not among the events."""
    found = np.full(len(stream.examples), np.nan)
    examples, labels = stream.examples, stream.labels.tolist()
    for event in events:
        if event >= 0:
            found[event] = contender.predict(event, examples[event])
        else:
            contender.learn(-1 - event, labels[-1 - event])
    return found


def losses(predicted: Vector, labels: Vector, of_numbers: bool) -> Vector:
    """The loss of each prediction: squared errors of numbers, log-losses of probabilities.

    It is NaN without a label, and infinite for a prediction that is no number.
    """
    if of_numbers:
        found = (predicted - labels) ** 2
    else:
        sure = np.clip(predicted, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
        found = -np.log(np.where(labels > 0.5, sure, 1.0 - sure))
    return np.where(np.isnan(labels), np.nan, np.where(np.isnan(predicted), np.inf, found))
