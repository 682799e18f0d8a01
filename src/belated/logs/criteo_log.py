"""The format of Criteo's logs of conversions (Chapelle 2014): clicks on advertisements, and the sales after them.

A file has no names of columns. Each line has 19 cells between tabs: the time of the click and that of the conversion,
which is empty if there was none, both in seconds; eight numbers with gaps; and nine hashed texts.
"""

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from belated.core.checks import not_negative, refuse
from belated.logs.columns import Columns
from belated.logs.csv_log import CsvFile
from belated.logs.log import Log, Recipe
from belated.logs.tables import Stream

NUMBERS = tuple(f"number_{i}" for i in range(1, 9))
TEXTS = tuple(f"text_{i}" for i in range(1, 10))
CLICK, CONVERSION, CONVERTED = "click", "conversion", "converted"


def criteo(
    path: str | os.PathLike[str], *, horizon: float | None = None, sort: bool = False, on_bad_rows: str = "stop"
) -> Log:
    """Describe a log of clicks in Criteo's format, whose labels are 1 and known at the time of the conversion.

    A click without a conversion is never answered: that nobody has bought yet does not say that nobody will. The
    features are ``number_1`` to ``number_8`` and ``text_1`` to ``text_9``.

    Args:
        path: The file, of tab-separated text. If its name ends in ``.gz``, it is decompressed while it is read.
        horizon: The time in seconds after which a conversion is no longer awaited: each click then has a deadline.
            Default: no deadlines.
        sort: Whether the log is read whole and sorted by the time of the click.
        on_bad_rows: ``"stop"`` raises BadRow at the first row that cannot be used; ``"skip"`` counts such rows.

    Returns:
        A log, whose events can be read again and again. Times are those of the file, in microseconds.

    Raises:
        InvalidArgument: An argument cannot be used.
        OSError: The file cannot be opened.
    """
    if not isinstance(path, str | os.PathLike):
        refuse("criteo", "path", path, "must be the path of a file")
    if on_bad_rows not in ("stop", "skip"):
        refuse("criteo", "on_bad_rows", on_bad_rows, "must be 'stop' or 'skip'")
    wait = None if horizon is None else not_negative("criteo", "horizon", horizon)
    types = dict.fromkeys(NUMBERS, float) | dict.fromkeys(TEXTS, str)
    columns = Columns(CLICK, CONVERTED, CONVERSION, features=NUMBERS + TEXTS, wait=wait, types=types)
    table = _Clicks(Path(path))
    return Log(Recipe(columns, table, unit="s", sort=sort, skip=on_bad_rows == "skip"))


class _Clicks(CsvFile):
    """The rows of such a file, with a label where there was a conversion."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "\t", (CLICK, CONVERSION, *NUMBERS, *TEXTS), quoted=False)
        with path.open("rb"):  # a file that is not there is an error at once, not in the first pass
            pass

    def rows(self) -> Stream:
        """Yield each click with the number of its line; the file is open meanwhile."""
        with closing(super().rows()) as rows:
            for line, row in rows:
                if isinstance(row, Mapping):
                    yield line, {**row, CONVERTED: "1" if row[CONVERSION] else ""}
                else:
                    yield line, row
