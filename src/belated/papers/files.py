"""Putting finished files into a directory, so that whoever looks there never sees half of one.

Everything is in memory before the first byte is written. It is then written into a hidden directory beside its place,
and moved there only when all of it is safely on the disk; a move replaces the old file in one step. Whoever is stopped
on the way, or runs out of space, leaves the old files as they were.
"""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory


def check_place(directory: Path, names: Iterable[str]) -> None:
    """Raise the ``OSError`` that :func:`place` would meet now, and leave nothing behind."""
    with _hidden(directory):
        for name in names:
            if (directory / name).is_dir():
                raise IsADirectoryError(errno.EISDIR, f"{name} is a directory", str(directory / name))


def place(directory: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files into ``directory``, which is made if it does not exist; the last of them is put there last."""
    check_place(directory, contents)
    with _hidden(directory) as hidden:
        for name, content in contents.items():
            _write(hidden / name, content)
        for name in contents:
            (hidden / name).replace(directory / name)


@contextmanager
def _hidden(directory: Path) -> Iterator[Path]:
    """A hidden directory inside ``directory``, which is made for it, and removed with it if it holds nothing else."""
    new = [path for path in (directory, *directory.parents) if not path.exists()]
    if not new and not directory.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(directory))
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".unfinished-", dir=directory) as hidden:
            yield Path(hidden)
    finally:
        for path in new:
            with suppress(OSError):  # not empty, or never made
                path.rmdir()


def _write(path: Path, content: bytes) -> None:
    """Write a file and wait until the disk has it: a full one may say so only then."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
