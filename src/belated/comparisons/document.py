"""What somebody wrote: the tables of a TOML file, with what options add to it, and errors that say where they are."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from belated.comparisons.positions import Key, line_of
from belated.comparisons.writing import quoted
from belated.core.errors import InvalidArgument
from belated.core.spelling import suggestion


@dataclass(frozen=True)
class Document:
    """Tables and where they come from; ``options`` says which parts were given on the command line, and by what."""

    source: str
    text: str
    tables: Mapping[str, Any]
    options: Mapping[Key, str] = field(default_factory=dict)

    def at(self, key: Key) -> Any:
        """What stands there; ``None`` for nothing."""
        found: Any = self.tables
        for each in key:
            if not _has(found, each):
                return None
            found = found[each]
        return found

    def refuse(self, key: Key, message: str) -> NoReturn:
        """Raise an error that says where the key is, or the table in which it is missing."""
        raise InvalidArgument(f"{self.position(key)}: {message}")

    def check_keys(self, key: Key, table: Mapping[str, Any], allowed: Iterable[str], what: str) -> None:
        """Raise InvalidArgument for the first key that is not in ``allowed``, and suggest the nearest one that is."""
        known = list(allowed)
        for each in table:
            if each not in known:
                self.refuse((*key, each), f"{what} has no such key; {suggestion(each, known)}")

    def with_option(self, option: str, key: Key, value: Any) -> "Document":
        """The same with something that was given on the command line."""
        return replace(self, tables=_with(self.tables, key, value), options={**self.options, key: option})

    def position(self, key: Key) -> str:
        """Where a key is, in words: the option that gave it, or its line in the file."""
        for length in range(len(key), 0, -1):
            if key[:length] in self.options:
                return ", ".join([self.options[key[:length]], *_spoken(key[length:])])
        line = line_of(self.text, key)
        return ", ".join([self.source, *([f"line {line}"] if line else []), *_spoken(key)])


def read_document(path: Path) -> Document:
    """The document in a file."""
    try:
        text = path.read_bytes().decode("utf-8-sig")  # some editors put a mark of three bytes in front
    except UnicodeDecodeError as problem:
        raise InvalidArgument(f"{path}: must be UTF-8, and byte {problem.start} is not") from None
    except (OSError, ValueError) as problem:
        raise InvalidArgument(f"cannot read {str(path)!r}: {getattr(problem, 'strerror', problem)}") from None
    return parsed(path.name, text)


def parsed(source: str, text: str) -> Document:
    """The document with that text."""
    try:
        return Document(source, text, tomllib.loads(text))
    except ValueError as problem:  # also what Python says of whole numbers of thousands of digits
        raise InvalidArgument(f"{source}: is not valid TOML: {problem}") from None
    except RecursionError:
        raise InvalidArgument(f"{source}: is nested too deeply") from None


def _spoken(key: Key) -> list[str]:
    """The key with dots, in one line; nothing if there is none."""
    words = [str(each) if isinstance(each, int) else quoted(each) for each in key]
    return [".".join(words)] if words else []


def _has(table: Any, key: str | int) -> bool:
    if isinstance(table, list):
        return isinstance(key, int) and key < len(table)
    return isinstance(table, Mapping) and key in table


def _with(table: Any, key: Key, value: Any) -> Any:
    if not key:
        return value
    inner = table if isinstance(table, Mapping) else {}
    return {**inner, key[0]: _with(inner.get(key[0], {}), key[1:], value)}
