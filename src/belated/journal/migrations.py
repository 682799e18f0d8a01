"""Migrations: numbered files of SQL, applied in order and never changed, and each exactly once.

A store remembers how many it has seen. A store that has seen more than there are was made by a later version, and is
refused. ``KIND_schema.sql`` has the tables as all migrations together leave them, for people; the suite compares both.
"""

from __future__ import annotations

from importlib.resources import files

from belated.core.errors import StoreFailed


def migrations(kind: str) -> list[list[str]]:
    """The migrations of a kind of store.

    Args:
        kind: ``"sqlite"`` or ``"postgresql"``.

    Returns:
        For each migration its statements, in order.
    """
    found = []
    while True:
        file = files("belated.journal") / "sql" / f"{kind}_{len(found) + 1:04d}.sql"
        if not file.is_file():
            return found
        found.append(statements(file.read_text(encoding="utf-8")))


def statements(text: str) -> list[str]:
    """The statements of a file of SQL; comments have lines of their own, and a semicolon ends a statement only."""
    lines = [line for line in text.splitlines() if not line.startswith("--")]
    return [each.strip() for each in "\n".join(lines).split(";") if each.strip()]


def check_version(address: str, found: int, known: int) -> None:
    """Raise StoreFailed if a store has seen more migrations than there are."""
    if found > known:
        raise StoreFailed(
            f"{address} was made by a later version of belated, and was left as it is: its tables have version "
            f"{found}, and this belated knows versions up to {known}. Install the later one."
        )
