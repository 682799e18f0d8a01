r"""Mixed: several steps of any kinds side by side, averaged by what each of them had predicted. Hedge over models.

Every step keeps its own lanes and its own memory, and learns every label as if it were alone. The prediction is the
mean of theirs by their shares,

.. math::

    w_j \leftarrow \frac{w_j \exp(-\eta\, e_j)}{\sum_i w_i \exp(-\eta\, e_i)} \text{ for each label}, \qquad
    w \leftarrow (1 - c) w + \frac{c}{K} \text{ for each prediction}

======  ==============  ========================================================================================
symbol  code            meaning
======  ==============  ========================================================================================
e_j     ``evidence``    what the label says against what step j *had predicted*: :mod:`~.models.pushes`
eta     ``eta``         how much a label counts; with 1 and c = 0 the shares are the posterior probabilities
c       ``share``       the part of all shares that is dealt out evenly at each prediction
K                       how many steps there are
======  ==============  ========================================================================================

What step j had predicted is remembered as a margin, in front of the margins of the steps; if the step is itself a
mixture, that is the margin of its mean. Margins are kept with seven digits, as for all steps that have several, so with
``slopes="decision"`` a step in a mixture differs from the same step alone by that much.

Steps are joined two by two, so that their kinds are known to the compiler.

*If an assumed label was wrong*, each step corrects itself, and the shares are multiplied by exp(-eta times the
difference of the evidence). What differs from having learned the right label at once is what differs for the steps; and
shares that were dealt out in between were those of the wrong label.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.models.pairs import Pair, blend, pair, speak
from belated.models.pushes import STATISTICS, evidence, note_label, replace_label
from belated.models.rows import Slots
from belated.models.shares import deal, reweigh
from belated.models.verbs import (
    Step,
    adapt,
    amend,
    decide,
    foresee,
    lanes,
    lose,
    margin_count,
    margins,
    memory_size,
    notes,
    prepare,
    take_notes,
)

MOST_STEPS = 8


class Mixed(NamedTuple):
    """Steps that are averaged by their shares; ``number`` is how many they are, the rest as in the module."""

    steps: Step
    number: int
    eta: float
    share: float


def mixed(steps: Sequence[Step], *, eta: float = 1.0, share: float = 0.01) -> Mixed:
    """A step for models: several steps side by side, of any kinds, averaged by what each had predicted.

    Args:
        steps: One to eight steps for models.
        eta: How much a label counts for the shares, > 0.
        share: The part of all shares that is dealt out evenly at each prediction, from 0 to 1.

    Returns:
        The step, for ``step=`` of a model.

    Raises:
        InvalidArgument: One of the steps is none, there are too many, or a number is out of its range.
    """
    where = "mixed"
    if not isinstance(steps, tuple | list) or hasattr(steps, "_fields") or not 1 <= len(steps) <= MOST_STEPS:
        checks.refuse(where, "steps", steps, f"must be a list of 1 to {MOST_STEPS} steps")
    for step in steps:
        if not adapt.knows(step) or isinstance(step, Pair):
            checks.refuse(where, "steps", step, "must be a step for models, such as two_speeds() or adagrad(0.1)")
    joined = reduce(lambda rest, first: pair(first, rest), reversed(steps))
    size, part = checks.moderate(where, "eta", eta), checks.probability(where, "share", share)
    return Mixed(joined, len(steps), size, part)


def parts_of(step: Step) -> tuple[Step, ...]:
    """The steps that a step is made of, at any depth of mixtures; itself if it is no mixture."""
    if isinstance(step, Mixed):
        return parts_of(step.steps)
    return (*parts_of(step.first), *parts_of(step.rest)) if isinstance(step, Pair) else (step,)


@lanes.on(Mixed)
def mixed_lanes(step: Mixed) -> int:
    return lanes(step.steps)


@notes.on(Mixed)
def mixed_notes(step: Mixed) -> int:
    return notes(step.steps)


@margin_count.on(Mixed)
def mixed_margins(step: Mixed) -> int:
    """What each step has predicted, then the margins of the steps."""
    return step.number + margin_count(step.steps)


@memory_size.on(Mixed)
def mixed_memory(step: Mixed) -> int:
    """What is known of the labels, then the shares, then the memories of the steps."""
    return STATISTICS + step.number + memory_size(step.steps)


@prepare.on(Mixed)
def prepare_mixed(step: Mixed, table: Matrix, memory: Vector) -> None:
    """All shares are equal, and the steps are as they are alone."""
    memory[STATISTICS : STATISTICS + step.number] = 1.0 / step.number
    prepare(step.steps, table, memory[STATISTICS + step.number :])


@margins.on(Mixed)
def margins_of_mixed(step: Mixed, table: Matrix, memory: Vector, slots: Slots, values: Vector, out: Vector) -> None:
    """Write the margins of the steps; what they predict is known when the prediction is noted."""
    for j in range(step.number):
        out[j] = 0.0
    margins(step.steps, table, memory[STATISTICS + step.number :], slots, values, out[step.number :])


@take_notes.on(Mixed)
def take_mixed_notes(step: Mixed, table: Matrix, slots: Slots, out: Vector) -> None:
    take_notes(step.steps, table, slots, out)


@decide.on(Mixed)
def decide_mixed(step: Mixed, link: Any, memory: Vector, given: Vector) -> None:
    """Deal out a little of all shares evenly, and remember what each step predicts."""
    inner, own = memory[STATISTICS + step.number :], given[step.number :]
    deal(memory[STATISTICS : STATISTICS + step.number], step.share)
    decide(step.steps, link, inner, own)
    speak(step.steps, link, inner, own, given)


@lose.on(Mixed)
def lose_for_mixed(step: Mixed, memory: Vector) -> None:
    lose(step.steps, memory[STATISTICS + step.number :])


@foresee.on(Mixed)
def foresee_mixed(step: Mixed, link: Any, memory: Vector, given: Vector) -> float:
    """The mean of what the steps predict, by their shares."""
    inner, shares = memory[STATISTICS + step.number :], memory[STATISTICS : STATISTICS + step.number]
    return blend(step.steps, link, inner, given[step.number :], shares)


@adapt.on(Mixed)
def adapt_mixed(
    step: Mixed,
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
    """Let every step learn, and multiply the shares. ``now`` becomes the evidence."""
    number, labels, inner = step.number, memory[:STATISTICS], memory[STATISTICS + step.number :]
    note_label(link, labels, label, foresee(step, link, memory, before))
    adapt(step.steps, link, table, inner, slots, values, notes, before[number:], now[number:], label, weight)
    for j in range(number):
        now[j] = step.eta * weight * evidence(link, labels, float(before[j]), label)
    reweigh(memory[STATISTICS : STATISTICS + number], now)


@amend.on(Mixed)
def amend_mixed(
    step: Mixed,
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
    """Let every step correct itself, and the shares. ``then`` becomes the differences of the evidence."""
    number, labels, inner = step.number, memory[:STATISTICS], memory[STATISTICS + step.number :]
    replace_label(link, labels, assumed, label, foresee(step, link, memory, before))
    own = then[number:]
    amend(step.steps, link, table, inner, slots, values, notes, before[number:], own, assumed, label, weight)
    for j in range(number):
        margin = float(before[j])
        wrong = evidence(link, labels, margin, assumed)
        then[j] = step.eta * (weight * evidence(link, labels, margin, label) - wrong)
    reweigh(memory[STATISTICS : STATISTICS + number], then)
