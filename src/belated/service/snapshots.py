"""Snapshots: all of a life as bytes, so that opening a store need not go through all events. They are a cache.

A snapshot is used if it is whole, was made by the same version, and ends with the digest that the journal has at that
event. Any other is passed over, and the events decide. Another version is another matter than damage: it might decide
otherwise, which only a replay notices.

A life may have a hundred thousand open decisions, and others want to decide meanwhile. So :func:`captured` only takes
hold of what it has, and :func:`pieces` makes bytes of that bit by bit, beside everything else.

The bytes are one line with the number of the schema, blocks of MessagePack, each behind its length in four bytes, and a
digest of 32 bytes of all that. The first block has everything but the open decisions, with arrays as their bytes. The
others have the open decisions. Nothing in them is pickled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from belated.core.errors import StoreDamaged
from belated.journal.store import Kept, Store
from belated.output.version import installed_version
from belated.service.decisions import Decision
from belated.service.life import Life

SCHEMA = b"belated life, schema 0002\n"
"""How the bytes begin. Another layout has another number."""

DIGEST_SIZE = 32

LENGTH_SIZE = 4
"""Bytes of the length of a block."""

TOGETHER = 256
"""So many open decisions are in a block, of which bytes are made in half a millisecond."""

ARRAY = 1
"""Marks an array within MessagePack."""


@cache
def version() -> str:
    """What decides how decisions come out: a snapshot of another one is not used."""
    return f"belated {installed_version()}, NumPy {np.__version__}"


def captured(life: Life) -> dict[str, Any]:
    """All of a life, as :func:`pieces` takes it. It does not change when the life goes on.

    Args:
        life: The life. It must be whole: what it has done is what its events say.

    Returns:
        The contents.

    Raises:
        NumericalFailure: A number of a model is not finite any more, so that nobody could go on from it.
    """
    return {"version": version(), "name": life.name, "life": life.contents()}


def pieces(contents: Mapping[str, Any]) -> Iterator[bytes]:
    """A snapshot, piece by piece.

    Args:
        contents: What :func:`captured` has returned.

    Yields:
        Its bytes. The same events give the same bytes.
    """
    digest = blake2b(digest_size=DIGEST_SIZE)
    life = contents["life"]
    names, waiting = life["decisions"]["names"], life["decisions"]["open"]
    rest = {**contents, "life": {**life, "decisions": {**life["decisions"], "names": None, "open": None}}}
    starts = range(0, len(waiting), TOGETHER)
    blocks = chain([rest], (list(map(_row, names[i : i + TOGETHER], waiting[i : i + TOGETHER])) for i in starts))
    digest.update(SCHEMA)
    yield SCHEMA
    for block in blocks:
        encoded = _encode(block)
        piece = len(encoded).to_bytes(LENGTH_SIZE, "big") + encoded
        digest.update(piece)
        yield piece
    yield digest.digest()


def snapshot(life: Life) -> Kept:
    """All of a life at once, as a store has it when all parts are kept."""
    return Kept(life.end.number, b"".join(pieces(captured(life))))


def _row(name: str, known: Decision) -> tuple[Any, ...]:
    return name, known.given, known.body, known.at, known.deadline, known.is_paused


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
    body = kept.body
    if not isinstance(body, bytes) or not body.startswith(SCHEMA):
        return None
    everything = memoryview(body)
    if not _is_whole(everything):
        return None
    try:
        first, *others = _blocks(everything[len(SCHEMA) : -DIGEST_SIZE])
        if (first["version"], first["name"]) != (version(), name):
            return None
        rows = [row for block in others for row in block]
        first["life"]["decisions"]["names"] = [name for name, *_ in rows]
        first["life"]["decisions"]["open"] = [Decision(*fields) for _, *fields in rows]
        return first["life"]
    except Exception:  # as above
        return None


def _is_whole(body: memoryview) -> bool:
    return body[-DIGEST_SIZE:] == blake2b(body[:-DIGEST_SIZE], digest_size=DIGEST_SIZE).digest()


def _blocks(left: memoryview) -> Iterator[Any]:
    while left:
        end = LENGTH_SIZE + int.from_bytes(left[:LENGTH_SIZE], "big")
        yield _decode(left[LENGTH_SIZE:end])
        left = left[end:]


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


def _as_ext(value: Any) -> msgspec.msgpack.Ext:
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        parts = value.dtype.str, value.shape, value.tobytes()
        return msgspec.msgpack.Ext(ARRAY, msgspec.msgpack.encode(parts))
    raise NotImplementedError


def _from_ext(code: int, data: memoryview) -> Any:
    kind, shape, content = msgspec.msgpack.decode(data)
    return np.frombuffer(content, dtype=kind).reshape(shape).copy()


_encode = msgspec.msgpack.Encoder(enc_hook=_as_ext).encode
_decode = msgspec.msgpack.Decoder(ext_hook=_from_ext).decode
