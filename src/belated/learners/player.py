"""A player: one run of a learner, through two verbs.

``ask`` plays the next round and returns the points to try. ``tell`` hands over one piece of feedback, whenever it comes
and in any order. What is told after one ask and before the next is that round's arrivals F_t; it is applied at the next
ask, and needs no clock.

Neither verb is ever half done. A tell is checked whole and is then one insertion into a dict. An ask works on copies
and takes effect by one assignment; whatever fails before it, Ctrl-C included, has changed nothing that counts. A player
belongs to one thread at a time.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks, streams
from belated.core.arrays import Vector
from belated.core.errors import (
    AlreadyAnswered,
    NothingOwed,
    NumericalFailure,
    RoundRequired,
    StateMismatch,
    UnknownRound,
)
from belated.core.ledger import Ledger, after_arrivals, after_play
from belated.core.play import Play
from belated.core.rounds import RoundSet
from belated.learners.moment import NOT_TOLD, Moment, Told
from belated.learners.saving import restored_books, saved_state
from belated.learners.state import copied, named_arrays
from belated.learners.verbs import begin, decision, play, receive, settle

if TYPE_CHECKING:
    from belated.learners.learner import Learner

_NO_MEMO = np.empty(0)


class Player:
    """One run of a learner. Made by ``learner.start()`` or ``learner.resume(state)``."""

    def __init__(self, learner: "Learner", moment: Moment, memos: dict[int, Vector], answered: RoundSet) -> None:
        self.learner = learner
        self._shape = learner.shape
        self._needs_round = learner.needs_round
        self._scratch = np.empty(self._shape.scratch_size)
        self._rng = streams.learner(0)
        self._moment = moment
        self._memos = memos
        self._answered = answered

    def __repr__(self) -> str:
        ledger, waiting = self._moment.ledger, len(self._moment.told)
        return f"<{self.learner.name} player: {ledger.round} rounds asked, {ledger.received + waiting} answered>"

    def __copy__(self) -> "Player":
        return self.learner.resume(self.state())

    @property
    def ledger(self) -> Ledger:
        """The counts at the last ask, before the arrivals told since."""
        return self._moment.ledger

    def ask(self) -> Play:
        """Play the next round: apply what was told since the last ask, and return the points to try now."""
        self._cross_off()
        policy, moment = self.learner.policy, self._moment
        ledger, state, told = moment.ledger, copied(moment.policy_state), list(moment.told.values())
        if ledger.round > 0:
            ledger = self._apply(told, ledger, state)
        ledger = after_play(ledger)
        points = np.empty((self._shape.queries, self.learner.domain.dim))
        memo = np.empty(self._shape.memo_size)
        self._rng.bit_generator.state = moment.random_state
        play(policy, state, ledger, self._rng, self._scratch, points, memo)
        self._refuse_infinite(ledger, points)
        turn = Play(ledger.round, points, self._decision(state))
        if self._needs_round:
            self._memos[ledger.round] = memo
        applied = frozenset(item.round for item in told if item.round != NOT_TOLD)
        self._moment = Moment(ledger, state, self._rng.bit_generator.state, {}, applied)
        return turn

    def _apply(self, told: list[Told], ledger: Ledger, state: Any) -> Ledger:
        """Let ``state`` take in what was told; the ledger at the end of the round."""
        policy, own_count, own_curvature = self.learner.policy, 0, 0.0
        for item in told:
            if item.strong_convexity != NOT_TOLD:
                own_count += 1
                own_curvature += item.strong_convexity
        ledger = after_arrivals(ledger, len(told), own_count, own_curvature)
        try:
            with np.errstate(all="ignore"):
                for item in told:
                    memo = self._memos[item.round] if self._needs_round else _NO_MEMO
                    receive(policy, state, ledger, item.feedback, memo, self._scratch)
                settle(policy, state, ledger)
        except ArithmeticError:
            self._refuse_infinite(ledger, np.array(np.inf))
        for _, array in named_arrays(state, ""):
            self._refuse_infinite(ledger, array)
        return ledger

    def _refuse_infinite(self, ledger: Ledger, array: Any) -> None:
        if not np.isfinite(array).all():
            raise NumericalFailure(
                f"`{self.learner.name}.ask()`: the feedback told by the end of round {ledger.round} leads to a "
                "decision that is not finite: it, or the step that the rate makes of it, is out of range"
            )

    def _cross_off(self) -> None:
        """Note who has answered, and let go of what was remembered for them. Doing it twice does no harm."""
        for number in self._moment.applied:
            self._answered.add(number)
            self._memos.pop(number, None)

    def _decision(self, state: Any) -> Vector:
        held = np.empty(self.learner.domain.dim)
        decision(self.learner.policy, state, held)
        return held

    def tell(self, feedback: ArrayLike, *, round: int | None = None, strong_convexity: float | None = None) -> None:
        """Hand over one round's feedback: its gradient at the decision, or the loss at each of its points, in order.

        ``round`` is needed by learners that say so (``learner.needs_round``); the others do not use it, but check it if
        it is given. ``strong_convexity`` is this one loss's own beta, for learners that use the declared one; default:
        that.
        """
        told = self._checked(feedback, round, strong_convexity)
        waiting = self._moment.told
        waiting[told.round if told.round != NOT_TOLD else -1 - len(waiting)] = told

    def _checked(self, feedback: Any, round: Any, strong_convexity: Any) -> Told:
        where = f"{self.learner.name}.tell"
        values = checks.moderate_vector(where, self._shape.feedback, feedback, self._shape.feedback_size)
        own = float(NOT_TOLD)
        if strong_convexity is not None:
            if self.learner.strong_convexity is None:
                checks.refuse(where, "strong_convexity", strong_convexity, "this learner does not use strong convexity")
            own = checks.moderate(where, "strong_convexity", strong_convexity)
        number = self._checked_round(where, round)
        if self._moment.ledger.in_flight == len(self._moment.told):
            asked = self._moment.ledger.round
            raise NothingOwed(f"`{where}({self._shape.feedback}=...)`: all {asked} rounds asked have been answered")
        return Told(values, number, own)

    def _checked_round(self, where: str, round: Any) -> int:
        if round is None:
            if self._needs_round:
                raise RoundRequired(
                    f"`{where}(round=None)`: this learner must know which round the feedback belongs to"
                )
            return NOT_TOLD
        number, asked = checks.count(where, "round", round), self._moment.ledger.round
        if number > asked:
            raise UnknownRound(f"`{where}(round={number})`: never asked, the last round asked is {asked}")
        if number in self._moment.told or number in self._moment.applied or number in self._answered:
            raise AlreadyAnswered(f"`{where}(round={number})`: this round has been answered")
        return number

    def state(self) -> dict[str, Any]:
        """All of the run as named arrays and plain values, from which ``learner.resume`` goes on."""
        self._cross_off()
        return saved_state(self.learner, self._moment, self._memos, self._answered)


def begin_player(learner: "Learner", initial: ArrayLike | None, seed: int) -> Player:
    """A run of ``learner`` from the start."""
    where = f"{learner.name}.start"
    domain = learner.decision_domain
    first = domain.center.copy() if initial is None else checks.moderate_vector(where, "initial", initial, domain.dim)
    if not domain.contains(first):
        checks.refuse(where, "initial", initial, f"must lie in {domain!r}")
    rng = streams.learner(checks.count(where, "seed", seed, least=0, most=2**256))
    moment = Moment(Ledger(), begin(learner.policy, first), rng.bit_generator.state, {}, frozenset())
    return Player(learner, moment, {}, RoundSet())


def resume_player(learner: "Learner", saved: Mapping[str, Any]) -> Player:
    """A run of ``learner`` from what ``Player.state`` returned."""
    books, digest = restored_books(learner, saved)
    player = Player(learner, *books)
    if player.state()["digest"] != digest:
        raise StateMismatch("the state was changed or damaged since it was saved: its digest is that of another one")
    return player
