"""The verbs of steps of models: what is kept for each slot, how margins come of it, and how it learns.

A *step* keeps some real numbers for each slot of the table, its *lanes*, and some for the whole model, its *memory*.
For a row it computes one or more margins; a step that is a mixture of experts has one for each. When the label has
come, ``adapt`` changes the lanes of the row's slots, and no others: an event costs as much as its row is long. A step
that must know later how something was at the prediction keeps *notes* of it, some numbers for each slot of a row.

A label may also be assumed, and learned before the real one has come. If that one is another, ``amend`` corrects what
was learned: a sum is then what it would be, had the right label been learned at once. What depends on the way that was
taken, as weights do that moved by a rate which has fallen since, is corrected at the present rates; each step says
what it does.

A row is a pair of arrays, ``slots`` and ``values``; the latter is empty if all values are 1.
"""

from __future__ import annotations

from typing import Annotated, Any

from belated.core.arrays import Matrix, Vector
from belated.core.verbs import compilable, verb
from belated.models.links import mean
from belated.models.rows import Slots

Step = Annotated[Any, "a step for models"]
"""A NamedTuple that has registered the verbs below. The note tells an argument that is a step from one that may be
anything, for those who make models from words."""


@verb
def lanes(step: Step) -> int:  # type: ignore[empty-body]  # declarations have no body
    """How many numbers are kept for each slot."""


@verb
def margin_count(step: Step) -> int:  # type: ignore[empty-body]
    """How many margins there are for each row: 1, unless the step is a mixture."""


@margin_count.otherwise
def one_margin(step: Step) -> int:
    """One, as of most steps."""
    return 1


@verb
def memory_size(step: Step) -> int:  # type: ignore[empty-body]
    """How many numbers are kept for the whole model."""


@memory_size.otherwise
def no_memory(step: Step) -> int:
    """None, as of most steps."""
    return 0


@verb
def prepare(step: Step, table: Matrix, memory: Vector) -> None:
    """Write what a model begins with into a table and a memory of zeros."""


@verb
def margins(step: Step, table: Matrix, memory: Vector, slots: Slots, values: Vector, out: Vector) -> None:
    """Write the margins of a row into ``out``; changes nothing else."""


@verb
def notes(step: Step) -> int:  # type: ignore[empty-body]
    """How many numbers are kept for each slot of a row while it waits."""


@notes.otherwise
def no_notes(step: Step) -> int:
    """None, as of most steps."""
    return 0


@verb
def take_notes(step: Step, table: Matrix, slots: Slots, out: Vector) -> None:
    """Write the notes of a row into ``out``: the first note of all its slots, then the second, and so on."""


@take_notes.otherwise
def nothing_to_write(step: Step, table: Matrix, slots: Slots, out: Vector) -> None:
    """Write nothing, as most steps do."""


@verb
def decide(step: Step, link: Any, memory: Vector, given: Vector) -> None:
    """Note that a prediction is made, once for each, after its margins and before :func:`foresee`.

    Of the margins ``given``, those that no label is held against may be replaced by something else to be remembered.
    """


@decide.otherwise
def nothing_to_note(step: Step, link: Any, memory: Vector, given: Vector) -> None:
    """Change nothing, as most steps do."""


@verb
def lose(step: Step, memory: Vector) -> None:
    """Note that the label of one of the predictions will not come."""


@lose.otherwise
def nothing_lost(step: Step, memory: Vector) -> None:
    """Change nothing, as most steps do."""


@verb
def foresee(step: Step, link: Any, memory: Vector, given: Vector) -> float:  # type: ignore[empty-body]
    """The prediction that margins stand for."""


@foresee.otherwise
def foresee_one(step: Step, link: Any, memory: Vector, given: Vector) -> float:
    """What the only margin stands for."""
    return mean(link, float(given[0]))


@verb
def adapt(
    step: Step,
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
    """Learn the label of a row.

    Args:
        step: The step.
        link: How margins are held against labels.
        table: The lanes of all slots.
        memory: What is kept for the whole model.
        slots: The slots of the row.
        values: Their values; empty if all are 1.
        notes: The notes of the row. What is written there is given to :func:`amend`.
        before: The margins that were predicted.
        now: The margins at which slopes are taken: those of the present weights, or the same as ``before``. May be
            overwritten.
        label: The label, as the link has it.
        weight: How much the event counts.
    """


@verb
def amend(
    step: Step,
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
    """Correct what was learned of a row, with an assumed label that counted 1, now that the real label has come.

    Args:
        step: The step.
        link: How margins are held against labels.
        table: The lanes of all slots.
        memory: What is kept for the whole model.
        slots: The slots of the row.
        values: Their values; empty if all are 1.
        notes: The notes of the row, as :func:`adapt` has left them.
        before: The margins that were predicted.
        then: The margins at which slopes were taken when the assumed label was learned. May be overwritten.
        assumed: The label that was learned, as the link has it.
        label: The real one.
        weight: How much the event counts.
    """


@compilable
def value_at(values: Vector, i: int) -> float:
    """The value of a row's entry ``i``: 1 where values are left out."""
    return float(values[i]) if values.size > 0 else 1.0


@compilable
def lane_margin(table: Matrix, lane: int, slots: Slots, values: Vector) -> float:
    """The margin of the weights in one lane."""
    total = 0.0
    for i in range(slots.size):
        total += float(table[slots[i], lane]) * value_at(values, i)
    return total
