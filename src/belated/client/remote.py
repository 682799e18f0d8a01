"""Players and predictors behind HTTP: the verbs that they have in process, and those of an operator.

They hold no state but their name. Each verb is written once: ``Client`` returns what it says, and ``AsyncClient``
something to await that gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.client import calls, forms
from belated.client.courier import Courier
from belated.client.effects import Script
from belated.core import checks
from belated.service.names import checked_name

Run = Callable[[Script[Any]], Any]
"""Runs a script: a driver."""


class Remote:
    """What a player and a predictor behind HTTP share."""

    def __init__(self, name: str, courier: Courier, run: Run) -> None:
        self.name, self._courier, self._run = checked_name("client", "name", name), courier, run

    def give_up(self, key: str) -> Any:
        """Say that nothing will ever be told of a decision.

        Args:
            key: The key of the decision or prediction.

        Returns:
            Nothing.

        Raises:
            UnknownDecision: There is no decision of this key.
            AlreadyAnswered: It was answered.
            ServiceAway: The service cannot be reached, and the client has no spool.
        """
        values = {"decision": checked_name("give_up", "key", key)}
        return self._run(_nothing(self._courier.report(self.name, calls.GIVE_UP, values)))

    def summary(self) -> Any:
        """Everything that the service says about this learner or model, as plain values.

        Returns:
            A mapping, with ``asked``, ``answered``, ``pending``, ``settings`` and others.

        Raises:
            UnknownLearner: There is none of this name; also a KeyError.
        """
        return self._run(self._courier.simple(calls.described(self.name, calls.itself)))

    def configure(self, **settings: Any) -> Any:
        """Change settings; those that are not named stay as they are.

        Args:
            **settings: See :class:`~belated.service.settings.Settings`.

        Returns:
            What the service then says about it.

        Raises:
            InvalidArgument: A setting is not what it must be.
        """
        return self._order("configure", {"settings": settings})

    def pause(self, fixed: Any = None) -> Any:
        """Let every ask have the same answer, until ``resume``.

        Args:
            fixed: A point, or a value for a model. By default what was decided last; a model must be given one.

        Returns:
            What the service then says about it.

        Raises:
            InvalidArgument: It cannot be decided.
        """
        return self._order("pause", {} if fixed is None else {"fixed": calls.plain(fixed)})

    def resume(self) -> Any:
        """Let the learner decide again.

        Returns:
            What the service then says about it.
        """
        return self._order("resume", {})

    def archive(self) -> Any:
        """Make no further decisions. What comes of those that are open may still be told.

        Returns:
            What the service then says about it.
        """
        return self._order("archive", {})

    def _order(self, verb: str, values: dict[str, Any]) -> Any:
        return self._run(self._courier.simple(calls.ordered(self.name, verb, values)))


class RemotePlayer(Remote):
    """A learner behind HTTP: ``client.create(...)``, ``client[name]``, or ``client.player(name)`` without a request."""

    def ask(
        self,
        context: ArrayLike | None = None,
        *,
        key: str | None = None,
        fallback: ArrayLike | None = None,
        within: float | None = None,
    ) -> Any:
        """Make a decision.

        Args:
            context: What is known of the decision beforehand, for learners that use it.
            key: Your own id of the decision. Asking again with it returns the same decision. By default a new one.
            fallback: The point to return if the service makes no decision in time. What is told of it is ignored.
            within: So many seconds are in time. By default as long as the client tries.

        Returns:
            A :class:`RemotePlay`.

        Raises:
            InvalidArgument: An argument is not what it must be.
            AlreadyAnswered: This key was asked before with another context.
            UnknownLearner: There is no learner of this name; also a KeyError.
            ServiceAway: The service makes no decision in time, and there is no fallback.
        """
        other = None if fallback is None else {"points": np.atleast_2d(forms.finite("fallback", fallback)).tolist()}
        return self._run(self._courier.decide(self.name, forms.asked(context), key, other, within, forms.play))

    def ask_many(self, contexts: Sequence[ArrayLike | None] | int, *, keys: Sequence[str] | None = None) -> Any:
        """Make many decisions, with a request for each thousand of them.

        Args:
            contexts: A context for each decision, or only how many there are to be.
            keys: Your own ids of the decisions.

        Returns:
            A list of :class:`RemotePlay`.

        Raises:
            SomeRefused: Some were refused; ``replies`` has the decisions, with errors in the places of others.
            ServiceAway: The service cannot be reached.
        """
        asked = [None] * checks.count("ask_many", "contexts", contexts) if isinstance(contexts, int) else contexts
        given = [forms.asked(context) for context in asked]
        return self._run(_all(self._courier.decide_at_once(self.name, given, keys, forms.play)))

    def tell(self, feedback: ArrayLike, *, key: str) -> Any:
        """Hand over what came of a decision.

        Args:
            feedback: A gradient, values, or a label, as the learner takes it.
            key: The key of the decision.

        Returns:
            A :class:`Receipt`, which is true if the report is new.

        Raises:
            InvalidArgument: The feedback is not what it must be.
            UnknownDecision: There is no decision of this key.
            AlreadyAnswered: Something else was told before, or the decision was given up.
            ServiceAway: The service cannot be reached, and the client has no spool.
        """
        return self._run(self._courier.report(self.name, calls.TELL, forms.told(key, feedback)))

    def tell_many(self, reports: Iterable[tuple[str, ArrayLike]]) -> Any:
        """Hand over what came of many decisions, with a request for each thousand of them.

        Args:
            reports: Pairs of a key and the feedback.

        Returns:
            A list of :class:`Receipt`.

        Raises:
            SomeRefused: Some were refused; ``replies`` has the receipts, with errors in the places of others.
            ServiceAway: The service cannot be reached, and the client has no spool.
        """
        tells = [forms.told(key, feedback) for key, feedback in reports]
        return self._run(_all(self._courier.report_at_once(self.name, tells)))


class RemotePredictor(Remote):
    """A model behind HTTP: ``client.create(...)``, ``client[name]``, or, without a request, ``client.predictor``."""

    def predict(
        self,
        features: Any,
        key: str | None = None,
        *,
        fallback: float | None = None,
        within: float | None = None,
    ) -> Any:
        """Predict the label of an example.

        Args:
            features: The example, as the model takes it; plain values, or an array.
            key: Your own id of the example. Predicting again with it returns the same prediction.
            fallback: The value to return if the service makes no prediction in time. Its label is not learned.
            within: So many seconds are in time. By default as long as the client tries.

        Returns:
            A :class:`RemotePrediction`.

        Raises:
            InvalidArgument: An argument is not what it must be.
            AlreadyAnswered: This key was predicted before with other features.
            UnknownLearner: There is no model of this name; also a KeyError.
            ServiceAway: The service makes no prediction in time, and there is no fallback.
        """
        other = None if fallback is None else {"value": checks.number("predict", "fallback", fallback)}
        given = {"features": calls.plain(features)}
        return self._run(self._courier.decide(self.name, given, key, other, within, forms.prediction))

    def predict_many(self, examples: Iterable[Any], keys: Sequence[str] | None = None) -> Any:
        """Predict the labels of many examples, with a request for each thousand of them.

        Args:
            examples: The examples.
            keys: Your own ids of them.

        Returns:
            A list of :class:`RemotePrediction`.

        Raises:
            SomeRefused: Some were refused; ``replies`` has the predictions, with errors in the places of others.
            ServiceAway: The service cannot be reached.
        """
        given = [{"features": calls.plain(features)} for features in examples]
        return self._run(_all(self._courier.decide_at_once(self.name, given, keys, forms.prediction)))

    def learn(self, key: str, label: Any, *, weight: float = 1.0, report: str = calls.FIRST_REPORT) -> Any:
        """Hand over the label of an example.

        Args:
            key: The key of the prediction.
            label: The label.
            weight: How much the event counts.
            report: An id of this report, for models that take several reports on one prediction.

        Returns:
            A :class:`Receipt`, which is true if the report is new.

        Raises:
            InvalidArgument: An argument is not what it must be.
            UnknownDecision: There is no prediction of this key.
            AlreadyAnswered: Something else was told before, or the prediction was given up.
            ServiceAway: The service cannot be reached, and the client has no spool.
        """
        return self._run(self._courier.report(self.name, calls.TELL, forms.learned(key, label, weight, report)))

    def learn_many(
        self, labels: Iterable[tuple[str, Any]], *, weight: float = 1.0, report: str = calls.FIRST_REPORT
    ) -> Any:
        """Hand over the labels of many examples, with a request for each thousand of them.

        Args:
            labels: Pairs of a key and its label.
            weight: How much each of them counts.
            report: An id of the report on each of them.

        Returns:
            A list of :class:`Receipt`.

        Raises:
            SomeRefused: Some were refused; ``replies`` has the receipts, with errors in the places of others.
            ServiceAway: The service cannot be reached, and the client has no spool.
        """
        tells = [forms.learned(key, label, weight, report) for key, label in labels]
        return self._run(_all(self._courier.report_at_once(self.name, tells)))


def _all(script: Script[list[Any]]) -> Script[list[Any]]:
    replies = yield from script
    return calls.all_or_some(replies)


def _nothing(script: Script[Any]) -> Script[None]:
    yield from script
