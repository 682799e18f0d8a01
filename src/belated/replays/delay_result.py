"""What ``cost_of_delay`` has found: the loss for each factor of delay, as numbers, tables and a figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from belated.logs.counts import Counts
from belated.replays.result import Difference
from belated.replays.tables import Table, as_csv, as_markdown, decimals, digits, interval, number, span

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class DelayPoint(NamedTuple):
    """A model under delays that are multiplied by one factor; a quality that its labels do not have is NaN."""

    factor: float
    mean_loss: float
    change: Difference
    """The mean loss minus that of the log as it is, factor 1; below 0 if these labels are better."""
    brier: float
    auc: float
    squared_error: float
    absolute_error: float


@dataclass(frozen=True, eq=False, repr=False)
class DelayCost:
    """What delay costs a model on a log, by the factor that all delays are multiplied by."""

    log: str
    """The name of the log."""
    model: str
    """The name of the model."""
    loss: str
    """The name of the loss."""
    points: tuple[DelayPoint, ...]
    """What was found for each factor, in ascending order; 1 is among them."""
    constant: float
    """The mean loss of the running mean of the labels, under the delays of the log."""
    scored: int
    """How many questions were scored, for each factor the same."""
    asked: int
    """Questions of the log."""
    told: int
    """Answers of the log."""
    median_delay: float
    """The median delay of the answers, in ``unit``; NaN if there are none."""
    unit: str
    """``"seconds"``, or ``"ticks"`` for a log whose times have no unit."""
    blocks: int
    """How many blocks of time intervals are computed from."""
    width: float
    """How long each block is, in ``unit``."""
    counts: Counts
    """How often each rule of the log was applied."""
    interrupted: bool
    """Whether Ctrl-C has ended it before all factors were finished."""

    def point(self, factor: float) -> DelayPoint:
        """Look up what was found for a factor.

        Args:
            factor: One of those that were asked for, or 1.

        Returns:
            The point.

        Raises:
            LookupError: This factor was not run.
        """
        for each in self.points:
            if each.factor == factor:
                return each
        have = ", ".join(f"{each.factor:g}" for each in self.points)
        raise LookupError(f"`point(factor={factor!r})`: must be one of {have}")

    @property
    def sentence(self) -> str:
        """What labels at once would buy, or the fastest that were tried, in one sentence."""
        first, now = self.points[0], self.point(1.0)
        if first.factor >= 1.0:
            return f"With the delays of the log, the mean {self.loss} is {digits(now.mean_loss, 5)}."
        when = "at once" if first.factor == 0.0 else f"in {first.factor:g} times the time"
        share = 100.0 * first.change.mean / now.mean_loss if now.mean_loss else math.nan
        sure = not first.change.lower <= 0.0 <= first.change.upper
        surely = "" if sure else ", which may be chance"
        return (
            f"If labels came {when}, the mean {self.loss} would be {digits(first.mean_loss, 5)} instead of "
            f"{digits(now.mean_loss, 5)} ({share:+.1f} %{surely})."
        )

    def table(self) -> Table:
        """The results for people: losses, changes in numbers and in per cent, intervals, and what else is known.

        Returns:
            A header and rows of texts.
        """
        places = decimals([each.mean_loss for each in self.points])
        named = [name for name in ("brier", "auc", "absolute_error") if not math.isnan(getattr(self.points[0], name))]
        titles = {"brier": "Brier", "auc": "AUC", "absolute_error": "absolute error"}
        header = ("delays times", "median delay", f"mean {self.loss}", "change", "95 % interval", "change in %")
        rows, now = [], self.point(1.0).mean_loss
        for each in self.points:
            change = number(each.change.mean, places, True) if each.factor != 1.0 else "-"
            between = interval(each.change, places) if each.factor != 1.0 else "-"
            share = f"{100.0 * each.change.mean / now:+.2f}" if each.factor != 1.0 and now else "-"
            delay = span(each.factor * self.median_delay, self.unit) if not math.isnan(self.median_delay) else "-"
            more = (number(getattr(each, name), decimals([getattr(each, name)])) for name in named)
            rows.append((f"{each.factor:g}", delay, number(each.mean_loss, places), change, between, share, *more))
        return Table((*header, *(titles[name] for name in named)), tuple(rows))

    def to_markdown(self) -> str:
        """The results as a table in Markdown.

        Returns:
            The table, a line for each factor.
        """
        return as_markdown(self.table())

    def to_csv(self) -> str:
        """The results as CSV, with all digits.

        Returns:
            A line for each factor; what is not a number is an empty cell.
        """
        named = ("brier", "auc", "squared_error", "absolute_error")
        rows = [
            (each.factor, each.mean_loss, *each.change, *(getattr(each, name) for name in named))
            for each in self.points
        ]
        return as_csv(("factor", "mean_loss", "change", "change_lower", "change_upper", *named), rows)

    def figure(self) -> Figure:
        """The curve of what delay costs.

        Returns:
            A figure of matplotlib, not known to pyplot: ``cost.figure().savefig("figure.pdf")``.

        Raises:
            ModuleNotFoundError: matplotlib is missing; ``pip install 'belated[figures]'`` installs it.
        """
        from belated.replays.delay_figure import painted  # matplotlib is heavy, and need not be there

        return painted(self)

    def __repr__(self) -> str:
        ended = ", interrupted" if self.interrupted else ""
        return f"<DelayCost of {self.log!r}: {self.scored} questions{ended}>\n{self.to_markdown()}"
