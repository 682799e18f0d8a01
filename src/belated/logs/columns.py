"""Cells become values: which column is what, and what a cell may hold. Nothing is guessed beyond what is written here.

In a file of texts (CSV) an empty cell is a gap, a cell that spells a number is a float, and any other cell is a text.
In all other tables a text stays a text, a number or a truth value is a float, and None, NaN and the empty text are
gaps. The argument ``types`` makes a column text or number whatever its cells look like.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from belated.logs.events import Key, Label, Value
from belated.logs.times import NUMBER

Read = Callable[[Any], Value]
"""How a cell that is not a gap becomes a value."""


LARGEST_KEY = 10**100
"""Keys that are whole numbers are smaller than this, so that they can be compared with texts."""


class Refused(Exception):
    """A cell that cannot be used; the reader of the row adds where it stands. It never leaves the room."""

    def __init__(self, reason: str, column: str | None, value: object, allowed: str) -> None:
        super().__init__(allowed)
        self.reason = reason
        self.column = column
        self.value = value
        self.allowed = allowed


@dataclass(frozen=True)
class Columns:
    """The columns of a log by their roles; None where a log has no such column."""

    decided_at: str
    label: str
    answered_at: str | None = None
    key: str | None = None
    answers_key: str | None = None
    features: tuple[str, ...] | None = None
    weight: str | None = None
    deadline: str | None = None
    wait: float | timedelta | None = None
    """The time from each question to its deadline, in place of a column of deadlines."""
    types: Mapping[str, type] | None = None

    def roles(self) -> set[str]:
        """Return the columns that are named as something other than a feature."""
        named = (self.decided_at, self.label, self.answered_at, self.key, self.weight, self.deadline)
        return {name for name in named if name is not None}

    def reader(self, column: str, texts: bool) -> Read:
        """Return how cells of a feature or label are read; ``texts``: the table has texts only, as a CSV file."""
        wanted = (self.types or {}).get(column)
        if wanted is str:
            return as_text
        if wanted is float:
            return number_in_text if texts else as_number
        return value_in_text if texts else as_value


def plain(value: Any) -> Any:
    """Return a cell as an object of Python itself, or None for a gap: an empty text, None, NaN, NaT."""
    kind = type(value)  # the most frequent kinds come first: a log has many cells
    if kind is str:
        return value or None
    if kind is float:
        return None if math.isnan(value) else value
    if kind is int or value is None:
        return value
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else value.astype("datetime64[us]").item()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (str, int)):
        return None if value == "" else value
    if kind.__name__ in ("NaTType", "NAType"):  # the two gaps of pandas, which cannot be compared like others
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, Decimal) and value.is_nan():  # comparing a signalling one would raise
        return None
    return value


def value_in_text(cell: str) -> Value:
    """Return a number if the text spells one, otherwise the text; raise ValueError for numbers beyond all floats."""
    return _finite(float(cell)) if NUMBER.fullmatch(cell) else cell


def number_in_text(cell: str) -> Value:
    """Return the number that the text spells; raise ValueError if it spells none."""
    if NUMBER.fullmatch(cell) is None:
        raise ValueError("must be a number")
    return _finite(float(cell))


def as_value(cell: Any) -> Value:
    """Return a text as it is and a number as a float; raise ValueError for anything else."""
    if isinstance(cell, str):
        return cell
    return _finite(cell) if type(cell) is float else as_number(cell, "must be a number, a text or a gap")


def as_number(cell: Any, allowed: str = "must be a number") -> Value:
    """Return a number, also one that a text spells, as a float; raise ValueError for anything else."""
    if isinstance(cell, str):
        return number_in_text(cell)
    if not isinstance(cell, (float, int, Decimal)):
        raise ValueError(allowed)
    try:
        return _finite(float(cell))
    except OverflowError:
        return _finite(math.inf)


def as_text(cell: Any) -> Value:
    """Return a text as it is and a number as a text, whole numbers in digits alone; raise ValueError otherwise."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool) or not isinstance(cell, (float, int, Decimal)):
        raise ValueError("must be a text or a number")
    if isinstance(cell, int):
        return str(cell)
    whole = math.isfinite(cell) and cell == int(cell)
    return str(int(cell)) if whole else str(cell)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("must be finite")
    return value


def key_of(column: str, cell: Any) -> Key:
    """Return a key as it is, if it is a text or a whole number; raise Refused otherwise."""
    found = plain(cell)
    if isinstance(found, str):
        return found
    if isinstance(found, int) and not isinstance(found, bool) and abs(found) < LARGEST_KEY:
        return found
    if isinstance(found, (float, Decimal)) and math.isfinite(found) and found == int(found):
        return int(found)  # pandas makes floats of whole numbers if there is a gap in their column
    raise Refused("key", column, cell, "must be a text or a whole number below 1e100")


def label_of(column: str, cell: Any, read: Read) -> Label | None:
    """Return a label, or None for a gap; raise Refused for anything but a number or a text."""
    return value_of("label", column, cell, read)


def value_of(reason: str, column: str, cell: Any, read: Read) -> Value:
    """Return the value of a cell, or None for a gap; raise Refused under ``reason`` for what cannot be read."""
    found = plain(cell)
    if found is None:
        return None
    try:
        return read(found)
    except ValueError as error:
        raise Refused(reason, column, cell, str(error)) from None


def weight_of(column: str, cell: Any) -> float:
    """Return a weight; raise Refused for a gap and for anything but a finite number that is 0 or more."""
    found = value_of("weight", column, cell, as_number)
    if not isinstance(found, float) or found < 0.0:
        raise Refused("weight", column, cell, "must be a number >= 0")
    return found
