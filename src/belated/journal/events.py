"""Events: what a journal keeps, one behind the other in streams, each with a digest of everything before it.

The journal does not look into a body: it keeps bytes, and gives the same bytes back. A *stream* is the life of one
learner. Its events are numbered 1, 2, 3 and so on. ``decision`` and ``key`` say which decision an event is about, and
which of several reports on it; of two events with the same stream, decision, kind and key only one can be stored. That
is the last guard against counting a report twice. Events that are about no decision have ``None`` for both, and are not
compared.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

CHAIN_SIZE = 16
"""Bytes of a digest."""

START = bytes(CHAIN_SIZE)
"""What stands in the place of the digest before the first event of a stream."""


class Event(NamedTuple):
    """One event, as it is stored.

    ``at`` is the time in microseconds since 1970, as the writer's clock had it. ``chain`` is the digest of this event
    and, through the digest before it, of all events of its stream so far.
    """

    stream: str
    number: int
    kind: str
    decision: str | None
    key: str | None
    at: int
    body: bytes
    chain: bytes


def chained(
    before: bytes, stream: str, number: int, kind: str, decision: str | None, key: str | None, at: int, body: bytes
) -> Event:
    """The event that follows in a stream.

    Args:
        before: The digest of the event before it, or :data:`START`.
        stream: The stream.
        number: Its number there.
        kind: What has happened, such as ``"asked"``.
        decision: The decision that it is about, or ``None``.
        key: Which report on that decision it is, or ``None``.
        at: The time.
        body: What else is to be known.

    Returns:
        The event with its digest.
    """
    # repr puts quotes around texts and escapes what is in them, so two lists of fields never look the same.
    head = repr((stream, number, kind, decision, key, at)).encode("utf-8", "surrogatepass")
    chain = blake2b(body, digest_size=CHAIN_SIZE, key=before + blake2b(head, digest_size=CHAIN_SIZE).digest()).digest()
    return Event(stream, number, kind, decision, key, at, body, chain)
