"""A store in one file, by SQLite. One process may write it, and a power cut takes nothing that ``append`` has returned.

*Durable.* The write-ahead log is on, and ``synchronous=FULL``: a commit returns when the log is on the disk. Both are
set on each connection and read back, because SQLite does not complain about a setting that it does not know.

*One writer.* The process that opens the store locks the file ``NAME.lock`` beside it, and the system takes the lock
away when the process ends, however it ends. Reading needs no lock.

*Fail-stop.* After an error of a write, the connection is not used again. A failed sync is not tried a second time: the
system may have thrown away what could not be written, and would report success.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import IO, Any

from belated.core.errors import Conflict, StoreFailed, StoreInUse
from belated.journal.events import START, Event
from belated.journal.memory import GENERATIONS, conflict_text
from belated.journal.migrations import migrations
from belated.journal.store import End, Kept

APPLICATION = 0x62656C61
"""Marks a file as a store of belated: the letters ``bela``."""

CHUNK = 10_000
"""So many events are read at once."""

COLUMNS = "stream, number, kind, decision, key, at, body, chain"
INSERT = f"INSERT INTO events ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608  # all of it is written here
READ = f"SELECT {COLUMNS} FROM events WHERE stream = ? AND number > ? ORDER BY number LIMIT {CHUNK}"  # noqa: S608

Connect = Callable[[str], Any]
"""Opens a connection to a file. Its ``execute``, ``executemany`` and ``close`` are used, without transactions of its
own."""


def connected(path: str) -> sqlite3.Connection:
    """A connection that any thread may use, and that begins and ends no transaction by itself."""
    return sqlite3.connect(path, timeout=10.0, isolation_level=None, check_same_thread=False)


def open_sqlite(path: Path) -> SqliteStore:
    """Open a store in a file for writing, or make it.

    Args:
        path: The file. Its folder must exist.

    Returns:
        The store.

    Raises:
        StoreInUse: Another process has opened it.
        StoreFailed: It cannot be opened, is no store, or was made by a later version.
    """
    lock = _locked(path)
    try:
        return SqliteStore(path, lock)
    except BaseException:
        lock.close()
        raise


class SqliteStore:
    """Events in a file.

    Args:
        path: The file.
        lock: The locked file beside it, or ``None`` if somebody else sees to it that nobody else writes.
        connect: Opens connections.
    """

    def __init__(self, path: Path, lock: IO[str] | None = None, connect: Connect = connected) -> None:
        self.address, self._lock_file = f"sqlite:///{path}", lock
        self._reading = Lock()
        self._failed = ""
        try:
            self._writer, self._reader = connect(str(path)), connect(str(path))
            _set_up(self._writer, self.address)
        except Exception as problem:
            raise _failure(self.address, problem) from problem

    def append(self, events: Sequence[Event]) -> None:
        """Add events, all or none, in one transaction; see :class:`~belated.journal.store.Store`."""
        if self._failed:
            raise StoreFailed(self._failed)
        if not events:
            return
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            self._check_ends(events)
            self._writer.executemany(INSERT, events)
            self._writer.execute("COMMIT")
        except Conflict:
            self._writer.execute("ROLLBACK")
            raise
        except Exception as problem:
            self._stop(problem, events)

    def _check_ends(self, events: Sequence[Event]) -> None:
        """Raise Conflict if numbers do not follow each other, or a decision has such an event already."""
        ends: dict[str, int] = {}
        for event in events:
            if event.stream not in ends:
                ends[event.stream] = _end_of(self._writer, event.stream).number
            if event.number != ends[event.stream] + 1:
                raise Conflict(conflict_text(event))
            ends[event.stream] = event.number

    def _stop(self, problem: Exception, events: Sequence[Event]) -> None:
        """Write nothing any more, unless all that is wrong is that an event was stored before."""
        unique = "UNIQUE constraint" in str(problem) or type(problem).__name__ == "ConstraintError"
        try:
            self._writer.execute("ROLLBACK")
        except Exception:  # the transaction is gone, or the disk is
            unique = False
        if unique:
            raise Conflict(conflict_text(events[-1])) from problem
        self._failed = (
            f"{self.address} could not be written ({problem}), so nothing more is written to it. Events that were not "
            "confirmed may be stored or not. Mend the cause, and open the store anew."
        )
        raise StoreFailed(self._failed) from problem

    def read(self, stream: str, after: int = 0) -> Iterator[Event]:
        """The events of a stream behind a number, read in portions."""
        while True:
            with self._reading:
                rows = list(map(Event._make, self._reader.execute(READ, (stream, after))))
            yield from rows
            if len(rows) < CHUNK:
                return
            after = rows[-1].number

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""
        found, last = [], ""
        with self._reading:
            while True:  # by jumps along the primary key, so that it does not take longer where streams are long
                rows = list(self._reader.execute("SELECT min(stream) FROM events WHERE stream > ?", (last,)))
                if rows[0][0] is None:
                    return sorted(found)
                last = rows[0][0]
                found.append(last)

    def end(self, stream: str) -> End:
        """The last event of a stream."""
        with self._reading:
            return _end_of(self._reader, stream)

    def keep(self, stream: str, snapshot: Kept) -> None:
        """Keep a snapshot, and the newest one before it."""
        if self._failed:
            raise StoreFailed(self._failed)
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            self._writer.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", (stream, *snapshot))
            older = "SELECT number FROM snapshots WHERE stream = ? ORDER BY number DESC LIMIT ?"
            self._writer.execute(
                f"DELETE FROM snapshots WHERE stream = ? AND number NOT IN ({older})",  # noqa: S608
                (stream, stream, GENERATIONS),
            )
            self._writer.execute("COMMIT")
        except Exception as problem:
            self._stop(problem, ())

    def kept(self, stream: str) -> list[Kept]:
        """The snapshots of a stream, the newest first."""
        query = "SELECT number, body FROM snapshots WHERE stream = ? ORDER BY number DESC"
        with self._reading:
            return list(map(Kept._make, self._reader.execute(query, (stream,))))

    def close(self) -> None:
        """Close the file, and let other processes write to it."""
        self._failed = self._failed or f"{self.address} is closed"
        with self._reading:
            self._reader.close()
        self._writer.close()
        if self._lock_file is not None:
            self._lock_file.close()


def _end_of(connection: Any, stream: str) -> End:
    query = "SELECT number, chain, at FROM events WHERE stream = ? ORDER BY number DESC LIMIT 1"
    for row in connection.execute(query, (stream,)):
        return End(*row)
    return End(0, START, 0)


def _set_up(connection: Any, address: str) -> None:
    """Make the tables, or bring them up to date, and see to it that commits are durable."""
    for setting, wanted in {"journal_mode": "wal", "synchronous": 2, "fullfsync": None}.items():
        words = {"journal_mode": "WAL", "synchronous": "FULL", "fullfsync": "ON"}[setting]
        list(connection.execute(f"PRAGMA {setting} = {words}"))
        ((found,),) = connection.execute(f"PRAGMA {setting}")
        if wanted is not None and found != wanted:
            raise StoreFailed(f"{address}: this file system does not allow {setting}={words}, which is {found}")
    ((version,),) = connection.execute("PRAGMA user_version")
    ((mark,),) = connection.execute("PRAGMA application_id")
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_schema")
    if mark != APPLICATION and tables:
        raise StoreFailed(f"{address} is a database of another program, and was left as it is")
    steps = migrations("sqlite")
    if version > len(steps):
        raise StoreFailed(
            f"{address} was made by a later version of belated: it has schema {version}, and this one knows "
            f"{len(steps)}. Install that version."
        )
    if version == len(steps):
        return
    connection.execute("BEGIN IMMEDIATE")
    for step in steps[version:]:
        for statement in step:
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {len(steps)}")
    connection.execute("COMMIT")


def _failure(address: str, problem: Exception) -> StoreFailed:
    """What is said of a store that cannot be opened."""
    if isinstance(problem, StoreFailed):
        return problem
    return StoreFailed(f"{address} cannot be opened: {problem}")


def _locked(path: Path) -> IO[str]:
    """The file beside the store, locked until it is closed or the process ends."""
    name = path.with_name(path.name + ".lock")
    try:
        file = name.open("a+", encoding="utf-8")
    except OSError as problem:
        raise StoreFailed(f"sqlite:///{path} cannot be opened: {problem.strerror or problem}") from problem
    try:
        _lock(file)
    except OSError as problem:
        file.seek(0)
        owner = file.read(100).strip() or "unknown"
        file.close()
        raise StoreInUse(
            f"sqlite:///{path} is in use by another process ({owner}). One process at a time may open a store of "
            "SQLite: stop that one, or let both use one `belated serve`."
        ) from problem
    file.truncate(0)
    file.write(f"process {os.getpid()}\n")
    file.flush()
    return file


try:
    import fcntl

    def _lock(file: IO[str]) -> None:
        """Lock a file, or raise OSError at once."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

except ImportError:  # Windows
    import msvcrt

    def _lock(file: IO[str]) -> None:
        """Lock a file, or raise OSError at once."""
        file.seek(1000)  # a byte that nobody reads: what is locked cannot be read by others there
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
