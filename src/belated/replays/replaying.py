"""Models through a log, as if they had been there: each question and each answer in the order of the world.

A replay calls the verbs of predictors, ``predict`` and ``learn``, and nothing else (:mod:`belated.replays.run`). So it
gives the predictions that the models would have made live, bit for bit. In memory are the models and what is owed, not
the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from belated.core import checks
from belated.logs.log import Log
from belated.models import Model, Named
from belated.replays.hindsight import checked_parts, mark_name
from belated.replays.result import CONSTANT, Replay
from belated.replays.run import Run, live


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
