"""What a pass over a log has met: rows, events, and how often each rule of the log was applied."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from belated.core.checks import shown
from belated.core.errors import BadRow

FIRST_FEW = 5
"""How many bad rows are kept with their messages."""


@dataclass(frozen=True)
class Counts:
    """How often each rule was applied in a pass over a log, up to the event that was yielded last."""

    rows: int = 0
    """Rows read from the table of questions, bad ones and duplicates included."""
    answer_rows: int = 0
    """Rows read from the table of answers, where there is one."""
    asked: int = 0
    """Questions yielded."""
    told: int = 0
    """Answers yielded."""
    ties: int = 0
    """Events at the same time as the event before."""
    answers_before_question: int = 0
    """Answers whose time is before that of their question. They are yielded right after it, at its time."""
    steps_back: int = 0
    """Rows whose time is before that of the row above. They are sorted in, or are bad rows if the log is not sorted."""
    duplicate_rows: int = 0
    """Rows that repeat an earlier row with the same key and the same content. They are dropped."""
    duplicate_answers: int = 0
    """Rows of the table of answers that repeat an earlier label of the same key. They are dropped."""
    missing_labels: int = 0
    """Rows without a label. Their questions are not answered."""
    missing_answer_times: int = 0
    """Rows with a label and without a time at which it was known. Their questions are not answered."""
    naive_times: int = 0
    """Times without an offset from UTC, which are read in the zone that was given, or in UTC."""
    bad_rows: int = 0
    """Rows that could not be used and were skipped."""
    bad_by_reason: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """The bad rows by reason, such as ``"time"`` or ``"unknown key"``."""
    first_bad_rows: tuple[str, ...] = ()
    """The messages of the first five bad rows."""

    def to_dict(self) -> dict[str, Any]:
        """Make a dictionary that can be written as JSON.

        Returns:
            A new dictionary with the name and the value of every field.
        """
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return plain | {"bad_by_reason": dict(self.bad_by_reason), "first_bad_rows": list(self.first_bad_rows)}


class Tally:
    """The counts of a pass while it is under way. Whoever reads rows adds to them."""

    def __init__(self, skip: bool = False) -> None:
        self.skip = skip
        self.rows = self.answer_rows = self.asked = self.told = self.ties = 0
        self.answers_before_question = self.steps_back = 0
        self.duplicate_rows = self.duplicate_answers = 0
        self.missing_labels = self.missing_answer_times = self.naive_times = 0
        self.reasons: Counter[str] = Counter()
        self.messages: list[str] = []

    def bad(self, reason: str, error: BadRow) -> None:
        """Raise the error if the pass stops at bad rows, otherwise count it under its reason."""
        if not self.skip:
            raise error
        self.reasons[reason] += 1
        if len(self.messages) < FIRST_FEW:
            self.messages.append(str(error))

    def counts(self) -> Counts:
        """Return the counts as they are now; later rows do not change the returned object."""
        same = {each.name: getattr(self, each.name) for each in fields(Counts) if hasattr(self, each.name)}
        return Counts(
            **same,
            bad_rows=self.reasons.total(),
            bad_by_reason=MappingProxyType(dict(self.reasons)),
            first_bad_rows=tuple(self.messages),
        )


def bad_row(source: str, place: str, line: int, column: str | None, value: object, allowed: str) -> BadRow:
    """Make the error for a row, in the form of all errors of the library.

    Args:
        source: The name of the file or table.
        place: ``"line"`` or ``"row"``, whichever ``line`` counts.
        line: The number of the line or row.
        column: The name of the column, or None if the row as a whole is meant.
        value: What was found there.
        allowed: What would have been allowed, such as ``"must be a number"``.

    Returns:
        The error, which the caller raises or counts.
    """
    where = f"{place} {line}" if column is None else f"{place} {line}, column {column!r}"
    return BadRow(f"`read_log({source!r})`: {where}: {shown(value)} {allowed}", source, line, column, value)
