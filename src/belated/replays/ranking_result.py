"""What ``compare_models`` has found: a ranking, how settings were chosen, and losses by time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from belated.replays.result import Difference, Replay
from belated.replays.tables import Table, as_csv, as_markdown, decimals, digits, interval, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUALITIES = {"brier": "Brier", "auc": "AUC", "absolute_error": "absolute error"}
"""What is shown besides the loss, where labels have it; the squared error is the loss where it is shown at all."""


class ModelStanding(NamedTuple):
    """A candidate in the ranking; a quality that its labels do not have is NaN."""

    rank: int
    name: str
    setting: str
    """The setting that was chosen, in words."""
    settings: int
    """How many settings it had."""
    mean_loss: float
    behind: Difference
    """The mean loss minus that of the first."""
    brier: float
    auc: float
    squared_error: float
    absolute_error: float
    entry: str
    """The name by which ``replay`` of the ranking knows the chosen setting."""

    @property
    def tied(self) -> bool:
        """Whether it is not the first and cannot be told from it: the interval of the difference holds 0."""
        return self.rank > 1 and not self.behind.lower > 0.0


class Choice(NamedTuple):
    """One setting of a candidate, and what it was judged by."""

    name: str
    setting: str
    first_loss: float
    """The mean loss over the first part of the log; NaN if no question of it has a label."""
    rest_loss: float
    """The mean loss over the rest, which nobody looked at to choose."""
    chosen: bool


class Mark(NamedTuple):
    """The best model in hindsight, fixed or moving, which nobody could have had live."""

    name: str
    mean_loss: float
    regret: Difference
    """The mean loss of the first in the ranking minus this one."""


@dataclass(frozen=True, eq=False, repr=False)
class ModelRanking:
    """Models ranked by their mean loss on a log, over the questions behind its first part."""

    log: str
    """The name of the log."""
    standings: tuple[ModelStanding, ...]
    """The candidates, the best first, and ``"constant"`` among them."""
    choices: tuple[Choice, ...]
    """Every setting of every candidate."""
    marks: tuple[Mark, ...]
    """The best models in hindsight that were asked for; none after Ctrl-C."""
    tune_until: float
    """The share of the log's time in which settings were chosen."""
    cut: int
    """Where the first part ends: questions from this time on count."""
    unit: str
    """``"seconds"``, or ``"ticks"`` for a log whose times have no unit."""
    replay: Replay
    """All settings over the rest of the log, under the names ``name[0]``, ``name[1]`` and so on."""

    @property
    def loss(self) -> str:
        """The name of the loss."""
        return self.replay.loss

    @property
    def scored(self) -> int:
        """How many questions behind the first part were scored, the same for all."""
        return int(self.replay.scored.sum())

    @property
    def has_probabilities(self) -> bool:
        """Whether predictions are probabilities of a label, so that they can be held against how often it came."""
        return not math.isnan(self.standings[0].brier)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the replay before the log was over."""
        return self.replay.interrupted

    @property
    def sentence(self) -> str:
        """Who is first, and how sure that is, in one sentence."""
        first, second = self.standings[0], self.standings[1]
        words = f"{first.name} is first with a mean {self.loss} of {digits(first.mean_loss, 5)}"
        if math.isnan(second.behind.lower):
            return f"{words}; how sure that is cannot be told."
        tied = [each.name for each in self.standings if each.tied]
        if tied:
            return f"{words}, and cannot be told from {' and '.join(tied)}."
        low, high = digits(second.behind.lower, 2), digits(second.behind.upper, 2)
        return f"{words}, {low} to {high} below {second.name}, the second."

    def table(self) -> Table:
        """The ranking for people; an = before a rank says that it cannot be told from the first.

        Returns:
            A header and rows of texts.
        """
        places = decimals([each.mean_loss for each in self.standings])
        named = [name for name in QUALITIES if not math.isnan(getattr(self.standings[0], name))]
        rows = []
        for each in self.standings:
            behind = (
                ("-", "-")
                if each.rank == 1
                else (number(each.behind.mean, places, True), interval(each.behind, places))
            )
            more = (number(getattr(each, name), decimals([getattr(each, name)])) for name in named)
            rank = f"{'=' if each.tied else ''}{each.rank}"
            rows.append((rank, each.name, each.setting, number(each.mean_loss, places), *behind, *more))
        header = ("rank", "model", "setting", f"mean {self.loss}", "behind", "95 % interval")
        return Table((*header, *(QUALITIES[name] for name in named)), tuple(rows))

    def table_of_choices(self) -> Table | None:
        """How settings were chosen, for people; None if no candidate had a choice.

        Returns:
            A header and rows of texts.
        """
        several = [each for each in self.choices if sum(other.name == each.name for other in self.choices) > 1]
        if not several:
            return None
        places = decimals([each.rest_loss for each in several])
        rows = [
            (
                each.name,
                each.setting,
                number(each.first_loss, places),
                "chosen" if each.chosen else "",
                number(each.rest_loss, places),
            )
            for each in several
        ]
        return Table(("model", "setting", "mean loss, first part", "", "mean loss, rest"), tuple(rows))

    def table_of_marks(self) -> Table | None:
        """The regret of the first against the best models in hindsight, for people; None if there are none.

        Returns:
            A header and rows of texts.
        """
        if not self.marks:
            return None
        places = decimals([each.mean_loss for each in self.standings])
        rows = [
            (
                each.name,
                number(each.mean_loss, places),
                number(each.regret.mean, places, True),
                interval(each.regret, places),
            )
            for each in self.marks
        ]
        header = ("in hindsight", f"mean {self.loss}", f"regret of {self.standings[0].name}", "95 % interval")
        return Table(header, tuple(rows))

    def to_markdown(self) -> str:
        """The ranking as a table in Markdown.

        Returns:
            The table, a line for each candidate.
        """
        return as_markdown(self.table())

    def to_csv(self) -> str:
        """The ranking as CSV, with all digits.

        Returns:
            A line for each candidate, the best first; what is not a number is an empty cell.
        """
        named = ("brier", "auc", "squared_error", "absolute_error")
        header = ("rank", "model", "setting", "settings", "mean_loss", "behind", "behind_lower", "behind_upper")
        rows = [
            (*each[:5], *each.behind, each.brier, each.auc, each.squared_error, each.absolute_error)
            for each in self.standings
        ]
        return as_csv((*header, *named), rows)

    def marks_to_csv(self) -> str:
        """The best models in hindsight, and the regret of the first against them, as CSV with all digits.

        Returns:
            A line for each mark.
        """
        header = ("mark", "mean_loss", "regret", "regret_lower", "regret_upper")
        return as_csv(header, [(each.name, each.mean_loss, *each.regret) for each in self.marks])

    def choices_to_csv(self) -> str:
        """Every setting with its losses as CSV, with all digits.

        Returns:
            A line for each setting of each candidate.
        """
        return as_csv(
            ("model", "setting", "first_loss", "rest_loss", "chosen"),
            [(*each[:4], int(each.chosen)) for each in self.choices],
        )

    def calibration_to_csv(self) -> str:
        """Predicted probabilities and how often the label was 1, by groups of about equally many predictions, as CSV.

        Returns:
            A line for each group of each candidate, with all digits; none if predictions are no probabilities.
        """
        rows = []
        for each in self.standings if self.has_probabilities else ():
            means, shares, numbers = self.replay.quality[each.entry].calibration
            rows += [(each.name, *row) for row in zip(means.tolist(), shares.tolist(), numbers.tolist(), strict=True)]
        return as_csv(("model", "mean_prediction", "share_of_ones", "predictions"), rows)

    def figure(self) -> Figure:
        """The ranking with its intervals, the losses by time and, of probabilities, how often each came true.

        Returns:
            A figure of matplotlib, not known to pyplot: ``ranking.figure().savefig("figure.pdf")``.

        Raises:
            ModuleNotFoundError: matplotlib is missing; ``pip install 'belated[figures]'`` installs it.
        """
        from belated.replays.ranking_figure import painted  # matplotlib is heavy, and need not be there

        return painted(self)

    def __repr__(self) -> str:
        ended = ", interrupted" if self.interrupted else ""
        return f"<ModelRanking on {self.log!r}: {self.scored} questions{ended}>\n{self.to_markdown()}"
