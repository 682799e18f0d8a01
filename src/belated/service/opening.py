"""Opening a store: every learner in it lives through its events again, or through those behind its snapshot.

That takes some microseconds for each event, so whoever opens a large store may be told how far it is.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from belated.journal.events import Event
from belated.journal.store import Store
from belated.service.desk import Desk
from belated.service.life import Life
from belated.service.names import is_reserved
from belated.service.snapshots import kept_of, restored

LONG = 5_000
"""Before so many events, the arithmetic of a learner is compiled, or loaded if it was compiled before."""

STEP = 10_000
"""Progress is told whenever so many events have been replayed."""

Progress = Callable[[int, int], None]
"""Is told how many events have been replayed, and how many there are."""


def new_desk(store: Store, name: str) -> Desk:
    """A desk whose learner has not begun to live.

    Args:
        store: The journal.
        name: The name of the stream.

    Returns:
        The desk, which finds decisions that have left memory in the journal.
    """
    return Desk(name, lambda decision: store.find(name, decision))


def opened_desks(store: Store, compiled: bool = False, progress: Progress | None = None) -> dict[str, Desk]:
    """The desks of all learners in a store.

    Args:
        store: The journal.
        compiled: Whether all learners are compiled, and not only those with many events.
        progress: Is called now and then with the number of events that are done, and of all.

    Returns:
        The desks by name; streams with reserved names have none.

    Raises:
        StateMismatch: An event is missing or was changed, or does not come out as it was recorded.
        StoreFailed: The store could not be read.
    """
    ends = {name: store.end(name).number for name in store.streams() if not is_reserved(name)}
    total, done, desks = sum(ends.values()), 0, dict[str, Desk]()
    for name, end in ends.items():

        def show(count: int, before: int = done) -> None:
            if progress is not None:
                progress(before + count, total)

        desks[name] = opened_desk(store, name, compiled or end > LONG, show)
        done += end
    return desks


def opened_desk(store: Store, name: str, compiled: bool, show: Callable[[int], None] = lambda count: None) -> Desk:
    """The desk of one learner, which has lived through its events.

    Args:
        store: The journal.
        name: The name of the stream.
        compiled: Whether to compile the learner.
        show: Is called now and then with the number of events that are done.

    Returns:
        The desk.

    Raises:
        StateMismatch: An event is missing or was changed, or does not come out as it was recorded.
        StoreFailed: The store could not be read.
    """
    with _no_search_for_cycles():
        desk, events = from_snapshot(store, name) or (new_desk(store, name), store.read(name))
        for count in replayed(desk, events, compiled):
            show(count)
    return desk


def from_snapshot(store: Store, name: str) -> tuple[Desk, Iterator[Event]] | None:
    """A learner as it was at its newest snapshot that agrees with the journal.

    Args:
        store: The journal.
        name: The name of the stream.

    Returns:
        Its desk, and the events that follow; ``None`` if there is no snapshot that can be used.

    Raises:
        StoreFailed: The store could not be read.
    """
    for kept in kept_of(store, name):
        desk = new_desk(store, name)
        life = desk.life
        if restored(life, kept):
            events = store.read(name, life.end.number - 1)
            if ends_with(life, next(events, None)):
                life.kept = life.end.number
                return desk, events
    return None


def ends_with(life: Life, event: Event | None) -> bool:
    """Whether the last event of a life is one of the journal; events before it are then the same, too."""
    return event is not None and (event.number, event.chain, event.at) == life.end


def replayed(desk: Desk, events: Iterable[Event], compiled: bool) -> Iterator[int]:
    """Let a learner live through the events of its stream that it does not know.

    Args:
        desk: The desk.
        events: The events.
        compiled: Whether to compile the learner, which changes no bit.

    Yields:
        The number of the event that was replayed last, every now and then and at the end.

    Raises:
        StateMismatch: An event is missing or was changed, or does not come out as it was recorded.
        StoreFailed: The store could not be read.
    """
    life, left = desk.life, iter(events)
    replay = life.replay
    if life.description is None:
        for event in islice(left, 1):
            replay(event)
    if compiled:
        life.compile()
    before = -1
    while life.end.number > before:
        before = life.end.number
        for event in islice(left, STEP):
            replay(event)
        yield life.end.number


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Let Python look for no garbage in cycles: a replay makes none, and the search takes a third of its time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
