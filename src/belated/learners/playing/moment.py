"""What a player is between two asks: its numbers, twice, and which of the two copies counts.

An ask must not be half done, whatever interrupts it. So the numbers of a run (the policy's state and the ledger) are
there twice. An ask works on the copy that does not count, and then replaces the :class:`Moment`, which says which one
does, in one step.

Each copy is a row of two tables, one of real numbers and one of whole ones, and the arrays of the state are parts of
these rows: to copy a run of any shape is to copy two rows.
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix
from belated.core.checks import refuse
from belated.core.ledger import COUNTS, Ledger, read_ledger, write_ledger


class Moment(NamedTuple):
    """A player between two asks.

    ``side`` is the copy that counts, ``asked`` and ``owed`` are its round and its feedbacks in flight. ``told`` are
    the rounds of the feedback that waits for the next ask, in order; a negative number stands for a round that was not
    told. ``applied`` are those that the last ask took in; their rounds are crossed off the books at the next.
    """

    side: int
    asked: int
    owed: int
    random_state: Any
    told: dict[int, None]
    applied: frozenset[int]


class Twins(NamedTuple):
    """The numbers of a run, twice: row ``side`` of the tables has the ledger and ``states[side]``."""

    reals: Matrix
    wholes: Integers
    states: tuple[Any, Any]

    def ledger(self, side: int) -> Ledger:
        """The ledger of one copy."""
        return read_ledger(self.wholes[side])


def twins_of(state: Any, ledger: Ledger, side: int = 0) -> Twins:
    """Two copies of ``state`` and ``ledger``, of which ``side`` counts; the other one means nothing yet."""
    arrays = _arrays(state)
    for array in arrays:
        if array.dtype not in (np.float64, np.int64):
            refuse("begin", "state", array, f"must have arrays of float64 or int64, got dtype {array.dtype}")
    sizes = {kind: sum(array.size for array in arrays if array.dtype == kind) for kind in (np.float64, np.int64)}
    reals = np.zeros((2, sizes[np.float64]))
    wholes = np.zeros((2, COUNTS + sizes[np.int64]), dtype=np.int64)
    twins = Twins(reals, wholes, (_placed(state, reals[0], wholes[0]), _placed(state, reals[1], wholes[1])))
    for array, place in zip(arrays, _arrays(twins.states[side]), strict=True):
        place[...] = array
    write_ledger(ledger, wholes[side])
    return twins


def _arrays(state: Any) -> list[Any]:
    if isinstance(state, np.ndarray):
        return [state]
    return [array for item in state for array in _arrays(item)]


def _placed(state: Any, reals: Any, wholes: Any) -> Any:
    """A state of the same shape whose arrays are consecutive parts of the two rows."""
    ends = {np.dtype(np.float64): 0, np.dtype(np.int64): COUNTS}
    rows = {np.dtype(np.float64): reals, np.dtype(np.int64): wholes}

    def placed(item: Any) -> Any:
        if not isinstance(item, np.ndarray):
            return type(item)._make(placed(each) for each in item)
        start = ends[item.dtype]
        ends[item.dtype] = start + item.size
        return rows[item.dtype][start : start + item.size].reshape(item.shape)

    return placed(state)
