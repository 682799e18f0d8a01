"""Bodies of events: plain values as JSON, and back. A number comes back with the same bits.

A body is ``{"given":...,"result":...}``: what was given with a command and, if there is one, what came of it. Both are
encoded once. They are put together, taken apart and compared as bytes, since encoding is most of the work of an event.

Numbers and arrays of NumPy become plain ones. JSON has no numbers that are not finite: they become gaps, which whoever
takes the values refuses or has a meaning for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from belated.core.errors import InvalidArgument

NULL = b"null"
"""What stands for no result."""

LONGEST = 2**20
"""What is given with a command has at most so many bytes."""


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise NotImplementedError


_encode_sorted = msgspec.json.Encoder(order="sorted", enc_hook=_plain).encode
_encode = msgspec.json.Encoder(enc_hook=_plain).encode
_decode = msgspec.json.Decoder().decode

NOT_PLAIN = (TypeError, ValueError, OverflowError, NotImplementedError, RecursionError)
"""What is raised for values that are not plain."""

LARGEST_REAL = 1000
"""A whole number with more bits than this is equal to no real one."""

EMPTY = b"{}"
"""What is stored if nothing is given, as with most asks."""


def packed(values: Any) -> bytes:
    """Plain values as bytes; equal values give equal bytes, whatever the order of their names.

    Args:
        values: Texts, numbers, truth values, gaps, and lists and mappings of them.

    Returns:
        JSON.

    Raises:
        InvalidArgument: There is something else in them, which cannot be stored.
    """
    try:
        return _encode_sorted(values)
    except NOT_PLAIN as problem:
        raise InvalidArgument(f"this cannot be stored: {problem}") from problem


def in_order(values: Any) -> bytes:
    """Plain values as bytes, with names in the order that they have.

    What is given is sent and stored so: the last bit of a sum over features may depend on their order.

    Args:
        values: As of :func:`packed`.

    Returns:
        JSON.

    Raises:
        InvalidArgument: There is something else in them, which cannot be stored.
    """
    try:
        return _encode(values)
    except NOT_PLAIN as problem:
        raise InvalidArgument(f"this cannot be stored: {problem}") from problem


def unpacked(body: bytes) -> Any:
    """The values that :func:`packed` was given."""
    return _decode(body)


def stored(given: Mapping[str, Any]) -> tuple[bytes, Any]:
    """What is given, as it comes back from the journal: what is done with it now is what a replay does with it.

    Args:
        given: The values by name.

    Returns:
        The bytes that are stored, and the same values as they are read from those bytes.

    Raises:
        InvalidArgument: They cannot be stored, or are too large.
    """
    if not given:
        return EMPTY, {}
    body = in_order(given)
    if len(body) > LONGEST:
        raise InvalidArgument(f"this cannot be stored: it has {len(body)} bytes, and {LONGEST} are allowed")
    plain = unpacked(body)
    if body.find(b"{", 1) > 0:  # names within it that were no texts are texts now, and perhaps equal or out of order
        body = _encode(plain)
    return body, plain


NOTHING_GIVEN = b'{"given":{},"result":'
"""How the body of an ask begins with which nothing is given, as with most."""


class Body(msgspec.Struct):
    """The two parts of a body, as bytes."""

    given: msgspec.Raw
    result: msgspec.Raw = msgspec.Raw(NULL)


_parts = msgspec.json.Decoder(Body).decode


def joined(given: bytes, result: bytes | None) -> bytes:
    """A body of its two parts; it has no second one if there was no result."""
    return b'{"given":%b}' % given if result is None else b'{"given":%b,"result":%b}' % (given, result)


def parts(body: bytes) -> tuple[bytes, bytes]:
    """The two parts of a body: what was given, and what came of it, which is ``null`` if nothing did.

    Args:
        body: What :func:`joined` has returned, or any JSON that means the same.

    Returns:
        Both parts, byte by byte as they stand in the body.

    Raises:
        msgspec.DecodeError: It is no such body.
    """
    if body.startswith(NOTHING_GIVEN) and body.endswith(b"}"):
        return EMPTY, body[len(NOTHING_GIVEN) : -1]
    found = _parts(body)
    return bytes(found.given), bytes(found.result)


def same(one: bytes, other: bytes) -> bool:
    """Whether two parts say the same, though one may have been written with spaces, or in another order."""
    return one == other or packed(unpacked(one)) == packed(unpacked(other))


def alike(one: bytes, other: bytes) -> bool:
    """Whether two parts say equal things: 1 and 1.0, or 0.0 and -0.0, are the same to whoever repeats a call.

    What was decided is compared by :func:`same`, which knows of no such equality.
    """
    return same(one, other) or packed(_as_real(unpacked(one))) == packed(_as_real(unpacked(other)))


def _as_real(value: Any) -> Any:
    """Values in which every whole number is a real one, if that is exact, and no zero has a sign."""
    if isinstance(value, list):
        return [_as_real(each) for each in value]
    if isinstance(value, dict):
        return {name: _as_real(each) for name, each in value.items()}
    if type(value) is int and value.bit_length() > LARGEST_REAL:
        return value
    if type(value) not in (int, float) or float(value) != value:
        return value
    return float(value) + 0.0
