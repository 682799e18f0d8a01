"""Two groups of steps side by side, as one step: the inside of a mixture (:mod:`belated.models.mixed`).

The lanes, the memory, the margins and the notes of a pair are those of its first step, then those of the rest, which
may be a pair again. So the kinds of all steps are known to the compiler, and nothing is chosen at run time. A pair has
no prediction of its own, and is no step for a model.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from belated.core.arrays import Matrix, Vector
from belated.core.verbs import verb
from belated.models.links import margin_of
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


class Pair(NamedTuple):
    """Two groups of steps, and how many lanes, numbers of memory, margins and notes the first one has."""

    first: Step
    rest: Step
    lanes: int
    memory: int
    margins: int
    notes: int


def pair(first: Step, rest: Step) -> Pair:
    """Both groups as one; ``first`` is a single step."""
    return Pair(first, rest, lanes(first), memory_size(first), margin_count(first), notes(first))


@verb
def blend(  # type: ignore[empty-body]  # declarations have no body
    group: Step, link: Any, memory: Vector, given: Vector, shares: Vector
) -> float:
    """The sum of the predictions of all steps in a group, each times its share."""


@blend.otherwise
def blend_one(group: Step, link: Any, memory: Vector, given: Vector, shares: Vector) -> float:
    return float(shares[0]) * foresee(group, link, memory, given)


@blend.on(Pair)
def blend_pair(group: Pair, link: Any, memory: Vector, given: Vector, shares: Vector) -> float:
    first = float(shares[0]) * foresee(group.first, link, memory[: group.memory], given[: group.margins])
    return first + blend(group.rest, link, memory[group.memory :], given[group.margins :], shares[1:])


@verb
def speak(group: Step, link: Any, memory: Vector, given: Vector, out: Vector) -> None:
    """Write the margin into ``out`` that stands for the prediction of each step in a group."""


@speak.otherwise
def speak_one(group: Step, link: Any, memory: Vector, given: Vector, out: Vector) -> None:
    """The margin itself, if there is only one: a prediction near 0 or 1 would not give it back with all digits."""
    out[0] = given[0] if margin_count(group) == 1 else margin_of(link, foresee(group, link, memory, given))


@speak.on(Pair)
def speak_pair(group: Pair, link: Any, memory: Vector, given: Vector, out: Vector) -> None:
    speak(group.first, link, memory[: group.memory], given[: group.margins], out)
    speak(group.rest, link, memory[group.memory :], given[group.margins :], out[1:])


@lanes.on(Pair)
def pair_lanes(step: Pair) -> int:
    return step.lanes + lanes(step.rest)


@memory_size.on(Pair)
def pair_memory(step: Pair) -> int:
    return step.memory + memory_size(step.rest)


@margin_count.on(Pair)
def pair_margins(step: Pair) -> int:
    return step.margins + margin_count(step.rest)


@notes.on(Pair)
def pair_notes(step: Pair) -> int:
    return step.notes + notes(step.rest)


@prepare.on(Pair)
def prepare_pair(step: Pair, table: Matrix, memory: Vector) -> None:
    prepare(step.first, table[:, : step.lanes], memory[: step.memory])
    prepare(step.rest, table[:, step.lanes :], memory[step.memory :])


@margins.on(Pair)
def margins_of_pair(step: Pair, table: Matrix, memory: Vector, slots: Slots, values: Vector, out: Vector) -> None:
    margins(step.first, table[:, : step.lanes], memory[: step.memory], slots, values, out[: step.margins])
    margins(step.rest, table[:, step.lanes :], memory[step.memory :], slots, values, out[step.margins :])


@take_notes.on(Pair)
def take_notes_of_pair(step: Pair, table: Matrix, slots: Slots, out: Vector) -> None:
    split = step.notes * slots.size
    take_notes(step.first, table[:, : step.lanes], slots, out[:split])
    take_notes(step.rest, table[:, step.lanes :], slots, out[split:])


@decide.on(Pair)
def decide_pair(step: Pair, link: Any, memory: Vector, given: Vector) -> None:
    decide(step.first, link, memory[: step.memory], given[: step.margins])
    decide(step.rest, link, memory[step.memory :], given[step.margins :])


@lose.on(Pair)
def lose_for_pair(step: Pair, memory: Vector) -> None:
    lose(step.first, memory[: step.memory])
    lose(step.rest, memory[step.memory :])


@adapt.on(Pair)
def adapt_pair(
    step: Pair,
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
    one, two = table[:, : step.lanes], table[:, step.lanes :]
    here, there = memory[: step.memory], memory[step.memory :]
    split, at = step.notes * slots.size, step.margins
    adapt(step.first, link, one, here, slots, values, notes[:split], before[:at], now[:at], label, weight)
    adapt(step.rest, link, two, there, slots, values, notes[split:], before[at:], now[at:], label, weight)


@amend.on(Pair)
def amend_pair(
    step: Pair,
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
    one, two = table[:, : step.lanes], table[:, step.lanes :]
    here, there = memory[: step.memory], memory[step.memory :]
    split, at = step.notes * slots.size, step.margins
    amend(step.first, link, one, here, slots, values, notes[:split], before[:at], then[:at], assumed, label, weight)
    amend(step.rest, link, two, there, slots, values, notes[split:], before[at:], then[at:], assumed, label, weight)
