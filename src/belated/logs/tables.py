"""Tables of rows, whatever they come from: what each of them offers, and those that are in memory.

A table yields its rows one by one with their numbers. A row that cannot be read as a row is yielded as a
:class:`Refused`, so that one place alone decides whether a bad row stops the pass.
"""

import sys
from collections.abc import Generator, Iterable, Mapping
from typing import Any, Protocol

from belated.core.checks import refuse
from belated.core.errors import UsedUp
from belated.logs.columns import Refused

Row = Mapping[str, Any] | Refused

Stream = Generator[tuple[int, Row], None, None]
"""The rows of a pass with their numbers. Closing it closes whatever it reads from."""

PIECE = 8192
"""How many rows of a table are taken apart at a time."""


class Table(Protocol):
    """Rows that can be read from the beginning again, unless the table says otherwise by raising UsedUp."""

    @property
    def name(self) -> str:
        """What messages call the table: the path of a file, or the kind of the object."""

    @property
    def place(self) -> str:
        """What the numbers of rows count: ``"line"`` in a file of text, ``"row"`` elsewhere."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns in their order, or None if each row has its own."""

    @property
    def texts(self) -> bool:
        """Whether every cell is a text, as in CSV files, so that numbers must be recognised."""

    def rows(self) -> Stream:
        """Yield each row with its number; what is open is closed with the generator."""


class Mappings:
    """Rows from an iterable of mappings: a list, or an iterator, which serves one pass only."""

    place = "row"
    columns: tuple[str, ...] | None = None
    texts = False

    def __init__(self, source: Iterable[Any]) -> None:
        self._source = source
        self._once = iter(source) is source
        self._used = False
        self.name = f"<{type(source).__name__}>"

    def rows(self) -> Stream:
        """Yield each row with its number, counted from 1."""
        if self._once and self._used:
            raise UsedUp(
                f"`read_log({self.name})`: these rows can be read only once, and a pass has begun; "
                "give a list or a file to read them again"
            )
        self._used = True
        return _numbered(self._source)


def _numbered(source: Iterable[Any]) -> Stream:
    for number, row in enumerate(source, start=1):
        if isinstance(row, Mapping):
            yield number, row
        else:
            yield number, Refused("row", None, row, "must be a mapping from column names to cells")


class Frame:
    """Rows of a pandas DataFrame."""

    place = "row"
    texts = False

    def __init__(self, frame: Any) -> None:
        self.name = "<DataFrame>"
        self.columns: tuple[str, ...] | None = checked_names(self.name, frame.columns)
        self._frame = frame

    def rows(self) -> Stream:
        """Yield each row with its number, counted from 1."""
        names, number = self.columns or (), 0
        for first in range(0, len(self._frame), PIECE):
            piece = self._frame.iloc[first : first + PIECE]
            for cells in zip(*(piece[name].tolist() for name in names), strict=True):
                number += 1
                yield number, dict(zip(names, cells, strict=True))


def checked_names(source: str, names: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of columns if they are different texts; raise InvalidArgument otherwise."""
    found = tuple(names)
    for name in found:
        if not isinstance(name, str):
            refuse("read_log", "source", source, f"must have texts as names of columns, one is {name!r}")
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        refuse("read_log", "source", source, f"must have different names of columns, two are {twice!r}")
    return found


def is_frame(source: object) -> bool:
    """Whether an object is a DataFrame. Nobody has one who has not imported pandas, so it is not imported for this."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)
