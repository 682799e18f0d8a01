"""Parquet files and Arrow tables in pieces. Only this file of the room imports pyarrow, which is optional."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from belated.core.checks import refuse
from belated.logs.tables import PIECE, Stream, checked_names


def is_arrow(source: object) -> bool:
    """Whether an object is a table of pyarrow. Nobody has one who has not imported it, so it is not imported here."""
    arrow = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(source, arrow.Table)


class ArrowTable:
    """Rows of a table of pyarrow."""

    name = "<Table>"
    place = "row"
    texts = False

    def __init__(self, table: Any) -> None:
        self.columns: tuple[str, ...] | None = checked_names(self.name, table.column_names)
        self._table = table

    def rows(self) -> Stream:
        """Yield each row with its number, counted from 1."""
        return _rows(self._table.to_batches(max_chunksize=PIECE))


class ParquetFile:
    """Rows of a Parquet file, of which one piece of a row group is decoded at a time.

    Args:
        path: The file.
    """

    place = "row"
    texts = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        with self._opened() as file:
            self.columns: tuple[str, ...] | None = checked_names(self.name, file.schema_arrow.names)

    def rows(self) -> Stream:
        """Yield each row with its number, counted from 1."""
        with self._opened() as file:
            yield from _rows(file.iter_batches(batch_size=PIECE))

    def _opened(self) -> Any:
        try:
            import pyarrow
            from pyarrow import parquet
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"`read_log({self.name!r})`: reading Parquet needs the package pyarrow: pip install 'belated[parquet]'",
                name=error.name,
            ) from error
        try:
            return parquet.ParquetFile(self._path, pre_buffer=False)
        except pyarrow.ArrowInvalid as error:
            refuse("read_log", "source", self.name, f"must be a Parquet file: {error}")


def _rows(batches: Iterable[Any]) -> Stream:
    number = 0
    for batch in batches:
        names = batch.schema.names
        for cells in zip(*(_cells(column) for column in batch.columns), strict=True):
            number += 1
            yield number, dict(zip(names, cells, strict=True))


def _cells(column: Any) -> list[Any]:
    """Return the cells as objects of Python. Times finer than a microsecond are cut off there, as datetimes are."""
    import pyarrow

    if pyarrow.types.is_timestamp(column.type) and column.type.unit == "ns":
        column = column.cast(pyarrow.timestamp("us", tz=column.type.tz), safe=False)
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):  # a time beyond the year 9999, which is one bad cell and not a bad column
        return [_cell(scalar) for scalar in column]


def _cell(scalar: Any) -> Any:
    """Return a cell as an object of Python, or as pyarrow has it, which no reader of cells takes."""
    try:
        return scalar.as_py()
    except (OverflowError, ValueError):
        return scalar
