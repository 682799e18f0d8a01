"""Ids of decisions that were seen, in about a byte and a half for each: it may say yes wrongly, and never no.

Most ids that come with an ask are new. Looking each of them up in the journal would take longer than the decision
itself, and a server of a database is a network away. So the journal is asked only if an id may have been seen.

The last ids are kept as they are. All others are in a row of Bloom filters. When one is full the next is eight times as
large, so that memory follows the number of ids and nothing is ever moved. The bits follow from the ids and their order
alone, in any process and any version.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

FIRST, LARGEST, GROWTH = 2**16, 2**25, 8
"""Bytes of the first filter, of the largest, and how many times as large the next one is."""

BITS_EACH = 12
"""So many bits there are for each id. As each id sets two of them, a filter is wrong for one new id in forty."""

LAST = 1024
"""So many ids are gathered before they enter a filter: many at once take less time."""

_SPREAD = 0x9E3779B1


class Seen:
    """The ids that were seen so far, most of them as bits."""

    def __init__(self) -> None:
        self._last: dict[str, None] = {}
        self._filters: list[bytearray] = []
        self._room = 0

    def add(self, name: str) -> None:
        """Note an id that was not added before.

        Args:
            name: The id.
        """
        self._last[name] = None
        if len(self._last) >= LAST:
            self._enter()

    def _enter(self) -> None:
        """Move the last ids into the filters. The moment at which this is done makes no difference to the bits."""
        for name in self._last:
            if not self._room:
                size = min(GROWTH * len(self._filters[-1]), LARGEST) if self._filters else FIRST
                self._filters.append(bytearray(size))
                self._room = 8 * size // BITS_EACH
            self._room -= 1
            bits = self._filters[-1]
            first, second = _codes(name)
            last = len(bits) - 1
            bits[first >> 3 & last] |= 1 << (first & 7)
            bits[second >> 3 & last] |= 1 << (second & 7)
        self._last.clear()

    def may_have(self, name: str) -> bool:
        """Whether an id may have been seen.

        Args:
            name: The id.

        Returns:
            True for every id that was added, and seldom for another.
        """
        if name in self._last:
            return True
        if not self._filters:
            return False
        first, second = _codes(name)
        bit, other = 1 << (first & 7), 1 << (second & 7)
        first, second = first >> 3, second >> 3
        for bits in self._filters:
            last = len(bits) - 1
            if bits[first & last] & bit and bits[second & last] & other:
                return True
        return False

    def contents(self) -> list[bytes]:
        """Copies of all filters, and the room that is left in the last one."""
        self._enter()
        return [self._room.to_bytes(8, "big"), *map(bytes, self._filters)]

    def go_on(self, contents: Sequence[bytes]) -> None:
        """Go on from what :meth:`contents` returned."""
        room, *filters = contents
        self._room, self._filters = int.from_bytes(room, "big"), [bytearray(each) for each in filters]


def _codes(name: str) -> tuple[int, int]:
    """Two numbers of 32 bits that an id stands for."""
    code = crc32(name.encode("utf-8", "surrogatepass"))
    return code, code * _SPREAD >> 32
