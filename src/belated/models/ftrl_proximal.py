r"""FTRL-Proximal on the slots of a row: the learner :mod:`~.algorithms.ftrl_proximal` in the whole space from 0.

Only Z and S are kept for a slot, and its weight is computed from them. With g the slope of the loss times the value,

.. math::

    S \leftarrow S + g^2, \qquad
    Z \leftarrow Z + g - \frac{\sqrt{S} - \sqrt{S_{\text{before}}}}{a} w, \qquad
    w = -\frac{a}{\beta + a \lambda_2 + \sqrt{S}} \operatorname{sign}(Z) \max(|Z| - \lambda_1, 0)

A slot whose value is 0 has no gradient, and nothing of it changes. This is Algorithm 1 of McMahan and others 2013.

*If an assumed label was wrong*, with gradients g of the assumed and g' of the real label at the margin of the
assumption, S <- S + g'^2 - g^2, and Z moves by g' - g and by the bowl of the new S about the present weight. S is then
right. Z is not what it would be, had the real label been learned at once: the bowls of the assumption and of labels in
between stand about weights that the wrong label had moved.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.verbs import compilable
from belated.losses.prediction import link_slope
from belated.models.rows import Slots
from belated.models.verbs import adapt, amend, lanes, margins, prepare, value_at

LINEAR, SQUARES = 0, 1
"""The lanes of a slot: Z and S."""


class ProximalStep(NamedTuple):
    """The leader that is held near all of its weights, with penalties; symbols as in the module."""

    scale: float
    beta: float
    l1: float
    l2: float


def ftrl_proximal(scale: float = 0.1, *, beta: float = 1.0, l1: float = 0.0, l2: float = 0.0) -> ProximalStep:
    """A step for models: FTRL-Proximal, with a rate for each slot and weights that are exactly 0 where little is known.

    Args:
        scale: The size of the steps, alpha elsewhere.
        beta: What the roots of the sums of squared slopes begin with; it makes the first steps shorter.
        l1: The weight of the penalty |w|_1, which makes weights exactly 0.
        l2: The weight of the penalty |w|^2 / 2.

    Returns:
        The step, for ``step=`` of a model.

    Raises:
        InvalidArgument: A number is neither in [1e-50, 1e50] nor a penalty of 0.
    """
    where = "ftrl_proximal"
    penalties = [
        0.0 if checks.not_negative(where, name, value) == 0.0 else checks.moderate(where, name, value)
        for name, value in (("l1", l1), ("l2", l2))
    ]
    return ProximalStep(checks.moderate(where, "scale", scale), checks.moderate(where, "beta", beta), *penalties)


lanes.on(ProximalStep)(lambda step: 2)


@prepare.on(ProximalStep)
def prepare_proximal(step: ProximalStep, table: Matrix, memory: Vector) -> None:
    """Z and S are 0."""


@compilable
def proximal_weight(step: ProximalStep, lane: Vector) -> float:
    """The weight of a slot."""
    size = max(abs(float(lane[LINEAR])) - step.l1, 0.0)
    pull = math.sqrt(float(lane[SQUARES])) + (step.beta + step.scale * step.l2)
    return -step.scale / pull * math.copysign(size, float(lane[LINEAR]))


@margins.on(ProximalStep)
def proximal_margins(
    step: ProximalStep, table: Matrix, memory: Vector, slots: Slots, values: Vector, out: Vector
) -> None:
    total = 0.0
    for i in range(slots.size):
        total += proximal_weight(step, table[slots[i]]) * value_at(values, i)
    out[0] = total


@compilable
def add_gradient(step: ProximalStep, lane: Vector, gradient: float, square: float) -> None:
    """Add a gradient to Z and a square to S, and the bowl that this means about the present weight."""
    held, before = proximal_weight(step, lane), math.sqrt(float(lane[SQUARES]))
    lane[SQUARES] = max(float(lane[SQUARES]) + square, 0.0)  # a square that is taken back may leave less, by rounding
    lane[LINEAR] += gradient - (math.sqrt(float(lane[SQUARES])) - before) / step.scale * held


@adapt.on(ProximalStep)
def adapt_proximal(
    step: ProximalStep,
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
        gradient = slope * value_at(values, i)
        add_gradient(step, table[slots[i]], gradient, gradient * gradient)


@amend.on(ProximalStep)
def amend_proximal(
    step: ProximalStep,
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
    wrong = link_slope(link, float(then[0]), assumed)
    right = weight * link_slope(link, float(then[0]), label)
    for i in range(slots.size):
        value = value_at(values, i)
        square = (right - wrong) * (right + wrong) * (value * value)
        add_gradient(step, table[slots[i]], (right - wrong) * value, square)
