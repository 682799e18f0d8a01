"""Opening files of text, also compressed ones, and finding lines that are not UTF-8 without losing their numbers."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from belated.logs.counts import bad_row

DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
"""What reading a compressed file raises if the file is cut off or is none."""


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """Open a file of UTF-8 text, which is closed whatever happens. Bytes that are not UTF-8 become surrogates."""
    how: dict[str, str] = {"encoding": "utf-8-sig", "errors": "surrogateescape", "newline": ""}
    if path.name.lower().endswith(".gz"):
        with gzip.open(path, "rt", **how) as file:  # type: ignore[call-overload]  # the mode says that this is text
            yield file
    else:
        with path.open("r", **how) as file:  # type: ignore[call-overload]  # all of them are texts
            yield file


def is_utf8(text: str) -> bool:
    """Whether a text that was read by :func:`opened` was UTF-8 in the file."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def whole(name: str, line: list[int]) -> Iterator[None]:
    """Raise BadRow at the line that is being read if the compressed file turns out to be damaged there.

    What follows cannot be read, so the pass ends also if bad rows are skipped.
    """
    try:
        yield
    except DAMAGED as error:
        raise bad_row(name, "line", line[0], None, str(error), "- the compressed file must be whole") from error
