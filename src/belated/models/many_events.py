"""Many rows that are in memory, one after the other, as machine code without a line of Python in between."""

from __future__ import annotations

from typing import Any

from belated.core.arrays import Integers, Vector
from belated.core.prefetching import prefetch
from belated.core.verbs import compilable
from belated.models.machine import NOT_FINITE, Machine, foreseen, learn_one, predict_one
from belated.models.pending import UNIT
from belated.models.rows import RowTable, Slots
from belated.models.verbs import Step


@compilable
def fetch_ahead(machine: Machine, starts: Integers, slots: Slots, entries: Integers, event: int) -> None:
    """Ask for the lanes of an event's row, as :func:`play_events` has them, so that they are there when it comes."""
    if event >= 0:
        for i in range(starts[event], starts[event + 1]):
            prefetch(machine.table, slots[i])
    else:
        pending, entry = machine.pending, entries[-1 - event]
        start = UNIT * int(pending.block[entry])
        for i in range(start, start + abs(int(pending.size[entry]))):
            prefetch(machine.table, pending.words[i])


def play_events(
    step: Step,
    link: Any,
    machine: Machine,
    at_arrival: bool,
    starts: Integers,
    slots: Slots,
    values: Vector,
    events: Integers,
    labels: Vector,
    entries: Integers,
    done: Integers,
    predictions: Vector,
) -> int:
    """Many events of rows that are in memory: what :func:`predict_one` and :func:`learn_one` do, one after the other.

    Args:
        step: The model's step.
        link: The model's link.
        machine: The run.
        at_arrival: As for :func:`learn_one`.
        starts: Row i has the slots from ``starts[i]`` to ``starts[i + 1]``.
        slots: The slots of all rows.
        values: Their values; empty if all are 1.
        events: i >= 0 for the prediction of row i; -1 - i for its label.
        labels: The labels of the rows, as the link has them.
        entries: Where the entry of each row that waits is kept.
        done: How many events are done, and how many predictions there were before and are now; both go on.
        predictions: Where the prediction of each row is written.

    Returns:
        0 if all events are done. ``FULL`` or ``NOT_FINITE`` if the next one cannot be done, or not without care.
    """
    last = machine.out.size - 1
    for place in range(done[0], events.size):
        event = events[place]
        if place + 1 < events.size and events[place + 1] != -1 - event:  # whose entry is made only now
            fetch_ahead(machine, starts, slots, entries, events[place + 1])
        if event >= 0:
            begin, end = starts[event], starts[event + 1]
            given = values[begin : end if values.size > 0 else begin]
            entry = predict_one(step, link, machine, slots[begin:end], given, done[1] + 1)
            if entry < 0:
                return entry
            entries[event] = entry
            predictions[event] = machine.out[last]
            done[1] += 1
        else:
            row = -1 - event
            if not learn_one(step, link, machine, entries[row], float(labels[row]), 1.0, at_arrival, False):
                return NOT_FINITE
        done[0] = place + 1
    return 0


def look_at(step: Step, link: Any, machine: Machine, rows: RowTable, predictions: Vector) -> int:
    """Write the predictions for many rows that do not wait; nothing is changed.

    Args:
        step: The model's step.
        link: The model's link.
        machine: The run, of which only the room for margins is written to.
        rows: The rows.
        predictions: Where the prediction of each row is written.

    Returns:
        How many rows have a prediction. If not all, then that of the next one is not finite.
    """
    starts, slots, last = rows.starts, rows.slots, machine.out.size - 1
    for i in range(predictions.size):
        if i + 1 < predictions.size:
            for k in range(starts[i + 1], starts[i + 2]):
                prefetch(machine.table, slots[k])
        begin, end = starts[i], starts[i + 1]
        if not foreseen(step, link, machine, slots[begin:end], rows.values[begin:end]):
            return i
        predictions[i] = machine.out[last]
    return int(predictions.size)
