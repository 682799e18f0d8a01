"""What the loss of a round tells the learner: its gradient at the decision, or its values at the points.

A learner's :class:`~belated.learners.verbs.Shape` names the kind. The kinds are parts, so that the compiled loop of a
learner has the code for its own kind only.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from belated.core.arrays import Matrix, Vector
from belated.core.verbs import verb
from belated.learners.verbs import decision
from belated.losses.base import value, value_and_gradient


class Gradient(NamedTuple):
    """The gradient at the only point, which is the decision."""


class Values(NamedTuple):
    """The values at all points, in order."""


KINDS: Mapping[str, Any] = MappingProxyType({"gradient": Gradient(), "values": Values()})
"""Every kind of feedback, by the name that a shape gives it."""


@verb
def answer(  # type: ignore[empty-body]  # declarations have no body
    kind: Any,
    policy: Any,
    state: Any,
    loss: Any,
    row: Vector,
    points: Matrix,
    values: Vector,
    held: Vector,
    out: Vector,
) -> float:
    """Write the losses at ``points`` into ``values`` and the feedback into ``out``; the loss at the decision.

    ``held`` is room for the decision.
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
    held: Vector,
    out: Vector,
) -> float:
    """The point that was played is the decision."""
    values[0] = value_and_gradient(loss, row, points[0], out)
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
    held: Vector,
    out: Vector,
) -> float:
    """The decision itself need not be among the points."""
    for j in range(values.size):
        values[j] = value(loss, row, points[j])
        out[j] = values[j]
    decision(policy, state, held)
    return float(value(loss, row, held))
