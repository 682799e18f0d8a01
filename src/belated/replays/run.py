"""One replay under way: what the models are asked and told, what is owed, and the score."""

from __future__ import annotations

import heapq
import math
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from belated.core.errors import AlreadyAnswered, InvalidArgument, LopsidedLabels
from belated.logs.events import Asked, Event, Told
from belated.logs.log import Log
from belated.models import Model, Predictor
from belated.models.labels import READERS
from belated.models.rows import Row
from belated.replays.hindsight import Hindsight
from belated.replays.result import CONSTANT, Replay
from belated.replays.tally import LOSSES, RunningMean, Tally
from belated.replays.weighing import check_weight, untold_by
from belated.sim.watching import bar_of

MICROSECONDS = 1e6

TICK = 1000
"""The bar moves on after so many events."""


class Owed(NamedTuple):
    """A question that is not scored yet: its time, its number, what was predicted, and its deadline or infinity.

    Its row is kept if there will be marks of hindsight, which need it.
    """

    time: int
    number: int
    values: tuple[float, ...]
    deadline: float
    row: Row | None
    weight: float


class Run:
    """One replay under way: its models, what is owed, and the score."""

    def __init__(self, models: dict[str, Model], log: Log, parts: tuple[int, ...] = ()) -> None:
        self.predictors: dict[str, Predictor] = {name: model.start() for name, model in models.items()}
        self._model = next(iter(models.values()))
        self._log, self._read = log, READERS[self._model.labels]
        self._tally: Tally | None = None
        self._constant = RunningMean(self._model.link)
        self._hindsight = Hindsight(self._model, parts) if parts else None
        self._owed: dict[Any, Owed] = {}
        self._deadlines: list[tuple[float, int, Any]] = []
        self._asked = self._told = self._too_late = 0
        self._unit = 1.0
        self._has_warned = False
        self._untold = untold_by(models)

    @property
    def labels(self) -> str:
        """The kind of labels that the models take."""
        return self._model.labels

    def warn_of_the_trap(self) -> None:
        """Warn once if labels of one kind come first, and a model learns them as they come."""
        for name, predictor in self.predictors.items():
            if not self._has_warned and predictor.lopsided.clear:
                self._has_warned = True
                warnings.warn(f"models[{name!r}]: {predictor.lopsided.message}", LopsidedLabels, stacklevel=4)

    def take(self, event: Event) -> None:
        """Let all models live through one event."""
        if self._tally is None:
            calendar = self._log.clock == "calendar"
            self._unit = MICROSECONDS if calendar else 1.0
            self._tally = self._new_tally(calendar)
        if isinstance(event, Asked):
            self._pass_deadlines(event.time, at_it=True)
            self._ask(event)
        else:
            self._pass_deadlines(event.time, at_it=False)
            self._tell(self._tally, event)

    def _ask(self, event: Asked) -> None:
        check_weight(event, self._untold)
        at, values = event.time / self._unit, []
        last = math.inf if event.deadline is None else float(max(event.deadline, event.time))
        deadline = None if event.deadline is None else last / self._unit
        self._asked += 1
        for predictor in self.predictors.values():
            try:
                values.append(predictor.predict(event.example, event.key, at=at, deadline=deadline).value)
            except InvalidArgument as problem:
                raise InvalidArgument(f"{problem}, in the question {event.key!r}", problem.argument) from None
        row = None if self._hindsight is None else self._hindsight.row_of(event.example)
        said = (*values, self._constant.prediction())
        self._owed[event.key] = Owed(event.time, self._asked, said, last, row, event.weight)
        if last < math.inf:
            heapq.heappush(self._deadlines, (last, self._asked, event.key))

    def _tell(self, tally: Tally, event: Told) -> None:
        label = self._read("replay", "label", event.label)
        self._told += 1
        owed = self._owed.pop(event.key, None)
        if owed is None:
            self._too_late += 1
            return
        if owed.weight == 0.0:
            for predictor in self.predictors.values():
                predictor.give_up(event.key)
            return
        self._score(tally, owed, label)
        self._constant.learn(label, owed.weight)
        for predictor in self.predictors.values():
            try:
                predictor.learn(event.key, event.label, at=event.time / self._unit, weight=owed.weight)
            except AlreadyAnswered:  # the model's own horizon is shorter than the log's
                continue

    def _new_tally(self, calendar: bool) -> Tally:
        """What keeps score; a run that keeps score of other things has its own."""
        return Tally((*self.predictors, CONSTANT), self._model.link, calendar)

    def _score(self, tally: Tally, owed: Owed, label: float) -> None:
        """Score what was predicted, now that its label is known."""
        tally.score(owed.time, owed.values, label, owed.weight)
        if self._hindsight is not None and owed.row is not None and tally is self._tally:
            self._hindsight.keep(owed.row, label, owed.time, owed.weight)

    def _pass_deadlines(self, moment: float, at_it: bool) -> None:
        """Score what is due; the models have the same deadlines and learn by themselves."""
        due, assumed = self._deadlines, self._model.waiting.assumed
        while due and (due[0][0] < moment or (at_it and due[0][0] == moment)):
            _, number, key = heapq.heappop(due)
            owed = self._owed.get(key)
            if owed is not None and owed.number == number and self._tally is not None:
                del self._owed[key]
                self._score(self._tally, owed, assumed)
                self._constant.learn(assumed)

    def close(self) -> None:
        """Free the temporary files of the marks, if there are some; doing it twice does no harm."""
        if self._hindsight is not None:
            self._hindsight.close()

    def result(self, interrupted: bool, progress: bool | None = False) -> Replay:
        """What has been found by now; deadlines within the time of the log are over.

        Args:
            interrupted: Whether the events were not over. Then, or if Ctrl-C comes here, there are no marks.
            progress: Whether to show a bar while marks are computed.

        Returns:
            The result.
        """
        tally = self._tally or self._new_tally(calendar=False)
        starts, width, scored, weights, losses = tally.table()
        names, quality = tally.names, tally.quality()
        if self._hindsight is not None and self._hindsight.complete and not interrupted:
            try:
                marks = self._hindsight.scored(self._log.clock == "calendar", progress)
            except KeyboardInterrupt:
                interrupted = True
            else:
                names, quality = names + marks.names, quality | marks.quality()
                losses = np.concatenate([losses, marks.table()[-1]])
        return Replay(
            names=names,
            loss=LOSSES[type(self._model.link)],
            starts=starts,
            width=width,
            scored=scored,
            weights=weights,
            losses=losses,
            quality=quality,
            asked=self._asked,
            told=self._told,
            too_late=self._too_late,
            counts=self._log.counts,
            predictors=self.predictors,
            interrupted=interrupted,
        )


def live(run: Run, events: Iterable[Event], total: int | None, progress: bool | None) -> bool:
    """Let a run live through events, under a bar.

    Args:
        run: The run, which has seen nothing of them.
        events: What happens.
        total: How many events there are, if that is known.
        progress: Whether to show the bar; by default if the standard error is a terminal.

    Returns:
        Whether Ctrl-C has ended it before the events were over.
    """
    done = 0
    with bar_of(total, progress, "event") as bar:
        try:
            for event in events:
                run.take(event)
                done += 1
                if done % TICK == 0:
                    bar.update(TICK)
                    run.warn_of_the_trap()
        except KeyboardInterrupt:
            return True
        bar.update(done % TICK)
        run.warn_of_the_trap()
    return False
