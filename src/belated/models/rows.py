"""A row: the features of one event as a model takes them, slots of its table and a value for each.

Rows are made by a recipe (:mod:`belated.models.features`) and bear its signature, so that a model which was made with
another recipe refuses them. Values are left out where all of them are 1, as for words: most rows are like that, and a
row that waits for its label then takes a third of the memory.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from belated.core.arrays import Integers, Vector

Slots = NDArray[np.uint32]

NO_VALUES: Vector = np.empty(0)
NO_VALUES.flags.writeable = False


class Row(NamedTuple):
    """The features of one event; ``values`` is empty if all are 1, and ``signature`` that of the recipe."""

    slots: Slots
    values: Vector
    signature: str


class RowTable(NamedTuple):
    """Many rows: the entries of row i are those from ``starts[i]`` to ``starts[i + 1]``; all of them have values."""

    starts: Integers
    slots: Slots
    values: Vector


def joined(rows: Sequence[Row]) -> RowTable:
    """The table of some rows."""
    starts = np.cumsum([0, *(row.slots.size for row in rows)], dtype=np.int64)
    values = [row.values if row.values.size else np.ones(row.slots.size) for row in rows]
    slots = np.concatenate([np.empty(0, dtype=np.uint32), *(row.slots for row in rows)])
    return RowTable(starts, slots, np.concatenate([np.empty(0), *values]))


def row_of(slots: Any, values: list[float], signature: str) -> Row:
    """A row of whole numbers and as many values."""
    plain = values.count(1.0) == len(values)
    return Row(np.array(slots, dtype=np.uint32), NO_VALUES if plain else np.array(values), signature)
