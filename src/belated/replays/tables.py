"""Tables of results: as CSV with all digits, and in words for people, with as many digits as they can use."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from belated.logs.counts import Counts
from belated.replays.result import Difference


class Table(NamedTuple):
    """A table for people: its header, and rows of texts."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV, numbers with all their digits; what is not a number is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow(["" if isinstance(cell, float) and math.isnan(cell) else cell for cell in row])
    return text.getvalue()


def as_markdown(table: Table) -> str:
    """A table in Markdown; bars in names are escaped."""
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def decimals(values: Iterable[float]) -> int:
    """So many decimals that the largest value has five digits that count, and no more than seven."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return min(max(4 - math.floor(math.log10(largest)), 0), 7) if largest > 0.0 else 0


def number(value: float, places: int, sign: bool = False) -> str:
    """A number with so many decimals; what is not a number is a dash."""
    if math.isnan(value):
        return "-"
    return f"{value:+.{places}f}" if sign else f"{value:,.{places}f}"


def digits(value: float, count: int) -> str:
    """A number in so many digits that count, without an exponent unless it is beyond a million or very small.

    Example:
        >>> digits(0.473138, 5), digits(1805.34, 5), digits(101.3, 2)
        ('0.47314', '1805.3', '100')
    """
    return f"{float(f'{value:.{count}g}'):.{max(count, 6)}g}"


def interval(difference: Difference, places: int) -> str:
    """The ends of an interval in words; a dash if it has none."""
    if math.isnan(difference.lower):
        return "-"
    return f"{number(difference.lower, places, True)} to {number(difference.upper, places, True)}"


LENGTHS = ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"))


def span(length: float, unit: str = "seconds") -> str:
    """A length of time as people say it, in three digits.

    Args:
        length: How long, in ``unit``.
        unit: ``"seconds"``, or the name of any other unit, which is kept.

    Returns:
        The text.

    Example:
        >>> span(0), span(45), span(5400), span(400_000), span(3, "ticks")
        ('0 s', '45 s', '1.5 h', '4.63 d', '3 ticks')
    """
    if unit != "seconds":
        return f"{length:,.4g} {unit}" if abs(length) < 9999.5 else f"{length:,.0f} {unit}"
    for size, name in LENGTHS:
        if abs(length) >= size * (2.0 if name == "d" else 1.0):
            few = abs(length) < 999.5 * size  # which three digits can say without an exponent
            return f"{length / size:.3g} {name}" if few else f"{length / size:,.0f} {name}"
    return f"{length:.3g} s"


def short(name: str) -> str:
    """The name of a log where there is little room: of a path its last part, as text that every file can have."""
    return (PurePath(name).name or name).encode("utf-8", "backslashreplace").decode()


def skipped(counts: Counts) -> str:
    """The end of a message about a log that lacks something: how many bad rows were skipped, and the first of them."""
    return (
        f"; bad rows were skipped, {counts.bad_rows:,}, the first: {counts.first_bad_rows[0]}"
        if counts.bad_rows
        else ""
    )
