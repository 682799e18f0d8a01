"""The summary of a log, as plain numbers and arrays."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from belated.core.arrays import Vector
from belated.logs.counts import Counts
from belated.logs.lopsided import Lopsidedness

Whole = np.ndarray[Any, np.dtype[np.int64]]

LEVELS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
"""The levels of the quantiles of delay."""


@dataclass(frozen=True, eq=False, repr=False)
class LogSummary:
    """What one pass over a log has found. Delays and ages are in ``unit``; ``times`` are as in the events."""

    name: str
    """The name of the log."""
    unit: str
    """The unit of delays and ages: ``"seconds"``, or ``"ticks"`` for a log whose times have no unit."""
    decisions: int
    """The number of questions."""
    answered: int
    """The number of questions with an answer."""
    first: int | None
    """The time of the first event, or None if there is none."""
    last: int | None
    """The time of the last event. A question without an answer is known to be unanswered until then, and no longer."""
    delay_levels: Vector
    """The levels at which quantiles of delay are given, from 0 to 1."""
    delay_quantiles: Vector
    """The smallest delays that so many of the answers do not exceed; empty if there is no answer."""
    mean_delay: float | None
    """The mean delay of the answers, or None if there is none."""
    times: Whole
    """At most 600 times, evenly spread from the first event to the last."""
    in_flight: Whole
    """At each of these times, the questions asked by then whose answers come later."""
    unanswered: Whole
    """At each of these times, the questions asked by then that are never answered."""
    most_in_flight: int
    """The largest number of questions in flight at any moment, those that are never answered not included."""
    ages: Vector
    """At most 600 ages, at which answers come."""
    share_answered: Vector
    """The share of questions that are answered by each of these ages, as Kaplan and Meier estimate it.

    A question without an answer counts among those that might be answered up to its age at the end of the log.
    """
    lopsidedness: Lopsidedness | None
    """How labels depend on the age of the answer; None without answers, for texts, and for labels beyond 1e100."""
    counts: Counts
    """How often each rule was applied."""

    @property
    def never_answered(self) -> int:
        """The number of questions without an answer in the log."""
        return self.decisions - self.answered

    def quantile(self, level: float) -> float:
        """Look up a quantile of delay.

        Args:
            level: One of ``delay_levels``.

        Returns:
            The delay that this share of the answers does not exceed.

        Raises:
            LookupError: There is no answer, or the level is not among those that were computed.
        """
        for each, delay in zip(self.delay_levels, self.delay_quantiles, strict=False):
            if each == level:
                return float(delay)
        raise LookupError(
            f"`quantile(level={level!r})`: must be one of {self.delay_levels.tolist()}, of a log with answers"
        )

    def to_dict(self) -> dict[str, Any]:
        """Make a dictionary that can be written as JSON.

        Returns:
            A new dictionary with the name and the value of every field, arrays as lists.
        """
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        plain = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in found.items()}
        uneven = None if self.lopsidedness is None else self.lopsidedness.to_dict()
        return plain | {
            "never_answered": self.never_answered,
            "lopsidedness": uneven,
            "counts": self.counts.to_dict(),
        }

    def __repr__(self) -> str:
        lines = [
            f"LogSummary of {self.name!r}",
            f"  decisions       {self.decisions}, {self.answered} answered, {self.never_answered} never",
        ]
        if self.answered:
            shown = ", ".join(f"{level:.0%}: {self.quantile(level):g}" for level in (0.05, 0.5, 0.95, 1.0))
            lines.append(f"  delay           {shown} {self.unit}, mean {self.mean_delay:g}")
            lines.append(f"  in flight       at most {self.most_in_flight}")
        return "\n".join([*lines, *self._labels(), *self._rules()])

    def _labels(self) -> list[str]:
        """Say in one line whether early labels are like the others."""
        uneven = self.lopsidedness
        if uneven is None:
            return []
        early = f"mean {uneven.overall:.3g}, of the earliest {uneven.answers[0]} answers {uneven.means[0]:.3g}"
        if uneven.one_sided:
            verdict = "ONE-SIDED: all answers agree, and some questions are never answered"
        elif uneven.lopsided:
            verdict = (
                f"LOPSIDED: of the labels known for the last {uneven.window:g} {self.unit} the mean is "
                f"{uneven.recent:.3g} (bias {uneven.bias:+.2f})"
            )
        else:
            verdict = f"early labels do not mislead (bias {uneven.bias:+.2f})"
        return [f"  labels          {early}", f"                  {verdict}"]

    def _rules(self) -> list[str]:
        """List the rules that were applied at all."""
        plain = self.counts.to_dict()
        silent = ("rows", "answer_rows", "asked", "told", "bad_by_reason", "first_bad_rows")
        met = [f"{name.replace('_', ' ')} {value}" for name, value in plain.items() if name not in silent and value]
        return [f"  rules applied   {', '.join(met)}"] if met else []
