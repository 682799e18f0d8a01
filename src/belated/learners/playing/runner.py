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
from belated.learners.playing.numbers import TwoSides, growing_arrays
from belated.learners.playing.progress import Inputs, Progress, Turn
from belated.learners.playing.putting import Put, put_plainly, put_row
from belated.learners.playing.state import checked_state
from belated.learners.playing.turn import plain_turn, take_turn
from belated.learners.verbs import State, enlarged, full

if TYPE_CHECKING:
    from belated.learners.learner import Learner

ASKS_WORTH_COMPILING = 5000
"""Asks after which a player compiles its arithmetic: compiling takes seconds, a plain ask a tenth of a millisecond."""

_NO_MEMO = np.empty(0)
_empty = np.empty


Outcome = tuple[Matrix, Vector, Any, Vector | None, Turn | None]
"""The points and the decision of a turn, the state of the generator after it, the memo if the learner has one, and the
turn itself if the next ask is to repeat it."""


class TurnRunner:
    """The numbers of one player, the function that turns them, and the one that puts feedback into a table."""

    def __init__(self, learner: "Learner", state: State, ledger: Ledger) -> None:
        interface, self._dim = learner.interface, learner.domain.dim
        self._policy, self._memo_size, self._points_shape = (
            learner.policy,
            interface.memo_size,
            (interface.queries, self._dim),
        )
        self._scratch = np.empty(interface.scratch_size)
        self._no_points, self._no_decision = np.full(self._points_shape, np.nan), np.full(self._dim, np.nan)
        self._rng = streams.learner(0) if interface.draws else None
        self._growing = growing_arrays(learner.policy, state)
        self._only_moves = not (self._growing or interface.draws or interface.memo_size)
        self.numbers = TwoSides(learner.policy, state, ledger, self._growing)
        self._lean = False
        self.turn: Any = plain_turn
        self.put: Put = put_plainly
        self._plain_asks = 0

    def run(self, progress: Progress, inputs: Inputs, context: Vector | None) -> Outcome | None:
        """Run the next turn on the side that does not count; nothing if it went out of range.

        Args:
            progress: How far the player has come.
            inputs: What has come since.
            context: What is known of the next round.
        """
        if self._lean:
            points, decision = _empty(self._points_shape), _empty(self._dim)
            place = self.numbers.places[progress.side]
            if not self.turn(*place, True, *inputs, None, self._scratch, points, _NO_MEMO, decision):
                return None
            return points, decision, progress.random_state, None, None
        if self._growing:
            self._make_room(progress)
        if self.turn is plain_turn:
            self._plain_asks += 1
            if self._plain_asks >= ASKS_WORTH_COMPILING and not self.compile(progress, inputs):
                self._plain_asks = -checks.MOST  # there is no use in trying again
        numbers, rng, random_state = self.numbers, self._rng, progress.random_state
        memo = np.empty(self._memo_size) if self._memo_size else _NO_MEMO
        if context is not None:
            memo[: context.size] = context
        turn = _recorded(inputs, memo, random_state) if numbers.large else None
        copied = progress.last is None or numbers.worked_from == progress.asked  # a turn that failed left disorder
        numbers.worked_from = progress.asked
        if progress.last is not None and not copied:
            self._repeat(progress.last, progress.side)
        elif rng is not None:
            rng.bit_generator.state = random_state
        # No numbers at all: a part that forgets to write is noticed, and not taken for what lay there before.
        points, decision = self._no_points.copy(), self._no_decision.copy()
        place = numbers.places[progress.side]
        if not self.turn(*place, copied, *inputs, rng, self._scratch, points, memo, decision):
            return None
        after = random_state if rng is None else rng.bit_generator.state
        return points, decision, after, memo if self._memo_size else None, turn

    def _repeat(self, turn: Turn, side: int) -> None:
        """The turn that made the side that counts, on the other one; its generator is then where it was left."""
        if self._rng is not None:
            self._rng.bit_generator.state = turn.random_state
        points, memo, decision = np.empty(self._points_shape), turn.memo.copy(), np.empty(self._dim)
        self.turn(*self.numbers.places[side], False, *turn.inputs, self._rng, self._scratch, points, memo, decision)

    def _make_room(self, progress: Progress) -> None:
        side = progress.side
        state, ledger = self.numbers.states[side], self.numbers.ledger(side)
        if full(self._policy, state, ledger):
            larger = checked_state(f"enlarged({type(self._policy).__name__})", enlarged(self._policy, state))
            self.numbers = TwoSides(self._policy, larger, ledger, self._growing, side, progress.asked)

    def compile(self, progress: Progress, inputs: Inputs) -> bool:
        """Use compiled code from now on; false if there is none."""
        place, feedback = self.numbers.places[progress.side], inputs[3]
        outputs = np.empty(self._points_shape), np.empty(self._memo_size), np.empty(self._dim)
        try:
            turn = compiled(take_turn, *place, True, *inputs, self._rng, self._scratch, *outputs)
            self.turn, self.put = turn, compiled(put_row, feedback, 0, feedback[0])
        except CannotCompile:
            return False
        self._lean = self._only_moves
        return True


def _recorded(inputs: Inputs, memo: Vector, random_state: Any) -> Turn:
    """A turn that is about to be made: what is told after it is written over its feedback, and its memo over this."""
    arrived, late, given_up, feedback, memos, forgotten = inputs
    return Turn((arrived, late, given_up, feedback[:arrived].copy(), memos, forgotten), memo.copy(), random_state)
