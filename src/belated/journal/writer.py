"""The one thread that writes: what comes while it stores a batch is the next batch.

So a store that syncs its disk 100 times a second can take many thousand events a second, and a single event waits for
nobody. There is no artificial delay.

All that waits together shares one future, since it is stored together. An error of the store ends the writer: the state
in memory is then ahead of the store, and only opening the store anew and reading it can tell what is true.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Condition, Thread, current_thread

from belated.core import checks
from belated.core.errors import StoreBusy, StoreFailed
from belated.journal.events import Event
from belated.journal.store import Part, Store

BATCH, BATCH_BYTES = 10_000, 16 * 2**20
"""A batch takes no further submission when it has so many events, or so many bytes of bodies."""

SUBMISSION_BYTES = 256 * 2**20
"""The bodies of one submission have at most so many bytes; PostgreSQL takes at most 1 GB in a statement."""


class _Batch:
    """Submissions that are stored together, and the future that all of them share."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.size = 0
        self.future: Future[None] = Future()
        self.future.set_running_or_notify_cancel()  # no caller may cancel it, since others wait for it as well

    def add(self, events: Sequence[Event], size: int) -> None:
        self.events += events
        self.size += size

    def write(self, store: Store) -> None:
        store.append(self.events)

    @property
    def full(self) -> bool:
        return len(self.events) >= BATCH or self.size >= BATCH_BYTES


class _Part(_Batch):
    """A part of a snapshot, which is kept when everything before it is stored; nothing is stored together with it."""

    full = True

    def __init__(self, stream: str, part: Part) -> None:
        super().__init__()
        self._stream, self._part = stream, part

    def write(self, store: Store) -> None:
        store.keep(self._stream, self._part)


class Writer:
    """Stores events in the order in which they are submitted, by a thread of its own.

    Args:
        store: The store. Nobody else may append to it.
        limit: So many events may wait to be stored.
        on_failure: Called once, by the thread of the writer, when the store has failed.
    """

    def __init__(
        self, store: Store, limit: int = 100_000, on_failure: Callable[[StoreFailed], None] | None = None
    ) -> None:
        self.limit = checks.count("Writer", "limit", limit)
        self.failed: StoreFailed | None = None
        """Why nothing is stored any more, or ``None``."""
        self.waiting = 0
        """The number of events that were submitted and are not stored yet."""
        self._store, self._on_failure = store, on_failure
        self._batches: deque[_Batch] = deque()
        self._changed = Condition()
        self._closing = False
        self._thread = Thread(target=self._run, name="belated journal", daemon=True)
        self._thread.start()

    def submit(self, events: Sequence[Event]) -> Future[None]:
        """Hand over events to be stored: all of them or none. It returns at once.

        Args:
            events: The events, in the order of their numbers within each stream. There may be none: then it is asked
                whether the store can still be written by this process, after everything that was submitted before.

        Returns:
            A future that is done when the events are durable, and the store was still this process's own after the
            call. It has StoreFailed otherwise, and may be shared with other submissions. It cannot be cancelled.

        Raises:
            StoreBusy: Too many events wait already. Nothing was accepted; try again later.
            StoreFailed: The store has failed, or the writer is closed. Nothing was accepted.
            InvalidArgument: The bodies have more than 256 MiB together. Nothing was accepted.
        """
        size = sum([len(event.body) for event in events])
        if size > SUBMISSION_BYTES:
            checks.refuse("submit", "events", len(events), f"must have at most {SUBMISSION_BYTES} bytes of bodies")
        with self._changed:
            self._check_open()
            if events and self.waiting and self.waiting + len(events) > self.limit:
                raise StoreBusy(
                    f"{self.waiting} events wait to be stored, and with {len(events)} more there would be more than "
                    f"{self.limit}. Nothing was accepted; try again later."
                )
            if not self._batches or self._batches[-1].full:
                self._batches.append(_Batch())
                self._changed.notify()
            self._batches[-1].add(events, size)
            self.waiting += len(events)
            return self._batches[-1].future

    def keep(self, stream: str, part: Part) -> Future[None]:
        """Keep a part of a snapshot when everything that was submitted before it is stored. It returns at once.

        Wait for each part before the next one, so that events are stored in between.

        Args:
            stream: The stream.
            part: The part.

        Returns:
            A future that is done when the part is kept. It has StoreFailed if that could not be done, which loses
            nothing; whether further events can be stored is for the store to say.

        Raises:
            StoreFailed: The store has failed, or the writer is closed.
        """
        with self._changed:
            self._check_open()
            self._batches.append(_Part(stream, part))
            self._changed.notify()
            return self._batches[-1].future

    @property
    def full(self) -> bool:
        """Whether so many events wait that the next ones would be refused."""
        return self.waiting >= self.limit

    def close(self) -> None:
        """Store what has been submitted, then stop. The store stays open; whoever opened it closes it."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if current_thread() is not self._thread:
            self._thread.join()

    def _check_open(self) -> None:
        if self.failed is not None:
            raise StoreFailed(*self.failed.args) from self.failed
        if self._closing:
            raise StoreFailed(f"the writer of {self._store.address} is closed. Nothing was accepted.")

    def _run(self) -> None:
        """The life of the thread."""
        while True:
            with self._changed:
                while not self._batches and not self._closing:
                    self._changed.wait()
                if not self._batches:
                    return
                batch = self._batches.popleft()
            try:
                batch.write(self._store)
            except BaseException as problem:  # whatever it is: nobody may wait for ever
                if isinstance(batch, _Part) and isinstance(problem, Exception):
                    batch.future.set_exception(problem)  # all events are there, so nothing is lost
                    continue
                self._fail(batch, problem)
                return
            with self._changed:
                self.waiting -= len(batch.events)
            batch.future.set_result(None)

    def _fail(self, batch: _Batch, problem: BaseException) -> None:
        """Refuse everything from now on, and tell everyone who waits."""
        failed = StoreFailed(f"the journal has stopped, because events could not be stored: {problem}")
        failed.__cause__ = problem
        with self._changed:
            self.failed = failed
            futures = [batch.future, *(each.future for each in self._batches)]
            self._batches.clear()
            self.waiting = 0
        for future in futures:
            future.set_exception(failed)
        if self._on_failure is not None:
            self._on_failure(failed)
