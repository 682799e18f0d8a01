"""A store in one file, by SQLite. One process may write it, and a power cut takes nothing that ``append`` has returned.

*Durable.* The write-ahead log is on, and ``synchronous=FULL``: a commit returns when the log is on the disk. Both are
set when the store is opened and read back, because SQLite does not complain about a setting that it does not know.

*One writer.* The process that opens the store locks the file ``NAME.lock`` beside it. A file with two names would have
two such locks, and is refused.

*Whole.* A store that is damaged is not opened for writing; ``sqlite_damage`` says what is looked at. A store that is
opened for reading can be damaged, so that what is left of it can be saved.

*There.* A file that is removed while it is open can still be written, and is lost with the last process that has it
open. If its lock is removed, another process can open it. So ``append`` looks whether the file, its log and its lock
are there before it returns.

*Fail-stop.* After an error of a write, the object writes nothing any more. A failed sync is not tried a second time:
the system may have thrown away what could not be written, and would report success.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import IO, Any, NoReturn

from belated.core import checks
from belated.core.errors import Conflict, StoreDamaged, StoreFailed
from belated.journal.events import START, Event
from belated.journal.order import firsts, gap_text, taken_text
from belated.journal.sqlite_damage import check_log, check_tables, damaged, unreadable
from belated.journal.sqlite_file import (
    STATEMENTS,
    bring_up_to_date,
    check_file,
    connected,
    connected_for_reading,
    copied,
    identity,
    locked,
    locked_for_reading,
    make,
    make_durable,
)
from belated.journal.store import GENERATIONS, End, Kept, Part, whole

CHUNK, CHUNK_BYTES = 1_000, 8 * 2**20
"""So many events are read at once, or fewer if their bodies have so many bytes."""

BLOCK = 16
"""The bytes are counted after so many events each, since taking events one by one from the driver is slower."""

COLUMNS = "stream, number, kind, decision, key, at, body, chain"
PORTIONS = {
    rows: f"INSERT INTO events ({COLUMNS}) VALUES {', '.join(['(?, ?, ?, ?, ?, ?, ?, ?)'] * rows)}"  # noqa: S608
    for rows in (512, 256, *range(STATEMENTS, 0, -1))
}
"""Statements that insert so many events at once. The interpreter's lock is let go for each statement, and taking it
back from a busy thread takes long, so there should be few of them: what a service gathers in a moment needs one."""

FIND = f"SELECT {COLUMNS} FROM events INDEXED BY one_of_each WHERE stream = ? AND decision = ?"  # noqa: S608
READ = f"SELECT {COLUMNS} FROM events WHERE stream = ? AND number > ? ORDER BY number LIMIT {CHUNK}"  # noqa: S608
END = "SELECT number, chain, at FROM events WHERE stream = ? ORDER BY number DESC LIMIT 1"
# By jumps along the primary key, so that it does not take longer where streams are long.
STREAMS = """WITH RECURSIVE names (stream) AS (
    SELECT min(stream) FROM events
    UNION ALL SELECT (SELECT min(stream) FROM events WHERE stream > names.stream) FROM names WHERE stream IS NOT NULL
) SELECT stream FROM names WHERE stream IS NOT NULL"""
KEEP = "INSERT INTO snapshots (stream, number, part, body) VALUES (?, ?, ?, ?)"
KEPT = "SELECT number, body FROM snapshots WHERE stream = ? ORDER BY number DESC, part"
# A store of the first version that is only read is not brought up to date.
IN_ONE_PART = "CREATE TEMP VIEW snapshots AS SELECT stream, number, 0 AS part, body FROM main.snapshots"
REPLACE = "DELETE FROM snapshots WHERE stream = ? AND number = ?"
# Part by part, too, since to free the pages of a large snapshot takes long.
FORGET = """DELETE FROM snapshots WHERE stream = ? AND (part = ? OR ?) AND number NOT IN (
    SELECT DISTINCT number FROM snapshots WHERE stream = ? ORDER BY number DESC LIMIT ?)"""

SMALL = 64 * 2**20
"""When a file with at most so many bytes is opened, each entry of its index is compared with the table. That takes
about a second; in a larger file, the entries are counted."""

_made = tuple.__new__
"""Makes a NamedTuple of all its fields, in less time than the class does."""

Connect = Callable[[str], Any]
"""Opens a connection to a file. Its ``execute`` and ``close`` are used, without transactions of its own."""


def open_sqlite(path: Path, reading: bool = False) -> SqliteStore:
    """Open a store in a file for writing, or make it.

    Args:
        path: The file. Its folder must exist.
        reading: Whether to open it for reading alone. Then it must be there, may be damaged or on a disk that cannot be
            written, and is not changed.

    Returns:
        The store.

    Raises:
        StoreInUse: Another process has opened it.
        StoreFailed: It cannot be opened, is no store, or was made by a later version.
        StoreDamaged: It is opened for writing, and is not what was written.
    """
    path = path.resolve()  # so that a link to it has the same lock
    lock = locked_for_reading(path) if reading else locked(path)
    try:
        return SqliteStore(path, lock, reading=reading)
    except BaseException:
        if lock is not None:
            lock.close()
        raise


class SqliteStore:
    """Events in a file.

    Args:
        path: The file.
        lock: The locked file beside it, or ``None`` if the caller sees to it that nobody else writes.
        connect: Opens connections for writing.
        reading: Whether nothing is written.
    """

    def __init__(
        self, path: Path, lock: IO[str] | None = None, connect: Connect = connected, reading: bool = False
    ) -> None:
        self.address, self._path, self._lock_file = f"sqlite:///{path}", str(path), lock
        self._reading, self._writing = Lock(), Lock()
        self._failed = f"{self.address} was opened for reading" if reading else ""
        self._ends: dict[str, int] = {}
        """The last number of each stream that was written to. Nobody else writes, so it need not be read again."""
        opened: list[Any] = []
        try:
            check_file(path, self.address)
            if reading:
                opened = [connected_for_reading(path)]
                if list(opened[0].execute("PRAGMA user_version")) == [(1,)]:
                    opened[0].execute(IN_ONE_PART)
            else:
                version = _looked_at(path, self.address)
                opened += [connect(self._path)]
                make_durable(opened[0], self.address)
                bring_up_to_date(opened[0], version)
                opened += [connect(self._path)]
        except BaseException as problem:
            for connection in opened:
                connection.close()
            if isinstance(problem, StoreFailed | StoreDamaged) or not isinstance(problem, Exception):
                raise
            found = unreadable(self.address, problem)
            if not isinstance(found, StoreDamaged):
                found = StoreFailed(f"{self.address} cannot be opened: {problem}")
            raise found from problem
        self._writer, self._reader = opened[0], opened[-1]
        self._file, self._log = identity(self._path), identity(f"{self._path}-wal")
        self._lock = identity(f"{self._path}.lock")

    def append(self, events: Sequence[Event]) -> None:
        """Add events, all or none, in one transaction; see :class:`~belated.journal.store.Store`."""
        first_of = firsts(events)
        inserts = list(_inserts(events))
        with self._writing:
            self._check_usable()
            try:
                self._check_follow(first_of)
                if len(inserts) == 1:  # a statement alone is a transaction
                    self._writer.execute(*inserts[0])
                elif inserts:
                    self._together(inserts)
                self._check_there()
            except Conflict:
                raise
            except Exception as problem:
                if _is_taken(problem):
                    self._ends.clear()  # somebody else may have written, though nobody should
                    raise Conflict(taken_text(events)) from problem
                self._stop(problem)
            self._ends.update((event.stream, event.number) for event in events)

    def _check_follow(self, first_of: Mapping[str, Event]) -> None:
        """Refuse events that do not follow the ends of their streams."""
        for stream, first in first_of.items():
            if stream not in self._ends:
                self._ends[stream] = _end_of(self._writer, stream).number
            if first.number != self._ends[stream] + 1:
                raise Conflict(gap_text(first, self._ends[stream]))

    def _check_there(self) -> None:
        """Refuse to confirm what was written to a file that nobody can open again, or that another process may have."""
        file, log = identity(self._path), identity(f"{self._path}-wal")
        self._log = self._log or log  # which is made by the first write
        if (file, log, identity(f"{self._path}.lock")) != (self._file, self._log, self._lock):
            raise StoreFailed("the file, its log or its lock was removed or replaced while the store was open")

    def _together(self, statements: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        """Execute statements in one transaction, or none of them."""
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            for statement, values in statements:
                self._writer.execute(statement, values)
            self._writer.execute("COMMIT")
        except Exception as problem:
            try:
                self._writer.execute("ROLLBACK")
            except Exception as second:  # the transaction is gone, or the disk is
                self._stop(second if _is_taken(problem) else problem)
            raise

    def _stop(self, problem: Exception) -> NoReturn:
        self._failed = (
            f"{self.address} could not be written ({problem}), so nothing more is written to it. Events that were not "
            "confirmed may be stored or not. Mend the cause, and open the store anew."
        )
        raise StoreFailed(self._failed) from problem

    def _check_usable(self) -> None:
        if self._failed:
            raise StoreFailed(self._failed)

    def read(self, stream: str, after: int = 0) -> Iterator[Event]:
        """The events of a stream behind a number, read in portions."""
        while True:
            events, size = list[Event](), 0
            with self._reading:
                for rows in self._blocks(READ, (stream, after)):
                    events += [_made(Event, row) for row in rows]
                    # A damaged file may have anything in the place of a body.
                    size += sum([len(row[6]) for row in rows if type(row[6]) is bytes])
                    if size >= CHUNK_BYTES:
                        break
            if not events:
                return
            yield from events
            before, after = after, events[-1].number
            if not isinstance(after, int) or after <= before:  # a damaged file would be read for ever
                damaged(self.address, f"event {after} of {stream!r} follows event {before}")

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""
        with self._reading:
            found = [name for (name,) in self._rows(STREAMS, ())]
        if not all(isinstance(name, str) for name in found):
            damaged(self.address, "the name of a stream is none")
        return sorted(found)

    def find(self, stream: str, decision: str) -> list[Event]:
        """All events about one decision, in their order."""
        with self._reading:
            # Sorted here: for the sake of the order, the database would go through the whole stream.
            return sorted(map(Event._make, self._rows(FIND, (stream, decision))))

    def end(self, stream: str) -> End:
        """The last event of a stream."""
        with self._reading:
            return next(map(End._make, self._rows(END, (stream,))), End(0, START, 0))

    def keep(self, stream: str, part: Part) -> None:
        """Keep a part of a snapshot; of whole snapshots, the newest and the one before it."""
        statements: list[tuple[str, tuple[Any, ...]]] = [
            (KEEP, (stream, part.number, part.part, part.body)),
            (FORGET, (stream, part.part, part.is_last, stream, GENERATIONS)),
        ]
        if not part.part:
            statements.insert(0, (REPLACE, (stream, part.number)))
        with self._writing:
            self._check_usable()
            try:
                self._together(statements)
            except Exception as problem:
                self._stop(problem)

    def kept(self, stream: str) -> list[Kept]:
        """The snapshots of a stream, the newest first."""
        with self._reading:
            return whole(self._rows(KEPT, (stream,)))

    def _rows(self, query: str, values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, while the caller holds the lock."""
        return chain.from_iterable(self._blocks(query, values))

    def _blocks(self, query: str, values: tuple[Any, ...]) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query by blocks, while the caller holds the lock."""
        try:
            cursor = self._reader.execute(query, values)
            while rows := list(islice(cursor, BLOCK)):
                yield rows
        except Exception as problem:
            raise unreadable(self.address, problem) from problem

    def check(self) -> None:
        """Look at the structure of every page, compare the index with the table, and look at the write-ahead log.

        Raises:
            StoreDamaged: The file or its log is not what was written.
            StoreFailed: It cannot be read.
        """
        with self._reading:
            check_tables(self._reader, self.address, whole=True)
        with self._writing:
            check_log(self._path, self.address)

    def backup(self, path: str | Path) -> None:
        """Copy the store to a new file, while it is in use.

        The copy has everything that was stored before the call. It is complete and on the disk when this returns.

        Args:
            path: The new file. Its folder must exist.

        Raises:
            InvalidArgument: There is such a file already.
            StoreFailed: It could not be copied.
        """
        self._check_usable()
        target = Path(path)
        if target.exists():
            checks.refuse("backup", "path", str(path), "must be a new file: back-ups are not overwritten")
        try:
            copied(self._path, target)
        except Exception as problem:
            raise StoreFailed(f"{self.address} could not be copied to {target}: {problem}") from problem

    def close(self) -> None:
        """Close the file, and let other processes open it."""
        with self._writing, self._reading:
            self._failed = self._failed or f"{self.address} is closed"
            self._reader.close()
            self._writer.close()
            if self._lock_file is not None:
                self._lock_file.close()


def _looked_at(path: Path, address: str) -> int:
    """How many migrations the store in a file has seen, which is made if it is not there; a damaged one is refused."""
    if not path.exists():
        make(path, address)
    check_log(str(path), address)  # before SQLite looks at it, which throws away what it cannot use
    with closing(connected_for_reading(path)) as connection:
        return check_tables(connection, address, whole=path.stat().st_size <= SMALL)


def _is_taken(problem: Exception) -> bool:
    """Whether all that is wrong is that an event is stored already."""
    return "UNIQUE constraint" in str(problem)


def _end_of(connection: Any, stream: str) -> End:
    return next(map(End._make, connection.execute(END, (stream,))), End(0, START, 0))


def _inserts(events: Sequence[Event]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Statements with their values that insert all events, as few as there can be."""
    start = 0
    for rows, statement in PORTIONS.items():
        while len(events) - start >= rows:
            yield statement, tuple(chain.from_iterable(events[start : start + rows]))
            start += rows
