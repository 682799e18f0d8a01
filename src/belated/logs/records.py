"""Rows become questions and answers. A row is read whole before anything is counted or yielded of it."""

import hashlib
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from belated.core.checks import refuse
from belated.core.errors import InvalidArgument
from belated.logs.columns import Columns, Read, Refused, key_of, label_of, plain, value_of, weight_of
from belated.logs.counts import Tally, bad_row
from belated.logs.events import Key, Label, Value
from belated.logs.tables import Table
from belated.logs.times import Times, UnreadableTime
from belated.models.labels import READERS, TAKEN

LATEST = 2**63 - 1
"""Times beyond this would not fit into 64 bits."""

MOST_NAMES = 12
"""So many names of a row are shown where one is missing."""


class AnswerRow(NamedTuple):
    """A label with the time at which it was known."""

    time: int
    place: int
    """The number of the row in its table, by which answers of one time are put in order."""
    line: int
    cell: Any
    """The time as the row has it, for messages."""
    key: Key
    label: Label


class QuestionRow(NamedTuple):
    """A row of the table of questions, with its answer if that stands in the same row."""

    time: int
    place: int
    line: int
    cell: Any
    """The time as the row has it, for messages."""
    key: Key
    example: dict[str, Value]
    weight: float
    deadline: int | None
    answer: AnswerRow | None
    content: bytes
    """A digest of the row by which a repeated row is recognised; empty if keys need not be compared."""


Record = TypeVar("Record", AnswerRow, QuestionRow)


class Rows:
    """The rows of one table in one pass, and what is done with those that cannot be used."""

    def __init__(self, table: Table, times: Times, tally: Tally, labels: str | None = None) -> None:
        self.table = table
        self.times = times
        self.tally = tally
        self._labels = labels
        self._stream = table.rows()

    def bad(self, line: int, reason: str, column: str | None, value: object, allowed: str) -> None:
        """Raise BadRow for a row of this table, or count it, as the pass wants it."""
        self.tally.bad(reason, bad_row(self.table.name, self.table.place, line, column, value, allowed))

    def read(
        self, name: str, make: Callable[[int, int, Mapping[str, Any]], Record | None]
    ) -> Generator[Record, None, None]:
        """Yield what ``make`` makes of each row's place, line and cells, and count the rows under ``name``."""
        with closing(self._stream):
            for place, (line, row) in enumerate(self._stream, start=1):
                setattr(self.tally, name, place)
                try:
                    if isinstance(row, Refused):
                        raise row
                    made = make(place, line, row)
                except Refused as found:
                    self.bad(line, found.reason, found.column, found.value, found.allowed)
                else:
                    if made is not None:
                        yield made

    def label(self, columns: Columns) -> Read:
        """Return how a label is read; it raises ValueError for one that is not of the kind that is wanted."""
        read, kind = columns.reader(columns.label, self.table.texts), self._labels
        if kind is None:
            return read
        take = READERS[kind]

        def checked(cell: Any) -> Value:
            found = read(cell)
            try:
                take("read_log", "label", found)
            except InvalidArgument:
                raise ValueError(f"must be {TAKEN[kind]}") from None
            return found

        return checked

    def time(self, column: str, cell: Any) -> int | None:
        """Return the time in a cell, or None for a gap; raise Refused if it holds something else."""
        found = plain(cell)
        if found is None:
            return None
        try:
            return self.times.read(found)
        except UnreadableTime as error:
            raise Refused("time", column, cell, str(error)) from None


def feature_names(columns: Columns, table: Table) -> tuple[str, ...] | None:
    """Return the names that examples consist of, or None if each row has its own."""
    if columns.features is not None or table.columns is None:
        return columns.features
    roles = columns.roles()
    return tuple(name for name in table.columns if name not in roles)


def questions(rows: Rows, columns: Columns, with_answers: bool, digests: bool) -> Generator[QuestionRow, None, None]:
    """Read a table of questions.

    Args:
        rows: The rows of the table.
        columns: The columns by their roles.
        with_answers: Whether each row has its answer, too.
        digests: Whether keys may be repeated, so that rows of one key must be compared.

    Returns:
        A generator of the questions in the order of the table. Closing it closes the table.
    """
    texts = rows.table.texts
    label = rows.label(columns)
    roles = columns.roles()
    names = feature_names(columns, rows.table)
    readers = {name: columns.reader(name, texts) for name in names or ()}

    def example(row: Mapping[str, Any]) -> dict[str, Value]:
        if names is not None:
            return {name: value_of("feature", name, row.get(name), read) for name, read in readers.items()}
        own = [name for name in row if name not in roles]
        if not all(isinstance(name, str) for name in own):
            raise Refused("row", None, own, "must be texts, as names of columns are")
        return {name: value_of("feature", name, row[name], columns.reader(name, texts)) for name in own}

    def make(place: int, line: int, row: Mapping[str, Any]) -> QuestionRow:
        naive, answer = rows.tally.naive_times, None
        try:
            key: Key = place if columns.key is None else key_of(columns.key, row.get(columns.key))
            cell = row.get(columns.decided_at)
            time = rows.time(columns.decided_at, cell)
            if time is None:
                raise Refused("time", columns.decided_at, cell, _missing(columns.decided_at, row))
            found = example(row)
            weight = 1.0 if columns.weight is None else weight_of(columns.weight, row.get(columns.weight))
            deadline = _deadline(rows, columns, row, time)
            if with_answers:
                answer = _answer(rows, columns, row, (place, line, key, time), label)
        except Refused:
            rows.tally.naive_times = naive  # of a row that cannot be used, nothing else is counted
            raise
        content = _digest(time, found, weight, deadline, answer and (answer.time, answer.label)) if digests else b""
        return QuestionRow(time, place, line, cell, key, found, weight, deadline, answer, content)

    return rows.read("rows", make)


def _missing(column: str, row: Mapping[str, Any]) -> str:
    """What to say of a cell that must not be a gap: perhaps the row has another name for it."""
    if column in row:
        return "must not be missing"
    there = ", ".join(repr(name) for name in islice(row, MOST_NAMES))
    return f"must not be missing; this row has {there or 'nothing'}{', ...' if len(row) > MOST_NAMES else ''}"


def _answer(
    rows: Rows, columns: Columns, row: Mapping[str, Any], asked: tuple[int, int, Key, int], read: Any
) -> AnswerRow | None:
    """Return the answer in the row of its question, or None if a label or its time is missing, which is counted."""
    place, line, key, time = asked
    found = label_of(columns.label, row.get(columns.label), read)
    column = columns.answered_at
    answered = time if column is None else rows.time(column, row.get(column))
    if found is None:
        rows.tally.missing_labels += 1
        return None
    if answered is None:
        rows.tally.missing_answer_times += 1
        return None
    return AnswerRow(answered, place, line, None, key, found)


def _deadline(rows: Rows, columns: Columns, row: Mapping[str, Any], time: int) -> int | None:
    if columns.wait is not None:
        try:
            return min(time + rows.times.span(columns.wait), LATEST)
        except UnreadableTime as error:
            refuse("read_log", "deadline", columns.wait, str(error))
    if columns.deadline is None:
        return None
    found = rows.time(columns.deadline, row.get(columns.deadline))
    if found is not None and found < time:
        raise Refused("deadline", columns.deadline, row.get(columns.deadline), "must not be before the question")
    return found


def answers(rows: Rows, columns: Columns) -> Generator[AnswerRow, None, None]:
    """Read a table of answers, in the order of the table. Rows without a label or a time are counted and left out."""
    key_column = columns.answers_key or columns.key
    time_column = columns.answered_at
    if key_column is None or time_column is None:
        raise AssertionError("a log of two tables has columns for the keys and the times of answers")
    read = rows.label(columns)

    def make(place: int, line: int, row: Mapping[str, Any]) -> AnswerRow | None:
        key = key_of(key_column, row.get(key_column))
        found = label_of(columns.label, row.get(columns.label), read)
        time = rows.time(time_column, row.get(time_column))
        if found is None:
            rows.tally.missing_labels += 1
            return None
        if time is None:
            rows.tally.missing_answer_times += 1
            return None
        return AnswerRow(time, place, line, row.get(time_column), key, found)

    return rows.read("answer_rows", make)


def _digest(time: int, example: dict[str, Value], *rest: object) -> bytes:
    content = repr((time, sorted(example.items()), rest))
    return hashlib.blake2b(content.encode(), digest_size=16).digest()
