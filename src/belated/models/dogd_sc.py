r"""DOGD-SC on the slots of a row: descent whose rate falls with the labels received, with a known regulariser.

The loss of every prediction is that of its margin plus (lambda / 2) \|w\|^2, which makes it strongly convex. The N-th
label to come makes one step, at the rate 1 / h of the learner :mod:`~.algorithms.dogd_sc`:

.. math::

    h = \tfrac{\lambda}{2} N, \qquad
    w \leftarrow \arg\min_{\|w'\| \le R} \langle g, w' \rangle + \tfrac{\lambda}{2} \|w'\|^2 + \tfrac{h}{2} \|w' - w\|^2
      = \Pi\Bigl(\frac{h w - g}{h + \lambda}\Bigr)

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g                               the slope of the loss of the margin, times the values
lambda  ``strong_convexity``    the curvature of the regulariser
R       ``radius``              weights lie in the ball of this radius about 0; infinite for the whole space
======  ======================  ====================================================================

There are two differences from the learner. The slope of the regulariser is taken where the step ends and not at the
weights of the prediction, which would have to be remembered whole; the first step would otherwise overshoot. And labels
make their steps one by one, also if several come between two predictions.

*In the time of one row.* All weights shrink with every label, so a weight is a number U of its slot times a number s of
the model, and a step changes s and the U of the row. Where s has become small it is multiplied by 2^300 and the *age*
of the model goes up by one; a slot has the age at which its U was written, and a U that is older counts 2^-300 as much
for each step of age. So no number ever leaves the range, and no table is ever gone through.

*If an assumed label was wrong*, the weights move by the difference of the two gradients, at the margin of the
assumption, as far as a gradient of this moment would move them, 1 / (h + lambda). That is not what they would be, had
the real label been learned at once: by now its gradient would count (k + 1) / (N + 1) as much, k being the number of
labels at the assumption.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.verbs import compilable
from belated.losses.prediction import link_slope
from belated.models.dual_averaging import checked_radius
from belated.models.leader import within_range
from belated.models.rows import Slots
from belated.models.verbs import adapt, amend, lanes, margins, memory_size, prepare, value_at

WEIGHT, AGE = 0, 1
"""The lanes of a slot: U, and the age of the model when it was written."""

RECEIVED, FACTOR, PRESENT, NORM = 0, 1, 2, 3
"""Places in the memory: N, s, the age of the model, and the square of the norm of the weights."""

SMALL = 2.0**-300
"""Where s is multiplied by its inverse."""


class StronglyConvexStep(NamedTuple):
    """Descent on a loss with a known regulariser; symbols as in the module."""

    strong_convexity: float
    radius: float


def dogd_sc(strong_convexity: float, *, radius: float | None = None) -> StronglyConvexStep:
    """A step for models: descent whose rate falls with the number of labels received, with a known regulariser.

    Args:
        strong_convexity: lambda > 0 of the part (lambda / 2) |w|^2 of the loss of every prediction.
        radius: The radius of the ball about 0 that weights are kept in; by default they may be anything.

    Returns:
        The step, for ``step=`` of a model.

    Raises:
        InvalidArgument: A number does not lie in [1e-50, 1e50].
    """
    curvature = checks.moderate("dogd_sc", "strong_convexity", strong_convexity)
    return StronglyConvexStep(curvature, checked_radius("dogd_sc", radius))


lanes.on(StronglyConvexStep)(lambda step: 2)
memory_size.on(StronglyConvexStep)(lambda step: 4)


@prepare.on(StronglyConvexStep)
def prepare_descent(step: StronglyConvexStep, table: Matrix, memory: Vector) -> None:
    """All weights are 0, and nothing has shrunk yet."""
    memory[FACTOR] = 1.0


@compilable
def stored(memory: Vector, lane: Vector) -> float:
    """U of a slot as if it were written now."""
    number = float(lane[WEIGHT])
    gap = float(memory[PRESENT]) - float(lane[AGE])
    while gap > 0.0 and number != 0.0:
        number *= SMALL
        gap -= 1.0
    return number


@margins.on(StronglyConvexStep)
def descent_margins(
    step: StronglyConvexStep, table: Matrix, memory: Vector, slots: Slots, values: Vector, out: Vector
) -> None:
    total = 0.0
    for i in range(slots.size):
        total += stored(memory, table[slots[i]]) * value_at(values, i)
    out[0] = float(memory[FACTOR]) * total


@compilable
def shrink(memory: Vector, by: float) -> None:
    """Multiply all weights by a number."""
    memory[NORM] *= by * by
    memory[FACTOR] *= by
    while 0.0 < memory[FACTOR] < SMALL:
        memory[FACTOR] /= SMALL
        memory[PRESENT] += 1.0


@compilable
def descend(
    step: StronglyConvexStep, table: Matrix, memory: Vector, slots: Slots, values: Vector, slope: float
) -> None:
    """Subtract a slope times the values from the weights, and pull them back into the ball."""
    factor = float(memory[FACTOR])
    for i in range(slots.size):
        lane = table[slots[i]]
        move, was = slope * value_at(values, i), stored(memory, lane)
        memory[NORM] += move * (move - 2.0 * factor * was)
        lane[WEIGHT] = was - move / factor
        lane[AGE] = memory[PRESENT]
    memory[NORM] = within_range(float(memory[NORM]))
    norm = math.sqrt(float(memory[NORM]))
    if norm > step.radius:
        shrink(memory, step.radius / norm)


@adapt.on(StronglyConvexStep)
def adapt_descent(
    step: StronglyConvexStep,
    link: Any,
    table: Matrix,
    memory: Vector,
    slots: Slots,
    values: Vector,
    notes: Vector,
    before: Vector,
    now: Vector,
    label: float,
    weight: float,
) -> None:
    memory[RECEIVED] += 1.0
    held = 0.5 * step.strong_convexity * float(memory[RECEIVED])
    total = held + step.strong_convexity
    shrink(memory, held / total)
    descend(step, table, memory, slots, values, weight * link_slope(link, float(now[0]), label) / total)


@amend.on(StronglyConvexStep)
def amend_descent(
    step: StronglyConvexStep,
    link: Any,
    table: Matrix,
    memory: Vector,
    slots: Slots,
    values: Vector,
    notes: Vector,
    before: Vector,
    then: Vector,
    assumed: float,
    label: float,
    weight: float,
) -> None:
    difference = weight * link_slope(link, float(then[0]), label) - link_slope(link, float(then[0]), assumed)
    total = step.strong_convexity * (0.5 * float(memory[RECEIVED]) + 1.0)
    descend(step, table, memory, slots, values, difference / total)
