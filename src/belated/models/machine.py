"""What a run of a model does with an event, as plain Python or compiled: the same bits either way.

The *machine* is all numbers of a run that an event may change: the table, the memory of the step, and what waits. Each
function here takes one event, and either does all of it or nothing.

Of each prediction that waits, its margins are kept. If labels are assumed while rows wait, two things more are: whether
the assumed label was learned, and the margins at which it was, unless these are the predicted ones anyway.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.verbs import compilable
from belated.models.features import Recipe
from belated.models.pending import (
    FULL,
    UNIT,
    Pending,
    give_back,
    notes_span,
    nothing_pending,
    taken,
    values_start,
)
from belated.models.rows import Slots
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

NOT_FINITE = -2
"""In place of an entry: the margins of the row are not finite, and nothing was changed."""

LINE = 64
"""Bytes in a line of the processor's cache; the lanes of a slot should lie in as few of them as they can."""

LARGEST_KEPT = 3e38
"""Where the range of numbers with half the digits ends."""


LARGEST_TAME = 1e30
"""Products and squares of a few numbers up to this are far from the end of the range, whatever a step makes of them."""


class Machine(NamedTuple):
    """The numbers of a run, and room: ``out`` for margins and the prediction behind them, ``before`` for margins."""

    table: Matrix
    memory: Vector
    pending: Pending
    out: Vector
    before: Vector


def new_machine(step: Step, recipe: Recipe, at_arrival: bool = True, assumes: bool = False) -> Machine:
    """The machine of a model that has seen nothing.

    Args:
        step: The model's step.
        recipe: The recipe of its features.
        at_arrival: As for :func:`learn_one`.
        assumes: Whether labels are assumed while rows wait.

    Returns:
        The machine.
    """
    width, count = lanes(step), margin_count(step)
    table, memory = _aligned(recipe.dim + 1, width), np.zeros(memory_size(step))
    prepare(step, table, memory)
    kept = np.float64 if count == 1 else np.float32  # several are for comparing experts, where half the digits do
    columns = count + (1 + (count if at_arrival else 0) if assumes else 0)
    pending = nothing_pending(columns, kept, notes=notes(step))
    return Machine(table, memory, pending, np.zeros(count + 1), np.zeros(count))


def _aligned(rows: int, columns: int) -> Matrix:
    """A table of zeros that begins where a line of the cache does."""
    room = np.zeros(rows * columns + LINE // 8)
    first = -room.ctypes.data % LINE // 8
    return room[first : first + rows * columns].reshape(rows, columns)


@compilable
def foreseen(step: Step, link: Any, machine: Machine, slots: Slots, values: Vector) -> bool:
    """Write the margins of a row, and what they predict, into ``machine.out``; whether all of it is finite."""
    out = machine.out
    finite = finite_margins(step, machine, slots, values)
    out[out.size - 1] = foresee(step, link, machine.memory, out)
    return finite and math.isfinite(out[out.size - 1])


@compilable
def finite_margins(step: Step, machine: Machine, slots: Slots, values: Vector) -> bool:
    """Write the margins of a row into ``machine.out``; whether they are finite. The prediction is not computed."""
    out, wrong = machine.out, 0
    margins(step, machine.table, machine.memory, slots, values, out)
    for k in range(out.size - 1):
        wrong += not math.isfinite(out[k])
    return wrong == 0


@compilable
def keepable(margin: float, count: int) -> float:
    """A margin that stays finite when it is one of several, which are kept with half the digits."""
    return margin if count == 1 else min(max(margin, -LARGEST_KEPT), LARGEST_KEPT)


def predict_one(step: Step, link: Any, machine: Machine, slots: Slots, values: Vector, number: int) -> int:
    """Predict the label of a row, and let the row wait for it.

    Args:
        step: The model's step.
        link: The model's link.
        machine: The run; the last entry of its ``out`` becomes the prediction.
        slots: The slots of the row.
        values: Their values; empty if all are 1.
        number: The number of the prediction, from 1 on.

    Returns:
        The entry of the row. ``FULL`` or ``NOT_FINITE`` if nothing was done.
    """
    out, pending = machine.out, machine.pending
    if not finite_margins(step, machine, slots, values):
        return NOT_FINITE
    entry = taken(pending, number, slots, values)
    if entry == FULL:
        return FULL
    first, end = notes_span(pending, entry)
    take_notes(step, machine.table, slots, pending.reals[first:end])
    decide(step, link, machine.memory, out[: out.size - 1])
    out[out.size - 1] = foresee(step, link, machine.memory, out)
    for k in range(pending.margins.shape[1]):
        pending.margins[entry, k] = keepable(float(out[k]), out.size - 1) if k < out.size - 1 else 0.0
    return entry


@compilable
def are_tame(given: Vector, count: int) -> bool:
    """Whether the first numbers of an array are moderate."""
    wild = 0
    for k in range(count):
        wild += not abs(given[k]) <= LARGEST_TAME
    return wild == 0


@compilable
def study(
    step: Step, link: Any, machine: Machine, entry: int, label: float, weight: float, at_arrival: bool, with_care: bool
) -> bool:
    """Learn the label of a row, which goes on waiting; arguments and result as for :func:`learn_one`."""
    pending = machine.pending
    size, start = abs(int(pending.size[entry])), UNIT * int(pending.block[entry])
    first = values_start(start, size)
    slots = pending.words[start : start + size]
    values = pending.reals[first : first + (size if pending.size[entry] < 0 else 0)]
    before, now = machine.before, machine.out
    for k in range(before.size):  # copied, since compiled code would go on with as few digits as were kept
        before[k] = pending.margins[entry, k]
    if at_arrival:
        if not finite_margins(step, machine, slots, values):
            return False
    else:
        for k in range(before.size):
            now[k] = before[k]
    tame = are_tame(now, before.size) and are_tame(before, before.size) and are_tame(values, values.size)
    if not (with_care or (tame and abs(label) <= LARGEST_TAME and weight <= LARGEST_TAME)):
        return False
    for k in range(before.size + 1, pending.margins.shape[1]):
        pending.margins[entry, k] = keepable(float(now[k - before.size - 1]), before.size)
    begin, end = notes_span(pending, entry)
    kept = pending.reals[begin:end]
    adapt(step, link, machine.table, machine.memory, slots, values, kept, before, now, label, weight)
    return True


def learn_one(
    step: Step, link: Any, machine: Machine, entry: int, label: float, weight: float, at_arrival: bool, with_care: bool
) -> bool:
    """Learn the label of a row that waits, and free its entry.

    Args:
        step: The model's step.
        link: The model's link.
        machine: The run.
        entry: The entry of the row.
        label: Its label, as the link has it.
        weight: How much it counts.
        at_arrival: Whether slopes are taken at the present weights; otherwise at the margins that were predicted.
        with_care: Whether the caller looks at the numbers afterwards, and puts them back if they are not finite.

    Returns:
        Whether it was done. If not, nothing was changed: the margins of the row are not finite, or something is so
        large that it needs care.
    """
    if not study(step, link, machine, entry, label, weight, at_arrival, with_care):
        return False
    give_back(machine.pending, entry)
    return True


def assume_one(
    step: Step, link: Any, machine: Machine, entry: int, label: float, at_arrival: bool, with_care: bool
) -> bool:
    """Learn an assumed label of a row, which goes on waiting; arguments and result as for :func:`learn_one`."""
    if not study(step, link, machine, entry, label, 1.0, at_arrival, with_care):
        return False
    machine.pending.margins[entry, machine.before.size] = 1.0
    return True


def amend_one(
    step: Step,
    link: Any,
    machine: Machine,
    entry: int,
    assumed: float,
    label: float,
    weight: float,
    at_arrival: bool,
    with_care: bool,
) -> bool:
    """Put the label of a row in the place of the assumed one that was learned, and free its entry.

    Args:
        step: The model's step.
        link: The model's link.
        machine: The run.
        entry: The entry of the row.
        assumed: The label that :func:`assume_one` has learned.
        label: Its label, as the link has it.
        weight: How much it counts.
        at_arrival: As for :func:`learn_one`.
        with_care: As for :func:`learn_one`.

    Returns:
        Whether it was done. If not, nothing was changed: something is so large that it needs care.
    """
    pending, before, then = machine.pending, machine.before, machine.out
    size, start = abs(int(pending.size[entry])), UNIT * int(pending.block[entry])
    first = values_start(start, size)
    slots = pending.words[start : start + size]
    values = pending.reals[first : first + (size if pending.size[entry] < 0 else 0)]
    shift = before.size + 1 if at_arrival else 0
    for k in range(before.size):
        before[k] = pending.margins[entry, k]
        then[k] = pending.margins[entry, shift + k]
    tame = are_tame(then, before.size) and are_tame(before, before.size) and are_tame(values, values.size)
    if not (with_care or (tame and max(abs(label), abs(assumed)) <= LARGEST_TAME and weight <= LARGEST_TAME)):
        return False
    begin, end = notes_span(pending, entry)
    kept = pending.reals[begin:end]
    amend(step, link, machine.table, machine.memory, slots, values, kept, before, then, assumed, label, weight)
    give_back(pending, entry)
    return True


def lose_one(step: Step, machine: Machine, entry: int) -> None:
    """Free the entry of a row whose label will not come."""
    lose(step, machine.memory)
    give_back(machine.pending, entry)


compilable(predict_one)
compilable(learn_one)
