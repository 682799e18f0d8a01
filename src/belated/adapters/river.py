"""Models of belated as estimators of river.

river hands over the features twice, ``predict_one(x)`` at the question and ``learn_one(x, y)`` at the answer, and no
key. :mod:`belated.adapters.linking` says how a label finds its prediction, and what is lost where it does not. In
``evaluate.progressive_val_score`` with a ``delay`` every label finds it, and predictions are those of a predictor that
is fed with the same events. Behind a transformer that learns, such as ``StandardScaler``, features are others at the
answer than they were at the question, so each label is learned without its prediction. Models scale numbers by
themselves; they need no transformer before them.
"""

from __future__ import annotations

from typing import Any

from belated.adapters.linking import Linked
from belated.core import checks
from belated.models.features import Named
from belated.models.model import Model
from belated.models.named import logistic, squared

try:
    from river import base
except ModuleNotFoundError as missing:
    if missing.name != "river":
        raise
    raise ModuleNotFoundError("river is missing; to install it: pip install 'belated[river]'", name="river") from None

BITS = 18
"""Tables of default models have 2^18 slots, which take 16 megabytes."""

REMEMBERED = 100_000
"""So many predictions wait for their labels by default."""


class Classifier(base.Classifier):
    """A classifier of river: the probability of ``True``, learned from labels that come late.

    Args:
        model: A model of :func:`belated.models.logistic` with named features, labels 0 and 1, and without a horizon; by
            default ``logistic(bits=18)``.
        remembered: How many predictions may wait for their labels. Beyond that the oldest is given up, and its label is
            learned as one whose features were never asked. Take more than come in the longest delay.

    Raises:
        InvalidArgument: An argument is not what it must be.

    Example:
        >>> from river import evaluate, metrics
        >>> visits = [({"page": "home" if i % 3 else "offer", "hour": i % 24}, i % 3 == 0) for i in range(300)]
        >>> evaluate.progressive_val_score(visits, Classifier(), metrics.ROCAUC(), delay=20)
        ROCAUC: ...%
    """

    def __init__(self, model: Model | None = None, remembered: int = REMEMBERED) -> None:
        self.model = _checked_model("Classifier", model, ("logistic",))
        self.remembered = checks.count("Classifier", "remembered", remembered)
        self._linked: Linked | None = None

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn a label, as the late label of the oldest open prediction for these features, if there is one.

        Args:
            x: The features, as they were when the prediction was asked for.
            y: The label: True or False, 1 or 0.
            w: How much the event counts, > 0.

        Raises:
            InvalidArgument: An argument is not what it must be; nothing has changed then.
        """
        self._run().learn("Classifier.learn_one", x, y, w)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probabilities of False and True; the features are remembered until their label comes.

        Args:
            x: The features: texts, truth values, numbers or None, by name.
            **kwargs: Ignored; river passes on here what a data set has besides features and labels.

        Returns:
            The two probabilities, by label.

        Raises:
            InvalidArgument: A feature is not what it must be.
        """
        probability = self._run().ask("Classifier.predict_proba_one", x)
        return {False: 1.0 - probability, True: probability}

    def _run(self) -> Linked:
        """The run, which is started when it is first needed: a clone that is never used takes no memory."""
        if self._linked is None:
            self._linked = Linked(self.model or logistic(bits=BITS), self.remembered)
        return self._linked


class Regressor(base.Regressor):
    """A regressor of river: a number, learned from labels that come late.

    Args:
        model: A model of :func:`belated.models.squared` or :func:`belated.models.poisson` with named features and
            without a horizon; by default ``squared(bits=18)``.
        remembered: As for :class:`Classifier`.

    Raises:
        InvalidArgument: An argument is not what it must be.
    """

    def __init__(self, model: Model | None = None, remembered: int = REMEMBERED) -> None:
        self.model = _checked_model("Regressor", model, ("squared", "poisson"))
        self.remembered = checks.count("Regressor", "remembered", remembered)
        self._linked: Linked | None = None

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn a label, as the late label of the oldest open prediction for these features, if there is one.

        Args:
            x: The features, as they were when the prediction was asked for.
            y: The label, a number.
            w: How much the event counts, > 0.

        Raises:
            InvalidArgument: An argument is not what it must be; nothing has changed then.
        """
        self._run().learn("Regressor.learn_one", x, y, w)

    def predict_one(self, x: dict[Any, Any]) -> float:
        """The number that is forecast; the features are remembered until their label comes.

        Args:
            x: The features: texts, truth values, numbers or None, by name.

        Returns:
            The forecast.

        Raises:
            InvalidArgument: A feature is not what it must be.
        """
        return self._run().ask("Regressor.predict_one", x)

    def _run(self) -> Linked:
        """The run, which is started when it is first needed: a clone that is never used takes no memory."""
        if self._linked is None:
            self._linked = Linked(self.model or squared(bits=BITS), self.remembered)
        return self._linked


def _checked_model(where: str, model: Any, kinds: tuple[str, ...]) -> Model | None:
    if model is None:
        return None
    wanted = " or ".join(f"bl.models.{kind}(...)" for kind in kinds)
    if not isinstance(model, Model) or model.name not in kinds:
        checks.refuse(where, "model", model, f"must be {wanted}, or None")
    if not isinstance(model.features, Named):
        checks.refuse(where, "model", model, "must have named features, as examples of river have")
    if model.labels == "-1/1":
        checks.refuse(where, "model", model, "must have labels='0/1', as labels of river are truth values")
    if model.waiting.horizon > 0.0:
        checks.refuse(where, "model", model, "must have no horizon, since river does not say what time it is")
    return model
