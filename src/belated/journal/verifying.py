"""Is a stream what was written? The numbers must follow each other, and every digest must be that of its event."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from belated.core.errors import StoreDamaged
from belated.journal.events import START, is_chained
from belated.journal.store import End, Store


class Verified(NamedTuple):
    """A stream that is as it was written: how many events it has, and the last of them."""

    events: int
    end: End


def verify(store: Store, stream: str) -> Verified:
    """Walk through a stream, and compute each digest anew. It changes nothing.

    Events that are missing at the end of a stream are found only if there is a snapshot of a later state: compare the
    digest of the end with one that you have kept elsewhere.

    Args:
        store: The store.
        stream: The stream; one that does not exist has no events.

    Returns:
        The number of events, and the last of them.

    Raises:
        StoreDamaged: An event is missing, was changed, or has a wrong place. The message names the first such number.
        StoreFailed: The store could not be read.

    Example:
        >>> from belated.journal import chained, open_store
        >>> store = open_store("memory://")
        >>> store.append([chained(START, "prices", 1, "asked", "d-1", None, 0, b"{}")])
        >>> verify(store, "prices").events
        1
    """
    end = End(0, START, 0)
    for event in store.read(stream):
        expected = end.number + 1
        if event.number != expected:
            _damaged(store, stream, expected, f"is missing: event {event.number} follows event {end.number}")
        if event.stream != stream or not is_chained(end.chain, event):
            _damaged(store, stream, expected, "is not what was written: its digest is wrong")
        end = End(event.number, event.chain, event.at)
    for snapshot in store.kept(stream):
        if snapshot.number > end.number:
            _damaged(store, stream, end.number + 1, f"is missing: there is a snapshot after event {snapshot.number}")
    return Verified(end.number, end)


def _damaged(store: Store, stream: str, number: int, what: str) -> NoReturn:
    raise StoreDamaged(
        f"{store.address} is damaged: event {number} of {stream!r} {what}. Nothing was changed; stop the service, and "
        "restore a back-up.",
        stream,
        number,
    )
