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
from belated.learners.verbs import Interface, decision
from belated.losses.base import features, label, value, value_and_gradient


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


class Exchange(NamedTuple):
    """What passes between the loss of a round and a learner: a context before, an answer after."""

    context: Any
    answer: Any


KINDS: Mapping[str, Callable[[Interface], Any]] = MappingProxyType(
    {
        "gradient": lambda interface: Gradient(interface.regulariser),
        "values": lambda interface: Values(),
        "label": lambda interface: Label(interface.label_bound),
    }
)
"""Every kind of feedback, by the name that an interface gives it."""


def exchange(interface: Interface) -> Exchange:
    """What a learner of this interface is given and told."""
    context = Features(interface.context_size) if interface.context_size else NoContext()
    return Exchange(context, KINDS[interface.feedback](interface))


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
    values: Vector,
    decided: Vector,
    out: Vector,
) -> float:
    """Write the losses at ``points`` into ``values`` and the feedback into ``out``; the loss at the decision.

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
    values: Vector,
    decided: Vector,
    out: Vector,
) -> float:
    """The point that was played is the decision."""
    values[0] = value_and_gradient(loss, row, points[0], out)
    if kind.regulariser > 0.0:
        for i in range(out.size):
            out[i] -= kind.regulariser * points[0, i]
    return float(values[0])


@answer.on(Values)
def answer_values(
    kind: Values,
    policy: Any,
    state: Any,
    loss: Any,
    row: Vector,
    points: Matrix,
    values: Vector,
    decided: Vector,
    out: Vector,
) -> float:
    """The decision itself need not be among the points."""
    for j in range(values.size):
        values[j] = value(loss, row, points[j])
        out[j] = values[j]
    decision(policy, state, decided)
    return float(value(loss, row, decided))


@answer.on(Label)
def answer_label(
    kind: Label,
    policy: Any,
    state: Any,
    loss: Any,
    row: Vector,
    points: Matrix,
    values: Vector,
    decided: Vector,
    out: Vector,
) -> float:
    """The point that was played is the decision; the label does not depend on it. A label out of bounds has no loss."""
    out[0] = label(loss, row)
    values[0] = value(loss, row, points[0])
    return float(values[0]) if abs(float(out[0])) <= kind.bound else math.nan
