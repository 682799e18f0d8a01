"""Is a stream what was written? The numbers must follow each other, and every digest must be that of its event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from belated.core.errors import StoreDamaged
from belated.journal.events import START, Event, is_chained
from belated.journal.store import End, Store


class Verified(NamedTuple):
    """A stream that is as it was written: how many events it has, and the last of them."""

    events: int
    end: End


def verify(store: Store, stream: str) -> Verified:
    """Walk through a stream, and compute each digest anew. It changes nothing.

    That events are missing at the end of a stream is found only if there is a snapshot of a later state. Call
    :meth:`Store.check`, too, which looks for the ends that a damaged file hides.

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
    for event in verified(store, stream):
        end = End(event.number, event.chain, event.at)
    return Verified(end.number, end)


def verified(store: Store, stream: str) -> Iterator[Event]:
    """The events of a stream, each of them verified before it is given; the arguments are those of :func:`verify`."""
    number, chain = 0, START
    for event in store.read(stream):
        if event.number != number + 1:
            _damaged(store, stream, number + 1, f"is missing: event {event.number} follows event {number}")
        number += 1
        if event.stream != stream or not is_chained(chain, event):
            _damaged(store, stream, number, "is not what was written: its digest is wrong")
        chain = event.chain
        yield event
    for snapshot in store.kept(stream):
        if snapshot.number > number:
            _damaged(store, stream, number + 1, f"is missing: there is a snapshot after event {snapshot.number}")


def _damaged(store: Store, stream: str, number: int, what: str) -> NoReturn:
    raise StoreDamaged(
        f"{store.address} is damaged: event {number} of {stream!r} {what}. Nothing was changed; stop the service, and "
        "restore a back-up.",
        stream,
        number,
    )
