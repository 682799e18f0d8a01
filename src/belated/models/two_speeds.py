r"""Two speeds: the default step of models, a mixture of experts that each have a slow and a fast weight for every slot.

Expert k predicts by the margin m_k = o + sum_i (s_{k,i} + f_{k,i}) v_i over the entries i of a row with values v, where
o is the origin (:mod:`~.models.pushes`), 0 for two classes. When the
label comes, the pushes (:mod:`~.models.pushes`) are taken at the present weights: p_k at the whole margin of expert k,
q_k at the margin of its slow weights alone. With X = sum_i v_i^2 and the unit u of the labels,

.. math::

    G_i &\leftarrow G_i + \Bigl(\sum_k w_k p_k v_i\Bigr)^2 \\
    s_{k,i} &\leftarrow s_{k,i} - a_k\, u\, \frac{v_i}{X} \frac{q_k}{\sqrt{G_i}} \\
    f_{k,i} &\leftarrow (1 - \ell) f_{k,i} - b\, u\, \frac{v_i}{X}\, p_k

======  =============  ==========================================================================================
symbol  code           meaning
======  =============  ==========================================================================================
a_k     ``slow``       the rates of the slow weights, one for each expert: 0.3, 1 and 3
b       ``fast``       the rate of the fast weights: 0.2
ell     ``leak``       what a fast weight loses each time its slot is learned: 0.02, so it remembers some fifty events
G_i     lane 0         10 and the sum of the squared pushes of the mixture, as in AdaGrad; all experts share it
w_k     memory         the shares of the experts, by which their predictions are averaged
======  =============  ==========================================================================================

The shares are the posterior probabilities of the experts: each late label multiplies w_k by exp(-evidence) of the
margin that expert k had *at the prediction*, and each new prediction mixes them, w <- (1 - c) w + c / K, with c =
``share`` = 0.01, so that an expert which is behind can come back.

*If an assumed label was wrong*, the weights move by the differences of the pushes at the margins of the assumption, and
fast weights do not leak once more; G is given the square of the right push in place of the wrong one, the shares are
multiplied by exp(-difference of the evidence), and the statistics of the labels are those of the right label. What
differs from having learned the right label at once: slow weights move at the present G, fast ones have forgotten a
part of the wrong push and are taken back all of it, pushes are mixed by the present shares, and a share that was dealt
out in between was that of the wrong label.

*Why two speeds.* On streams that drift, a rate that falls is too slow for what changes and a constant one too restless
for what does not. The slow weights learn what lasts: they are AdaGrad, trained by their own errors only, so that what
the fast weights explain for a while does not spoil them. The fast weights learn what is left, with normalised steps of
constant size, and forget it. The three slow rates span a factor of ten, and the mixture follows the best of them.

*What is covered by theory.* The shares: for losses of log type, mixing with exp(-loss) costs at most the logarithm of
the number of experts per switch, and under delay what ``docs`` says of delayed fixed share. The experts: nothing, as
slopes are taken at the weights of the moment in which a label arrives, and the stream drifts. That this default does
well is a matter of evidence, which ``docs/models.md`` has.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.verbs import compilable
from belated.models.links import mean
from belated.models.pushes import ORIGIN, STATISTICS, evidence, note_label, push, replace_label, unit
from belated.models.rows import Slots
from belated.models.shares import deal, reweigh
from belated.models.verbs import (
    adapt,
    amend,
    decide,
    foresee,
    lanes,
    margin_count,
    margins,
    memory_size,
    prepare,
    value_at,
)

MOST_EXPERTS = 7


class TwoSpeeds(NamedTuple):
    """Experts with a slow and a fast weight for every slot; symbols as in the module."""

    slow: tuple[float, ...]
    fast: float
    leak: float
    share: float
    offset: float


def two_speeds(
    slow: tuple[float, ...] = (0.3, 1.0, 3.0),
    *,
    fast: float = 0.2,
    leak: float = 0.02,
    share: float = 0.01,
    offset: float = 10.0,
) -> TwoSpeeds:
    """The default step of models: experts with a slow and a fast weight for every slot, mixed by their evidence.

    Args:
        slow: The rates of the slow weights, one for each expert; one to seven of them.
        fast: The rate of the fast weights; 0 to do without them.
        leak: The part of a fast weight that is lost each time its slot is learned, from 0 to 1.
        share: The part of all shares that is dealt out evenly at each prediction, from 0 to 1.
        offset: What the sums of squared pushes begin with; larger ones make the first steps shorter.

    Returns:
        The step, for ``step=`` of a model.

    Raises:
        InvalidArgument: A number is out of its range.
    """
    where = "two_speeds"
    rates = tuple(checks.moderate(where, "slow", rate) for rate in checks.items(where, "slow", slow, "rates"))
    if not 1 <= len(rates) <= MOST_EXPERTS:
        checks.refuse(where, "slow", slow, f"must be 1 to {MOST_EXPERTS} rates")
    return TwoSpeeds(
        rates,
        0.0 if checks.not_negative(where, "fast", fast) == 0.0 else checks.moderate(where, "fast", fast),
        checks.probability(where, "leak", leak),
        checks.probability(where, "share", share),
        checks.moderate(where, "offset", offset),
    )


@lanes.on(TwoSpeeds)
def two_speeds_lanes(step: TwoSpeeds) -> int:
    """G, and two weights for each expert; as many as fill lines of the processor's cache, eight numbers each."""
    return 8 * ((1 + 2 * len(step.slow) + 7) // 8)


@margin_count.on(TwoSpeeds)
def two_speeds_margins(step: TwoSpeeds) -> int:
    """The margins of the experts, then those of their slow weights alone."""
    return 2 * len(step.slow)


@memory_size.on(TwoSpeeds)
def two_speeds_memory(step: TwoSpeeds) -> int:
    """What is known of the labels, then the shares."""
    return STATISTICS + len(step.slow)


@prepare.on(TwoSpeeds)
def prepare_two_speeds(step: TwoSpeeds, table: Matrix, memory: Vector) -> None:
    """All weights are 0, and all shares are equal."""
    table[:, 0] = step.offset
    memory[STATISTICS:] = 1.0 / len(step.slow)


@margins.on(TwoSpeeds)
def margins_of_two_speeds(
    step: TwoSpeeds, table: Matrix, memory: Vector, slots: Slots, values: Vector, out: Vector
) -> None:
    number = len(step.slow)
    for k in range(number):  # sums in two local numbers, which the processor need not write and read again
        slow = both = float(memory[ORIGIN])
        for i in range(slots.size):
            part = value_at(values, i) * float(table[slots[i], 1 + k])
            slow += part
            both += part + value_at(values, i) * float(table[slots[i], 1 + number + k])
        out[k], out[number + k] = both, slow


@decide.on(TwoSpeeds)
def decide_two_speeds(step: TwoSpeeds, link: Any, memory: Vector, given: Vector) -> None:
    """Deal out a little of all shares evenly."""
    deal(memory[STATISTICS:], step.share)


@foresee.on(TwoSpeeds)
def foresee_two_speeds(step: TwoSpeeds, link: Any, memory: Vector, given: Vector) -> float:
    """The mean of what the experts predict, by their shares."""
    total = 0.0
    for k in range(len(step.slow)):
        total += float(memory[STATISTICS + k]) * mean(link, float(given[k]))
    return total


@compilable
def step_unit(link: Any, labels: Vector, slots: Slots, values: Vector) -> float:
    """The unit of the labels, divided by X."""
    length = 0.0
    for i in range(slots.size):
        value = value_at(values, i)
        length += value * value
    return unit(link, labels) / length if length > 0.0 else 0.0


@adapt.on(TwoSpeeds)
def adapt_two_speeds(
    step: TwoSpeeds,
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
    """Learn a label, as in the module. ``now`` becomes the sizes of the steps."""
    number, labels = len(step.slow), memory[:STATISTICS]
    note_label(link, labels, label, foresee(step, link, memory, before))
    size, mixed = step_unit(link, labels, slots, values), 0.0
    for k in range(number):
        whole = weight * push(link, labels, float(now[k]), label)
        mixed += float(memory[STATISTICS + k]) * whole
        now[k] = step.fast * size * whole
        now[number + k] = step.slow[k] * size * weight * push(link, labels, float(now[number + k]), label)
    for i in range(slots.size):
        slot, value = slots[i], value_at(values, i)
        table[slot, 0] += (mixed * value) * (mixed * value)
        slowed = value / math.sqrt(float(table[slot, 0]))
        for k in range(number):
            table[slot, 1 + k] -= slowed * float(now[number + k])
            fast = (1.0 - step.leak) * float(table[slot, 1 + number + k])
            table[slot, 1 + number + k] = fast - value * float(now[k])
    for k in range(number):
        now[k] = weight * evidence(link, labels, float(before[k]), label)
    reweigh(memory[STATISTICS:], now)


@amend.on(TwoSpeeds)
def amend_two_speeds(
    step: TwoSpeeds,
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
    """Put the real label in place of an assumed one, as in the module. ``then`` becomes the sizes of the steps."""
    number, labels = len(step.slow), memory[:STATISTICS]
    replace_label(link, labels, assumed, label, foresee(step, link, memory, before))
    size, wrong, right = step_unit(link, labels, slots, values), 0.0, 0.0
    for k in range(number):
        was, is_now = push(link, labels, float(then[k]), assumed), weight * push(link, labels, float(then[k]), label)
        wrong += float(memory[STATISTICS + k]) * was
        right += float(memory[STATISTICS + k]) * is_now
        then[k] = step.fast * size * (is_now - was)
        slow = float(then[number + k])
        slower = weight * push(link, labels, slow, label) - push(link, labels, slow, assumed)
        then[number + k] = step.slow[k] * size * slower
    for i in range(slots.size):
        slot, value = slots[i], value_at(values, i)
        raised = float(table[slot, 0]) + (right - wrong) * (right + wrong) * (value * value)
        table[slot, 0] = max(raised, step.offset)
        slowed = value / math.sqrt(float(table[slot, 0]))
        for k in range(number):
            table[slot, 1 + k] -= slowed * float(then[number + k])
            table[slot, 1 + number + k] -= value * float(then[k])
    for k in range(number):
        margin = float(before[k])
        then[k] = weight * evidence(link, labels, margin, label) - evidence(link, labels, margin, assumed)
    reweigh(memory[STATISTICS:], then)
