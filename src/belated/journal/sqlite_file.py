"""The file of a SQLite store: locked for one process, durable in its settings, and with tables of this version."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from belated.core.errors import StoreFailed, StoreInUse
from belated.journal.migrations import check_version, migrations

APPLICATION = 0x62656C61
"""Marks a file as a store of belated: the letters ``bela``."""

LOCKED = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""What a system says of a file that somebody else has locked; anything else says that it cannot lock files there."""

DURABLE = {"journal_mode": ("WAL", "wal"), "synchronous": ("FULL", 2)}
"""Settings that make a commit durable: how each is written, and how it reads when it has been accepted."""

LOG_PAGES = 8192
"""The log is copied into the file whenever it has so many pages of 4 KiB. The default of 1000 copies the pages of the
index, which every event changes, several times a second."""


STATEMENTS = 128
"""So many events, and every smaller number of them, have a statement of their own, which a connection keeps."""


def connected(path: str) -> sqlite3.Connection:
    """A connection that any thread may use, and that begins and ends no transaction by itself."""
    return sqlite3.connect(
        path, timeout=10.0, isolation_level=None, check_same_thread=False, cached_statements=2 * STATEMENTS
    )


def identity(path: str) -> tuple[int, int] | None:
    """What tells the file at a path from another one at the same path; ``None`` if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116  # in half the time, and it is done for each commit
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def set_up(connection: Any, address: str) -> None:
    """Make the tables, or bring them up to date, and see to it that commits are durable."""
    ((mark,),) = connection.execute("PRAGMA application_id")
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
    if mark != APPLICATION and tables:
        raise StoreFailed(f"{address} is a database of another program, and was left as it is")
    ((version,),) = connection.execute("PRAGMA user_version")
    steps = migrations("sqlite")
    check_version(address, version, len(steps))
    make_durable(connection, address)
    if version == len(steps):
        return
    connection.execute("BEGIN IMMEDIATE")
    for statement in [each for step in steps[version:] for each in step]:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {len(steps)}")
    connection.execute("COMMIT")


def make_durable(connection: Any, address: str) -> None:
    """See to it that what a connection commits from now on survives a power cut.

    Raises:
        StoreFailed: The file system does not allow it.
    """
    for setting, (words, wanted) in DURABLE.items():
        list(connection.execute(f"PRAGMA {setting} = {words}"))
        ((found,),) = connection.execute(f"PRAGMA {setting}")
        if found != wanted:
            raise StoreFailed(
                f"{address} cannot be opened: this file system does not allow {setting}={words}, which stays {found}. "
                "Use a file on a local disk."
            )
    list(connection.execute("PRAGMA fullfsync = ON"))  # macOS alone knows it, where a plain fsync stops at the drive
    list(connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}"))


def locked(path: Path) -> IO[str]:
    """The file ``NAME.lock`` beside a store, locked until it is closed or the process ends, however it ends.

    Raises:
        StoreInUse: It is locked already.
        StoreFailed: It cannot be made.
    """
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
        if problem.errno not in LOCKED:
            raise StoreFailed(f"sqlite:///{path} cannot be opened: {problem}. Use a file on a local disk.") from problem
        raise StoreInUse(
            f"sqlite:///{path} is in use ({owner}). One at a time may open a store of SQLite, and nothing was changed: "
            "stop the other process, or let both use one service."
        ) from problem
    file.truncate(0)
    file.write(f"process {os.getpid()}\n")
    file.flush()
    return file


def copied(source: str, target: Path) -> None:
    """Copy a database that is in use to a new file, which is there whole or not at all."""
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        with closing(connected(source)) as reading, closing(connected(str(part))) as writing:
            reading.backup(writing)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # elsewhere a folder cannot be synced, and need not be
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


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
