"""The numbers of a run, twice, so that an ask is never half done.

The policy's state and the ledger are there twice, on two *sides*. One side counts. An ask works on the other side, and
takes effect when the player says, in one assignment, that this one counts from now on.

Each side is a row of two tables, one of real numbers and one of whole ones, and the arrays of the state are parts of
these rows: to copy a side of any kind is to copy two rows. Arrays that grow (:func:`belated.learners.verbs.full`) lie
behind the others.
"""

from typing import Any

import numpy as np

from belated.core.ledger import COUNTS, Ledger, read_ledger, write_ledger
from belated.learners.playing.state import KINDS, named_arrays
from belated.learners.verbs import Policy, State, enlarged, full

MOST_COPIED = 4096
"""Numbers per side up to which an ask copies one side to the other. For larger ones it repeats the turn before."""


def growing_arrays(policy: Policy, state: State) -> frozenset[str]:
    """The names of the arrays that :func:`~belated.learners.verbs.enlarged` makes larger, as ``named_arrays`` has them.

    Args:
        policy: Any policy.
        state: One of its states.

    Returns:
        Names that begin with ``policy.``; none for a policy whose memory does not grow.
    """
    if not full.knows(policy):
        return frozenset()
    larger = dict(named_arrays(enlarged(policy, state), "policy"))
    return frozenset(name for name, array in named_arrays(state, "policy") if array.shape != larger[name].shape)


class TwoSides:
    """The numbers of a run, twice: row ``side`` of ``reals`` and ``wholes`` has the ledger and ``states[side]``.

    The first ``checked`` real numbers of a row are those of arrays that do not grow. ``large`` says that a side is too
    much to be copied in every ask. ``worked_from`` is the round after which the last turn was begun: if the
    player has not got beyond it, the side that does not count means nothing. ``places[side]`` are the arguments
    of a turn that say where it works while ``side`` counts.
    """

    def __init__(
        self,
        policy: Policy,
        state: State,
        ledger: Ledger,
        growing: frozenset[str],
        side: int = 0,
        worked_from: int | None = None,
    ) -> None:
        arrays = dict(named_arrays(state, "policy"))
        places, sizes = {}, {KINDS[0]: 0, KINDS[1]: COUNTS}
        for grows in (False, True):
            for name, array in arrays.items():
                if (name in growing) == grows:
                    places[name] = slice(sizes[array.dtype], sizes[array.dtype] + array.size)
                    sizes[array.dtype] += array.size
            if not grows:
                self.checked = sizes[KINDS[0]]
        self.reals = np.zeros((2, sizes[KINDS[0]]))
        self.wholes = np.zeros((2, sizes[KINDS[1]]), dtype=np.int64)
        self.large = bool(growing) and sum(sizes.values()) > MOST_COPIED
        self.worked_from = worked_from
        self.states = self._laid_out(state, places, 0), self._laid_out(state, places, 1)
        self.places = [(policy, self.states[1 - at], self.reals, self.wholes, self.checked, at) for at in (0, 1)]
        for name, place in named_arrays(self.states[side], "policy"):
            place[...] = arrays[name]
        write_ledger(ledger, self.wholes[side])

    def _laid_out(self, state: State, places: dict[str, slice], side: int) -> State:
        """A state of the same kind whose arrays are parts of the rows of one side."""

        def laid_out(item: Any, path: str) -> Any:
            if isinstance(item, np.ndarray):
                row = (self.reals if item.dtype == KINDS[0] else self.wholes)[side]
                return row[places[path]].reshape(item.shape)
            parts = zip(item._fields, item, strict=True)
            return type(item)._make(laid_out(each, f"{path}.{name}") for name, each in parts)

        return laid_out(state, "policy")

    def ledger(self, side: int) -> Ledger:
        """The ledger of one side."""
        return read_ledger(self.wholes[side])
