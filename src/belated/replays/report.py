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

import csv
import io
from collections.abc import Mapping

from belated.logs.counts import Counts
from belated.logs.summary import LogSummary
from belated.output.drawing import Drawing
from belated.output.page import blocks
from belated.output.page.blocks import Section, Text
from belated.output.page.page import page
from belated.replays import delay_figure, log_figure, log_tables, pictures, ranking_figure
from belated.replays.delay_result import DelayCost
from belated.replays.ranking_result import ModelRanking
from belated.replays.tables import Table, as_csv, span

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

BIAS = (
    "The bias is the distance of the mean of the labels that have arrived for recent questions to the mean of all "
    "labels, in standard deviations of a label. From 0.5 on, early labels mislead."
)

HINDSIGHT = (
    "The best weights that could have been chosen after all labels were known, for the same features: fixed for all of "
    "the time, or anew in each of several parts of equal length. Nobody can have these live. Where the regret is below "
    "0, the model follows the stream better than the best weights that stay for so long."
)


def describe_files(summary: LogSummary, title: str, command: str, warnings: tuple[str, ...] = ()) -> dict[str, bytes]:
    """Every file about a log, by its name."""
    facts = log_tables.facts(summary)
    lead = f"{facts['Questions']} questions, of which {facts['Never answered']} are never answered."
    if summary.answered:
        lead += f" Half of the answers take {facts['Median delay']} or more."
    tables = log_tables.csv_files(summary)
    labels = log_tables.labels(summary)
    sections = (
        Section(
            "How late answers are", (*pictures.of_log(summary), _table("delays", log_tables.delays(summary), tables))
        ),
        Section(
            "How many are answered by which age",
            (
                Text("Questions without an answer count as open until the end of the log, as Kaplan and Meier do it."),
                _table("answered", log_tables.shares(summary)),
            ),
        ),
        Section(
            "Are early labels like the others?",
            (
                Text(log_tables.verdict(summary)),
                *([] if labels is None else [_table("labels", labels, tables)]),
                Text(BIAS, "note"),
            ),
        ),
        _rules(summary.counts),
        _facts(facts),
    )
    made = page(
        title,
        sections,
        kicker="A log with late answers",
        lead=lead,
        warnings=warnings,
        command=command,
        files=NAMES["describe"][:-1],
    )
    return _files("describe", tables, log_figure.draw(summary), made)


def compare_files(
    ranking: ModelRanking, title: str, command: str, facts: dict[str, str], warnings: tuple[str, ...]
) -> dict[str, bytes]:
    """Every file about a ranking of models, by its name."""
    tables = {
        "ranking.csv": ranking.to_csv().encode(),
        "settings.csv": ranking.choices_to_csv().encode(),
        "hindsight.csv": ranking.marks_to_csv().encode(),
        "losses.csv": _losses(ranking).encode(),
        "calibration.csv": ranking.calibration_to_csv().encode(),
        "rules.csv": _rules_csv(ranking.replay.counts),
    }
    found = {
        "Scored": f"{ranking.scored:,} of {ranking.replay.asked:,} questions",
        "Scored from": log_tables.moment(ranking.cut, ranking.unit),
        **facts,
    }
    sections = (*_ranked(ranking, tables), _rules(ranking.replay.counts), _facts(found))
    made = page(
        title,
        sections,
        kicker="Models on a log",
        lead=ranking.sentence,
        warnings=warnings,
        command=command,
        files=NAMES["compare"][:-1],
    )
    return _files("compare", tables, ranking_figure.draw(ranking), made)


def cost_files(
    cost: DelayCost, title: str, command: str, facts: dict[str, str], warnings: tuple[str, ...]
) -> dict[str, bytes]:
    """Every file about what delay costs, by its name."""
    tables = {"cost_of_delay.csv": cost.to_csv().encode(), "rules.csv": _rules_csv(cost.counts)}
    width = span(cost.width, cost.unit)
    note = (
        f"Changes are to the log as it is. {DRAWN_ANEW.format(blocks=cost.blocks, width=width)} A constant, the mean "
        f"of all labels that have come so far, has {cost.constant:.5g} under the delays of the log."
    )
    shown = (
        Text(
            "The same model goes through the same questions and labels; only the times of the labels change. Delays "
            "times 0 tell every label right after its question."
        ),
        pictures.of_cost(cost),
        _table("cost_of_delay", cost.table(), tables),
        Text(note, "note"),
    )
    found = {"Scored": f"{cost.scored:,} of {cost.asked:,} questions, the same for all factors", **facts}
    made = page(
        title,
        (Section("What faster labels would buy", shown), _rules(cost.counts), _facts(found)),
        kicker="The cost of delay",
        lead=cost.sentence,
        warnings=warnings,
        command=command,
        files=NAMES["cost-of-delay"][:-1],
    )
    return _files("cost-of-delay", tables, delay_figure.draw(cost), made)


def _ranked(ranking: ModelRanking, tables: dict[str, bytes]) -> list[Section]:
    """The ranking, losses by time, how probabilities came true, regret in hindsight, and how settings were chosen."""
    note = (
        f"Less is better. = before a rank: it cannot be told from the first. {_drawn_anew(ranking)} The constant is "
        "the mean of all labels that have come so far."
    )
    first, by_time = pictures.of_ranking(ranking)
    sections = [
        Section("Ranking", (first, _table("ranking", ranking.table(), tables, 3), Text(note, "note"))),
        Section("By time", (by_time,)),
    ]
    if ranking.has_probabilities:
        sections.append(Section("Probabilities", (pictures.of_calibration(ranking),)))
    marks, chosen = ranking.table_of_marks(), ranking.table_of_choices()
    if marks is not None:
        sections.append(Section("Regret", (Text(HINDSIGHT), _table("hindsight", marks, tables))))
    if chosen is not None:
        words = (
            f"Where a model has several settings, the one with the least loss over the first "
            f"{100 * ranking.tune_until:g} % of the time was chosen. All losses in the ranking are of the rest, which "
            "nobody looked at to choose."
        )
        sections.append(Section("How settings were chosen", (Text(words), _table("settings", chosen, tables, 2))))
    return sections


def _table(name: str, table: Table, files: Mapping[str, bytes] | None = None, texts: int = 1) -> blocks.Table:
    """A table for a page; the file that the page offers is the one beside it, where that has the same rows."""
    groups = (blocks.Group("", table.rows),)
    if files is None:
        return blocks.Table(name, table.header, groups, texts)
    header, *rows = csv.reader(io.StringIO(files[f"{name}.csv"].decode()))
    return blocks.Table(name, table.header, groups, texts, tuple(header), tuple(map(tuple, rows)))


def _facts(facts: dict[str, str]) -> Section:
    return Section("What was run", (blocks.Facts(tuple(facts.items())),))


def _files(command: str, tables: dict[str, bytes], picture: Drawing, made: bytes) -> dict[str, bytes]:
    found = {**tables, "figure.svg": picture.svg, "figure.png": picture.png, PAGE: made}
    return {name: found[name] for name in NAMES[command]}


def _rules(counts: Counts) -> Section:
    words = Text("Every rule by which rows became questions and answers, and how often it was applied.")
    bad = [Text(" ".join(counts.first_bad_rows), "note")] if counts.first_bad_rows else []
    return Section("Rules", (words, _table("rules", log_tables.rules(counts)), *bad))


def _rules_csv(counts: Counts) -> bytes:
    plain = counts.to_dict()
    rows = [(name, value) for name, value in plain.items() if isinstance(value, int)]
    rows += [(f"bad_rows: {reason}", count) for reason, count in plain["bad_by_reason"].items()]
    return as_csv(("rule", "times"), rows).encode()


def _drawn_anew(ranking: ModelRanking) -> str:
    width = ranking.replay.width / (1e6 if ranking.unit == "seconds" else 1.0)
    return DRAWN_ANEW.format(blocks=len(ranking.replay.scored), width=span(width, ranking.unit))


def _losses(ranking: ModelRanking) -> str:
    """The mean losses by time, a column for each candidate."""
    found = ranking.replay
    means = found.losses[[found.names.index(each.entry) for each in ranking.standings]] / found.weights
    blocks = zip(found.starts.tolist(), found.scored.tolist(), means.T.tolist(), strict=True)
    rows = [(start, int(scored), *each) for start, scored, each in blocks]
    return as_csv(("time", "scored", *(each.name for each in ranking.standings)), rows)
