r"""AdaGrad on the slots of a row: the learner :mod:`~.algorithms.adagrad` in the whole space, for rows that are short.

A slot whose value is 0 has no gradient, and AdaGrad leaves such coordinates alone, so only the slots of the row change:
S <- S + g^2, w <- w - a g / sqrt(S) with g the slope of the loss times the value.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.losses.prediction import link_slope
from belated.models.links import mean
from belated.models.rows import Slots
from belated.models.verbs import adapt, foresee, lanes, margins, prepare, value_at

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
    total = 0.0
    for i in range(slots.size):
        total += float(table[slots[i], WEIGHT]) * value_at(values, i)
    out[0] = total


@foresee.on(AdaGradStep)
def foresee_one(step: AdaGradStep, link: Any, memory: Vector, given: Vector) -> float:
    """What the only margin stands for."""
    return mean(link, float(given[0]))


@adapt.on(AdaGradStep)
def adapt_adagrad(
    step: AdaGradStep,
    link: Any,
    table: Matrix,
    memory: Vector,
    slots: Slots,
    values: Vector,
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
