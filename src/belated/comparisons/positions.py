"""Where everything stands in a TOML text, which Python's parser does not tell.

The text is known to be valid. So nothing is checked here: names, brackets and commas are followed, values are skipped.
"""

import re
import tomllib
from collections import deque
from itertools import count

Key = tuple[str | int, ...]
"""Where something is in the tables: the names from the outermost on, and numbers in lists."""

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'{3}.*?'{3,5}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'"
    r"|\#[^\n]*"
    r"|[\[\]{},=.\n]"
    r"|[^\s\[\]{},=.\#\"']+",
    re.DOTALL,
)
"""Texts of four kinds, a comment, a sign, or the letters between those."""


def line_of(text: str, key: Key) -> int | None:
    r"""The line in which the key, or else the innermost table around it, is first written.

    >>> line_of("rounds = 5\n[problem]\nname = 'pricing'", ("problem", "name"))
    3
    """
    lines = _Reader(text).document()
    written = (key[:length] for length in range(len(key), 0, -1))
    return next((lines[each] for each in written if each in lines), None)


class _Reader:
    """Goes through the tokens once, and notes the line of every key and of every item of a list."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Key, int] = {}
        self._lengths: dict[Key, int] = {}  # of lists of tables, which grow by a header each
        self._tokens: deque[tuple[str, int]] = deque()
        line = 1
        for token in _TOKEN.findall(text):
            if not token.startswith("#"):
                self._tokens.append((token, line))
            line += token.count("\n")

    def document(self) -> dict[Key, int]:
        table: Key = ()
        while self._skipped():
            if self._next() == "[":
                table = self._header()
            else:
                self._pair(table)
        return self._lines

    def _header(self) -> Key:
        """``[a.b]``, or ``[[a.b]]`` for one more table in a list."""
        self._take()
        listed = self._next() == "["
        path, line = self._path((), "]")
        if listed:
            self._lengths[path] = self._lengths.get(path, 0) + 1
            path = self._noted((*path, self._lengths[path] - 1), line)
            self._take()
        return path

    def _pair(self, table: Key) -> None:
        path, _ = self._path(table, "=")
        self._value(path)

    def _path(self, path: Key, end: str) -> tuple[Key, int]:
        """Names with dots between them; that of a list of tables stands for the last of them."""
        line = self._tokens[0][1]
        while (token := self._take()) != end:
            if token not in (".", "["):
                path = (*path, self._lengths[path] - 1) if path in self._lengths else path
                path = self._noted((*path, _name(token)), line)
        return path, line

    def _value(self, path: Key) -> None:
        opened = self._take()
        if opened == "[":
            for i in count():
                if self._skipped() == "]":
                    break
                self._value(self._noted((*path, i), self._tokens[0][1]))
            self._take()
        elif opened == "{":
            while self._skipped() != "}":
                self._pair(path)
            self._take()
        else:
            while self._next() not in (",", "]", "}", "\n", ""):
                self._take()

    def _noted(self, path: Key, line: int) -> Key:
        self._lines.setdefault(path, line)
        return path

    def _take(self) -> str:
        return self._tokens.popleft()[0]

    def _next(self) -> str:
        return self._tokens[0][0] if self._tokens else ""

    def _skipped(self) -> str:
        """The next token that is neither a comma nor the end of a line."""
        while self._next() in (",", "\n"):
            self._take()
        return self._next()


def _name(token: str) -> str:
    return str(tomllib.loads(f"it = {token}")["it"]) if token[0] in "\"'" else token
