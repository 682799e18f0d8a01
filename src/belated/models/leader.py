r"""Leaders: weights that are the sum of all gradients times one number, so that an event touches only its own slots.

.. math::

    w = -f Z, \qquad f = \min\Bigl(\frac{1}{\mu m_t + a_t},\; \frac{R}{\|Z\|}\Bigr)

======  ==============  =======================================================================================
symbol  code            meaning
======  ==============  =======================================================================================
Z       lane 0          the sum of the slopes of the labels received, times the values of their rows
mu m_t  ``bowl``        the curvature that is known by the t-th prediction: :mod:`~.parts.steps.leader`
a_t     ``weight``      how strongly weights are held at 0: a function of counts, :mod:`~.parts.rates.weights`
R       ``radius``      weights lie in the ball of this radius about 0; infinite for the whole space
======  ==============  =======================================================================================

This is the step of the learners :mod:`~.algorithms.dda` and :mod:`~.algorithms.composite_ftrl` from 0: a projection
onto a ball about 0 is a number, too, and the norm of Z follows the entries of Z that change. The memory holds the
counts of a ledger. Since f depends on how many labels are missing at the *next* prediction, it is computed anew after
every event, and a prediction finds it there.

*If an assumed label was wrong*, Z moves by the difference of the two gradients at the margin of the assumption. With
``slopes="decision"`` all of the state is then what it would be, had the real label been learned at the moment of the
assumption, to rounding; only what was predicted in between was predicted by other weights.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger, after_play
from belated.core.verbs import compilable
from belated.learners.parts.rates.weights import weigh
from belated.learners.parts.steps.leader import bend
from belated.losses.prediction import link_slope
from belated.models.rows import Slots
from belated.models.verbs import (
    adapt,
    amend,
    decide,
    lane_margin,
    lanes,
    lose,
    margins,
    memory_size,
    prepare,
    value_at,
)

MADE, RECEIVED, MISSING, PLAY_WEIGHT, NORM, SPENT, UPCOMING, FACTOR = range(8)
"""Places in the memory: the counts of a ledger; the square of the norm of Z; what the weight remembers, and what it
would remember after the next prediction; f of the next prediction."""

LARGEST_SQUARES = 1e300


class LeaderStep(NamedTuple):
    """Follow the regularised leader; symbols as in the module. A radius that is infinite stands for the whole space."""

    bowl: Any
    weight: Any
    radius: float


lanes.on(LeaderStep)(lambda step: 1)
memory_size.on(LeaderStep)(lambda step: 8)


@prepare.on(LeaderStep)
def prepare_leader(step: LeaderStep, table: Matrix, memory: Vector) -> None:
    """Nothing is received; f is that of the first prediction."""
    renew_factor(step, memory)


@compilable
def renew_factor(step: LeaderStep, memory: Vector) -> None:
    """Compute f of the next prediction from the counts."""
    made, received, missing = int(memory[MADE]), int(memory[RECEIVED]), int(memory[MISSING])
    upcoming = after_play(Ledger(made, 0, received, missing, 0, int(memory[PLAY_WEIGHT]), 0))
    memory[UPCOMING] = memory[SPENT]
    total = weigh(step.weight, memory[UPCOMING : UPCOMING + 1], upcoming) + bend(step.bowl, upcoming)
    norm = math.sqrt(float(memory[NORM]))
    memory[FACTOR] = 1.0 / total if norm <= step.radius * total else step.radius / norm


@compilable
def within_range(squares: float) -> float:
    """A sum of squares that rounding has not made negative, and that is finite whatever was added to it."""
    return max(squares, 0.0) if squares < LARGEST_SQUARES else LARGEST_SQUARES


@margins.on(LeaderStep)
def leader_margins(step: LeaderStep, table: Matrix, memory: Vector, slots: Slots, values: Vector, out: Vector) -> None:
    out[0] = -float(memory[FACTOR]) * lane_margin(table, 0, slots, values)


@decide.on(LeaderStep)
def decide_leader(step: LeaderStep, link: Any, memory: Vector, given: Vector) -> None:
    """Count the prediction, and what is missing now."""
    memory[PLAY_WEIGHT] += 1.0 + 2.0 * float(memory[MISSING])
    memory[MADE] += 1.0
    memory[MISSING] += 1.0
    memory[SPENT] = memory[UPCOMING]
    renew_factor(step, memory)


@lose.on(LeaderStep)
def lose_for_leader(step: LeaderStep, memory: Vector) -> None:
    memory[MISSING] -= 1.0
    renew_factor(step, memory)


@compilable
def add_slope(step: LeaderStep, table: Matrix, memory: Vector, slots: Slots, values: Vector, slope: float) -> None:
    """Add a slope times the values to Z, and compute f anew."""
    for i in range(slots.size):
        gradient = slope * value_at(values, i)
        memory[NORM] += gradient * (2.0 * float(table[slots[i], 0]) + gradient)
        table[slots[i], 0] += gradient
    memory[NORM] = within_range(float(memory[NORM]))
    renew_factor(step, memory)


@adapt.on(LeaderStep)
def adapt_leader(
    step: LeaderStep,
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
    memory[MISSING] -= 1.0
    add_slope(step, table, memory, slots, values, weight * link_slope(link, float(now[0]), label))


@amend.on(LeaderStep)
def amend_leader(
    step: LeaderStep,
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
    """Correct the sum; the label counts as received since it was assumed."""
    right = weight * link_slope(link, float(then[0]), label)
    add_slope(step, table, memory, slots, values, right - link_slope(link, float(then[0]), assumed))
