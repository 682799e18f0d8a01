"""``open``: durable learners and models in one process, without a server.

A store has players and predictors by name. What is behind them is the engine (:mod:`belated.service.engine`).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.core.errors import Archived, BelatedError, NameTaken
from belated.journal.store import open_store
from belated.learners.learner import Learner
from belated.models.model import Model
from belated.service.desk import Outcome
from belated.service.durable import DurablePlayer, DurablePredictor
from belated.service.engine import Clock, Engine, wall_clock
from belated.service.names import checked_learner_name
from belated.service.opening import Progress, new_desk
from belated.service.ranges import Ranges, chosen
from belated.service.runs import Given
from belated.service.settings import checked_settings


class DurableStore(Engine):
    """Learners and models in one store. Made by :func:`belated.open`.

    Args:
        store: The journal.
        clock: What time it is, in microseconds.
        compiled: Whether every learner is compiled when it is opened or created, so that no call ever waits for the
            compiler. Otherwise those with a long life are.
        progress: Is called now and then while the store is opened, with the number of events that are done and of all.
    """

    def create(
        self,
        name: str,
        description: Learner | Model | Ranges,
        *,
        initial: ArrayLike | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> Any:
        """Begin the life of a learner or model, or go on with it if it is there already.

        Settings that are named are changed then, and the others stay as somebody has set them.

        Args:
            name: Its name in this store, 1 to 200 characters that can be printed; it has no slash in it, does not begin
                with ``#``, and is not ``.`` or ``..``.
            description: The learner or model; or :class:`~belated.service.Ranges`, for the recommended one.
            initial: The first decision of a learner, as ``learner.start`` takes it. One that goes on has made it.
            seed: The seed of a learner that plays at random, also from the beginning of its life.
            **settings: How long to wait, and how far it may go: see :class:`~belated.service.settings.Settings`.

        Returns:
            A :class:`DurablePlayer`, or a :class:`DurablePredictor` for a model.

        Raises:
            InvalidArgument: An argument is not what it must be.
            NameTaken: The name belongs to another learner.
            Archived: The learner of this name makes no further decisions.
            StoreFailed: It could not be stored; open the store anew.
        """
        description, start = chosen(description, {})
        if isinstance(description, Learner):
            start |= {"seed": seed} if initial is None else {"seed": seed, "initial": np.asarray(initial).tolist()}
        try:
            _, future = self.begin_creation(name, description, start, settings)
        except BelatedError:
            self.check_owner().result()  # the learner that is in the way may be gone where the store lives on
            raise
        future.result()
        return self[name]

    def begin_creation(
        self, name: str, description: Learner | Model, start: Given, settings: Given
    ) -> tuple[Outcome, Future[None]]:
        """Begin the life of a learner or model, or go on with it. Nobody may be told before the future is done.

        This may compile for seconds. Calls for other learners go on meanwhile, so let a thread of its own do it.

        Args:
            name: Its name in this store, 1 to 200 characters.
            description: The learner or model.
            start: How a learner starts: ``seed``, and ``initial`` and ``units`` as plain values if they are given.
            settings: Settings by name.

        Returns:
            The outcome, which is a duplicate if an equal one was there; of its settings those that are named are
            changed. And a future as of :meth:`begin`.

        Raises:
            InvalidArgument: An argument is not what it must be.
            NameTaken: The name belongs to another learner.
            StoreFailed: The store has failed before; open it anew.
        """
        checked_learner_name("create", "name", name)
        if name not in self._desks:
            desk = new_desk(self._store, name)
            found = desk.create(description, start, settings, self.clock())
            if self._compiled:
                desk.life.compile()
            with self._lock:
                if name not in self._desks:  # and nobody else has created it meanwhile
                    future = self._submit(desk.life.outbox)
                    desk.life.outbox.clear()
                    self._desks[name] = desk
                    return found, future
        known = self._desks[name]
        if known.life.description != description or known.life.start.get("units") != start.get("units"):
            raise NameTaken(f"`create(name={name!r})`: there is another learner of this name", "name")
        if known.life.archived:
            raise Archived(f"`create(name={name!r})`: the learner of this name is archived; take another name", "name")
        future, before = self.check_owner(), known.life.settings
        if checked_settings("create", {**before._asdict(), **settings}, description, start) != before:
            _, future = self.begin(known, lambda now: known.configure(settings, now))
        return Outcome({}, duplicate=True), future

    def __getitem__(self, name: str) -> Any:
        """The player or predictor of a name; KeyError if there is none, StoreFailed if the store was lost."""
        if name not in self._desks:
            self.check_owner().result()  # whoever has taken the store over may have created it
        desk = self._desks[name]
        return (DurablePredictor if isinstance(desk.life.description, Model) else DurablePlayer)(self, desk)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._desks))

    def __len__(self) -> int:
        return len(self._desks)

    @property
    def names(self) -> list[str]:
        """The names of all learners and models, sorted."""
        return sorted(self._desks)

    def __enter__(self) -> DurableStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open(  # it is called as belated.open
    address: str, clock: Clock = wall_clock, *, compiled: bool = False, progress: Progress | None = None
) -> DurableStore:
    """Open a store of durable learners and models.

    Args:
        address: ``"sqlite:///knob.db"``, ``"postgresql://..."``, or ``"memory://"`` to try things out.
        clock: What time it is, in microseconds since 1970; by default the clock of this machine.
        compiled: Whether to compile every learner when it is opened or created, so that no call ever waits for that.
            By default learners with a long life are compiled, and others when it is worth it.
        progress: Is called now and then while the store is opened: with the number of events that are done, and of all.

    Returns:
        The store, with everything that lives in it. Close it, or use it with ``with``.

    Raises:
        InvalidArgument: There is no such kind of store.
        StoreInUse: Another process has opened it.
        StoreFailed: It cannot be opened.
        StoreDamaged: It is not what was written.
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
        return DurableStore(store, clock, compiled=compiled, progress=progress)
    except BaseException:
        store.close()
        raise
