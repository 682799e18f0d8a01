"""Runs the turns of a player on its numbers, as plain Python or compiled.

A turn works on the side of the numbers that does not count. That side lacks only the turn before, since the two take
turns. It could be made equal by copying all of the side that counts; but a learner that remembers much would spend most
of every ask on that. A large side therefore repeats the turn before, from the inputs that it had: a turn depends on its
arguments alone, so it comes to the same numbers, and its cost is that of what changes.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from belated.core import checks, streams
from belated.core.arrays import Matrix, Vector
from belated.core.compiling import compiled
from belated.core.errors import CannotCompile
from belated.core.ledger import Ledger
from belated.core.vectors import within_limit
from belated.learners.playing.numbers import TwoSides, growing_arrays
from belated.learners.playing.progress import Progress, Turn
from belated.learners.playing.turn import plain_turn, take_turn
from belated.learners.verbs import State, enlarged, full

if TYPE_CHECKING:
    from belated.learners.learner import Learner

ASKS_WORTH_COMPILING = 5000
"""Asks after which a player compiles its arithmetic: compiling takes seconds, a plain ask a tenth of a millisecond."""

Inputs = tuple[Any, ...]
"""The arguments of ``take_turn`` from ``arrived`` to ``forgotten``."""


class TurnRunner:
    """The numbers of one player, and the function that turns them."""

    def __init__(self, learner: "Learner", state: State, ledger: Ledger) -> None:
        self._policy, self._interface, self._dim = learner.policy, learner.interface, learner.domain.dim
        self._scratch = np.empty(self._interface.scratch_size)
        self._rng = streams.learner(0) if self._interface.draws else None
        self._growing = growing_arrays(learner.policy, state)
        self.numbers = TwoSides(state, ledger, self._growing, 0, None)
        self.turn: Any = plain_turn
        self.within_limit: Any = None
        self._plain_asks = 0

    def prepare(self, progress: Progress, inputs: Inputs) -> None:
        """See to it that the state has room for another round, and that much work is done by compiled code."""
        if self._growing:
            side = progress.side
            state, ledger = self.numbers.states[side], self.numbers.ledger(side)
            if full(self._policy, state, ledger):
                self.numbers = TwoSides(enlarged(self._policy, state), ledger, self._growing, side, progress)
        if self.turn is plain_turn:
            self._plain_asks += 1
            if self._plain_asks >= ASKS_WORTH_COMPILING and not self.compile(progress, inputs):
                self._plain_asks = -checks.MOST  # there is no use in trying again

    def compile(self, progress: Progress, inputs: Inputs) -> bool:
        """Use compiled code from now on; false if there is none."""
        where, feedback = self._where(progress, True), inputs[3]
        try:
            turn = compiled(take_turn, *where, *inputs, self._rng, self._scratch, *self.outputs())
            self.turn, self.within_limit = turn, compiled(within_limit, feedback[0])
        except CannotCompile:
            return False
        return True

    def run(self, progress: Progress, inputs: Inputs, outputs: tuple[Matrix, Vector, Vector]) -> bool:
        """Run the next turn on the side that does not count; false if it went out of range."""
        numbers, rng = self.numbers, self._rng
        last = None if numbers.worked_from is progress else progress.last  # a turn that failed has left disorder
        numbers.worked_from = progress
        if rng is not None:
            rng.bit_generator.state = progress.random_state if last is None else last.random_state
        if last is not None:
            again = self._where(progress, False)
            self.turn(*again, *last.inputs, rng, self._scratch, *self.outputs(last.memo))
        return bool(self.turn(*self._where(progress, last is None), *inputs, rng, self._scratch, *outputs))

    def recorded(self, progress: Progress, inputs: Inputs, memo: Vector) -> Turn | None:
        """The turn that is about to be made, if it will have to be repeated.

        The table of feedback is written over by what is told after the turn, and the memo by the turn.
        """
        if not self.numbers.large:
            return None
        arrived, late, given_up, feedback, memos, forgotten = inputs
        kept = arrived, late, given_up, feedback[:arrived].copy(), memos, forgotten
        return Turn(kept, memo.copy(), progress.random_state)

    def random_state(self, progress: Progress) -> Any:
        """That of the generator after the turn; learners that do not draw have the same one for ever."""
        return progress.random_state if self._rng is None else self._rng.bit_generator.state

    def outputs(self, memo: Vector | None = None) -> tuple[Matrix, Vector, Vector]:
        """Room for the points, the memo (a copy of the given one) and the decision of a turn."""
        own = np.empty(self._interface.memo_size) if memo is None else memo.copy()
        return np.empty((self._interface.queries, self._dim)), own, np.empty(self._dim)

    def _where(self, progress: Progress, copied: bool) -> tuple[Any, ...]:
        """The arguments of ``take_turn`` up to ``copied``."""
        numbers, side = self.numbers, progress.side
        return self._policy, numbers.states[1 - side], numbers.reals, numbers.wholes, numbers.checked, side, copied
