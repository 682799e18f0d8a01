"""Bodies of events: plain values as JSON, and back. A number comes back with the same bits.

Numbers and arrays of NumPy become plain ones. JSON has no numbers that are not finite: they become gaps, which whoever
takes the values refuses or has a meaning for.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from belated.core.errors import InvalidArgument

LONGEST = 2**20
"""What is given with a command has at most so many bytes."""


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise NotImplementedError


_encoder = msgspec.json.Encoder(order="sorted", enc_hook=_plain)
_decoder = msgspec.json.Decoder()


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
        return _encoder.encode(values)
    except (TypeError, ValueError, OverflowError, NotImplementedError, RecursionError) as problem:
        raise InvalidArgument(f"this cannot be stored: {problem}") from problem


def unpacked(body: bytes) -> Any:
    """The values that :func:`packed` was given."""
    return _decoder.decode(body)


def stored(given: Any) -> Any:
    """What is given, as it comes back from the journal: what is done with it now is what a replay does with it.

    Args:
        given: The values.

    Returns:
        The same in plain values.

    Raises:
        InvalidArgument: They cannot be stored, or are too large.
    """
    body = packed(given)
    if len(body) > LONGEST:
        raise InvalidArgument(f"this cannot be stored: it has {len(body)} bytes, and {LONGEST} are allowed")
    return unpacked(body)
