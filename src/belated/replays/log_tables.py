"""The summary of a log in words and tables, for pages and terminals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from belated.logs.counts import Counts
from belated.logs.summary import LogSummary
from belated.replays.tables import Table, as_csv, number, span

AGES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
"""Shares of the questions for which the age is shown by which so many are answered."""

RULES = {
    "ties": "events at the same time as the one before",
    "answers_before_question": "answers before their question, taken right after it",
    "steps_back": "rows whose time is before the row above",
    "duplicate_rows": "rows that were there before, dropped",
    "duplicate_answers": "answers that were there before, dropped",
    "missing_labels": "rows without a label, never answered",
    "missing_answer_times": "labels without a time, never answered",
    "naive_times": "times without an offset, read in the zone given or in UTC",
    "bad_rows": "bad rows, skipped",
}
"""What the counters of a log count, in words."""


def moment(time: int | None, unit: str) -> str:
    """A time of a log as people write it: to the second on the calendar, and otherwise the number."""
    if time is None:
        return "-"
    if unit != "seconds":
        return f"{time:,}"
    try:
        found = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time)
    except OverflowError:
        return f"{time:,} microseconds"
    return f"{found:%Y-%m-%d %H:%M:%S} UTC"


def verdict(summary: LogSummary) -> str:
    """Whether early labels mislead, in one sentence."""
    uneven = summary.lopsidedness
    if uneven is None:
        return "Nothing can be said of early labels: there are none, or some are texts."
    if uneven.one_sided:
        return (
            f"All answers have the label {uneven.overall:g}, and {summary.never_answered:,} questions have none: "
            "silence may be the other label."
        )
    known = (
        f"of the labels known for questions of the last {span(uneven.window, summary.unit)} the mean is "
        f"{uneven.recent:.3g}, of all {uneven.overall:.3g} (bias {uneven.bias:+.2f})"
    )
    if uneven.lopsided:
        return f"Early labels mislead: {known}."
    if uneven.strength >= 0.1 and uneven.chance < 0.001:
        return f"Early labels differ from the others, but not so much that they mislead: {known}."
    return f"Early labels are like the others: {known}."


def advice(summary: LogSummary) -> str:
    """What to do about early labels that mislead."""
    return (
        f"{verdict(summary)} A model that learns labels as they come predicts wrongly; give compare and "
        "cost-of-delay a --horizon and --while-waiting hold"
    )


def skipped(counts: Counts) -> str:
    """How many bad rows were left out, and why the first of them was."""
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in counts.bad_by_reason.items())
    return f"Skipped {counts.bad_rows:,} bad rows ({reasons}). The first: {counts.first_bad_rows[0]}"


def delays(summary: LogSummary) -> Table:
    """The quantiles of delay, for people."""
    pairs = zip(summary.delay_levels, summary.delay_quantiles, strict=False)
    rows = [(f"{100 * level:g} %", span(float(delay), summary.unit)) for level, delay in pairs]
    if summary.mean_delay is not None:
        rows.append(("mean", span(summary.mean_delay, summary.unit)))
    return Table(("share of answers", "delay at most"), tuple(rows))


def shares(summary: LogSummary) -> Table:
    """The ages by which so many questions are answered, for people."""
    rows = []
    for share in AGES:
        there = [age for age, found in zip(summary.ages, summary.share_answered, strict=True) if found >= share]
        rows.append((f"{100 * share:g} %", span(float(there[0]), summary.unit) if there else "never, in this log"))
    return Table(("share of questions", "answered by the age of"), tuple(rows))


def labels(summary: LogSummary) -> Table | None:
    """The mean label by the age of the answer, for people."""
    uneven = summary.lopsidedness
    if uneven is None:
        return None
    rows = [
        (span(float(age), summary.unit), f"{count:,}", f"{mean:.4g}")
        for age, count, mean in zip(uneven.ages, uneven.answers, uneven.means, strict=True)
    ]
    return Table(
        ("age up to", "answers", "mean label"), (*rows, ("all", f"{summary.answered:,}", f"{uneven.overall:.4g}"))
    )


def rules(counts: Counts) -> Table:
    """How often each rule was applied, for people; rules that were not are left out."""
    plain = counts.to_dict()
    rows = [(words, f"{plain[name]:,}") for name, words in RULES.items() if plain[name]]
    rows += [(f"bad rows, reason {reason}", f"{count:,}") for reason, count in counts.bad_by_reason.items()]
    rows.insert(0, ("rows read", f"{counts.rows + counts.answer_rows:,}"))
    return Table(("rule", "times"), tuple(rows))


def facts(summary: LogSummary) -> dict[str, str]:
    """What a log is, in a few lines."""
    share = summary.never_answered / summary.decisions if summary.decisions else 0.0
    found = {
        "Questions": f"{summary.decisions:,}",
        "Answered": f"{summary.answered:,}",
        "Never answered": f"{summary.never_answered:,} ({100 * share:.3g} %)",
        "From": moment(summary.first, summary.unit),
        "To": moment(summary.last, summary.unit),
        "In flight at most": f"{summary.most_in_flight:,}",
    }
    if summary.answered:
        found["Median delay"] = span(summary.quantile(0.5), summary.unit)
    if summary.lopsidedness is not None:
        found["Mean label"] = number(summary.lopsidedness.overall, 4)
    return found


def csv_files(summary: LogSummary) -> dict[str, bytes]:
    """Every table of a summary as CSV, by the name of its file."""
    plain = summary.counts.to_dict()
    counters = [(name, value) for name, value in plain.items() if isinstance(value, int)]
    counters += [(f"bad_rows: {reason}", count) for reason, count in plain["bad_by_reason"].items()]
    uneven = summary.lopsidedness
    found = {
        "delays.csv": as_csv(
            ("level", f"delay_{summary.unit}"),
            zip(summary.delay_levels.tolist(), summary.delay_quantiles.tolist(), strict=False),
        ),
        "answered.csv": as_csv(
            (f"age_{summary.unit}", "share_answered"),
            zip(summary.ages.tolist(), summary.share_answered.tolist(), strict=True),
        ),
        "in_flight.csv": as_csv(
            ("time", "in_flight", "never_answered"),
            zip(summary.times.tolist(), summary.in_flight.tolist(), summary.unanswered.tolist(), strict=True),
        ),
        "labels.csv": as_csv(
            (f"age_{summary.unit}", "answers", "mean_label"),
            ()
            if uneven is None
            else zip(uneven.ages.tolist(), uneven.answers.tolist(), uneven.means.tolist(), strict=True),
        ),
        "rules.csv": as_csv(("rule", "times"), counters),
    }
    return {name: text.encode() for name, text in found.items()}
