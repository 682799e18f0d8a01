"""Snapshots: all of a life as bytes, so that opening a store need not go through all events. They are a cache.

A snapshot is used if it is whole, was made by the same version, and ends with the digest that the journal has at that
event. Any other is passed over, and the events decide. Another version is another matter than damage: it might decide
otherwise, which only a replay notices.

The bytes are one line with the number of the schema, a digest of 32 bytes of everything else, and the contents in
MessagePack with arrays as their bytes. Nothing in them is pickled.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import Any

import msgspec
import numpy as np

from belated.core.errors import StoreDamaged
from belated.journal.store import Kept, Store
from belated.output.version import installed_version
from belated.service.life import Life

SCHEMA = b"belated life, schema 0002\n"
"""How the bytes begin. Another layout has another number."""

DIGEST_SIZE = 32

ARRAY = 1
"""Marks an array within MessagePack."""


@cache
def version() -> str:
    """What decides how decisions come out: a snapshot of another one is not used."""
    return f"belated {installed_version()}, NumPy {np.__version__}"


def snapshot(life: Life) -> Kept:
    """All of a life, as a store keeps it.

    Args:
        life: The life. It must be whole: what it has done is what its events say.

    Returns:
        The snapshot. The same events give the same bytes.

    Raises:
        NumericalFailure: A number of a model is not finite any more, so that nobody could go on from it.
    """
    start, whole = len(SCHEMA) + DIGEST_SIZE, bytearray(SCHEMA)
    contents = {"version": version(), "name": life.name, "life": life.contents()}
    _encoder.encode_into(contents, whole, start)  # in place, since it may have many megabytes
    whole[len(SCHEMA) : start] = _digest(memoryview(whole)[start:])
    return Kept(life.end.number, whole)


def restored(life: Life, kept: Kept) -> bool:
    """Let a life that has not begun go on from a snapshot.

    Args:
        life: The life. It must be thrown away if this returns false.
        kept: What a store has kept, which may be anything.

    Returns:
        Whether the snapshot could be used. It is for the caller to compare the end of the life with the journal.
    """
    contents = _contents(life.name, kept)
    if contents is None:
        return False
    try:
        life.go_on(contents)
    except Exception:  # somebody has made the digest himself; the contents may be anything
        return False
    return bool(life.end.number == kept.number)


def _contents(name: str, kept: Kept) -> Any:
    """What is in a snapshot that is whole and of this version and stream, else ``None``."""
    body, start = kept.body, len(SCHEMA) + DIGEST_SIZE
    if not isinstance(body, bytes | bytearray) or body[: len(SCHEMA)] != SCHEMA:
        return None
    if body[len(SCHEMA) : start] != _digest(memoryview(body)[start:]):
        return None
    try:
        found = _decode(memoryview(body)[start:])
        return found["life"] if (found["version"], found["name"]) == (version(), name) else None
    except Exception:  # as above
        return None


def kept_of(store: Store, name: str) -> list[Kept]:
    """The snapshots of a stream, the newest first; none if they cannot be read, since the events can do without."""
    try:
        return store.kept(name)
    except StoreDamaged:
        return []


class Compared:
    """The snapshots of a stream, held against a life that goes through all events.

    Args:
        store: The journal.
        name: The name of the stream.
    """

    def __init__(self, store: Store, name: str) -> None:
        found = kept_of(store, name)
        self._left = {kept.number: kept for kept in found if _contents(name, kept) is not None}
        self._unused = len(found) - len(self._left)
        self.equal = self.different = 0

    def look_at(self, life: Life) -> None:
        """Compare the snapshot that ends where the life is, if there is one.

        Args:
            life: The life, after each of its events in turn.
        """
        kept = self._left.pop(life.end.number, None)
        if kept is not None:
            same = snapshot(life) == kept
            self.equal, self.different = self.equal + same, self.different + (not same)

    def __str__(self) -> str:
        """How many there are of each sort, in words."""
        unused = self._unused + len(self._left)
        counts = {"equal": self.equal, "different": self.different, "of no use": unused}
        return ", ".join(f"{count} {sort}" for sort, count in counts.items() if count) or "-"


def _digest(contents: bytes | memoryview) -> bytes:
    digest = blake2b(SCHEMA, digest_size=DIGEST_SIZE)
    digest.update(contents)
    return digest.digest()


def _as_ext(value: Any) -> msgspec.msgpack.Ext:
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        parts = value.dtype.str, value.shape, value.tobytes()
        return msgspec.msgpack.Ext(ARRAY, msgspec.msgpack.encode(parts))
    raise NotImplementedError


def _from_ext(code: int, data: memoryview) -> Any:
    kind, shape, content = msgspec.msgpack.decode(data)
    return np.frombuffer(content, dtype=kind).reshape(shape).copy()


_encoder = msgspec.msgpack.Encoder(enc_hook=_as_ext)
_decode = msgspec.msgpack.Decoder(ext_hook=_from_ext).decode
