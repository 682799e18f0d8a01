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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument, StoreBusy
from belated.journal.store import Store, open_store
from belated.journal.writer import Writer
from belated.learners.learner import Learner
from belated.models.model import Model
from belated.service.decisions import RECENT
from belated.service.desk import ONLY, Desk, Outcome
from belated.service.names import checked_name

Clock = Callable[[], int]


def wall_clock() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


class DurablePlay(NamedTuple):
    """A decision that is stored: its key, its points, one for each row, and whether it had been made before."""

    key: str
    points: Matrix
    repeated: bool

    @property
    def point(self) -> Vector:
        """The first point, which is the only one for most learners."""
        first: Vector = self.points[0]
        return first


class DurablePrediction(NamedTuple):
    """A prediction that is stored: its key, its value, and whether it had been made before."""

    key: str
    value: float
    repeated: bool


class DurablePlayer:
    """A learner that outlives its process. Made by ``store.create(name, learner)``, or ``store[name]``."""

    def __init__(self, store: DurableStore, desk: Desk) -> None:
        self._store, self._desk = store, desk

    def ask(self, context: ArrayLike | None = None, *, key: str | None = None) -> DurablePlay:
        """Make a decision, and return when it is stored.

        Args:
            context: What is known of the decision beforehand, for learners that use it.
            key: Your own id of the decision. Asking again with it returns the same decision. By default a new one.

        Returns:
            The decision.

        Raises:
            InvalidArgument: An argument is not what it must be.
            AlreadyAnswered: This key was asked before with another context.
            StoreFailed: It could not be stored; open the store anew.
        """
        given = {} if context is None else {"context": np.asarray(context, dtype=float).tolist()}
        name = None if key is None else checked_name("ask", "key", key)
        found = self._store.do(self._desk, lambda now: self._desk.ask(name, given, now))
        return DurablePlay(found.reply["decision"], np.array(found.reply["points"]), found.duplicate)

    def tell(self, feedback: ArrayLike, *, key: str) -> bool:
        """Hand over what came of a decision, and return when it is stored.

        Args:
            feedback: A gradient, values, or a label, as the learner takes it.
            key: The key of the decision.

        Returns:
            Whether it is new. False if the same was told before: it counts once.

        Raises:
            InvalidArgument: The feedback is not what it must be.
            UnknownDecision: There is no decision of this key.
            AlreadyAnswered: Something else was told before, or the decision was given up.
            StoreFailed: It could not be stored; open the store anew.
        """
        given = {"feedback": checks.real_array("tell", "feedback", feedback).tolist()}
        name = checked_name("tell", "key", key)
        return not self._store.do(self._desk, lambda now: self._desk.tell(name, given, now)).duplicate

    def give_up(self, key: str) -> None:
        """Say that nothing will ever be told of a decision; as :meth:`DurablePlayer.tell` otherwise.

        Args:
            key: The key of the decision.

        Raises:
            UnknownDecision: There is no decision of this key.
            AlreadyAnswered: It was answered.
            StoreFailed: It could not be stored; open the store anew.
        """
        name = checked_name("give_up", "key", key)
        self._store.do(self._desk, lambda now: self._desk.give_up(name, now))


class DurablePredictor:
    """A model that outlives its process. Made by ``store.create(name, model)``, or ``store[name]``."""

    def __init__(self, store: DurableStore, desk: Desk) -> None:
        self._store, self._desk = store, desk

    def predict(self, features: Any, key: str | None = None) -> DurablePrediction:
        """Predict the label of an example, and return when the prediction is stored.

        Args:
            features: The example, as the model takes it; plain values, or an array.
            key: Your own id of the example. Predicting again with it returns the same prediction.

        Returns:
            The prediction.

        Raises:
            InvalidArgument: An argument is not what it must be.
            AlreadyAnswered: This key was predicted before with other features.
            StoreFailed: It could not be stored; open the store anew.
        """
        given = {"features": features.tolist() if isinstance(features, np.ndarray) else features}
        name = None if key is None else checked_name("predict", "key", key)
        found = self._store.do(self._desk, lambda now: self._desk.ask(name, given, now))
        return DurablePrediction(found.reply["decision"], found.reply["value"], found.duplicate)

    def learn(self, key: str, label: Any, *, weight: float = 1.0, report: str = ONLY) -> bool:
        """Hand over the label of an example, and return when it is stored.

        Args:
            key: The key of the prediction.
            label: The label.
            weight: How much the event counts.
            report: An id of this report, for models that take several reports on one prediction.

        Returns:
            Whether it is new. False if the same was told before: it counts once.

        Raises:
            InvalidArgument: An argument is not what it must be.
            UnknownDecision: There is no prediction of this key.
            AlreadyAnswered: Something else was told before, or the prediction was given up.
            StoreFailed: It could not be stored; open the store anew.
        """
        given = {"label": label, **({} if weight == 1.0 else {"weight": weight})}
        name, which = checked_name("learn", "key", key), checked_name("learn", "report", report)
        return not self._store.do(self._desk, lambda now: self._desk.tell(name, given, now, which)).duplicate

    def give_up(self, key: str) -> None:
        """Say that no label will ever come for a prediction; as :meth:`DurablePredictor.learn` otherwise.

        Args:
            key: The key of the prediction.

        Raises:
            UnknownDecision: There is no prediction of this key.
            AlreadyAnswered: It was answered.
            StoreFailed: It could not be stored; open the store anew.
        """
        name = checked_name("give_up", "key", key)
        self._store.do(self._desk, lambda now: self._desk.give_up(name, now))


class DurableStore:
    """Learners and models in one store. Made by :func:`open_durable`, which is ``belated.open``.

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
        description: Learner | Model,
        *,
        initial: ArrayLike | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> Any:
        """Begin the life of a learner or model, or go on with it if it is there already.

        Args:
            name: Its name in this store, 1 to 200 characters.
            description: The learner or model.
            initial: The first decision of a learner, as ``learner.start`` takes it.
            seed: The seed of a learner that plays at random.
            **settings: How long to wait, and how far it may go: see :class:`~belated.service.settings.Settings`.

        Returns:
            A :class:`DurablePlayer`, or a :class:`DurablePredictor` for a model.

        Raises:
            InvalidArgument: An argument is not what it must be, or the name belongs to another learner.
            StoreFailed: It could not be stored; open the store anew.
        """
        checked_name("create", "name", name)
        start: dict[str, Any] = {}
        if isinstance(description, Learner):
            start = {"seed": seed} if initial is None else {"seed": seed, "initial": np.asarray(initial).tolist()}
        with self._lock:
            known = self._desks.get(name)
            if known is None:
                desk = self._desk(name)
                desk.create(description, start, settings, self._clock())
                future = self._hand_over(desk)
                self._desks[name] = desk
        if known is not None:
            if known.life.description != description:
                raise InvalidArgument(f"`create(name={name!r})`: there is another learner of this name", "name")
            return self[name]
        future.result()
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
        with self._lock:
            try:
                found = command(self._clock())
            finally:
                future = self._hand_over(desk)  # also if the command was refused: time may have passed
        future.result()
        return found

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


def open_durable(address: str, clock: Clock = wall_clock) -> DurableStore:
    """Open a store of durable learners and models; ``belated.open``.

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
        >>> store = open_durable("memory://")
        >>> knob = store.create("price", bl.dogd_sc(bl.Ball(2), strong_convexity=2.0))
        >>> play = knob.ask(key="monday")
        >>> knob.tell([0.5, -0.5], key="monday")
        True
        >>> knob.tell([0.5, -0.5], key="monday")
        False
        >>> knob.ask(key="monday").repeated
        True
    """
    return DurableStore(open_store(address), clock)
