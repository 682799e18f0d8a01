"""``open``: durable learners and models in one process, without a server.

Each call decides in memory, hands the events to the writer, and returns when they are stored. Threads may share it all:
what they ask for at the same time is stored together, so the disk is synced once for many of them.

If events cannot be stored, memory is ahead of the journal, and nobody can tell by how much. Nothing is answered any
more then; the store must be opened anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from threading import Lock
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.core.errors import InvalidArgument, StoreBusy
from belated.journal.store import Store, open_store
from belated.journal.writer import Writer
from belated.learners.learner import Learner
from belated.models.model import Model
from belated.service.decisions import RECENT
from belated.service.desk import Desk, Outcome
from belated.service.durable import DurablePlayer, DurablePredictor
from belated.service.names import checked_name
from belated.service.ranges import Ranges, chosen
from belated.service.settings import Settings, checked_settings

Clock = Callable[[], int]


def wall_clock() -> int:
    """The time of this machine's clock, in microseconds since 1970."""
    return time.time_ns() // 1000


class DurableStore:
    """Learners and models in one store. Made by :func:`belated.open`.

    Args:
        store: The journal.
        clock: What time it is, in microseconds.
    """

    def __init__(self, store: Store, clock: Clock = wall_clock) -> None:
        self._store, self._clock, self._lock = store, clock, Lock()
        self._desks: dict[str, Desk] = {}
        for name in store.streams():
            desk = self._desk(name)
            for event in store.read(name):
                desk.life.replay(event)
            self._desks[name] = desk
        self._writer = Writer(store, limit=RECENT // 2)  # so what is not stored yet is in memory

    def create(
        self,
        name: str,
        description: Learner | Model | Ranges,
        *,
        initial: ArrayLike | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> Any:
        """Begin the life of a learner or model, or go on with it if it is there already, with these settings.

        Args:
            name: Its name in this store, 1 to 200 characters.
            description: The learner or model; or :class:`~belated.service.Ranges`, for the recommended one.
            initial: The first decision of a learner, as ``learner.start`` takes it. One that goes on has made it.
            seed: The seed of a learner that plays at random, also from the beginning of its life.
            **settings: How long to wait, and how far it may go: see :class:`~belated.service.settings.Settings`.

        Returns:
            A :class:`DurablePlayer`, or a :class:`DurablePredictor` for a model.

        Raises:
            InvalidArgument: An argument is not what it must be, or the name belongs to another learner.
            StoreFailed: It could not be stored; open the store anew.
        """
        checked_name("create", "name", name)
        description, start = chosen(description, {})
        if isinstance(description, Learner):
            start |= {"seed": seed} if initial is None else {"seed": seed, "initial": np.asarray(initial).tolist()}
        with self._lock:
            known = self._desks.get(name)
            if known is None:
                desk = self._desk(name)
                desk.create(description, start, settings, self._clock())
                future = self._hand_over(desk)
                self._desks[name] = desk
        if known is None:
            future.result()
        elif known.life.description != description or known.life.start.get("units") != start.get("units"):
            raise InvalidArgument(f"`create(name={name!r})`: there is another learner of this name", "name")
        elif checked_settings("create", settings, description, start) != known.life.settings:
            self.do(known, lambda now: known.configure({**Settings()._asdict(), **settings}, now))
        return self[name]

    def __getitem__(self, name: str) -> Any:
        """The player or predictor of a name; KeyError if there is none."""
        desk = self._desks[name]
        return (DurablePredictor if isinstance(desk.life.description, Model) else DurablePlayer)(self, desk)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._desks))

    def __len__(self) -> int:
        return len(self._desks)

    def do(self, desk: Desk, command: Callable[[int], Outcome]) -> Outcome:
        """Let a desk obey a command, and return when everything that happened is stored.

        Args:
            desk: The desk.
            command: The command, a function of the time.

        Returns:
            What came of it.

        Raises:
            StoreFailed: It could not be stored; open the store anew.
        """
        found, future = self.begin(desk, command)
        future.result()
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
        with self._lock:
            try:
                found = command(self._clock())
            finally:
                future = self._hand_over(desk)  # also if the command was refused: time may have passed
        return found, future

    def close(self) -> None:
        """Store what is left, and let go of the store; doing it twice does no harm."""
        self._writer.close()
        self._store.close()

    def __enter__(self) -> DurableStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _desk(self, name: str) -> Desk:
        return Desk(name, lambda decision: self._store.find(name, decision))

    def _hand_over(self, desk: Desk) -> Future[None]:
        """Hand the outbox to the writer, which may have to store others first."""
        outbox = desk.life.outbox
        while True:
            try:
                future = self._writer.submit(outbox)
            except StoreBusy:
                self._writer.submit([]).result()
                continue
            outbox.clear()
            return future


def open(address: str, clock: Clock = wall_clock) -> DurableStore:  # it is called as belated.open
    """Open a store of durable learners and models.

    Args:
        address: ``"sqlite:///knob.db"``, ``"postgresql://..."``, or ``"memory://"`` to try things out.
        clock: What time it is, in microseconds since 1970; by default the clock of this machine.

    Returns:
        The store, with everything that lives in it. Close it, or use it with ``with``.

    Raises:
        InvalidArgument: There is no such kind of store.
        StoreInUse: Another process has opened it.
        StoreFailed: It cannot be opened.
        StateMismatch: Its events do not come out as they were recorded.

    Example:
        >>> import belated as bl
        >>> store = bl.open("memory://")
        >>> knob = store.create("price", bl.dogd_sc(bl.Ball(2), strong_convexity=2.0))
        >>> play = knob.ask(key="monday")
        >>> knob.tell([0.5, -0.5], key="monday")
        True
        >>> knob.tell([0.5, -0.5], key="monday")
        False
        >>> knob.ask(key="monday").repeated
        True
    """
    store = open_store(address)
    try:
        return DurableStore(store, clock)
    except BaseException:
        store.close()
        raise
