"""The file of a SQLite store: made whole or not at all, locked for one process, and durable in its settings.

Files that are made here can be read and written by their owner alone, and SQLite gives the files beside them the same
mode. A file that is there keeps its mode.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from belated.core.errors import StoreFailed, StoreInUse
from belated.journal.migrations import migrations
from belated.journal.sqlite_damage import APPLICATION

SMALLEST = 512
"""Bytes of the smallest page that SQLite knows. A shorter file is no database."""

MODE = 0o600
"""The mode of new files."""

LOCKED = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""What a system says of a file that somebody else has locked; anything else says that it cannot lock files there."""

READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
"""What a system says where no file can be made."""

DURABLE = {"journal_mode": ("WAL", "wal"), "synchronous": ("FULL", 2)}
"""Settings that make a commit durable: how each is written, and how it reads when it has been accepted."""

LOG_PAGES = 8192
"""The log is copied into the file whenever it has so many pages of 4 KiB. The default of 1000 copies the pages of the
index, which every event changes, several times a second."""


STATEMENTS = 128
"""So many events, and every smaller number of them, have a statement of their own, which a connection keeps."""


def connected(path: str) -> sqlite3.Connection:
    """A connection that any thread may use, and that begins and ends no transaction by itself.

    A file that is there is not opened here: if it were closed again, SQLite would lose its locks on it.
    """
    if path != ":memory:":
        with suppress(OSError):  # which SQLite meets, too, and says
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, MODE))
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


def connected_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that changes no file, also where files cannot be changed.

    While there is no log, SQLite is told that nobody changes the file: it then makes no files beside it.

    Raises:
        StoreFailed: There is a log, which SQLite cannot read where it can make no file.
    """
    is_alone = not any(_size(f"{path}{end}") for end in ("-wal", "-journal"))
    address = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if is_alone else ''}"
    connection = sqlite3.connect(address, isolation_level=None, check_same_thread=False, uri=True)
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.OperationalError as problem:
        connection.close()
        raise StoreFailed(
            f"sqlite:///{path} cannot be opened: {problem}. If nothing can be written there, copy the file, and the "
            "one beside it that ends with -wal, to a folder where this is possible."
        ) from problem
    except BaseException:
        connection.close()
        raise
    return connection


def check_file(path: Path, address: str) -> None:
    """Refuse a file that has two names, and one that is too short to be a database.

    Raises:
        StoreFailed: It is one of these. Nothing was changed.
    """
    try:
        found = path.stat()
    except OSError:
        return  # which whoever opens it will meet
    if found.st_nlink > 1:
        raise StoreFailed(
            f"{address} cannot be opened: the file has {found.st_nlink} names (hard links), so that two processes "
            "could open it unnoticed. Remove the others, or make a copy."
        )
    if found.st_size < SMALLEST:
        raise StoreFailed(
            f"{address} is no store: the file has {found.st_size} bytes. Remove it if a new store is meant, or else "
            "restore a back-up."
        )


def make(path: Path, address: str) -> None:
    """Make the file of a new store, which is there whole or not at all.

    Raises:
        StoreFailed: The log of a store is there, but not its file.
    """
    for name in (f"{path}-wal", f"{path}-journal"):
        if _size(name):
            raise StoreFailed(
                f"{address} cannot be made: there is no such file, but its log {name} is there, which may have events. "
                "Put the file back; or remove the log if a new store is meant."
            )
    with appearing(path) as part, closing(connected(":memory:")) as made, closing(connected(str(part))) as writing:
        bring_up_to_date(made, 0)
        made.backup(writing)
        make_durable(writing, address)  # which changes the file, and need not do so any more when the store is opened


def _size(path: str) -> int:
    """The bytes of a file; none if it is not there."""
    try:
        return os.stat(path).st_size  # noqa: PTH116  # as in `identity`
    except FileNotFoundError:
        return 0


def bring_up_to_date(connection: Any, version: int) -> None:
    """Make the tables of this version where some migrations have been seen already, or none."""
    steps = migrations("sqlite")
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
    file = _locked(path, "a+")
    file.truncate(0)
    file.write(f"process {os.getpid()}\n")
    file.flush()
    return file


def locked_for_reading(path: Path) -> IO[str] | None:
    """The same where no file can be made, as on a disk that cannot be written; ``None`` if there is no such file.

    Raises:
        StoreInUse: It is locked already.
        StoreFailed: It is there, and cannot be opened.
    """
    try:
        return locked(path)
    except StoreFailed as problem:
        if not isinstance(problem.__cause__, OSError) or problem.__cause__.errno not in READ_ONLY:
            raise
    try:
        return _locked(path, "r")
    except StoreFailed as problem:
        if not isinstance(problem.__cause__, FileNotFoundError):
            raise
    return None


def _locked(path: Path, mode: str) -> IO[str]:
    name = path.with_name(path.name + ".lock")
    try:
        file = open(name, mode, encoding="utf-8", opener=_open)  # noqa: SIM115  # it stays open
    except OSError as problem:
        raise StoreFailed(f"sqlite:///{path} cannot be opened: {problem.strerror or problem}: {name}") from problem
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
    return file


def _open(name: str, flags: int) -> int:
    return os.open(name, flags, MODE)


def copied(source: str, target: Path) -> None:
    """Copy a database that is in use to a new file, which is there whole or not at all."""
    with appearing(target) as part, closing(connected(source)) as reading, closing(connected(str(part))) as writing:
        reading.backup(writing)


@contextmanager
def appearing(target: Path) -> Iterator[Path]:
    """A file under another name, which gets its name when it is whole and on the disk.

    Args:
        target: The name.

    Yields:
        The other name, under which there is an empty file.
    """
    part = target.with_name(target.name + ".part")
    try:
        for end in ("", "-wal", "-journal"):  # of a process that was killed
            part.with_name(part.name + end).unlink(missing_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, MODE))
        yield part
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
