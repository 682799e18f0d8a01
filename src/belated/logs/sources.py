"""What can be read as a log: files by the ends of their names, tables and rows in memory."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from belated.core.checks import refuse
from belated.logs.csv_log import CsvFile
from belated.logs.jsonl_log import JsonLines
from belated.logs.parquet_log import ArrowTable, ParquetFile, is_arrow
from belated.logs.tables import Frame, Mappings, Table, is_frame


def _tabs(path: Path) -> Table:
    return CsvFile(path, "\t")


FILES: dict[str, Callable[[Path], Table]] = {
    ".csv": CsvFile,
    ".csv.gz": CsvFile,
    ".tsv": _tabs,
    ".tsv.gz": _tabs,
    ".jsonl": JsonLines,
    ".jsonl.gz": JsonLines,
    ".ndjson": JsonLines,
    ".ndjson.gz": JsonLines,
    ".parquet": ParquetFile,
}
"""How a file is read, by the end of its name."""


def table_of(argument: str, source: Any) -> Table:
    """Return the table that a source holds. Of a file only what names the columns is read.

    Args:
        argument: The name of the argument that the source was given as, for messages.
        source: A path, a table of pyarrow, a DataFrame, or an iterable of mappings.

    Returns:
        The table.

    Raises:
        InvalidArgument: The source is nothing of this kind, or a file without names of columns.
        ModuleNotFoundError: It is a Parquet file, and pyarrow is missing.
        OSError: The file cannot be read.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        ends = [end for end in FILES if path.name.lower().endswith(end)]
        if not ends:
            refuse("read_log", argument, str(source), f"must be a file whose name ends in {', '.join(FILES)}")
        if path.is_fifo():  # whoever opens it a second time waits for ever
            refuse("read_log", argument, str(source), "must not be a pipe: a log is opened anew for every pass")
        return FILES[max(ends, key=len)](path)
    if is_arrow(source):
        return ArrowTable(source)
    if is_frame(source):
        return Frame(source)
    if isinstance(source, (Mapping, bytes)) or not isinstance(source, Iterable):
        allowed = "must be a path, a table of pyarrow, a DataFrame, or an iterable of mappings"
        refuse("read_log", argument, source, allowed)
    return Mappings(source)
