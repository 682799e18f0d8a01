"""Events: what a journal keeps, one behind the other in streams, each with a digest of everything before it.

The journal does not look into a body: it keeps bytes, and gives the same bytes back. A *stream* is the life of one
learner. Its events are numbered 1, 2, 3 and so on. ``decision`` and ``key`` say which decision an event is about, and
which of several reports on it; of two events with the same stream, decision, kind and key only one can be stored. That
is the last guard against counting a report twice. Events in which one of the two is ``None`` are not compared.

The digest is BLAKE2b of three things, one behind the other: the digest before it, the other fields, and the body. The
fields are a JSON list in UTF-8 without spaces, as ``JSON.stringify`` and ``json.dumps(..., ensure_ascii=False)`` write
it. It ends where its bracket closes, and any language and any later version computes the same bytes.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from belated.core import checks

CHAIN_SIZE = 16
"""Bytes of a digest."""

START = bytes(CHAIN_SIZE)
"""What stands in the place of the digest before the first event of a stream."""

LONGEST_TEXT = 200
"""Characters of a stream's name, of a decision and of a key."""

LONGEST_KIND = 40
"""Characters of a kind. PostgreSQL keeps at most 2704 bytes in an entry of an index, and all four texts are in one."""

LARGEST_BODY = 4 * 2**20
"""Bytes of a body."""

FIRST_AT, LAST_AT = -(2**63), 2**63 - 1
"""The first and the last time that an event can have."""

_json = msgspec.json.Encoder().encode

_NOTHING_HASHED = blake2b(digest_size=CHAIN_SIZE)
"""Is copied where a digest begins, which takes less time than to make one."""

_made = tuple.__new__
"""Makes a NamedTuple of all its fields. The class itself does so by a Python function, which takes longer."""


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
        stream: The stream, 1 to 200 characters. Texts hold no NUL and no half of a surrogate pair, which PostgreSQL
            could not keep.
        number: Its number there, from 1.
        kind: What has happened, such as ``"asked"``; 1 to 40 characters.
        decision: The decision that it is about, 1 to 200 characters, or ``None``.
        key: Which report on that decision it is, 1 to 200 characters, or ``None``.
        at: The time, a whole number of 64 bits.
        body: What else is to be known, at most 4 MiB.

    Returns:
        The event with its digest.

    Raises:
        InvalidArgument: One of them is not as said above.

    Example:
        >>> first = chained(START, "prices", 1, "asked", "d-1", None, 1_700_000_000_000_000, b"{}")
        >>> second = chained(first.chain, "prices", 2, "told", "d-1", "k-1", 1_700_000_000_000_001, b'{"loss":0.5}')
        >>> second.number, second.chain.hex()
        (2, '...')
    """
    if not isinstance(before, bytes) or len(before) != CHAIN_SIZE:
        checks.refuse("chained", "before", before, f"must be a digest of {CHAIN_SIZE} bytes")
    stream = checked_text("stream", stream)
    kind = checked_text("kind", kind, LONGEST_KIND)
    decision = None if decision is None else checked_text("decision", decision)
    key = None if key is None else checked_text("key", key)
    if type(number) is not int or not 0 < number <= checks.MOST:
        number = checks.count("chained", "number", number, 1)
    if type(at) is not int or not FIRST_AT <= at <= LAST_AT:
        at = checks.count("chained", "at", at, FIRST_AT, LAST_AT)
    if not isinstance(body, bytes) or len(body) > LARGEST_BODY:
        checks.refuse("chained", "body", body, f"must be bytes, at most {LARGEST_BODY} of them")
    body = bytes(body)
    chain = digest(before, stream, number, kind, decision, key, at, body)
    return _made(Event, (stream, number, kind, decision, key, at, body, chain))


def digest(
    before: bytes, stream: str, number: int, kind: str, decision: str | None, key: str | None, at: int, body: bytes
) -> bytes:
    """The digest of an event; the arguments are those of :func:`chained`, and are not checked.

    Raises:
        TypeError: Something else is in the place of bytes.
        ValueError: A text cannot be written as UTF-8.
    """
    found = _NOTHING_HASHED.copy()
    found.update(before + _json((stream, number, kind, decision, key, at)) + body)
    return found.digest()


def is_chained(before: bytes, event: Event) -> bool:
    """Whether the digest of an event is the right one behind another digest.

    Args:
        before: The digest of the event before it, or :data:`START`.
        event: The event. A damaged file may have anything in the place of a text, of a number or of bytes.

    Returns:
        Whether it is what was written.
    """
    stream, number, kind, decision, key, at, body, chain = event
    try:
        return chain == digest(before, stream, number, kind, decision, key, at, body)
    except (TypeError, ValueError):
        return False


def checked_text(name: str, value: Any, longest: int = LONGEST_TEXT) -> str:
    """A text that every store can keep, also of a class that is derived from ``str``, which drivers do not know.

    Args:
        name: Which field of an event it is.
        value: The text.
        longest: So many characters it may have.

    Returns:
        The same text as a plain one.

    Raises:
        InvalidArgument: It is none, is empty or too long, or holds a NUL or half of a surrogate pair.
    """
    if type(value) is str and 0 < len(value) <= longest and value.isascii() and "\0" not in value:
        return value  # what nearly all texts are
    if not isinstance(value, str) or not 0 < len(value) <= longest:
        checks.refuse("chained", name, value, f"must be a text of 1 to {longest} characters")
    if "\0" in value:
        checks.refuse("chained", name, value, "must not hold the character NUL")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            checks.refuse("chained", name, value, "must not hold half of a surrogate pair")
    return str.__str__(value)
