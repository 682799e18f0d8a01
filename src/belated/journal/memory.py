"""A store in memory: lists and a lock. It is a full member, and what the other stores are compared with.

It promises nothing beyond the life of its process. That is what a notebook or a test needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock

from belated.core.errors import Conflict, StoreFailed
from belated.journal.events import START, Event
from belated.journal.order import firsts, gap_text, taken_text
from belated.journal.store import GENERATIONS, End, Kept, Part


class MemoryStore:
    """Events in lists, by stream."""

    def __init__(self) -> None:
        self.address = "memory://"
        self._streams: dict[str, list[Event]] = {}
        self._by_decision: dict[tuple[str, str], list[Event]] = {}
        self._taken: set[tuple[str, str, str, str]] = set()
        self._kept: dict[str, dict[int, bytes]] = {}
        self._lock = Lock()
        self._closed = False

    def append(self, events: Sequence[Event]) -> None:
        """Add events, all or none; see :class:`~belated.journal.store.Store`."""
        self._check_open()
        with self._lock:
            for stream, first in firsts(events).items():
                end = len(self._streams.get(stream, ()))
                if first.number != end + 1:
                    raise Conflict(gap_text(first, end))
            names = [
                (event.stream, event.decision, event.kind, event.key)
                for event in events
                if event.decision is not None and event.key is not None
            ]
            new = set(names)
            if len(new) < len(names) or not self._taken.isdisjoint(new):
                raise Conflict(taken_text(events))
            self._taken |= new
            for event in events:
                self._streams.setdefault(event.stream, []).append(event)
                if event.decision is not None:
                    self._by_decision.setdefault((event.stream, event.decision), []).append(event)

    def read(self, stream: str, after: int = 0) -> Iterator[Event]:
        """The events of a stream behind a number, as they are at this moment."""
        self._check_open()
        with self._lock:
            found = self._streams.get(stream, [])[after:]
        return iter(found)

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""
        self._check_open()
        with self._lock:
            return sorted(self._streams)

    def find(self, stream: str, decision: str) -> list[Event]:
        """All events about one decision, in their order."""
        self._check_open()
        with self._lock:
            return list(self._by_decision.get((stream, decision), ()))

    def end(self, stream: str) -> End:
        """The last event of a stream."""
        self._check_open()
        with self._lock:
            found = self._streams.get(stream)
            return End(found[-1].number, found[-1].chain, found[-1].at) if found else End(0, START, 0)

    def keep(self, stream: str, part: Part) -> None:
        """Keep a part of a snapshot; of whole snapshots, the newest and the one before it."""
        self._check_open()
        with self._lock:
            kept = self._kept.setdefault(stream, {})
            kept[part.number] = (kept[part.number] if part.part else b"") + part.body
            for number in sorted(kept, reverse=True)[GENERATIONS:]:
                del kept[number]

    def kept(self, stream: str) -> list[Kept]:
        """The snapshots of a stream, the newest first."""
        self._check_open()
        with self._lock:
            return sorted(map(Kept._make, self._kept.get(stream, {}).items()), reverse=True)

    def check(self) -> None:
        """Do nothing: there is no file that could be damaged."""
        self._check_open()

    def close(self) -> None:
        """Refuse every further call; the events are gone when nobody refers to the store."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise StoreFailed(f"{self.address} is closed")
