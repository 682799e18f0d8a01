"""What could not be delivered yet, in a file of SQLite, so that a process which is killed takes nothing with it.

When a call here returns, what it has done is on the disk. A file belongs to one client at a time. The same tables are
kept in memory for a client without a file: they then have only the decisions that it must take back.

=============  =============================================================================================
table          what is in it
=============  =============================================================================================
``waiting``    reports in the order in which they were made, until the service has them
``refused``    those that the service has refused for good, with the reason
``fallbacks``  decisions for which a fallback was given, with the fallback
=============  =============================================================================================

``withdraw`` is the verb of a decision that nobody knows of, or for which a fallback was given. Whether the service has
made it is not known. It is given up if it is there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import IO, Any, NamedTuple

from belated.client.results import Refused
from belated.core.errors import StoreFailed, StoreInUse
from belated.journal.sqlite_file import connected, locked, make_durable
from belated.service.bodies import packed, unpacked

WITHDRAW = "withdraw"

APPLICATION = 0x62656C73
"""Marks a file as a spool of belated: the letters ``bels``."""

VERSION = 1

REMEMBERED = 100_000
"""So many fallbacks are remembered."""

TABLES = """
CREATE TABLE waiting (number INTEGER PRIMARY KEY AUTOINCREMENT, learner TEXT, verb TEXT, body BLOB, at INTEGER) STRICT;
CREATE TABLE refused (number INTEGER PRIMARY KEY, learner TEXT, verb TEXT, body BLOB, at INTEGER, error TEXT) STRICT;
CREATE TABLE fallbacks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, learner TEXT, decision TEXT, result BLOB, UNIQUE (learner, decision)
) STRICT
"""


class Undelivered(NamedTuple):
    """A report that waits: its number, the name of its learner, what it is, its body, and since when."""

    number: int
    learner: str
    verb: str
    body: bytes
    at: int


class Outbox:
    """The tables. Threads may share it.

    ``waiting`` is how many reports wait, and ``pending`` how many reports and decisions to be taken back.
    ``fallbacks`` is zero if there are none.

    Args:
        path: The file, which is made if it is not there; ``None`` for memory.
    """

    def __init__(self, path: str | Path | None) -> None:
        self._lock, self._name = RLock(), f"the spool {path}"
        self._file = None if path is None else _owned(Path(path))
        self._connection = connected(":memory:" if path is None else str(path))
        self.waiting = self.pending = self.fallbacks = 0
        try:
            self._set_up()
            self._count()
            ((self.fallbacks,),) = self._rows("SELECT count(*) FROM fallbacks")
        except BaseException:
            self.close()
            raise

    def add(self, learner: str, verb: str, bodies: Iterable[bytes], at: int) -> None:
        """Let reports wait, behind all others."""
        with self._changing():
            self._append(learner, verb, bodies, at)

    def fall_back(self, learner: str, decision: str, result: dict[str, Any], at: int) -> None:
        """Remember a fallback, and that the decision must be taken back."""
        with self._changing():
            self._rows(
                "INSERT OR IGNORE INTO fallbacks (learner, decision, result) VALUES (?, ?, ?)",
                learner,
                decision,
                packed(result),
            )
            self._rows("DELETE FROM fallbacks WHERE number <= (SELECT max(number) FROM fallbacks) - ?", REMEMBERED)
            self._append(learner, WITHDRAW, [packed({"decision": decision})], at)
            self.fallbacks += 1

    def fallback(self, learner: str, decision: str) -> dict[str, Any] | None:
        """The fallback that was given for a decision, or ``None``."""
        found = self._rows("SELECT result FROM fallbacks WHERE learner = ? AND decision = ?", learner, decision)
        return unpacked(found[0][0]) if found else None

    def after(self, number: int, most: int, before: int) -> list[Undelivered]:
        """What waits behind a number, in order; decisions to be taken back only if they are older than some moment."""
        words = """SELECT number, learner, verb, body, at FROM waiting
            WHERE number > ? AND (verb <> ? OR at <= ?) ORDER BY number LIMIT ?"""
        return [Undelivered(*row) for row in self._rows(words, number, WITHDRAW, before, most)]

    def settle(self, delivered: Sequence[int], refused: Sequence[tuple[int, str]]) -> None:
        """Take reports out that the service has, or has refused for good; these are kept aside with the reason."""
        with self._changing():
            for number, error in refused:
                self._rows(
                    """INSERT OR IGNORE INTO refused
                    SELECT number, learner, verb, body, at, ? FROM waiting WHERE number = ?""",
                    error,
                    number,
                )
            for number in [*delivered, *(number for number, _ in refused)]:
                self._rows("DELETE FROM waiting WHERE number = ?", number)
            self._count()

    def refused(self) -> list[Refused]:
        """What the service has refused for good, in order."""
        rows = self._rows("SELECT learner, verb, body, at, error FROM refused ORDER BY number")
        return [Refused(learner, verb, unpacked(body), at, error) for learner, verb, body, at, error in rows]

    def close(self) -> None:
        """Let go of the file; doing it twice does no harm."""
        with self._lock:
            self._connection.close()
            if self._file is not None:
                self._file.close()

    def _append(self, learner: str, verb: str, bodies: Iterable[bytes], at: int) -> None:
        for body in bodies:
            self._rows("INSERT INTO waiting (learner, verb, body, at) VALUES (?, ?, ?, ?)", learner, verb, body, at)
            self.pending += 1
            self.waiting += verb != WITHDRAW

    def _count(self) -> None:
        ((self.pending,),) = self._rows("SELECT count(*) FROM waiting")
        ((self.waiting,),) = self._rows("SELECT count(*) FROM waiting WHERE verb <> ?", WITHDRAW)

    def _set_up(self) -> None:
        """Make the tables, and see to it that commits are durable."""
        ((mark,),), ((tables,),) = self._rows("PRAGMA application_id"), self._rows("SELECT count(*) FROM sqlite_master")
        if tables and mark != APPLICATION:
            raise StoreFailed(f"{self._name} cannot be opened: it is a database of another program")
        ((version,),) = self._rows("PRAGMA user_version")
        if version > VERSION:
            raise StoreFailed(f"{self._name} cannot be opened: it was made by a later version of belated")
        if self._file is not None:
            with self._failing():
                make_durable(self._connection, self._name)
        if not version:
            marks = [f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {VERSION}"]
            with self._changing():
                for words in [*TABLES.split(";"), *marks]:
                    self._rows(words)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A transaction: all of it is on the disk afterwards, or nothing."""
        with self._failing():
            before = self.waiting, self.pending, self.fallbacks
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self.waiting, self.pending, self.fallbacks = before
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """One thread at a time; what SQLite complains of becomes an error of a store."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as problem:
                raise StoreFailed(f"{self._name} cannot be used: {problem}") from problem

    def _rows(self, words: str, *values: Any) -> list[Any]:
        with self._failing():
            return self._connection.execute(words, values).fetchall()


def _owned(path: Path) -> IO[str]:
    """The lock beside a spool."""
    try:
        return locked(path)
    except StoreInUse as problem:
        raise StoreInUse(
            f"the spool {path} is in use: it belongs to one client at a time, and nothing was changed. Give each "
            "process a file of its own, and share one client between threads."
        ) from problem
