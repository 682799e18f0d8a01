"""Putting finished files into a directory, so that whoever looks there never sees half of one.

Everything is in memory before the first byte is written. It is then written into a hidden directory beside its place,
and moved there only when all of it is safely on the disk. Whoever is stopped before that, or runs out of space, leaves
the old files as they were.

No file system moves several files in one step, so the last file is the seal of the others: the old one is taken away
before the first move, and the new one is moved when all the others are there. Between the two a process can be killed,
though the time is short. Therefore, at every moment:

* every file is whole, and a file that is placed alone is the old one or the new one;
* where the last file is, all of them are there and were placed together.

Two processes that place files into one directory at the same time take turns. Windows, and some network file systems,
have no lock for that; there the files of the two may mix.

Who is killed leaves the hidden directory behind. It is removed by the next who comes when it is a day old, and so
certainly nobody's who is still writing.
"""

import errno
import os
import stat
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from belated.core import checks

PREFIX = ".belated-unfinished-"
DAY = 24 * 60 * 60

ATTEMPTS = 1000
"""How often a directory is made again that another process, which had made it too, has removed in the same instant."""


def checked_folder(where: str, name: str, folder: Any) -> Path:
    """The path of a folder, which need not exist, if the system can have such a path."""
    if not isinstance(folder, str | os.PathLike) or not str(folder):
        checks.refuse(where, name, folder, "must be the path of a folder")
    try:
        path = Path(folder)
        encoded = os.fsencode(path)
    except (TypeError, UnicodeEncodeError):  # TypeError: a path of bytes
        encoded = b"\0"
    if b"\0" in encoded:
        checks.refuse(where, name, str(folder), "must be the path of a folder, in letters that paths can have here")
    return path


def check_place(directory: Path, names: Collection[str]) -> None:
    """Raise the ``OSError`` that :func:`place` would meet now, and leave nothing behind."""
    with _hidden(directory, names), _alone(directory):
        for name in names:
            target = directory / name
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, f"{name} is a directory", str(target))
            if target.exists() and not target.is_file():  # such as a device, which a file would take the place of
                raise OSError(errno.EINVAL, f"{name} is no regular file", str(target))


def place(directory: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files into ``directory``, which is made if it does not exist; the last of them seals the others."""
    check_place(directory, contents)
    *_, seal = contents
    with _hidden(directory, contents) as hidden:
        for name, content in contents.items():
            _write(hidden / name, content)
        with _alone(directory):
            if len(contents) > 1:  # a single file seals nothing: the old one stays until the new one takes its place
                (directory / seal).unlink(missing_ok=True)
            for name in contents:
                (hidden / name).replace(directory / name)


@contextmanager
def _hidden(directory: Path, names: Collection[str]) -> Iterator[Path]:
    """A hidden directory inside ``directory``, which is made for it, and removed with it if it holds nothing else."""
    made: list[Path] = []
    try:
        with _opened(directory, made) as hidden:
            _sweep(directory, names)
            yield Path(hidden)
    finally:
        for path in reversed(made):
            with suppress(OSError):  # not empty
                path.rmdir()


def _opened(directory: Path, made: list[Path]) -> TemporaryDirectory[str]:
    """The hidden directory; ``made`` gets the directories above it that this call has made, the outermost first."""
    for _ in range(ATTEMPTS):
        # Another process may remove what it has made until the hidden directory is in it, and not after that.
        with suppress(FileNotFoundError):
            _make(directory, made)
            return TemporaryDirectory(prefix=PREFIX, dir=directory)
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(directory))


def _make(directory: Path, made: list[Path]) -> None:
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    for path in reversed(missing):
        with suppress(FileExistsError):  # another process was quicker, so it is not ours to remove
            path.mkdir()
            made.append(path)


def _sweep(directory: Path, names: Collection[str]) -> None:
    """Remove what others who were killed have left, and nothing that only looks like it."""
    for left in directory.glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else is sweeping too, or there are other files in it
            status = left.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_mtime < time.time() - DAY:
                for name in names:
                    (left / name).unlink(missing_ok=True)
                left.rmdir()


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Wait for others who move files into the directory. The system ends a lock with its process, also a killed one."""
    if sys.platform == "win32":
        yield
        return
    import fcntl  # does not exist on Windows

    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(path: Path, content: bytes) -> None:
    """Write a file and wait until the disk has it: a full one may say so only then."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
