"""Models through a log, as if they had been there: each question and each answer in the order of the world.

A replay calls the verbs of predictors, ``predict`` and ``learn``, and nothing else. So it gives the predictions that
the models would have made live, bit for bit. In memory are the models and what is owed, not the log.
"""

from __future__ import annotations

import heapq
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.errors import AlreadyAnswered, InvalidArgument, LopsidedLabels
from belated.logs.events import Asked, Event, Told
from belated.logs.log import Log
from belated.models import Model, Named, Predictor
from belated.models.labels import READERS
from belated.models.rows import Row
from belated.replays.hindsight import Hindsight, checked_parts, mark_name
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


def replay(
    models: Mapping[str, Model], log: Log, *, hindsight: Sequence[int] = (), progress: bool | None = None
) -> Replay:
    """Let models live through a log: predict at every question, learn every label when it came.

    The moments that models are told are seconds since 1970, so a ``horizon`` is in seconds; for a log whose times are
    numbers without a unit, both are in that unit. A deadline of the log is passed on to the models. A question that has
    one, and no answer until then, is scored with the models' assumed label; one without both is not scored. Weights of
    the log count in learning and in all means; with deadlines, a horizon or assumed labels they are refused.

    Args:
        models: The models by name, all of one kind (such as ``logistic``) and with named features.
        log: The log, as ``read_log`` gives it.
        hindsight: Marks to measure regret against: the best weights that could have been chosen after all labels were
            known, for the features of the first model. 1 stands for the best fixed weights, a larger number for the
            best that change between so many parts of equal time. Each number must be a multiple of the one before it,
            as in ``(1, 16)``. Rows are kept in temporary files for it.
        progress: Whether to show how many events are done; by default if the standard error is a terminal.

    Returns:
        Losses by time, and the predictors as they are at the end.

    Raises:
        InvalidArgument: The models are not of one kind, or cannot take the examples or the labels of the log, or
            weights cannot be honoured; the message names the key of the question.
        BadRow: A row of the log cannot be used, and bad rows are not skipped.

    Warns:
        LopsidedLabels: Labels of one kind come first, and a model that learns them as they come learns them too often.

    Example:
        >>> from belated import models, read_log
        >>> rows = [{"at": t, "word": "ab"[t % 2], "known": t + 3, "y": t % 2} for t in range(100)]
        >>> log = read_log(rows, decided_at="at", answered_at="known", label="y")
        >>> result = replay({"default": models.logistic(bits=8)}, log)
        >>> result.mean_loss("default") < result.mean_loss("constant")
        True

        Regret is the loss of a model minus that of the best one in hindsight:

        >>> result = replay({"default": models.logistic(bits=8)}, log, hindsight=(1, 4))
        >>> result.names
        ('default', 'constant', 'best fixed', 'best of 4 parts')
        >>> result.difference("default", "best fixed").mean > 0
        True
    """
    checked_log("replay", log)
    parts = checked_parts("replay", hindsight)
    checked = checked_models("replay", models)
    for name in map(mark_name, parts):
        if name in checked:
            checks.refuse("replay", "models", name, "must not be the name of a model: it is a mark in the result")
    with closing(Run(checked, log, parts)) as run:
        with closing(log.events(run.labels)) as events:
            interrupted = live(run, events, None, progress)
        return run.result(interrupted, progress)


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


def checked_log(where: str, log: Any) -> None:
    """InvalidArgument if a log is none, such as the name of a file; ``where`` is the call that it was given to."""
    if not callable(getattr(log, "events", None)):
        checks.refuse(where, "log", log, "must be a log, such as read_log(...) returns")


def checked_models(where: str, models: Any) -> dict[str, Model]:
    """The models, if there are some and all are of one kind; ``where`` is the call that they were given to."""
    if not isinstance(models, Mapping) or not models or not all(isinstance(each, str) for each in models):
        checks.refuse(where, "models", models, "must be a mapping from names to models, with at least one")
    if CONSTANT in models:
        checks.refuse(where, "models", CONSTANT, "must not be a name: it is the mean of the labels")
    for name, model in models.items():
        if not isinstance(model, Model):
            checks.refuse(where, f"models[{name!r}]", model, "must be a model, such as models.logistic()")
        if not isinstance(model.features, Named):
            checks.refuse(where, f"models[{name!r}]", model.features, "must have named features: a log has columns")
    first = next(iter(models.values()))
    for name, model in models.items():
        if (model.link, model.labels, model.waiting.assumed) != (first.link, first.labels, first.waiting.assumed):
            wanted = "must have the kind of labels and the assumed label of the others"
            checks.refuse(where, f"models[{name!r}]", model.name, wanted)
    return dict(models)


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
