"""A store as text: one line of JSON for each event, to be looked at, searched, and put into another store.

A body that is JSON on one line stands in its line as it is, byte by byte and as the last field; any other body is
written as base64. Both come back equal. Snapshots are left out, because they can be made again.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from belated.core.errors import StoreDamaged
from belated.journal.events import START, Event, is_chained
from belated.journal.store import Store
from belated.journal.verifying import verified

BATCH, BATCH_BYTES = 10_000, 16 * 2**20
"""So many events are stored at once, or fewer if their bodies have so many bytes."""

INCOMPLETE = '{"incomplete":'
"""How a line begins that the command line prints behind the lines of a damaged store. It is no event."""

BODY = ',"body":'
"""What stands before a body that is JSON. It is in no text of the line, since quotes in texts are escaped."""


def export_lines(store: Store) -> Iterator[str]:
    """All events of a store as lines of JSON, stream by stream.

    Of a damaged store, the lines are those that can be saved: the events of each stream before the first wrong one.

    Args:
        store: The store. It may be in use; what is stored meanwhile may or may not be in the lines.

    Yields:
        A line for each event, without a line end.

    Raises:
        StoreFailed: The store could not be read.
        StoreDamaged: The store is damaged, so the lines may be incomplete. It is raised behind the last line.

    Example:
        >>> from belated.journal import chained, open_store
        >>> store = open_store("memory://")
        >>> store.append([chained(START, "prices", 1, "asked", "d-1", None, 5, b'{"x": 1}')])
        >>> for line in export_lines(store):
        ...     print(line)
        {"stream":"prices","number":1,"kind":"asked","decision":"d-1","key":null,"at":5,"chain":"...","body":{"x": 1}}
    """
    problems = list[StoreDamaged]()
    try:
        store.check()
    except StoreDamaged as problem:
        problems.append(problem)
    for stream in store.streams():
        try:
            for event in verified(store, stream):
                yield line_of(event)
        except StoreDamaged as problem:
            problems.append(problem)
    if problems:
        raise problems[0]


def import_lines(store: Store, lines: Iterable[str]) -> int:
    """Store events from lines of JSON, as :func:`export_lines` has made them.

    Args:
        store: The store, without any of these streams.
        lines: The lines, with or without line ends.

    Returns:
        The number of events that were stored.

    Raises:
        StoreDamaged: A line is not an event, or its digest is wrong. Lines before it may have been stored: begin again
            with a new store.
        Conflict: The store has one of these streams already.
        StoreFailed: The store could not be written.
    """
    count, events, size, chain = 0, list[Event](), 0, dict[str, bytes]()
    for count, line in enumerate(lines, start=1):
        event = _event(count, line)
        if not is_chained(chain.get(event.stream, START), event):
            _bad(count, "its digest is wrong")
        chain[event.stream] = event.chain
        events.append(event)
        size += len(event.body)
        if len(events) >= BATCH or size >= BATCH_BYTES:
            store.append(events)
            events, size = [], 0
    store.append(events)
    return count


def line_of(event: Event) -> str:
    """An event as a line of JSON, without a line end."""
    fields: dict[str, Any] = event._asdict()
    body = fields.pop("body")
    fields["chain"] = event.chain.hex()
    text = _json_text(body)
    if text is None:
        return _dumped({**fields, "base64": b64encode(body).decode("ascii")})
    return f"{_dumped(fields)[:-1]}{BODY}{text}}}"


def _dumped(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def _json_text(body: bytes) -> str | None:
    """A body as text if it is JSON on one line, else None."""
    try:
        text = body.decode()
        json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return None if "\n" in text or "\r" in text else text


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _event(number: int, line: str) -> Event:
    head, found, body = line.strip().partition(BODY)
    try:
        fields = json.loads(head + "}" if found else head)
        fields["body"] = body[:-1].encode() if found else b64decode(fields.pop("base64"), validate=True)
        fields["chain"] = bytes.fromhex(fields["chain"])
        return Event(**fields)
    except (ValueError, TypeError, KeyError, AttributeError):
        is_mark = line.startswith(INCOMPLETE)
        _bad(number, f"it says that the lines are incomplete: {line.strip()}" if is_mark else "it is not an event")


def _bad(number: int, what: str) -> NoReturn:
    raise StoreDamaged(
        f"line {number} cannot be imported: {what}. Lines before it may have been stored; export the lines again, and "
        "import them into a new store."
    )
