"""A disk for SQLite that remembers what was synced, so that a test can cut its power, fill it, or let a sync fail.

A write goes to the real file, which stands for the memory of the system, and is noted as pending. A sync applies what
is pending to the durable bytes. After a cut there are the durable bytes, and with luck some of what was pending. A
failed sync throws away what was pending, as Linux does: the next sync succeeds, and the bytes are not there.
"""

import itertools
from pathlib import Path

import apsw

SECTOR = 512
_names = itertools.count(1)


class Content:
    """The bytes of one file: those that are safe, and the writes that are not yet."""

    def __init__(self, durable=b""):
        self.durable, self.pending = bytearray(durable), []

    def after_a_cut(self, dice=None):
        """The bytes that are found when the power is back. ``dice`` decides about each sector that was not synced."""
        found = bytearray(self.durable)
        for kind, place, data in self.pending if dice else []:
            if kind == "size":
                if dice.random() < 0.5:
                    _resize(found, place)
                continue
            for start in range(0, len(data), SECTOR):
                if dice.random() < 0.5:
                    _write(found, place + start, data[start : start + SECTOR])
        return bytes(found)

    def sync(self):
        for kind, place, data in self.pending:
            if kind == "size":
                _resize(self.durable, place)
            else:
                _write(self.durable, place, data)
        self.pending = []


def _resize(content, size):
    del content[size:]
    content.extend(bytes(size - len(content)))


def _write(content, place, data):
    if len(content) < place:
        _resize(content, place)
    content[place : place + len(data)] = data


class Disk(apsw.VFS):
    """The disk. ``watch`` is called after each operation; ``fault`` is ``"full"`` or ``"sync"`` while it lasts."""

    def __init__(self):
        self.name = f"power-{next(_names)}"
        self.files, self.fault, self.watch = {}, None, lambda: None
        super().__init__(self.name, "")

    def xOpen(self, name, flags):
        return File(self, name, flags)

    def xDelete(self, name, sync):
        super().xDelete(name, sync)
        self.files.pop(name, None)

    def connect(self, path):
        """A connection for ``SqliteStore``; its log is copied into the file often, so that this is tried as well."""
        connection = apsw.Connection(path, vfs=self.name)
        connection.execute("PRAGMA wal_autocheckpoint = 12")
        return connection

    def image(self, dice=None):
        """All files as they are found after a cut at this moment, by the ends of their names."""
        return {name: content.after_a_cut(dice) for name, content in self.files.items()}


class File(apsw.VFSFile):
    """A file on the disk."""

    def __init__(self, disk, name, flags):
        path = name if isinstance(name, str) else name.filename()
        if path not in disk.files:  # a new store is made, and synced, by others
            disk.files[path] = Content(Path(path).read_bytes() if Path(path).exists() else b"")
        super().__init__("", name, flags)
        self.disk, self.content = disk, disk.files[path]

    def xWrite(self, data, offset):
        if self.disk.fault == "full":
            raise apsw.FullError("database or disk is full")
        super().xWrite(data, offset)
        self.content.pending.append(("bytes", offset, bytes(data)))
        self.disk.watch()

    def xTruncate(self, size):
        super().xTruncate(size)
        self.content.pending.append(("size", size, b""))
        self.disk.watch()

    def xSync(self, flags):
        if self.disk.fault == "sync":
            self.content.pending = []
            raise apsw.IOError("disk I/O error")
        self.content.sync()
        self.disk.watch()
