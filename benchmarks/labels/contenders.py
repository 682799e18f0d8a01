"""The contenders: our model, river and Vowpal Wabbit, each behind the same two verbs.

All of them take the same words and numbers. A word is a feature that is there or not; a number that is missing is a
word of its own. Peers are given what their manuals advise: numbers scaled to mean 0 and variance 1 for river, and for
Vowpal Wabbit raw or scaled numbers, whichever a setting asks for.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from river import preprocessing
from vowpalwabbit import pyvw

from belated import models
from belated.logs.flights_log import CATEGORIES
from benchmarks.labels.stream import Example, Task

SPACES = "abcdefghijklmnopqrstuvwxyz"
"""Names of Vowpal Wabbit's namespaces, one for each word of an example."""


class Ours:
    """A predictor of a model of ours."""

    def __init__(self, model: models.Model) -> None:
        self._predictor = model.start()

    def predict(self, number: int, example: Example) -> float:
        return self._predictor.predict(example, number).value

    def learn(self, number: int, label: float) -> None:
        self._predictor.learn(number, label)


def default_model(task: Task) -> models.Model:
    """The default for a task; nothing is chosen but what the task says."""
    features = models.Named(crosses=CATEGORIES if task.crossed else ())
    return models.squared(features) if task.of_numbers else models.logistic(features)


def words(example: Example) -> Iterator[str]:
    """The words of an example, with those for numbers that are missing."""
    for name, value in example.items():
        if value is None:
            yield f"{name}-missing"
        elif isinstance(value, str):
            yield f"{name}={value}"


def numbers(example: Example) -> dict[str, float]:
    """The numbers of an example."""
    return {name: value for name, value in example.items() if isinstance(value, float)}


class Scaler:
    """Numbers scaled by their running mean and variance, the present one included, as pipelines of river do it."""

    def __init__(self) -> None:
        self._scaler = preprocessing.StandardScaler()

    def scaled(self, given: dict[str, float]) -> dict[str, float]:
        """The scaled numbers; the mean and the variance follow them."""
        self._scaler.learn_one(given)
        found: dict[str, float] = self._scaler.transform_one(given)
        return found


class River:
    """A linear model of river; rows of questions that wait are kept as the mappings that it takes."""

    def __init__(self, model: Any, task: Task) -> None:
        self._model, self._task, self._scaler = model, task, Scaler()
        self._rows: dict[int, dict[str, float]] = {}

    def predict(self, number: int, example: Example) -> float:
        found = list(words(example))
        row = dict.fromkeys(found, 1.0)
        if self._task.crossed:
            row |= dict.fromkeys((f"{one}^{two}" for one, two in combinations(found, 2)), 1.0)
        if given := numbers(example):
            row |= self._scaler.scaled(given)
        self._rows[number] = row
        if self._task.of_numbers:
            return float(self._model.predict_one(row))
        return float(self._model.predict_proba_one(row).get(True, 0.5))

    def learn(self, number: int, label: float) -> None:
        self._model.learn_one(self._rows.pop(number), label if self._task.of_numbers else bool(label))


class Wabbit:
    """Vowpal Wabbit; rows of questions that wait are kept as the lines of text that it takes."""

    def __init__(self, options: str, task: Task, scaled: bool = False) -> None:
        loss = "--loss_function logistic --link logistic"
        if task.of_numbers:  # limits that all labels lie within: by default it never predicts beyond the labels so far
            loss = "--loss_function squared --min_prediction -100 --max_prediction 1500"
        pairs = combinations(SPACES[: len(CATEGORIES)], 2) if task.crossed else ()
        crosses = " ".join(f"-q {one}{two}" for one, two in pairs)
        self._workspace = pyvw.Workspace(f"--quiet -b 20 {loss} {options} {crosses}")
        self._task, self._scaler = task, Scaler() if scaled else None
        self._rows: dict[int, str] = {}

    def predict(self, number: int, example: Example) -> float:
        row = " ".join(f"|{space} {word}" for space, word in zip(SPACES, words(example), strict=False))
        if given := numbers(example):
            given = given if self._scaler is None else self._scaler.scaled(given)
            row += " |N " + " ".join(f"{name}:{value:.6g}" for name, value in given.items())
        self._rows[number] = row
        return float(self._workspace.predict(row))

    def learn(self, number: int, label: float) -> None:
        shown = f"{label:g}" if self._task.of_numbers else "1" if label else "-1"
        self._workspace.learn(f"{shown} {self._rows.pop(number)}")

    def finish(self) -> None:
        """Free its memory."""
        self._workspace.finish()
