"""``read_log``: its arguments are checked, and become the recipe of a log."""

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from belated.core import checks
from belated.core.checks import refuse
from belated.logs.columns import Columns
from belated.logs.log import REMEMBER, Log, Recipe
from belated.logs.sources import table_of
from belated.logs.tables import Table
from belated.logs.times import UNITS, zone_named

WHERE = "read_log"

MOST_NAMED = 30
"""A message about a column that is not there names so many of those that are."""


def read_log(
    source: str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Any,
    *,
    decided_at: str | None = None,
    label: str | None = None,
    answered_at: str | None = None,
    key: str | None = None,
    features: Sequence[str] | str | None = None,
    weight: str | None = None,
    answers: str | os.PathLike[str] | Iterable[Mapping[str, Any]] | Any = None,
    answers_key: str | None = None,
    deadline: str | float | timedelta | None = None,
    unit: str | None = None,
    zone: str | None = None,
    types: Mapping[str, type] | None = None,
    sort: bool = False,
    on_bad_rows: str = "stop",
    remember: int = REMEMBER,
) -> Log:
    """Describe a log of questions and late answers, as a file or a table has it.

    Either each row of ``source`` has a question and, if there is one, its answer; or ``source`` has the questions and
    ``answers`` the answers, joined by a key. Of files only the names of the columns are read now.

    Args:
        source: The questions. The path of a file (``.csv``, ``.tsv``, ``.jsonl`` or ``.ndjson``, each also with
            ``.gz``, or ``.parquet``), a pyarrow Table, a pandas DataFrame, or an iterable of mappings. The word
            ``"flights"`` stands for :func:`belated.logs.flights`, whose arguments it takes.
        decided_at: The column with the time of the question. It is needed, except for ``"flights"``.
        label: The column with the label, a number or a text. It is needed, except for ``"flights"``.
        answered_at: The column with the time at which the label was known. Without it, labels are known at once. If
            this cell or the label is missing in a row, its question is never answered.
        key: The column that names the question. Without it, the number of the row is the key.
        features: The columns that examples consist of. Default: all that are not named otherwise.
        weight: The column that says how much a question counts, a number >= 0. Without it, each counts 1.
        answers: The table of answers, of the same kinds as ``source``. It has columns ``answered_at`` and ``label``.
        answers_key: The column of keys in ``answers``, if its name is not ``key``.
        deadline: The column with the time after which an answer is no longer awaited. Or the time from each question
            to its deadline: a timedelta, or a number of seconds (of ticks, if the times have no unit).
        unit: What times that are numbers count since 1970 UTC: ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``. They are
            rounded to whole microseconds. Without a unit they must be whole, and are kept as they are.
        zone: The IANA name of the zone of times that have no offset, such as ``"Europe/Berlin"``. Default: UTC. Of a
            time that occurs twice the first is meant; a skipped time has the offset from before the gap.
        types: Columns that are text or number whatever their cells look like, as ``{"hour": str, "size": float}``.
        sort: Whether the log is read whole and sorted by time. Otherwise a row that steps back in time is a bad row.
        on_bad_rows: ``"stop"`` raises BadRow at the first row that cannot be used; ``"skip"`` counts such rows.
        remember: How many keys that no longer wait for an answer are remembered, to recognise repeated rows.

    Returns:
        A log, whose events can be read again and again. Rows of an iterator can be read only once.

    Raises:
        InvalidArgument: An argument cannot be used, or a column is not there.
        OSError: A file cannot be opened.
        ModuleNotFoundError: An optional package is missing; the message says how it is installed.

    Example:
        >>> rows = [
        ...     {"shown": "2024-05-01T10:00:00Z", "page": "home", "clicked": "2024-05-01T10:00:02Z", "click": 1},
        ...     {"shown": "2024-05-01T10:00:01Z", "page": "news", "clicked": None, "click": None},
        ... ]
        >>> log = read_log(rows, decided_at="shown", answered_at="clicked", label="click")
        >>> [(type(event).__name__, event.key) for event in log.events()]
        [('Asked', 1), ('Asked', 2), ('Told', 1)]
        >>> log.counts.missing_labels
        1
    """
    if isinstance(source, str) and source == "flights":
        given = (decided_at, answered_at, key, weight, answers, answers_key, unit, zone, types)
        return _flights(features, label, deadline, any(each is not None for each in given) or sort)
    columns = _columns(decided_at, label, answered_at, key, answers_key, features, weight, deadline, types)
    if unit is not None and unit not in UNITS:
        refuse(WHERE, "unit", unit, f"must be one of {', '.join(map(repr, UNITS))}, or None")
    if not isinstance(sort, bool):
        refuse(WHERE, "sort", sort, "must be True or False")
    if on_bad_rows not in ("stop", "skip"):
        refuse(WHERE, "on_bad_rows", on_bad_rows, "must be 'stop' or 'skip'")
    place = zone_named(WHERE, zone)
    kept = checks.count(WHERE, "remember", remember)
    _check_join(columns, answers)
    asked = table_of("source", source)
    told = None if answers is None else table_of("answers", answers)
    _check_columns(columns, asked, told)
    return Log(Recipe(columns, asked, told, unit, place, sort, on_bad_rows == "skip", kept))


def _flights(features: Any, label: str | None, deadline: Any, more: bool) -> Log:
    from belated.logs.flights_log import flights  # reads a package that most logs do not need

    if more:
        refuse(WHERE, "source", "flights", "takes the arguments features, label and deadline only")
    return flights("A" if features is None else features, "late" if label is None else label, deadline)


def _columns(
    decided_at: Any,
    label: Any,
    answered_at: Any,
    key: Any,
    answers_key: Any,
    features: Any,
    weight: Any,
    deadline: Any,
    types: Any,
) -> Columns:
    """Check the names of columns, as far as this can be done without looking at the tables."""
    named = {"decided_at": decided_at, "label": label}
    for name, value in named.items():
        if value is None:
            refuse(WHERE, name, value, "must be the name of a column")
    named |= {"answered_at": answered_at, "key": key, "answers_key": answers_key, "weight": weight}
    for name, value in named.items():
        if value is not None and not isinstance(value, str):
            refuse(WHERE, name, value, "must be the name of a column")
    if answered_at == label:
        refuse(WHERE, "answered_at", answered_at, "must not be the column of labels")
    if decided_at == label:
        refuse(WHERE, "decided_at", decided_at, "must not be the column of labels")
    column, wait = _deadline(deadline)
    chosen = _features(features, label, answered_at)
    return Columns(decided_at, label, answered_at, key, answers_key, chosen, weight, column, wait, _types(types))


def _deadline(deadline: Any) -> tuple[str | None, float | timedelta | None]:
    """Tell a column of deadlines from a time to wait."""
    if deadline is None or isinstance(deadline, str):
        return deadline, None
    if isinstance(deadline, timedelta):
        if deadline < timedelta(0):
            refuse(WHERE, "deadline", deadline, "must not be negative")
        return None, deadline
    seconds = checks.not_negative(WHERE, "deadline", deadline)
    if seconds > 1e12:
        refuse(WHERE, "deadline", deadline, "must be at most 1e12")
    return None, seconds


def _features(features: Any, label: str, answered_at: str | None) -> tuple[str, ...] | None:
    if features is None:
        return None
    if isinstance(features, str) or not isinstance(features, Iterable):
        refuse(WHERE, "features", features, "must be a list of names of columns")
    chosen = tuple(features)
    for name in chosen:
        if not isinstance(name, str):
            refuse(WHERE, "features", features, f"must be a list of names of columns, one is {name!r}")
        if name in (label, answered_at):
            refuse(
                WHERE, "features", features, f"must not have {name!r}, which is not known when the question is asked"
            )
    if len(set(chosen)) < len(chosen):
        refuse(WHERE, "features", features, "must not name a column twice")
    return chosen


def _types(types: Any) -> dict[str, type]:
    if types is None:
        return {}
    if not isinstance(types, Mapping):
        refuse(WHERE, "types", types, "must be a mapping from names of columns to str or float")
    for name, wanted in types.items():
        if not isinstance(name, str) or wanted not in (str, float):
            refuse(WHERE, "types", {name: wanted}, "must be a mapping from names of columns to str or float")
    return dict(types)


def _check_join(columns: Columns, answers: Any) -> None:
    """Check that a log of two tables has what it is joined by, and that a log of one table is not told of a join."""
    if answers is None:
        if columns.answers_key is not None:
            refuse(WHERE, "answers_key", columns.answers_key, "needs a table of answers, answers=...")
        return
    if columns.key is None:
        refuse(WHERE, "key", None, "must be the name of a column, by which the two tables are joined")
    if columns.answered_at is None:
        refuse(WHERE, "answered_at", None, "must be the name of a column of the table of answers")


def _check_columns(columns: Columns, asked: Table, told: Table | None) -> None:
    """Check that named columns are there, in tables that know their columns beforehand."""
    features = list(columns.features or ())
    wanted: list[tuple[str, str | None]] = [
        ("decided_at", columns.decided_at),
        ("key", columns.key),
        ("weight", columns.weight),
        ("deadline", columns.deadline),
        *(("features", name) for name in features),
    ]
    answering: list[tuple[str, str | None]] = [("label", columns.label), ("answered_at", columns.answered_at)]
    if told is None:
        wanted += answering
    else:
        joined = ("key", columns.key) if columns.answers_key is None else ("answers_key", columns.answers_key)
        _check_there([*answering, joined], told)
    _check_there(wanted, asked)
    roles = columns.roles() - {columns.label}
    for name in columns.types or {}:
        if name in roles and name not in features:
            refuse(WHERE, "types", columns.types, f"must name features or the label; {name!r} is neither")
        if name != columns.label:
            _check_there([("types", name)], asked)


def _check_there(wanted: Sequence[tuple[str, str | None]], table: Table) -> None:
    if table.columns is None:
        return
    for argument, column in wanted:
        if column is not None and column not in table.columns:
            have, more = ", ".join(map(repr, table.columns[:MOST_NAMED])), len(table.columns) - MOST_NAMED
            rest = f" and {more} more" if more > 0 else ""
            refuse(WHERE, argument, column, f"must be a column of {table.name}, which has {have}{rest}")
