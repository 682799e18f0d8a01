"""Durable players and predictors: the verbs of a player and of a predictor, for a learner that outlives its process.

They hold no state. Each call goes to the desk of the learner, by way of the store, which sees to it that nothing is
returned before it is stored.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.errors import OutsideRange
from belated.service.desk import ONLY, Desk, Outcome
from belated.service.names import checked_name


class Obeying(Protocol):
    """What lets a desk obey a command, and returns when everything that happened is stored."""

    def do(self, desk: Desk, command: Callable[[int], Outcome]) -> Outcome:
        """Let a desk obey a command, which is a function of the time."""


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


class Durable:
    """What a player and a predictor that outlive their process share."""

    def __init__(self, store: Obeying, desk: Desk) -> None:
        self._store, self._desk = store, desk

    def give_up(self, key: str) -> None:
        """Say that nothing will ever be told of a decision, and return when that is stored.

        Args:
            key: The key of the decision or prediction.

        Raises:
            UnknownDecision: There is no decision of this key.
            AlreadyAnswered: It was answered.
            StoreFailed: It could not be stored; open the store anew.
        """
        name = checked_name("give_up", "key", key)
        self._store.do(self._desk, lambda now: self._desk.give_up(name, now))

    def pause(self, fixed: ArrayLike | None = None) -> None:
        """Let every further decision be the same, and return when that is stored.

        What is told of decisions that are made meanwhile is recorded, and not learned. What is told of earlier ones is
        learned.

        Args:
            fixed: The point or the value that is decided from now on. By default it is the point that was played last;
                for a model it must be given.

        Raises:
            InvalidArgument: It cannot be decided, or the learner is archived.
            StoreFailed: It could not be stored; open the store anew.
        """
        plain = fixed.tolist() if isinstance(fixed, np.ndarray) else fixed
        self._store.do(self._desk, lambda now: self._desk.pause(plain, now))

    def resume(self) -> None:
        """Let the learner decide again after a pause, and return when that is stored.

        Raises:
            InvalidArgument: The learner is archived.
            StoreFailed: It could not be stored; open the store anew.
        """
        self._store.do(self._desk, self._desk.resume)

    def archive(self) -> None:
        """Make no further decisions, for ever, and return when that is stored. Open ones may still be told.

        Raises:
            StoreFailed: It could not be stored; open the store anew.
        """
        self._store.do(self._desk, self._desk.archive)

    def configure(self, **settings: Any) -> None:
        """Change settings, and return when that is stored. Deadlines of open decisions stay as they are.

        Args:
            **settings: Those that change, by name: see :class:`~belated.service.settings.Settings`.

        Raises:
            InvalidArgument: There is no such setting, it cannot have this value, or the learner is archived.
            StoreFailed: It could not be stored; open the store anew.
        """
        self._store.do(self._desk, lambda now: self._desk.configure(settings, now))


class DurablePlayer(Durable):
    """A learner that outlives its process. Made by ``store.create(name, learner)``, or ``store[name]``."""

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
            Whether it is new. False if the same was told before: it counts once. The first value that is outside of the
            range that was declared for the learner gives a warning, ``errors.OutsideRange``, and is learned.

        Raises:
            InvalidArgument: The feedback is not what it must be.
            UnknownDecision: There is no decision of this key.
            AlreadyAnswered: Something else was told before, or the decision was given up.
            StoreFailed: It could not be stored; open the store anew.
        """
        given = {"feedback": checks.real_array("tell", "feedback", feedback).tolist()}
        name = checked_name("tell", "key", key)
        found = self._store.do(self._desk, lambda now: self._desk.tell(name, given, now))
        if "warning" in found.reply and not self._desk.has_warned:
            self._desk.has_warned = True
            warnings.warn(f"{self._desk.life.name!r}: {found.reply['warning']}", OutsideRange, stacklevel=2)
        return not found.duplicate


class DurablePredictor(Durable):
    """A model that outlives its process. Made by ``store.create(name, model)``, or ``store[name]``."""

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
