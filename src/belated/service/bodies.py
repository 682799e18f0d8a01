"""Bodies of events: plain values as JSON, and back. A number comes back with the same bits.

Numbers that are not finite cannot be written in JSON. They are refused where a command is read, and a body that would
hold one cannot be made.
"""

from __future__ import annotations

from typing import Any

import msgspec

_encoder = msgspec.json.Encoder(order="sorted")
_decoder = msgspec.json.Decoder()


def packed(values: Any) -> bytes:
    """Plain values as bytes; equal values give equal bytes, whatever the order of their names."""
    return _encoder.encode(values)


def unpacked(body: bytes) -> Any:
    """The values that :func:`packed` was given."""
    return _decoder.decode(body)
