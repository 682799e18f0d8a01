"""The engine: all desks of a store and the writer behind them. What a command does is stored before anybody is told.

Each command is decided at its desk, its events are handed to the writer, and whoever gave it is told when they are
stored. Threads may share an engine: what they ask for at the same time is stored together, so the disk is synced once
for many of them.

If events cannot be stored, memory is ahead of the journal, and nobody can tell by how much. Nothing is answered any
more then; the store must be opened anew.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from itertools import chain
from threading import Event as Signal
from threading import Lock
from typing import Any

from belated.core import checks
from belated.core.errors import BelatedError, NumericalFailure, StoreBusy, StoreFailed
from belated.journal.events import Event
from belated.journal.store import Part, Store
from belated.journal.writer import Writer
from belated.service.decisions import RECENT
from belated.service.desk import Desk, Outcome
from belated.service.names import RESERVED, is_reserved
from belated.service.opening import Progress, opened_desk, opened_desks
from belated.service.snapshots import captured, pieces

Clock = Callable[[], int]

log = logging.getLogger("belated.service")

BEHIND = 2.0
"""A clock that is so many seconds behind the last event is worth a line in the log. Deadlines are looked at every
second, so nobody notices less; and clocks that are kept right by NTP jump by less than that."""

EVERY, FEW = 100_000, 2_000
"""After so many events of a learner a snapshot is kept, and when the store is closed after so many."""


PART = 128 * 1024
"""Bytes of a snapshot that are stored at once, which takes about as long as to store some events."""

PAUSE = 0.002
"""Seconds between two pieces of a snapshot, each of which takes half a millisecond at most if nobody else works."""


def wall_clock() -> int:
    """The time of this machine's clock, in microseconds since 1970."""
    return time.time_ns() // 1000


class Engine:
    """The desks of one store; the arguments are those of :class:`~belated.service.door.DurableStore`."""

    def __init__(
        self, store: Store, clock: Clock = wall_clock, *, compiled: bool = False, progress: Progress | None = None
    ) -> None:
        self._store, self.clock, self._lock, self._compiled = store, clock, Lock(), compiled
        self._desks = opened_desks(store, compiled, progress)
        self._reserved_at = max((store.end(name).at for name in store.streams() if is_reserved(name)), default=0)
        self._is_behind = False
        self._watch_clock()
        self._writer = Writer(store, limit=RECENT // 2)  # so what is not stored yet is in memory
        self._snapshots, self._closing = ThreadPoolExecutor(1, "belated snapshots"), Signal()

    @property
    def journal(self) -> Store:
        """The journal. Nobody else may append to it; :meth:`submit` does."""
        return self._store

    @property
    def failed(self) -> StoreFailed | None:
        """Why nothing is stored any more, or ``None``."""
        return self._writer.failed

    @property
    def busy(self) -> bool:
        """Whether so many events wait to be stored that the next call would wait for them."""
        return self._writer.full

    @property
    def clock_behind(self) -> float:
        """By how many seconds the clock is behind the last event in the store; 0.0 if it is not.

        Until it has caught up, every event has the time of the last one before it in its stream.
        """
        last = max([self._reserved_at, *(desk.life.end.at for desk in list(self._desks.values()))])
        return max(0, last - self.clock()) / 1e6

    def desk(self, name: str) -> Desk:
        """The desk of a learner, for whoever gives commands by :meth:`begin`.

        Args:
            name: The name of the learner.

        Returns:
            Its desk.

        Raises:
            KeyError: There is no learner of this name.
        """
        return self._desks[name]

    def do(self, desk: Desk, command: Callable[[int], Outcome]) -> Outcome:
        """Let a desk obey a command, and return when everything that happened is stored.

        Args:
            desk: The desk.
            command: The command, a function of the time.

        Returns:
            What came of it.

        Raises:
            StoreFailed: It could not be stored, or another process has taken the store over; open the store anew.
        """
        try:
            found = self.decide(desk, command)
        finally:
            self.hand_over([desk]).result()  # a refusal, too, is only true if the store is still this process's own
        if desk.life.end.number - desk.life.kept >= EVERY:
            self._begin_snapshot(desk)
        return found

    def begin(self, desk: Desk, command: Callable[[int], Outcome]) -> tuple[Outcome, Future[None]]:
        """Let a desk obey a command. Nobody may be told of what came of it before the future is done.

        Args:
            desk: The desk.
            command: The command, a function of the time.

        Returns:
            What came of it, and a future that is done when everything that happened is stored. The future has
            StoreFailed if that cannot be done. It may be shared, and cannot be cancelled.

        Raises:
            StoreFailed: The store has failed before; open it anew.
        """
        try:
            found = self.decide(desk, command)
        finally:
            future = self.hand_over([desk])  # also if the command was refused: time may have passed
        return found, future

    def decide(self, desk: Desk, command: Callable[[int], Outcome]) -> Outcome:
        """Let a desk obey a command in memory only. Whoever calls it sees to :meth:`hand_over`, however it ends.

        Args:
            desk: The desk.
            command: The command, a function of the time.

        Returns:
            What came of it, of which nobody may be told before it is stored.
        """
        with self._lock:
            return command(self.clock())

    def hand_over(self, desks: Iterable[Desk]) -> Future[None]:
        """Hand everything that has happened at some desks to the writer, which may have to store others first.

        Args:
            desks: The desks.

        Returns:
            A future that is done when all of it is stored, and everything before it. If nothing has happened, it is
            asked whether this process may still write the store.

        Raises:
            StoreFailed: The store has failed before; open it anew.
        """
        with self._lock:
            outboxes = [desk.life.outbox for desk in desks]
            events = list(chain.from_iterable(outboxes))
            future = self._submit(events)
            for outbox in outboxes:
                outbox.clear()
            return future

    def renew(self, name: str) -> None:
        """Let a learner that was interrupted in the middle of a call live through its events again, and go on.

        Until then it refuses everything, so that no event can be missed. A learner that was not interrupted goes on as
        it is. Players and predictors that were taken before stay refused: take them anew.

        Args:
            name: The name of the learner.

        Raises:
            KeyError: There is no learner of this name.
            StoreFailed: The store has failed; open it anew.
            StateMismatch: Its events do not come out as they were recorded.
        """
        broken = self._desks[name]
        if not broken.life.is_interrupted:
            return
        self.hand_over([broken]).result()
        again = opened_desk(self._store, name, self._compiled)
        with self._lock:
            if self._desks[name] is broken:  # and nobody else has renewed it meanwhile
                self._desks[name] = again

    def submit(self, events: Sequence[Event]) -> Future[None]:
        """Store events of a stream with a reserved name, one that begins with ``#`` and is no learner.

        Args:
            events: The events, as :func:`belated.journal.chained` makes them.

        Returns:
            A future as of :meth:`begin`.

        Raises:
            InvalidArgument: One of them belongs to a learner, or they are too large.
            StoreFailed: The store has failed before; open it anew.
        """
        for event in events:
            if not is_reserved(event.stream):
                checks.refuse("submit", "events", event.stream, f"must be of streams that begin with {RESERVED}")
        self._reserved_at = max([self._reserved_at, *(event.at for event in events)])
        return self._submit(events)  # whoever made them has taken their numbers, so they must not be refused

    def check_owner(self) -> Future[None]:
        """Look whether this process may still write the store, or another one has taken it over.

        Returns:
            A future as of :meth:`begin`; it has StoreFailed if the store is lost.

        Raises:
            StoreFailed: The store has failed before; open it anew.
        """
        return self._writer.submit([])

    def tick(self) -> Future[None] | None:
        """Let decisions time out whose deadline has passed, which otherwise happens at the next call for a learner.

        Returns:
            A future as of :meth:`begin` if something was due, else ``None``.

        Raises:
            StoreFailed: The store has failed before; open it anew.
        """
        self._watch_clock()
        now, future = self.clock(), None
        for desk in list(self._desks.values()):
            due = desk.life.due
            if due and due[0][0] < max(now, desk.life.end.at):
                try:
                    future = self.begin(desk, desk.tick)[1]
                except BelatedError:  # a learner that was interrupted, or cannot go on; the others can
                    if self.failed is not None:
                        raise
        return future

    def keep_snapshots(self, every: int = EVERY) -> int:
        """Keep snapshots of learners that have lived through many events since the last one.

        A store with snapshots opens in less time. A thread makes them bit by bit from what is the case now, and lets
        calls go first. If it fails nothing is lost.

        Args:
            every: So many events make a snapshot worth it.

        Returns:
            The number of snapshots that were begun.
        """
        made = 0
        for desk in list(self._desks.values()):
            if desk.life.end.number - desk.life.kept >= every:
                made += self._begin_snapshot(desk)
        return made

    def close(self) -> None:
        """Store what is left, keep snapshots, and let go of the store; doing it twice does no harm."""
        self._closing.set()
        self.keep_snapshots(FEW)
        self._snapshots.shutdown()
        self._writer.close()
        self._store.close()

    def _watch_clock(self) -> None:
        """Write a line into the log when the clock falls behind the last event, and another when it has caught up."""
        behind = self.clock_behind
        if behind >= BEHIND and not self._is_behind:
            log.warning(
                "The clock of this machine is %s (hours, minutes, seconds) behind the last event in the store. Until "
                "it has caught up, all events of a learner have the same time: ages, delays and rates are wrong, and "
                "decisions time out late. Set the clock, for instance by NTP. If it is right already, it was ahead "
                "before, and only waiting helps.",
                timedelta(seconds=round(behind)),
            )
        elif behind == 0.0 and self._is_behind:
            log.warning("The clock of this machine has caught up with the last event in the store.")
        else:
            return
        self._is_behind = not self._is_behind

    def _submit(self, events: Sequence[Event]) -> Future[None]:
        """Hand events to the writer, when it has stored so many others that there is room."""
        while True:
            try:
                return self._writer.submit(events)
            except StoreBusy:
                self.check_owner().result()

    def _begin_snapshot(self, desk: Desk) -> bool:
        life = desk.life
        with self._lock:
            if not life.is_whole:
                return False
            life.kept = life.end.number  # also if it fails, so that it is not tried again at once
            try:
                contents, stored = captured(life), self._writer.submit([])
            except (NumericalFailure, StoreFailed):  # nobody could go on from it, or nothing is stored any more
                return False
            try:
                self._snapshots.submit(self._keep_snapshot, life.name, life.kept, contents, stored)
            except RuntimeError:  # it was closed before
                return False
        return True

    def _keep_snapshot(self, name: str, number: int, contents: Mapping[str, Any], stored: Future[None]) -> None:
        """Keep a snapshot when all its events are stored, part by part, with pauses in which others do their work."""
        waiting, place = bytearray(), 0
        with suppress(StoreFailed):  # the events are there, or whoever waits for them is told
            stored.result()
            for piece in pieces(contents):
                waiting += piece
                self._closing.wait(PAUSE)
                while len(waiting) > PART:
                    self._writer.keep(name, Part(number, place, bytes(waiting[:PART]), False)).result()
                    place += 1
                    del waiting[:PART]
            self._writer.keep(name, Part(number, place, bytes(waiting), True)).result()
