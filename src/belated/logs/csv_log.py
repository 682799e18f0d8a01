"""CSV and TSV files, also compressed, row by row."""

import csv
from pathlib import Path
from typing import Any

from belated.core.checks import refuse
from belated.logs.columns import Refused
from belated.logs.tables import Row, Stream, checked_names
from belated.logs.text_files import is_utf8, opened, whole


class CsvFile:
    """A file with one row of cells for each line; a quoted cell may go over several lines.

    Args:
        path: The file. If its name ends in ``.gz``, it is decompressed while it is read.
        delimiter: What stands between two cells.
        columns: The names of the columns if the first line does not have them.
        quoted: Whether a cell may stand in double quotes.
    """

    place = "line"
    texts = True

    def __init__(
        self, path: Path, delimiter: str = ",", columns: tuple[str, ...] | None = None, quoted: bool = True
    ) -> None:
        self.name = str(path)
        self._path = path
        self._dialect: dict[str, Any] = {"delimiter": delimiter, "strict": True}
        if not quoted:
            self._dialect["quoting"] = csv.QUOTE_NONE
        self._has_header = columns is None
        self.columns: tuple[str, ...] | None = columns or self._header()

    def rows(self) -> Stream:
        """Yield each row with the number of its first line; the file is open meanwhile."""
        names, line = self.columns or (), [1]
        with opened(self._path) as file, whole(self.name, line):
            reader = csv.reader(file, **self._dialect)
            skipped = not self._has_header
            while True:
                line[0] = reader.line_num + 1
                try:
                    cells = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield line[0], Refused("row", None, str(error), "- the line must be a row of cells")
                    continue
                if not cells:  # an empty line
                    continue
                if not skipped:
                    skipped = True
                    continue
                yield line[0], _row(names, cells)

    def _header(self) -> tuple[str, ...]:
        with opened(self._path) as file, whole(self.name, [1]):
            try:
                cells = next((cells for cells in csv.reader(file, **self._dialect) if cells), None)
            except csv.Error as error:
                refuse("read_log", "source", self.name, f"must begin with the names of its columns: {error}")
        if cells is None:
            refuse("read_log", "source", self.name, "must begin with the names of its columns, and is empty")
        if not is_utf8("".join(cells)):
            refuse("read_log", "source", self.name, "must be text in UTF-8, which the names of its columns are not")
        return checked_names(self.name, cells)


def _row(names: tuple[str, ...], cells: list[str]) -> Row:
    if len(cells) != len(names):
        return Refused("row", None, cells, f"must have {len(names)} cells, one for each column, and has {len(cells)}")
    if not is_utf8("".join(cells)):
        column, cell = next((name, cell) for name, cell in zip(names, cells, strict=True) if not is_utf8(cell))
        return Refused("row", column, cell, "must be text in UTF-8")
    return dict(zip(names, cells, strict=True))
