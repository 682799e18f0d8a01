"""Tables of plain values as TOML, which Python only reads."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def as_toml(tables: Mapping[str, Any], preamble: str = "") -> str:
    """Tables of plain values as TOML.

    >>> print(as_toml({"rounds": 5, "problem": {"name": "pricing"}}))
    rounds = 5
    <BLANKLINE>
    [problem]
    name = "pricing"
    """
    return "\n".join([*(f"# {line}" for line in preamble.splitlines()), *_lines(tables, ())]).strip("\n")


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Values first: in TOML, what follows a table's head belongs to it."""
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    plain = {key: value for key, value in table.items() if key not in inner}
    if path and (plain or not inner):
        yield f"\n[{'.'.join(map(quoted, path))}]"
    for key, value in plain.items():
        yield f"{quoted(key)} = {_written(value)}"
    for key, value in inner.items():
        yield from _lines(value, (*path, key))


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{quoted(key)} = {_written(each)}' for key, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str):
        return quoted(value, always=True)
    return "true" if value is True else "false" if value is False else repr(value)


def quoted(text: str, always: bool = False) -> str:
    """A text as JSON has it, which TOML understands; keys without signs need no quotes."""
    if not always and text and all(each.isascii() and (each.isalnum() or each in "-_") for each in text):
        return text
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in escaped)
