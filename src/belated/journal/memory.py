"""A store in memory: lists and a lock. It is a full member, and what the other stores are compared with.

It promises nothing beyond the life of its process. That is what a notebook or a test needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock

from belated.core.errors import Conflict
from belated.journal.events import START, Event
from belated.journal.store import End, Kept

GENERATIONS = 2
"""So many snapshots of a stream are kept."""


class MemoryStore:
    """Events in lists, by stream."""

    def __init__(self) -> None:
        self.address = "memory://"
        self._streams: dict[str, list[Event]] = {}
        self._taken: set[tuple[str, str, str, str]] = set()
        self._kept: dict[str, list[Kept]] = {}
        self._lock = Lock()

    def append(self, events: Sequence[Event]) -> None:
        """Add events, all or none; see :class:`~belated.journal.store.Store`."""
        with self._lock:
            ends: dict[str, int] = {}
            taken = set()
            for event in events:
                known = ends.get(event.stream, len(self._streams.get(event.stream, ())))
                if event.number != known + 1:
                    raise Conflict(conflict_text(event))
                ends[event.stream] = event.number
                if event.decision is not None and event.key is not None:
                    name = event.stream, event.decision, event.kind, event.key
                    if name in self._taken or name in taken:
                        raise Conflict(conflict_text(event))
                    taken.add(name)
            self._taken |= taken
            for event in events:
                self._streams.setdefault(event.stream, []).append(event)

    def read(self, stream: str, after: int = 0) -> Iterator[Event]:
        """The events of a stream behind a number, as they are at this moment."""
        with self._lock:
            found = self._streams.get(stream, [])[after:]
        return iter(found)

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""
        with self._lock:
            return sorted(self._streams)

    def end(self, stream: str) -> End:
        """The last event of a stream."""
        with self._lock:
            found = self._streams.get(stream)
            return End(found[-1].number, found[-1].chain, found[-1].at) if found else End(0, START, 0)

    def keep(self, stream: str, snapshot: Kept) -> None:
        """Keep a snapshot, and the newest one before it."""
        with self._lock:
            older = [each for each in self._kept.get(stream, []) if each.number != snapshot.number]
            self._kept[stream] = sorted([snapshot, *older], reverse=True)[:GENERATIONS]

    def kept(self, stream: str) -> list[Kept]:
        """The snapshots of a stream, the newest first."""
        with self._lock:
            return list(self._kept.get(stream, []))

    def close(self) -> None:
        """Do nothing: the events are gone when nobody refers to the store."""


def conflict_text(event: Event) -> str:
    """What is said of an event that cannot be stored, because it or its like is stored already."""
    about = "" if event.decision is None else f" about the decision {event.decision!r}"
    return (
        f"event {event.number} of {event.stream!r} ({event.kind}{about}) cannot be stored: its number or its key is "
        "taken. Nothing was stored; open the store anew and read."
    )
