r"""Adaptive revision on the slots of a row: the learner :mod:`~.algorithms.adaptive_revision` in the whole space.

Its rates fall with the gradients that overtake each other. So each slot of a row that waits has a note: G, the sum of
the gradients that had come for this slot by the time of the prediction. When the label comes, with g the slope of the
loss times the value and b = G - note what has come in between,

.. math::

    z \leftarrow z + g^2 + 2 g b, \qquad z' \leftarrow \max(z', z), \qquad
    w \leftarrow w - \eta' g + (\eta - \eta') b, \qquad G \leftarrow G + g

with eta' = a / sqrt(z') and eta the same before z' was raised; z and z' begin at 1. A slot whose value is 0 has no
gradient, and nothing of it changes. The theory is for ``slopes="decision"``.

*If an assumed label was wrong*, the difference of the two gradients, at the margin of the assumption, is learned like
the gradient of a prediction that was made right after the assumption: b is then what has come since. G is then right.
The weight is not what it would be, had the real label been learned at once, since z counts two gradients for one.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.verbs import compilable
from belated.losses.prediction import link_slope
from belated.models.rows import Slots
from belated.models.verbs import adapt, amend, lane_margin, lanes, margins, notes, prepare, take_notes, value_at

WEIGHT, TOTAL, SQUARES, LARGEST = 0, 1, 2, 3
"""The lanes of a slot: w, G, z and z'."""


class RevisionStep(NamedTuple):
    """A rate for each slot that falls with the gradients that overtake each other, and revises earlier steps."""

    scale: float


def adaptive_revision(scale: float = 0.1) -> RevisionStep:
    """A step for models: adaptive revision (McMahan and Streeter 2014), which is made for late labels.

    Args:
        scale: a > 0: about as large as the largest weight.

    Returns:
        The step, for ``step=`` of a model.

    Raises:
        InvalidArgument: The number does not lie in [1e-50, 1e50].
    """
    return RevisionStep(checks.moderate("adaptive_revision", "scale", scale))


lanes.on(RevisionStep)(lambda step: 4)
notes.on(RevisionStep)(lambda step: 1)


@prepare.on(RevisionStep)
def prepare_revision(step: RevisionStep, table: Matrix, memory: Vector) -> None:
    """All weights are 0; z = z' = 1, as published."""
    table[:, SQUARES] = 1.0
    table[:, LARGEST] = 1.0


@margins.on(RevisionStep)
def revision_margins(
    step: RevisionStep, table: Matrix, memory: Vector, slots: Slots, values: Vector, out: Vector
) -> None:
    out[0] = lane_margin(table, WEIGHT, slots, values)


@take_notes.on(RevisionStep)
def note_totals(step: RevisionStep, table: Matrix, slots: Slots, out: Vector) -> None:
    """Write G of every slot."""
    for i in range(slots.size):
        out[i] = table[slots[i], TOTAL]


@compilable
def revise(step: RevisionStep, table: Matrix, slots: Slots, values: Vector, notes: Vector, slope: float) -> None:
    """Step, and revise, in every slot of a row. The order matters: first eta, then z and z', then w, and G last.

    A slot that the row has twice takes two steps, and what the first one adds is in b of the second. That is the same
    as one step by the sum of both gradients, as long as z' is not largest between the two.
    """
    for i in range(slots.size):
        lane, gradient = table[slots[i]], slope * value_at(values, i)
        between = float(lane[TOTAL]) - float(notes[i])
        eta = step.scale / math.sqrt(float(lane[LARGEST]))
        lane[SQUARES] += gradient * gradient + 2.0 * gradient * between
        lane[LARGEST] = max(float(lane[LARGEST]), float(lane[SQUARES]))
        after = step.scale / math.sqrt(float(lane[LARGEST]))
        lane[WEIGHT] += (eta - after) * between - after * gradient
        lane[TOTAL] += gradient


@adapt.on(RevisionStep)
def adapt_revision(
    step: RevisionStep,
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
    """Learn, and note G anew, in case that the label was an assumed one."""
    revise(step, table, slots, values, notes, weight * link_slope(link, float(now[0]), label))
    take_notes(step, table, slots, notes)


@amend.on(RevisionStep)
def amend_revision(
    step: RevisionStep,
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
    revise(step, table, slots, values, notes, weight * link_slope(link, float(then[0]), label) - wrong)
