"""Several models through one log whose delays are multiplied: a single factor of ``cost_of_delay``, by itself."""

from __future__ import annotations

from belated.logs.log import Log
from belated.models import Model
from belated.replays.delay_cost import Stretched
from belated.replays.replaying import checked_models, replay
from belated.replays.result import Replay
from belated.replays.run import live
from belated.replays.stretching import held, stretched


def replay_stretched(models: dict[str, Model], log: Log, factor: float) -> Replay:
    """Let models live through a log whose delays are all multiplied by a factor, as ``cost_of_delay`` does.

    Scored are the questions that a replay of the log itself would score. With the factor 1 it is that replay, and the
    log need not fit into memory.

    Args:
        models: The models by name, all of one kind and with named features.
        log: The log.
        factor: What every delay is multiplied by, 0 or more.

    Returns:
        The result; ``interrupted`` if Ctrl-C has ended it.

    Raises:
        InvalidArgument: The models cannot take the examples or the labels of the log, or weights cannot be honoured.
        BadRow: A row of the log cannot be used, and bad rows are not skipped.
    """
    if factor == 1.0:
        return replay(models, log, progress=False)
    checked = checked_models("replay", models)
    first, model = next(iter(checked.items()))
    memory = held(log, model.labels)
    scored = None
    if any(question.deadline is not None for question in memory.questions):  # otherwise they are those with an answer
        as_it_is = Stretched({first: model}, log, None)
        as_it_is.predictors = {}  # what is predicted does not matter
        if live(as_it_is, stretched(memory, 1.0), memory.events, progress=False):
            return as_it_is.result(interrupted=True)
        scored = as_it_is.numbers
    run = Stretched(checked, log, scored)
    interrupted = live(run, stretched(memory, factor), memory.events, progress=False)
    run.finish()
    return run.result(interrupted)
