"""The files of the commands about logs: figures, tables with all digits, and the page that shows them.

=======================  =====================================================================================
``describe``             ``delays.csv``, ``answered.csv``, ``in_flight.csv``, ``labels.csv``
``compare``              ``ranking.csv``, ``settings.csv``, ``hindsight.csv``, ``losses.csv`` (by time),
                         ``calibration.csv``
``cost-of-delay``        ``cost_of_delay.csv``
all of them              ``figure.svg``, ``figure.png``, ``rules.csv``, ``report.html``
=======================  =====================================================================================

The page is last, so that it seals the others.
"""

from __future__ import annotations

from belated.logs.counts import Counts
from belated.logs.summary import LogSummary
from belated.output.drawing import Drawing
from belated.replays import delay_figure, log_figure, log_tables, ranking_figure
from belated.replays.delay_result import DelayCost
from belated.replays.page import Page, Section, html
from belated.replays.ranking_result import ModelRanking
from belated.replays.tables import as_csv, span

FIGURES = ("figure.svg", "figure.png")
PAGE = "report.html"

NAMES = {
    "describe": ("delays.csv", "answered.csv", "in_flight.csv", "labels.csv", "rules.csv", *FIGURES, PAGE),
    "compare": (
        "ranking.csv",
        "settings.csv",
        "hindsight.csv",
        "losses.csv",
        "calibration.csv",
        "rules.csv",
        *FIGURES,
        PAGE,
    ),
    "cost-of-delay": ("cost_of_delay.csv", "rules.csv", *FIGURES, PAGE),
}
"""The files of each command, in the order in which they are put into place."""

DRAWN_ANEW = (
    "Intervals are of 95 %, by drawing {blocks} blocks of {width} each anew, 2000 times, so that a bad day counts once."
)


def describe_files(summary: LogSummary, title: str, command: str, warnings: tuple[str, ...] = ()) -> dict[str, bytes]:
    """Every file about a log, by its name."""
    picture = log_figure.draw(summary)
    facts = log_tables.facts(summary)
    lead = f"{facts['Questions']} questions, of which {facts['Never answered']} are never answered."
    if summary.answered:
        lead += f" Half of the answers take {facts['Median delay']} or more."
    sections = [
        Section(
            "How late answers are",
            figure=picture,
            alternative=f"Questions in flight over time, at most {summary.most_in_flight}; the share answered by an "
            f"age; and the mean label by age. {log_tables.verdict(summary)}",
            table=log_tables.delays(summary),
        ),
        Section(
            "How many are answered by which age",
            ("Questions without an answer count as open until the end of the log, as Kaplan and Meier do it.",),
            table=log_tables.shares(summary),
        ),
        Section(
            "Are early labels like the others?",
            (log_tables.verdict(summary),),
            table=log_tables.labels(summary),
            note="The bias is the distance of the mean of the labels that have arrived for recent questions to the "
            "mean of all labels, in standard deviations of a label. From 0.5 on, early labels mislead.",
        ),
        _rules(summary.counts),
    ]
    page = Page(
        "A log with late answers", title, lead, warnings, tuple(sections), facts, command, NAMES["describe"][:-1]
    )
    return _files("describe", log_tables.csv_files(summary), picture, page)


def compare_files(
    ranking: ModelRanking, title: str, command: str, facts: dict[str, str], warnings: tuple[str, ...]
) -> dict[str, bytes]:
    """Every file about a ranking of models, by its name."""
    picture = ranking_figure.draw(ranking)
    order = ", ".join(f"{each.name} {each.mean_loss:.5g}" for each in ranking.standings)
    sections = [
        Section(
            "Ranking",
            figure=picture,
            alternative=f"Mean {ranking.loss}: {order}.",
            caption=_caption(ranking),
            table=ranking.table(),
            texts=3,
            note=f"Less is better. = before a rank: it cannot be told from the first. {_drawn_anew(ranking)} "
            "The constant is the mean of all labels that have come so far.",
        )
    ]
    marks = ranking.table_of_marks()
    if marks is not None:
        words = (
            "The best weights that could have been chosen after all labels were known, for the same features: fixed "
            "for all of the time, or anew in each of several parts of equal length. Nobody can have these live. Where "
            "the regret is below 0, the model follows the stream better than the best weights that stay for so long.",
        )
        sections.append(Section("Regret", words, table=marks, texts=1))
    chosen = ranking.table_of_choices()
    if chosen is not None:
        words = (
            f"Where a model has several settings, the one with the least loss over the first "
            f"{100 * ranking.tune_until:g} % of the time was chosen. All losses in the ranking are of the rest, which "
            "nobody looked at to choose.",
        )
        sections.append(Section("How settings were chosen", words, table=chosen, texts=2))
    sections.append(_rules(ranking.replay.counts))
    found = {
        "Scored": f"{ranking.scored:,} of {ranking.replay.asked:,} questions",
        "Scored from": log_tables.moment(ranking.cut, ranking.unit),
        **facts,
    }
    page = Page(
        "Models on a log", title, ranking.sentence, warnings, tuple(sections), found, command, NAMES["compare"][:-1]
    )
    tables = {
        "ranking.csv": ranking.to_csv().encode(),
        "settings.csv": ranking.choices_to_csv().encode(),
        "hindsight.csv": ranking.marks_to_csv().encode(),
        "losses.csv": _losses(ranking).encode(),
        "calibration.csv": ranking.calibration_to_csv().encode(),
        "rules.csv": _rules_csv(ranking.replay.counts),
    }
    return _files("compare", tables, picture, page)


def cost_files(
    cost: DelayCost, title: str, command: str, facts: dict[str, str], warnings: tuple[str, ...]
) -> dict[str, bytes]:
    """Every file about what delay costs, by its name."""
    picture = delay_figure.draw(cost)
    points = ", ".join(f"{each.mean_loss:.5g} for delays times {each.factor:g}" for each in cost.points)
    width = span(cost.width, cost.unit)
    sections = [
        Section(
            "What faster labels would buy",
            (
                "The same model goes through the same questions and labels; only the times of the labels change. "
                "Delays times 0 tell every label right after its question.",
            ),
            figure=picture,
            alternative=f"Mean {cost.loss}: {points}.",
            table=cost.table(),
            note=f"Changes are to the log as it is. {DRAWN_ANEW.format(blocks=cost.blocks, width=width)} A constant, "
            f"the mean of all labels that have come so far, has {cost.constant:.5g} under the delays of the log.",
        ),
        _rules(cost.counts),
    ]
    found = {"Scored": f"{cost.scored:,} of {cost.asked:,} questions, the same for all factors", **facts}
    names = NAMES["cost-of-delay"]
    page = Page("The cost of delay", title, cost.sentence, warnings, tuple(sections), found, command, names[:-1])
    tables = {"cost_of_delay.csv": cost.to_csv().encode(), "rules.csv": _rules_csv(cost.counts)}
    return _files("cost-of-delay", tables, picture, page)


def _files(command: str, tables: dict[str, bytes], picture: Drawing, page: Page) -> dict[str, bytes]:
    found = {**tables, "figure.svg": picture.svg, "figure.png": picture.png, PAGE: html(page)}
    return {name: found[name] for name in NAMES[command]}


def _rules(counts: Counts) -> Section:
    words = ("Every rule by which rows became questions and answers, and how often it was applied.",)
    return Section("Rules", words, table=log_tables.rules(counts), note=" ".join(counts.first_bad_rows))


def _rules_csv(counts: Counts) -> bytes:
    plain = counts.to_dict()
    rows = [(name, value) for name, value in plain.items() if isinstance(value, int)]
    rows += [(f"bad_rows: {reason}", count) for reason, count in plain["bad_by_reason"].items()]
    return as_csv(("rule", "times"), rows).encode()


def _drawn_anew(ranking: ModelRanking) -> str:
    width = ranking.replay.width / (1e6 if ranking.unit == "seconds" else 1.0)
    return DRAWN_ANEW.format(blocks=len(ranking.replay.scored), width=span(width, ranking.unit))


def _caption(ranking: ModelRanking) -> str:
    words = (
        "Above: the mean loss by time minus that of the constant, below 0 if the model is better. "
        "Below it: how far each is behind the first."
    )
    if not ranking.has_probabilities:
        return words
    groups = max(len(ranking.replay.quality[each.entry].calibration[0]) for each in ranking.standings)
    return (
        f"{words} At the bottom: can probabilities be taken at their word? Predictions are in groups of about equally "
        f"many, at most {groups}, and each dot is a group. On the dotted line labels were 1 as often as predicted, "
        "below it less often. Each panel has its own scale."
    )


def _losses(ranking: ModelRanking) -> str:
    """The mean losses by time, a column for each candidate."""
    found = ranking.replay
    means = found.losses[[found.names.index(each.entry) for each in ranking.standings]] / found.weights
    blocks = zip(found.starts.tolist(), found.scored.tolist(), means.T.tolist(), strict=True)
    rows = [(start, int(scored), *each) for start, scored, each in blocks]
    return as_csv(("time", "scored", *(each.name for each in ranking.standings)), rows)
