"""The named models: what an engineer starts with.

All of them take the same arguments; they differ in the link, that is, in the kind of labels and in how a prediction is
held against one.
"""

from __future__ import annotations

from typing import Any

from belated.core import checks
from belated.losses.logistic import Logistic
from belated.losses.squared_error import SquaredError
from belated.losses.squared_hinge import SquaredHinge
from belated.models.features import Named, Recipe, checked_recipe
from belated.models.labels import READERS
from belated.models.links import Link, PoissonCount
from belated.models.mixed import parts_of
from belated.models.model import Model
from belated.models.pairs import Pair
from belated.models.two_speeds import two_speeds
from belated.models.verbs import Step, adapt, amend
from belated.models.waiting import checked_waiting

SLOPES = ("arrival", "decision")


def logistic(
    features: Recipe | None = None,
    *,
    bits: int | None = None,
    step: Step = None,
    labels: str = "0/1",
    slopes: str = "arrival",
    horizon: float | None = None,
    while_waiting: str = "nothing",
    assumed: Any = None,
    outcomes: str = "first",
    wait: float | None = None,
) -> Model:
    """A model of probabilities: will this click lead to a purchase, will this flight be late?

    Args:
        features: How examples become rows: ``Named(...)``, ``Sparse(dim)`` or ``Dense(dim)``. By default features are
            named.
        bits: Short for ``Named(bits=bits)``; without both, 20.
        step: How the model learns; by default ``two_speeds()``, which needs no tuning.
        labels: What is told: ``"0/1"``, also for truth values, or ``"-1/1"``.
        slopes: ``"arrival"`` takes slopes at the weights of the moment in which a label comes, ``"decision"`` at those
            of the prediction. The theory of delayed feedback covers the second; on streams that drift the first is
            better.
        horizon: So long after its prediction, in the unit of ``at``, a label that has not come is the ``assumed`` one.
        while_waiting: ``"nothing"`` learns labels as they come, ``"hold"`` all of them at their deadline. ``"assume"``
            learns the assumed label soon, and corrects it if another one comes.
        assumed: The label that no answer stands for; by default the smallest: 0, or -1 for labels ``"-1/1"``.
        outcomes: What becomes of several labels told for one prediction until its deadline: ``"first"``, or with
            ``"hold"`` ``"last"``; ``squared`` and ``poisson`` also take ``"sum"`` and ``"mean"``.
        wait: So long after its prediction, in the unit of ``at``, the label is assumed; of ``"assume"`` only, 0 by
            default: before the next prediction.

    Returns:
        The model; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is not what it must be.

    Example:
        >>> predictor = logistic(bits=18).start()
        >>> prediction = predictor.predict({"hour": 17, "carrier": "UA"}, key="flight-1")
        >>> prediction.value                            # nothing has been learned yet
        0.5
        >>> predictor.learn("flight-1", 1)              # whenever it comes
        True
        >>> predictor.look({"hour": 17, "carrier": "UA"}) > 0.5
        True
    """
    waits = (horizon, while_waiting, assumed, outcomes, wait)
    return _model("logistic", Logistic(1), CLASSES, features, bits, step, labels, slopes, waits)


def squared_hinge(
    features: Recipe | None = None,
    *,
    bits: int | None = None,
    step: Step = None,
    labels: str = "0/1",
    slopes: str = "arrival",
    horizon: float | None = None,
    while_waiting: str = "nothing",
    assumed: Any = None,
    outcomes: str = "first",
    wait: float | None = None,
) -> Model:
    """A model of two classes without probabilities: the sign of a prediction is the class.

    Args:
        features: As for :func:`logistic`.
        bits: As for :func:`logistic`.
        step: As for :func:`logistic`.
        labels: As for :func:`logistic`.
        slopes: As for :func:`logistic`.
        horizon: As for :func:`logistic`.
        while_waiting: As for :func:`logistic`.
        assumed: As for :func:`logistic`.
        outcomes: As for :func:`logistic`.
        wait: As for :func:`logistic`.

    Returns:
        The model; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is not what it must be.
    """
    waits = (horizon, while_waiting, assumed, outcomes, wait)
    return _model("squared_hinge", SquaredHinge(1), CLASSES, features, bits, step, labels, slopes, waits)


def squared(
    features: Recipe | None = None,
    *,
    bits: int | None = None,
    step: Step = None,
    slopes: str = "arrival",
    horizon: float | None = None,
    while_waiting: str = "nothing",
    assumed: Any = None,
    outcomes: str = "first",
    wait: float | None = None,
) -> Model:
    """A model of numbers, by squared error: how many minutes late, how much will be sold?

    Args:
        features: As for :func:`logistic`.
        bits: As for :func:`logistic`.
        step: As for :func:`logistic`.
        slopes: As for :func:`logistic`.
        horizon: As for :func:`logistic`.
        while_waiting: As for :func:`logistic`.
        assumed: As for :func:`logistic`.
        outcomes: As for :func:`logistic`.
        wait: As for :func:`logistic`.

    Returns:
        The model; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is not what it must be.
    """
    waits = (horizon, while_waiting, assumed, outcomes, wait)
    return _model("squared", SquaredError(1), ("number",), features, bits, step, "number", slopes, waits)


def poisson(
    features: Recipe | None = None,
    *,
    bits: int | None = None,
    step: Step = None,
    slopes: str = "arrival",
    horizon: float | None = None,
    while_waiting: str = "nothing",
    assumed: Any = None,
    outcomes: str = "first",
    wait: float | None = None,
) -> Model:
    """A model of counts: how many clicks, visits or claims?

    Args:
        features: As for :func:`logistic`.
        bits: As for :func:`logistic`.
        step: As for :func:`logistic`.
        slopes: As for :func:`logistic`.
        horizon: As for :func:`logistic`.
        while_waiting: As for :func:`logistic`.
        assumed: As for :func:`logistic`.
        outcomes: As for :func:`logistic`.
        wait: As for :func:`logistic`.

    Returns:
        The model; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is not what it must be.
    """
    waits = (horizon, while_waiting, assumed, outcomes, wait)
    return _model("poisson", PoissonCount(), ("count",), features, bits, step, "count", slopes, waits)


EVERY = (logistic, squared_hinge, squared, poisson)
"""All named models; contract tests run over them."""

CLASSES = ("0/1", "-1/1")
"""The labels of models of two classes."""


def _model(
    name: str,
    link: Link,
    kinds: tuple[str, ...],
    features: Any,
    bits: Any,
    step: Any,
    labels: Any,
    slopes: Any,
    waits: tuple[Any, Any, Any, Any, Any],
) -> Model:
    if features is not None and bits is not None:
        checks.refuse(name, "bits", bits, "must not be given together with features, which say it themselves")
    recipe = Named(bits=20 if bits is None else bits) if features is None else checked_recipe(name, features)
    if labels not in kinds:
        checks.refuse(name, "labels", labels, f"must be one of {', '.join(map(repr, kinds))}")
    if slopes not in SLOPES:
        checks.refuse(name, "slopes", slopes, f"must be one of {', '.join(map(repr, SLOPES))}")
    chosen = two_speeds() if step is None else step
    if not adapt.knows(chosen) or isinstance(chosen, Pair):
        checks.refuse(name, "step", step, "must be a step for models, such as two_speeds() or adagrad(0.1)")
    horizon, way, assumed, outcomes, wait = waits
    no_answer = (-1 if labels == "-1/1" else 0) if assumed is None else assumed
    waiting = checked_waiting(name, way, horizon, READERS[labels](name, "assumed", no_answer), outcomes, wait)
    if waiting.outcomes in ("sum", "mean") and labels in CLASSES:
        checks.refuse(name, "outcomes", outcomes, "needs labels that are numbers: a sum of classes is no class")
    if waiting.way == "assume" and not all(amend.knows(each) for each in parts_of(chosen)):
        checks.refuse(name, "step", step, "cannot correct a label that was assumed: it has no `amend`")
    return Model(name, link, recipe, chosen, labels, slopes, waiting)
