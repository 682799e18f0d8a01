"""What the loss of a round tells the learner: its gradient at the decision, or its values at the points.

A learner's :class:`~belated.learners.verbs.Interface` names the kind. The kinds are parts, so that the compiled loop of
a learner has the code for its own kind only.
"""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from belated.core.arrays import Matrix, Vector
from belated.core.verbs import verb
from belated.learners import Learner
from belated.learners.verbs import Interface, adds_up, decision
from belated.losses.base import features, label, value, value_and_gradient
from belated.sim.delivery import AddedUp, OneByOne


class Gradient(NamedTuple):
    """The gradient at the only point, which is the decision, without what a known ``regulariser`` adds to it."""

    regulariser: float


class Values(NamedTuple):
    """The values at all points, in order."""


class Label(NamedTuple):
    """What the round's prediction is compared with, of size at most ``bound``."""

    bound: float


class NoContext(NamedTuple):
    """Nothing is known of a round before it is played."""


class Features(NamedTuple):
    """The features of the round are known."""

    size: int


class Cost(NamedTuple):
    """The losses of a round: the mean over the points that were played, and that at the decision."""

    played: float
    centre: float


class Exchange(NamedTuple):
    """What passes between the loss of a round and a learner: a context before, an answer after, and how that comes."""

    context: Any
    answer: Any
    delivery: Any


KINDS: Mapping[str, Callable[[Interface], Any]] = MappingProxyType(
    {
        "gradient": lambda interface: Gradient(interface.regulariser),
        "values": lambda interface: Values(),
        "label": lambda interface: Label(interface.label_bound),
    }
)
"""Every kind of feedback, by the name that an interface gives it."""


def exchange(learner: Learner) -> Exchange:
    """What a learner is given and told."""
    interface = learner.interface
    context = Features(interface.context_size) if interface.context_size else NoContext()
    delivery = AddedUp() if adds_up(learner.policy) else OneByOne()
    return Exchange(context, KINDS[interface.feedback](interface), delivery)


@verb
def introduce(context: Any, loss: Any, row: Vector, memo: Vector) -> None:
    """Write into the beginning of ``memo`` what is known of a round before it is played."""


@introduce.on(NoContext)
def introduce_nothing(context: NoContext, loss: Any, row: Vector, memo: Vector) -> None:
    """Do nothing: this learner is given no context."""


@introduce.on(Features)
def introduce_features(context: Features, loss: Any, row: Vector, memo: Vector) -> None:
    features(loss, row, memo[: context.size])


@verb
def answer(  # type: ignore[empty-body]  # declarations have no body
    kind: Any,
    policy: Any,
    state: Any,
    loss: Any,
    row: Vector,
    points: Matrix,
    decided: Vector,
    out: Vector,
) -> Cost:
    """Write the feedback into ``out`` and return the losses.

    ``decided`` is room for the decision.
    """


@answer.on(Gradient)
def answer_gradient(
    kind: Gradient,
    policy: Any,
    state: Any,
    loss: Any,
    row: Vector,
    points: Matrix,
    decided: Vector,
    out: Vector,
) -> Cost:
    """The point that was played is the decision."""
    suffered = float(value_and_gradient(loss, row, points[0], out))
    if kind.regulariser > 0.0:
        for i in range(out.size):
            out[i] -= kind.regulariser * points[0, i]
    return Cost(suffered, suffered)


@answer.on(Values)
def answer_values(
    kind: Values,
    policy: Any,
    state: Any,
    loss: Any,
    row: Vector,
    points: Matrix,
    decided: Vector,
    out: Vector,
) -> Cost:
    """The decision itself need not be among the points."""
    total = 0.0
    for j in range(points.shape[0]):
        out[j] = value(loss, row, points[j])
        total += float(out[j])
    decision(policy, state, decided)
    return Cost(total / points.shape[0], float(value(loss, row, decided)))


@answer.on(Label)
def answer_label(
    kind: Label,
    policy: Any,
    state: Any,
    loss: Any,
    row: Vector,
    points: Matrix,
    decided: Vector,
    out: Vector,
) -> Cost:
    """The point that was played is the decision; the label does not depend on it. A label out of bounds has no loss."""
    out[0] = label(loss, row)
    suffered = float(value(loss, row, points[0])) if abs(float(out[0])) <= kind.bound else math.nan
    return Cost(suffered, suffered)
