"""How good predictions are on the flights, under their true delays: our default beside peers that January has tuned.

Of each peer the setting is taken that predicts January best, and run over the whole year, January included. Our model
is the default, and nothing of it is chosen.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from benchmarks.labels.contenders import Ours, Wabbit, default_model
from benchmarks.labels.effort import Effort
from benchmarks.labels.intervals import Difference, difference
from benchmarks.labels.settings import RIVER, WABBIT, Setting, settings
from benchmarks.labels.stream import TASKS, Contender, Stream, Task, losses, predictions, stream_of
from benchmarks.timing import note

OURS, CONSTANT = "belated", "running mean"
WEEK = 7
"""Days in a block."""


class Score(NamedTuple):
    """The mean losses of one contender; ``tried`` is how many settings January has chosen from."""

    who: str
    setting: str
    tried: int
    january: float
    year: float


class Quality(NamedTuple):
    """What was found for one task; ``difference`` is ours minus the best peer's loss of the year."""

    task: Task
    scores: list[Score]
    best: str
    difference: Difference


class Mean:
    """The mean of the labels that have come, the mark for everybody."""

    def __init__(self, task: Task) -> None:
        self._sum, self._count = 0.0 if task.of_numbers else 0.5, 1.0

    def predict(self, number: int, example: object) -> float:
        return self._sum / self._count

    def learn(self, number: int, label: float) -> None:
        self._sum += label
        self._count += 1.0


def measure(effort: Effort) -> list[Quality]:
    """All tasks, one after the other."""
    return [_task(task, effort) for task in TASKS]


def _task(task: Task, effort: Effort) -> Quality:
    note(f"flights, {task.name}: reading")
    stream = stream_of(task, effort.flights)
    found = {
        OURS: _score(OURS, "(default)", 1, Ours(default_model(task)), task, stream),
        CONSTANT: _score(CONSTANT, "", 1, Mean(task), task, stream),
    }
    every = settings(task)
    for peer in (RIVER, WABBIT):
        mine = [each for each in every if each.peer == peer][: effort.settings]
        note(f"flights, {task.name}: {peer}, {len(mine)} settings")
        tried = {each.words: _january(each, task, stream) for each in mine}
        chosen = min(mine, key=lambda each: tried[each.words])
        found[peer] = _score(peer, chosen.words, len(mine), chosen.start(), task, stream)
    best = min((RIVER, WABBIT), key=lambda peer: found[peer][0].year)
    apart = difference(found[OURS][1], found[best][1], stream.days // WEEK)
    return Quality(task, [score for score, _ in found.values()], best, apart)


def _january(setting: Setting, task: Task, stream: Stream) -> float:
    """The mean loss of January; infinite for a setting that fails."""
    contender = setting.start()
    try:
        predicted = predictions(contender, stream, stream.events[: stream.january_events].tolist())
    except (ArithmeticError, ValueError) as problem:  # a rate that is too large for the task
        note(f"{setting.peer} {setting.words}: {problem}")
        return np.inf
    finally:
        _finish(contender)
    return _mean(losses(predicted, stream.labels, task.of_numbers)[: stream.january])


def _score(who: str, words: str, tried: int, contender: Contender, task: Task, stream: Stream) -> tuple[Score, Vector]:
    """The scores of a contender, and its loss for each question."""
    note(f"flights, {task.name}: {who} {words}")
    found = losses(predictions(contender, stream, stream.events.tolist()), stream.labels, task.of_numbers)
    _finish(contender)
    return Score(who, words, tried, _mean(found[: stream.january]), _mean(found)), found


def _finish(contender: Contender) -> None:
    if isinstance(contender, Wabbit):
        contender.finish()


def _mean(found: Vector) -> float:
    """The mean over the questions whose labels are known."""
    return float(np.mean(found[~np.isnan(found)]))
