"""What every store asks of events before it writes them: within each stream, the numbers follow each other.

A store need then only compare the first number of each stream with the end of that stream.
"""

from __future__ import annotations

from collections.abc import Sequence

from belated.core.errors import Conflict
from belated.journal.events import Event


def firsts(events: Sequence[Event]) -> dict[str, Event]:
    """The first event of each stream among events that are to be stored together.

    Args:
        events: The events, in the order in which they are to be stored.

    Returns:
        The first event for each stream.

    Raises:
        Conflict: Within a stream, a number does not follow the one before it.
    """
    found: dict[str, Event] = {}
    last: dict[str, int] = {}
    for event in events:
        stream, number = event.stream, event.number
        if last.setdefault(stream, number - 1) != number - 1:
            raise Conflict(gap_text(event, last[stream]))
        if stream not in found:
            found[stream] = event
        last[stream] = number
    return found


def gap_text(event: Event, end: int) -> str:
    """What is said of an event whose number does not follow the end of its stream."""
    return (
        f"event {event.number} of {event.stream!r} ({event.kind}) cannot be stored: the stream ends at {end}. Nothing "
        "was stored; read the stream again, and decide anew."
    )


def taken_text(events: Sequence[Event]) -> str:
    """What is said of events of which one is stored already, though it is not known which."""
    streams = sorted({event.stream for event in events})
    named = ", ".join(map(repr, streams[:3])) + (", ..." if len(streams) > 3 else "")
    return (
        f"{len(events)} events of {named} cannot be stored: one of them does not follow the end of its stream, or one "
        "about the same decision, of the same kind and with the same key is stored already. Nothing was stored; read "
        "again, and decide anew."
    )
