"""``compare_models``: which model is best on a log, with settings that were chosen on its beginning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.errors import InvalidArgument
from belated.logs.events import Asked
from belated.logs.log import Log
from belated.losses.squared_error import SquaredError
from belated.models import Model, adagrad, logistic
from belated.models.adagrad import AdaGradStep
from belated.models.two_speeds import TwoSpeeds
from belated.replays.hindsight import checked_parts
from belated.replays.ranking_result import Choice, Mark, ModelRanking, ModelStanding
from belated.replays.replaying import checked_log, checked_models
from belated.replays.result import CONSTANT, Replay
from belated.replays.run import Run, live
from belated.replays.tables import skipped
from belated.replays.tally import Tally

SCALES = (0.01, 0.03, 0.1, 0.3, 1.0)
"""The scales of AdaGrad in the default field; for squared errors in units of the spread of the first labels."""

FIRST_QUESTIONS = 1000
"""How many questions, the first ones and only those of the first part of the log, the spread of labels is taken of."""

DEFAULT = "default"

Candidates = Mapping[str, Model | Sequence[Model]]


def compare_models(
    log: Log,
    models: Candidates | Model | None = None,
    *,
    tune_until: float = 0.2,
    hindsight: Sequence[int] = (1, 16),
    progress: bool | None = None,
) -> ModelRanking:
    """Rank models by their mean loss on a log, each question predicted before its label is known.

    A candidate may have several settings. The one with the least mean loss over the first part of the log is chosen for
    it, and only the rest of the log counts: for all candidates the questions asked from then on. All settings go
    through the log side by side; memory holds each of their tables, and not the log. The log is read twice, first to
    find when it begins and ends.

    Args:
        log: The log, as ``read_log`` gives it. Its rows must be readable twice, so they come from no iterator.
        models: The candidates by name, each a model or a list of models, which are its settings. A single model stands
            for the default field: it, and AdaGrad alone with scales from 0.01 to 1 in its place. By default the model
            is ``models.logistic()``. The running mean of the labels is always among them, as ``"constant"``.
        tune_until: The share of the log's time, from the first question to the last, in which settings are chosen.
        hindsight: Marks to measure regret against, the best weights in hindsight for the questions that count, as in
            :func:`~belated.replay`; ``()`` for none. They are for the features of the first candidate.
        progress: Whether to show a bar; by default if the standard error is a terminal.

    Returns:
        The ranking, with 95 % intervals. After Ctrl-C it is about the questions that were reached, if there are any
        behind the first part.

    Raises:
        InvalidArgument: An argument is not what it must be, the models cannot take the examples or labels of the log,
            or no question behind the first part has a label.
        BadRow: A row of the log cannot be used, and bad rows are not skipped.
        UsedUp: The rows of the log come from an iterator.

    Example:
        >>> from belated import models, read_log
        >>> rows = [{"at": t, "word": "ab"[t % 2], "known": t + 3, "y": t % 2} for t in range(500)]
        >>> log = read_log(rows, decided_at="at", answered_at="known", label="y")
        >>> slow_or_fast = [models.logistic(bits=8, step=models.adagrad(scale)) for scale in (0.01, 1.0)]
        >>> ranking = compare_models(log, {"default": models.logistic(bits=8), "adagrad": slow_or_fast})
        >>> [standing.name for standing in ranking.standings]
        ['adagrad', 'default', 'constant']
        >>> ranking.standings[0].setting
        'adagrad(1)'
    """
    checked_log("compare_models", log)
    share = checks.probability("compare_models", "tune_until", tune_until)
    if share == 1.0:
        checks.refuse("compare_models", "tune_until", tune_until, "must be below 1: the rest is what counts")
    parts = checked_parts("compare_models", hindsight)
    before = candidates(logistic() if models is None else models, 1.0)  # whether they can be used at all
    times = span_of(log, share, next(iter(before.values()))[0].labels)
    field = candidates(models, times.spread) if isinstance(models, Model) or models is None else before
    settings = {entry: model for name, each in field.items() for entry, model in _entries(name, each)}
    with closing(Split(checked_models("compare_models", settings), log, times.cut, parts)) as run:
        with closing(log.events(run.labels)) as events:
            interrupted = live(run, events, times.events, progress)
        if interrupted and not run.reached:
            raise KeyboardInterrupt
        return _ranked(log, field, run, run.result(interrupted, progress), times, share)


def candidates(models: Any, spread: float) -> dict[str, list[Model]]:
    """The candidates as lists of settings, checked.

    Args:
        models: As for :func:`compare_models`.
        spread: The spread of the labels, by which scales of the default field for squared errors are multiplied.

    Returns:
        By name, the settings of each candidate, at least one.
    """
    if models is None:
        models = logistic()
    if isinstance(models, Model):
        unit = spread if isinstance(models.link, SquaredError) else 1.0
        grid = [replace(models, step=adagrad(float(f"{scale * unit:.2g}"))) for scale in SCALES]
        return {DEFAULT: [models], "adagrad": grid}
    if not isinstance(models, Mapping) or not models:
        checks.refuse("compare_models", "models", models, "must be a mapping from names to models, or to lists of them")
    found = {}
    for name, each in models.items():
        if name == CONSTANT:
            checks.refuse("compare_models", "models", CONSTANT, "must not be a name: it is the mean of the labels")
        settings = [each] if isinstance(each, Model) else each
        if not isinstance(settings, (list, tuple)) or not settings:
            checks.refuse("compare_models", f"models[{name!r}]", each, "must be a model, or a list of models")
        found[name] = list(settings)
    checked_models("compare_models", {f"{name}[{i}]": each for name in found for i, each in enumerate(found[name])})
    return found


def _entries(name: str, settings: Sequence[Model]) -> list[tuple[str, Model]]:
    """The settings of a candidate under the names by which a replay knows them."""
    return [(f"{name}[{place}]", model) for place, model in enumerate(settings)]


class Span(NamedTuple):
    """What a first pass over a log has found: where its first part ends, its events, and the spread of its labels."""

    cut: int
    events: int
    spread: float


def span_of(log: Log, share: float, labels: str) -> Span:
    """Go through a log once, to find where the first ``share`` of the time between its questions ends.

    Args:
        log: The log.
        share: A share of the time.
        labels: The kind of labels that the models take.

    Returns:
        What was found.
    """
    first = last = None
    number, asked, found = 0, dict[Any, int](), list[tuple[int, float]]()
    with closing(log.events(labels)) as events:
        for event in events:
            number += 1
            if isinstance(event, Asked):
                first, last = event.time if first is None else first, event.time
                if len(asked) + len(found) < FIRST_QUESTIONS:
                    asked[event.key] = event.time
            elif event.key in asked:
                found.append((asked.pop(event.key), float(event.label)))
    if first is None or last is None:
        raise InvalidArgument(
            f"`compare_models(log={log!r})`: must have questions, and has none{skipped(log.counts)}", "log"
        )
    cut = first + math.ceil(share * (last - first))
    return Span(cut, number, _spread([label for time, label in found if time < cut]))


def _spread(labels: list[float]) -> float:
    """The standard deviation of labels; 1 if there are none, all are the same, or it is beyond all floats."""
    with np.errstate(over="ignore", invalid="ignore"):
        spread = float(np.std(labels)) if labels else 0.0
    return spread if spread > 0.0 and math.isfinite(spread) else 1.0


class Split(Run):
    """A replay that keeps score of the first part of a log apart from the rest."""

    def __init__(self, models: dict[str, Model], log: Log, cut: int, parts: tuple[int, ...]) -> None:
        super().__init__(models, log, parts)
        self._cut = cut
        self.first: Tally | None = None
        self.reached = False
        """Whether a question behind the first part has been scored."""

    def _new_tally(self, calendar: bool) -> Tally:
        self.first = super()._new_tally(calendar)
        return super()._new_tally(calendar)

    def _score(self, tally: Tally, owed: Any, label: float) -> None:
        if owed.time < self._cut and self.first is not None:
            super()._score(self.first, owed, label)
        else:
            self.reached = True
            super()._score(tally, owed, label)

    def losses_before(self) -> dict[str, float]:
        """The mean loss of each entry over the first part; NaN if nothing was scored there."""
        if self.first is None:
            return {}
        _, _, _, weights, losses = self.first.table()
        total = float(weights.sum())
        means = losses.sum(axis=1) / total if total else [math.nan] * len(self.first.names)
        return {name: float(mean) for name, mean in zip(self.first.names, means, strict=True)}


def _ranked(
    log: Log, field: dict[str, list[Model]], run: Split, found: Replay, times: Span, share: float
) -> ModelRanking:
    if not found.scored.sum():
        raise InvalidArgument(
            f"`compare_models(log={log!r}, tune_until={share:g})`: must have labels of questions behind the first part"
            f"{skipped(log.counts)}",
            "log",
        )
    before, choices, chosen = run.losses_before(), [], {CONSTANT: (CONSTANT, "running mean", 1)}
    for name, settings in field.items():
        entries = [entry for entry, _ in _entries(name, settings)]
        best = min(entries, key=lambda entry: math.inf if math.isnan(before[entry]) else before[entry])
        if len(settings) > 1 and math.isnan(before[best]):
            allowed = f"must have labels in its first {share:g} of the time, by which the setting of {name!r} is chosen"
            raise InvalidArgument(f"`compare_models(log={log!r}, tune_until={share:g})`: {allowed}", "tune_until")
        words = dict(zip(entries, _words(settings), strict=True))
        for entry in entries:
            choices.append(Choice(name, words[entry], before[entry], found.mean_loss(entry), entry == best))
        chosen[name] = (best, words[best], len(settings))
    order = sorted(chosen, key=lambda name: found.mean_loss(chosen[name][0]))
    first = chosen[order[0]][0]
    standings = []
    for name in order:
        entry, words_of, number = chosen[name]
        quality, place = found.quality[entry], found.mean_loss(entry)
        rank = 1 + sum(found.mean_loss(chosen[other][0]) < place for other in chosen)
        standings.append(
            ModelStanding(
                rank=rank,
                name=name,
                setting=words_of,
                settings=number,
                mean_loss=place,
                behind=found.difference(entry, first),
                brier=quality.brier,
                auc=quality.auc,
                squared_error=quality.squared_error,
                absolute_error=quality.absolute_error,
                entry=entry,
            )
        )
    return ModelRanking(
        log=log.name,
        standings=tuple(standings),
        choices=tuple(choices),
        tune_until=share,
        cut=times.cut,
        unit="seconds" if log.clock == "calendar" else "ticks",
        marks=tuple(
            Mark(name, found.mean_loss(name), found.difference(first, name))
            for name in found.names[found.names.index(CONSTANT) + 1 :]
        ),
        replay=found,
    )


def _words(settings: Sequence[Model]) -> list[str]:
    """What tells the settings of a candidate apart: the step, and the number where that is not enough."""
    words = [step_in_words(model.step) for model in settings]
    return [f"{word} ({place})" if words.count(word) > 1 else word for place, word in enumerate(words, start=1)]


def step_in_words(step: Any) -> str:
    """A step as its call is written, with the first of its arguments."""
    if isinstance(step, AdaGradStep):
        return f"adagrad({step.scale:g})"
    return "two_speeds" if isinstance(step, TwoSpeeds) else type(step).__name__
