"""The verbs of steps of models: what is kept for each slot, how margins come of it, and how it learns.

A *step* keeps some real numbers for each slot of the table, its *lanes*, and some for the whole model, its *memory*.
For a row it computes one or more margins; a step that is a mixture of experts has one for each. When the label has
come, ``adapt`` changes the lanes of the row's slots, and no others: an event costs as much as its row is long.

A row is a pair of arrays, ``slots`` and ``values``; the latter is empty if all values are 1.
"""

from __future__ import annotations

from typing import Any

from belated.core.arrays import Matrix, Vector
from belated.core.verbs import compilable, verb
from belated.models.rows import Slots

Step = Any
"""A NamedTuple that has registered the verbs below."""


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
def decide(step: Step, memory: Vector) -> None:
    """Note that a prediction is made, once for each, after its margins and before :func:`foresee`."""


@decide.otherwise
def nothing_to_note(step: Step, memory: Vector) -> None:
    """Change nothing, as most steps do."""


@verb
def foresee(step: Step, link: Any, memory: Vector, given: Vector) -> float:  # type: ignore[empty-body]
    """The prediction that margins stand for."""


@verb
def adapt(
    step: Step,
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
    """Learn the label of a row.

    Args:
        step: The step.
        link: How margins are held against labels.
        table: The lanes of all slots.
        memory: What is kept for the whole model.
        slots: The slots of the row.
        values: Their values; empty if all are 1.
        before: The margins that were predicted.
        now: The margins at which slopes are taken: those of the present weights, or the same as ``before``. May be
            overwritten.
        label: The label, as the link has it.
        weight: How much the event counts.
    """


@compilable
def value_at(values: Vector, i: int) -> float:
    """The value of a row's entry ``i``: 1 where values are left out."""
    return float(values[i]) if values.size > 0 else 1.0
