"""Files with one JSON object in each line, also compressed, line by line."""

import json
from pathlib import Path

from belated.logs.columns import Refused
from belated.logs.tables import Row, Stream
from belated.logs.text_files import is_utf8, opened, whole


class JsonLines:
    """A file whose lines are JSON objects. Empty lines are skipped; a name that an object lacks is a gap.

    Args:
        path: The file. If its name ends in ``.gz``, it is decompressed while it is read.
    """

    place = "line"
    texts = False
    columns: tuple[str, ...] | None = None

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        with opened(path):  # a file that is not there is an error at once, not in the first pass
            pass

    def rows(self) -> Stream:
        """Yield each row with the number of its line; the file is open meanwhile."""
        line = [1]
        with opened(self._path) as file, whole(self.name, line):
            for text in file:
                if not text.isspace():
                    yield line[0], _row(text.rstrip("\r\n"))
                line[0] += 1


def _row(text: str) -> Row:
    if not is_utf8(text):
        return Refused("row", None, text, "must be text in UTF-8")
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):  # not JSON, or nested a thousand times
        row = None
    if not isinstance(row, dict):
        return Refused("row", None, text, "must be a JSON object")
    return row
