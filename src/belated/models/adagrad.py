r"""AdaGrad on the slots of a row: the learner :mod:`~.algorithms.adagrad` in the whole space, for rows that are short.

A slot whose value is 0 has no gradient, and AdaGrad leaves such coordinates alone, so only the slots of the row change:
S <- S + g^2, w <- w - a g / sqrt(S) with g the slope of the loss times the value.

*If an assumed label was wrong*, with gradients g of the assumed and g' of the real label at the margin of the
assumption: S <- S + g'^2 - g^2, which is then right, and w <- w - a (g' - g) / sqrt(S). The weight is not what it would
be, had the real label been learned at once: g was taken at the rate of its moment and is taken back at the present one,
and other labels that came in between were learned at weights and rates that the wrong one had moved.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.losses.prediction import link_slope
from belated.models.rows import Slots
from belated.models.verbs import adapt, amend, lane_margin, lanes, margins, prepare, value_at

WEIGHT, SQUARES = 0, 1
"""The lanes of a slot."""


class AdaGradStep(NamedTuple):
    """A rate for each slot that falls with the slopes seen there; ``offset`` is what the sums of squares begin with."""

    scale: float
    offset: float


def adagrad(scale: float = 0.1, *, eps: float = 1e-8) -> AdaGradStep:
    """A step for models: AdaGrad, with a rate for each slot.

    Args:
        scale: The size of the first steps.
        eps: What the sums of squared slopes begin with.

    Returns:
        The step, for ``step=`` of a model.

    Raises:
        InvalidArgument: A number does not lie in [1e-50, 1e50].
    """
    return AdaGradStep(checks.moderate("adagrad", "scale", scale), checks.moderate("adagrad", "eps", eps))


lanes.on(AdaGradStep)(lambda step: 2)


@prepare.on(AdaGradStep)
def prepare_adagrad(step: AdaGradStep, table: Matrix, memory: Vector) -> None:
    """All weights are 0, and nothing was squared."""
    table[:, SQUARES] = step.offset


@margins.on(AdaGradStep)
def adagrad_margins(
    step: AdaGradStep, table: Matrix, memory: Vector, slots: Slots, values: Vector, out: Vector
) -> None:
    out[0] = lane_margin(table, WEIGHT, slots, values)


@adapt.on(AdaGradStep)
def adapt_adagrad(
    step: AdaGradStep,
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
    slope = weight * link_slope(link, float(now[0]), label)
    for i in range(slots.size):
        lane = table[slots[i]]
        gradient = slope * value_at(values, i)
        lane[SQUARES] += gradient * gradient
        lane[WEIGHT] -= step.scale * gradient / math.sqrt(float(lane[SQUARES]))


@amend.on(AdaGradStep)
def amend_adagrad(
    step: AdaGradStep,
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
    """Put the right square into the sum, and move by the difference; rounding takes no sum below its offset."""
    wrong = link_slope(link, float(then[0]), assumed)
    right = weight * link_slope(link, float(then[0]), label)
    for i in range(slots.size):
        lane, value = table[slots[i]], value_at(values, i)
        raised = float(lane[SQUARES]) + (right - wrong) * (right + wrong) * (value * value)
        lane[SQUARES] = max(raised, step.offset)
        lane[WEIGHT] -= step.scale * (right - wrong) * value / math.sqrt(float(lane[SQUARES]))
