"""A player: one run of a learner, through two verbs.

``ask`` plays the next round and returns the points to try. ``tell`` hands over one piece of feedback, whenever it comes
and in any order. What is told after one ask and before the next is that round's arrivals F_t; it is applied at the next
ask, and needs no clock.

Neither verb is ever half done. A tell is checked whole and is then one insertion into a dict. An ask works on a copy
and takes effect by one assignment; whatever fails before it, Ctrl-C included, has changed nothing that counts. A player
belongs to one thread at a time.

A player starts at once, as plain Python, and compiles its arithmetic when it has been asked often enough to be worth
it. That changes no bit of its decisions.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks, streams
from belated.core.arrays import Matrix, Vector
from belated.core.compiling import compiled
from belated.core.errors import (
    AlreadyAnswered,
    CannotCompile,
    NothingOwed,
    NumericalFailure,
    RoundRequired,
    StateMismatch,
    UnknownRound,
)
from belated.core.ledger import Ledger
from belated.core.play import Play
from belated.core.rounds import RoundSet
from belated.core.vectors import within_limit
from belated.learners.playing.moment import Moment, Twins, twins_of
from belated.learners.playing.saving import Books, restored_books, saved_state
from belated.learners.playing.turn import plain_turn, take_turn
from belated.learners.verbs import begin, enlarged, full

if TYPE_CHECKING:
    from belated.learners.learner import Learner

WORTH_COMPILING = 5000
"""Asks after which a player compiles its arithmetic: compiling takes seconds, a plain ask a tenth of a millisecond."""


_REAL = np.dtype(np.float64)
_NO_MEMO = np.empty(0)


class _Room:
    """Where a run lies in memory: its numbers, twice, and how a turn is told of them; replaced as a whole."""

    def __init__(self, learner: "Learner", twins: Twins) -> None:
        self.twins = twins
        self.sides = [(learner.policy, twins.states[1 - side], twins.reals, twins.wholes, side) for side in (0, 1)]


class Player:
    """One run of a learner. Made by ``learner.start()`` or ``learner.resume(state)``."""

    def __init__(self, learner: "Learner", books: Books) -> None:
        self.learner = learner
        self._interface = learner.interface
        self._dim = learner.domain.dim
        self._points_shape = self._interface.queries, self._dim
        self._needs_round = learner.needs_round
        self._scratch = np.empty(self._interface.scratch_size)
        self._rng = streams.learner(0) if self._interface.draws else None
        self._room = _Room(learner, twins_of(books.policy_state, books.ledger))
        self._grows = full.knows(learner.policy)
        self._memos, self._answered = books.memos, books.answered
        self._feedback, self._no_memos = books.feedback, np.empty((len(books.feedback), 0))
        ledger = books.ledger
        self._moment = Moment(0, ledger.round, ledger.in_flight, books.random_state, books.told, frozenset())
        self._turn: Any = plain_turn
        self._within_limit: Any = None
        self._plain_asks = 0

    def __repr__(self) -> str:
        ledger, waiting = self.ledger, len(self._moment.told)
        return f"<{self.learner.name} player: {ledger.round} rounds asked, {ledger.received + waiting} answered>"

    def __reduce__(self) -> tuple[Any, ...]:
        return resume_player, (self.learner, self.state())  # for copies, too: the parts of the twins must stay together

    @property
    def ledger(self) -> Ledger:
        """The counts at the last ask, before the arrivals told since."""
        return self._room.twins.ledger(self._moment.side)

    def ask(self, context: ArrayLike | None = None) -> Play:
        """Play the next round: apply what was told since the last ask, and return the points to try now.

        ``context`` is what is known of the round beforehand, such as the features of what is to be forecast, for
        learners that use it: ``learner.interface.context_size`` numbers.
        """
        moment = self._moment
        if context is not None or self._interface.context_size:
            context = self._checked_context(context)
        if self._grows:
            self._make_room()
        if moment.applied:
            self._cross_off()
        if self._turn is plain_turn:
            self._count_plain()
        points, decision = np.empty(self._points_shape), np.empty(self._dim)
        memo = np.empty(self._interface.memo_size) if self._needs_round else _NO_MEMO
        if context is not None:
            memo[: self._interface.context_size] = context
        random_state = moment.random_state
        if self._rng is not None:
            self._rng.bit_generator.state = random_state
        if not self._turn(*self._arguments(moment, points, memo, decision)):
            raise NumericalFailure(
                f"`{self.learner.name}.ask()`: the feedback told by the end of round {moment.asked} leads to a "
                "decision that is not finite: it, or the step that the rate makes of it, is out of range"
            )
        if self._rng is not None:
            random_state = self._rng.bit_generator.state
        asked, told = moment.asked + 1, moment.told
        if self._needs_round:
            self._memos[asked] = memo
        turn = Play(asked, points, decision)
        self._moment = Moment(1 - moment.side, asked, moment.owed - len(told) + 1, random_state, {}, frozenset(told))
        return turn

    def _arguments(self, moment: Moment, points: Matrix, memo: Vector, decision: Vector) -> tuple[Any, ...]:
        """What a turn is called with."""
        told = list(moment.told)
        memos = self._no_memos
        if self._needs_round:
            memos = np.array([self._memos[number] for number in told]).reshape(len(told), self._interface.memo_size)
        return (
            *self._room.sides[moment.side],
            len(told),
            self._feedback,
            memos,
            self._rng,
            self._scratch,
            points,
            memo,
            decision,
        )

    def _make_room(self) -> None:
        policy, side = self.learner.policy, self._moment.side
        state = self._room.twins.states[side]
        if full(policy, state, self.ledger):
            self._room = _Room(self.learner, twins_of(enlarged(policy, state), self.ledger, side))

    def _checked_context(self, context: Any) -> Vector:
        where, size = f"{self.learner.name}.ask", self._interface.context_size
        if size == 0:
            checks.refuse(where, "context", context, "this learner does not use a context")
        if context is None:
            checks.refuse(where, "context", context, f"must be {size} numbers that are known of the round")
        return checks.moderate_vector(where, "context", context, size)

    def _count_plain(self) -> None:
        self._plain_asks += 1
        if self._plain_asks >= WORTH_COMPILING and not self.compile():
            self._plain_asks = -checks.MOST  # there is no use in trying again

    def compile(self) -> bool:
        """Compile the arithmetic now, which takes seconds, or load it if it was compiled before.

        A player does this by itself after some thousand asks; call it to choose the moment, such as before going live.
        Decisions are the same, bit for bit. False if one of the learner's parts cannot be compiled: then asks go on as
        plain Python.
        """
        points, decision, memo = np.empty(self._points_shape), np.empty(self._dim), np.empty(self._interface.memo_size)
        try:
            turn = compiled(take_turn, *self._arguments(self._moment, points, memo, decision))
            self._turn, self._within_limit = turn, compiled(within_limit, self._feedback[0])
        except CannotCompile:
            return False
        return True

    def _cross_off(self) -> None:
        """Note who has answered, and let go of what was remembered for them. Doing it twice does no harm."""
        for number in self._moment.applied:
            if number > 0:
                self._answered.add(number)
                self._memos.pop(number, None)

    def tell(self, feedback: ArrayLike, *, round: int | None = None) -> None:
        """Hand over one round's feedback: its gradient at the decision, or the loss at each of its points, in order.

        ``round`` is needed by learners that say so (``learner.needs_round``); the others do not use it, but check it if
        it is given.
        """
        moment = self._moment
        told = moment.told
        self._write(len(told), feedback)
        number = -1 - len(told) if round is None and not self._needs_round else self._checked_round(round)
        if moment.owed == len(told):
            raise NothingOwed(
                f"`{self._where}({self._interface.feedback}=...)`: all {moment.asked} rounds asked have been answered"
            )
        told[number] = None

    @property
    def _where(self) -> str:
        return f"{self.learner.name}.tell"

    def _write(self, row: int, feedback: Any) -> None:
        """Put checked feedback into a row of the table of what waits; it counts when it is entered in the books."""
        if row == len(self._feedback):
            longer = np.empty((2 * row, self._interface.feedback_size))
            longer[:row] = self._feedback
            self._feedback, self._no_memos = longer, np.empty((2 * row, 0))
        place = self._feedback[row]
        plain = type(feedback) is np.ndarray and feedback.dtype is _REAL and feedback.shape == place.shape
        if plain and self._within_limit:
            place[:] = feedback
            if self._within_limit(place) and not self._interface.classes:
                return
        place[:] = checks.moderate_vector(
            self._where, self._interface.feedback, feedback, self._interface.feedback_size
        )
        if self._interface.classes and float(place[0]) not in range(self._interface.classes):
            checks.refuse(self._where, "label", feedback, f"must be a class, from 0 to {self._interface.classes - 1}")

    def _checked_round(self, round: Any) -> int:
        if round is None:
            raise RoundRequired(
                f"`{self._where}(round=None)`: this learner must know which round the feedback belongs to"
            )
        number, moment = checks.count(self._where, "round", round), self._moment
        if number > moment.asked:
            raise UnknownRound(f"`{self._where}(round={number})`: never asked, the last round asked is {moment.asked}")
        if number in moment.told or number in moment.applied or number in self._answered:
            raise AlreadyAnswered(f"`{self._where}(round={number})`: this round has been answered")
        return number

    def state(self) -> dict[str, Any]:
        """All of the run as named arrays and plain values, from which ``learner.resume`` goes on."""
        self._cross_off()
        moment = self._moment
        books = Books(
            self.ledger,
            self._room.twins.states[moment.side],
            moment.random_state,
            moment.told,
            self._feedback,
            self._memos,
            self._answered,
        )
        return saved_state(self.learner, books)


def begin_player(learner: "Learner", initial: ArrayLike | None, seed: int) -> Player:
    """A run of ``learner`` from the start."""
    first = learner.first_decision(initial)
    rng = streams.learner(checks.count(f"{learner.name}.start", "seed", seed, least=0, most=2**256))
    waiting = np.empty((1, learner.interface.feedback_size))
    state = begin(learner.policy, first)
    return Player(learner, Books(Ledger(), state, rng.bit_generator.state, {}, waiting, {}, RoundSet()))


def resume_player(learner: "Learner", saved: Mapping[str, Any]) -> Player:
    """A run of ``learner`` from what ``Player.state`` returned."""
    books, digest = restored_books(learner, saved)
    player = Player(learner, books)
    if player.state()["digest"] != digest:
        raise StateMismatch("the state was changed or damaged since it was saved: its digest is that of another one")
    return player
