"""``cost_of_delay``: the same model on the same log, with labels that come faster or more slowly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from belated.core import checks
from belated.core.errors import InvalidArgument
from belated.logs.log import Log
from belated.models import Model, logistic
from belated.replays.delay_result import DelayCost, DelayPoint
from belated.replays.replaying import checked_log, checked_models
from belated.replays.result import CONSTANT, Replay, difference_of
from belated.replays.run import Owed, Run, live
from belated.replays.stretching import Held, held, stretched
from belated.replays.tables import skipped
from belated.replays.tally import Tally
from belated.sim.watching import announce, is_shown

FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

LARGEST_FACTOR = 1e6

MODEL = "model"


def cost_of_delay(
    log: Log, model: Model | None = None, factors: Sequence[float] = FACTORS, *, progress: bool | None = None
) -> DelayCost:
    """Measure what delay costs: multiply every delay of a log by each factor, and replay the same model.

    Questions and their labels stay the same; only the times change at which labels come. A factor of 0 tells each label
    right after its question, which no model can do better than. Deadlines of the log are multiplied, too. Scored are
    the questions that a replay of the log itself would score, for every factor the same ones.

    The log is read once and kept in memory, about one kilobyte for each question with ten features.

    Args:
        log: The log, as ``read_log`` gives it.
        model: The model, with named features and without a horizon of its own; by default ``models.logistic()``. Where
            no answer is an answer, give the log deadlines: ``read_log(..., deadline=...)``.
        factors: What delays are multiplied by, from 0 to a million. All are compared with 1, which is added if it is
            not among them.
        progress: Whether to show a bar for each factor; by default if the standard error is a terminal.

    Returns:
        The mean loss for each factor, and its difference to that of the log as it is, with 95 % intervals. After Ctrl-C
        it has the factors that were finished, if these are two or more.

    Raises:
        InvalidArgument: An argument is not what it must be, or the model cannot take the examples or labels of the log.
        BadRow: A row of the log cannot be used, and bad rows are not skipped.

    Example:
        >>> from belated import read_log
        >>> rows = [{"at": t, "word": "ab"[t % 2], "known": t + 20, "y": t // 100 % 2} for t in range(800)]
        >>> log = read_log(rows, decided_at="at", answered_at="known", label="y")
        >>> cost = cost_of_delay(log, factors=(0, 1, 2))
        >>> [point.factor for point in cost.points]
        [0.0, 1.0, 2.0]
        >>> cost.points[0].change.mean < 0 < cost.points[2].change.mean
        True
    """
    checked_log("cost_of_delay", log)
    chosen = logistic() if model is None else model
    models = checked_models("cost_of_delay", {MODEL: chosen})
    if chosen.waiting.horizon:
        allowed = "must be None: the log has the deadlines here, read_log(..., deadline=...)"
        checks.refuse("cost_of_delay", "model.horizon", chosen.waiting.horizon, allowed)
    wanted = _checked(factors)
    memory = held(log, chosen.labels)
    order = [1.0, *(factor for factor in wanted if factor != 1.0)]  # whose questions all others are held against
    found: dict[float, Replay] = {}
    scored: set[int] | None = None
    for factor in order:
        if is_shown(progress):
            announce(f"delays times {factor:g}")
        run = Stretched(models, log, scored)
        if live(run, stretched(memory, factor), memory.events, progress):
            if len(found) < 2:
                raise KeyboardInterrupt
            break
        if scored is not None:
            run.finish()
        found[factor] = run.result(interrupted=False)
        scored = scored if scored is not None else run.numbers
    return _result(log, chosen, memory, found, interrupted=len(found) < len(order))


def _checked(factors: Any) -> list[float]:
    """The factors in ascending order, each once, and 1 among them."""
    if isinstance(factors, (str, bytes)) or not isinstance(factors, (Sequence, np.ndarray)) or not len(factors):
        checks.refuse("cost_of_delay", "factors", factors, "must be a list of numbers, with at least one")
    found = {checks.not_negative("cost_of_delay", "factors", factor) for factor in factors}
    if max(found) > LARGEST_FACTOR:
        checks.refuse("cost_of_delay", "factors", max(found), f"must be at most {LARGEST_FACTOR:g}")
    return sorted({*found, 1.0})


class Stretched(Run):
    """A replay that scores certain questions only, by their numbers; without such a set it notes which it scores."""

    def __init__(self, models: dict[str, Model], log: Log, only: set[int] | None) -> None:
        super().__init__(models, log)
        self._only = only
        self.numbers: set[int] = set()

    def _score(self, tally: Tally, owed: Owed, label: float) -> None:
        if self._only is None:
            self.numbers.add(owed.number)
        elif owed.number not in self._only:
            return
        super()._score(tally, owed, label)

    def finish(self) -> None:
        """Let all deadlines pass, which the factor has put behind the last event."""
        self._pass_deadlines(float("inf"), at_it=True)


def _result(log: Log, model: Model, memory: Held, found: dict[float, Replay], interrupted: bool) -> DelayCost:
    as_it_is = found[1.0]
    if not as_it_is.scored.sum():
        raise InvalidArgument(
            f"`cost_of_delay(log={log!r})`: must have answers: no question can be scored{skipped(log.counts)}", "log"
        )
    points = []
    for factor in sorted(found):
        each = found[factor]
        quality = each.quality[MODEL]
        points.append(
            DelayPoint(
                factor=factor,
                mean_loss=each.mean_loss(MODEL),
                change=difference_of(each.losses[0] - as_it_is.losses[0], as_it_is.weights),
                brier=quality.brier,
                auc=quality.auc,
                squared_error=quality.squared_error,
                absolute_error=quality.absolute_error,
            )
        )
    calendar = log.clock == "calendar"
    delays = [
        answer.time - question.time
        for question, answer in zip(memory.questions, memory.answers, strict=True)
        if answer is not None
    ]
    return DelayCost(
        log=log.name,
        model=model.name,
        loss=as_it_is.loss,
        points=tuple(points),
        constant=as_it_is.mean_loss(CONSTANT),
        scored=int(as_it_is.scored.sum()),
        asked=as_it_is.asked,
        told=as_it_is.told,
        median_delay=float(np.median(delays)) / (1e6 if calendar else 1.0) if delays else float("nan"),
        unit="seconds" if calendar else "ticks",
        blocks=len(as_it_is.scored),
        width=as_it_is.width / (1e6 if calendar else 1.0),
        counts=log.counts,
        interrupted=interrupted,
    )
