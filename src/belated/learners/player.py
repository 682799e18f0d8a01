"""A player: one run of a learner, through two verbs.

``ask`` plays the next round and returns the points to try. ``tell`` hands over one piece of feedback, whenever it
comes and in any order. What is told after one ask and before the next is that round's arrivals F_t; it is applied at
the next ask, and needs no clock. A tell is checked whole before anything changes; an ask works on a copy of the state
and keeps it only if every number came out finite.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

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
from belated.learners.state import (
    copied,
    generator_values,
    named_arrays,
    plain,
    restored,
    restored_generator,
    saved_array,
)
from belated.learners.verbs import begin, decision, play, receive, settle

if TYPE_CHECKING:
    from belated.learners.learner import Learner

SCHEMA = 1
_NOT_TOLD = 0
_NO_MEMO = np.empty(0)


class _Told(NamedTuple):
    """Feedback that waits for the next ask; ``round`` and ``strong_convexity`` are 0 where it came without."""

    feedback: Vector
    round: int
    strong_convexity: float


class Player:
    """One run of a learner. Made by ``learner.start()`` or ``learner.resume(state)``."""

    def __init__(
        self,
        learner: "Learner",
        ledger: Ledger,
        policy_state: Any,
        rng: np.random.Generator,
        told: list[_Told],
        memos: dict[int, Vector],
        answered: RoundSet,
    ) -> None:
        self.learner = learner
        self._shape = learner.shape
        self._needs_round = learner.needs_round
        self._scratch = np.empty(self._shape.scratch_size)
        self._ledger = ledger
        self._policy_state = policy_state
        self._rng = rng
        self._told = told
        self._memos = memos
        self._answered = answered

    def __repr__(self) -> str:
        ledger, waiting = self._ledger, len(self._told)
        return f"<{self.learner.name} player: {ledger.round} rounds asked, {ledger.received + waiting} answered>"

    @property
    def ledger(self) -> Ledger:
        """The counts at the last ask, before the arrivals told since."""
        return self._ledger

    def ask(self) -> Play:
        """Play the next round: apply what was told since the last ask, and return the points to try now."""
        policy, ledger, state = self.learner.policy, self._ledger, copied(self._policy_state)
        if ledger.round > 0:
            own = [told.strong_convexity for told in self._told if told.strong_convexity != _NOT_TOLD]
            ledger = after_arrivals(ledger, len(self._told), len(own), sum(own))
            self._apply(ledger, state)
        ledger = after_play(ledger)
        points = np.empty((self._shape.queries, self.learner.domain.dim))
        memo = np.empty(self._shape.memo_size)
        before = self._rng.bit_generator.state
        try:
            play(policy, state, ledger, self._rng, self._scratch, points, memo)
        except BaseException:
            self._rng.bit_generator.state = before
            raise
        if self._needs_round:
            for told in self._told:
                del self._memos[told.round]
            self._memos[ledger.round] = memo
        self._ledger, self._policy_state, self._told = ledger, state, []
        return Play(ledger.round, points, self._decision())

    def _decision(self) -> Vector:
        """A copy of the decision that the state holds."""
        held = np.empty(self.learner.domain.dim)
        decision(self.learner.policy, self._policy_state, held)
        return held

    def _apply(self, ledger: Ledger, state: Any) -> None:
        """Let ``state`` take in everything told since the last ask."""
        policy = self.learner.policy
        try:
            with np.errstate(all="ignore"):
                for told in self._told:
                    memo = self._memos.get(told.round, _NO_MEMO)
                    receive(policy, state, ledger, told.feedback, memo, self._scratch)
                settle(policy, state, ledger)
            finite = all(np.isfinite(array).all() for _, array in named_arrays(state, ""))
        except ArithmeticError:
            finite = False
        if not finite:
            raise NumericalFailure(
                f"`{self.learner.name}.ask()`: the feedback told since round {ledger.round} leads to a decision "
                "that is not finite: it, or the step that the rate makes of it, is out of the range of floating point"
            )

    def tell(self, feedback: ArrayLike, *, round: int | None = None, strong_convexity: float | None = None) -> None:
        """Hand over one round's feedback: its gradient at the decision, or the loss at each of its points, in order.

        ``round`` is needed by learners that say so (``learner.needs_round``); the others do not use it, but check it
        if it is given. ``strong_convexity`` is this one loss's own beta, for learners that use the declared one;
        default: that.
        """
        told = self._checked(feedback, round, strong_convexity)
        self._told.append(told)
        if told.round != _NOT_TOLD:
            self._answered.add(told.round)

    def _checked(self, feedback: Any, round: Any, strong_convexity: Any) -> _Told:
        where = f"{self.learner.name}.tell"
        values = checks.vector(where, self._shape.feedback, feedback, self._shape.feedback_size)
        own = float(_NOT_TOLD)
        if strong_convexity is not None:
            if self.learner.strong_convexity is None:
                checks.refuse(where, "strong_convexity", strong_convexity, "this learner does not use strong convexity")
            own = checks.positive(where, "strong_convexity", strong_convexity)
        asked = self._ledger.round
        if round is None:
            if self._needs_round:
                raise RoundRequired(
                    f"`{where}(round=None)`: this learner must know the round that the feedback belongs to"
                )
            number = _NOT_TOLD
        else:
            number = checks.count(where, "round", round)
            if number > asked:
                raise UnknownRound(f"`{where}(round={number})`: never asked, the last round asked is {asked}")
            if number in self._answered:
                raise AlreadyAnswered(f"`{where}(round={number})`: this round has been answered")
        if self._ledger.in_flight == len(self._told):
            raise NothingOwed(f"`{where}({self._shape.feedback}=...)`: all {asked} rounds asked have been answered")
        return _Told(values, number, own)

    def _check_books(self) -> None:
        """Refuse a restored run whose counts, rounds and decision contradict each other."""
        ledger, stamped = self._ledger, [told.round for told in self._told if told.round != _NOT_TOLD]
        sound = (
            ledger.received + ledger.in_flight == ledger.round
            and len(self._told) <= ledger.in_flight
            and len(stamped) == len(set(stamped))
            and all(1 <= k <= ledger.round and k in self._answered for k in stamped)
            and (
                not self._needs_round
                or (len(self._memos) == ledger.in_flight and all(k in self._memos for k in stamped))
            )
            and self.learner.decision_domain.contains(self._decision())
        )
        if not sound:
            raise StateMismatch(
                "the state contradicts itself: its counts, rounds and decision do not belong to one run"
            )

    def state(self) -> dict[str, Any]:
        """All of the run as named arrays and plain values, from which ``learner.resume`` goes on."""
        feedback = [told.feedback for told in self._told]
        return {
            "schema": SCHEMA,
            "learner": self.learner.name,
            "fingerprint": self.learner.fingerprint,
            **{f"ledger.{name}": value for name, value in self._ledger._asdict().items()},
            **{name: array.copy() for name, array in named_arrays(self._policy_state, "policy")},
            **generator_values(self._rng),
            "told.feedback": np.array(feedback).reshape(len(feedback), self._shape.feedback_size),
            "told.round": np.array([told.round for told in self._told], dtype=np.int64),
            "told.strong_convexity": np.array([told.strong_convexity for told in self._told], dtype=np.float64),
            "owed.round": np.array(list(self._memos), dtype=np.int64),
            "owed.memo": np.array(list(self._memos.values())).reshape(len(self._memos), self._shape.memo_size),
            "answered": self._answered.ranges(),
        }


def begin_player(learner: "Learner", initial: ArrayLike | None, seed: int) -> Player:
    """A run of ``learner`` from the start."""
    where = f"{learner.name}.start"
    domain = learner.decision_domain
    first = domain.center.copy() if initial is None else checks.vector(where, "initial", initial, domain.dim)
    if not domain.contains(first):
        checks.refuse(where, "initial", initial, f"must lie in {domain!r}")
    rng = streams.learner(checks.count(where, "seed", seed, least=0))
    return Player(learner, Ledger(), begin(learner.policy, first), rng, [], {}, RoundSet())


def resume_player(learner: "Learner", saved: Mapping[str, Any]) -> Player:
    """A run of ``learner`` from what ``Player.state`` returned, checked whole."""
    try:
        return _resumed(learner, plain(saved))
    except KeyError as missing:
        raise StateMismatch(f"state has no {missing.args[0]!r}") from None


def _resumed(learner: "Learner", saved: Mapping[str, Any]) -> Player:
    if saved["schema"] != SCHEMA:
        raise StateMismatch(f"state['schema'] is {saved['schema']!r}; this version reads {SCHEMA}")
    if saved["learner"] != learner.name:
        raise StateMismatch(f"the state belongs to another learner, {saved['learner']}, not to {learner.name}")
    if saved["fingerprint"] != learner.fingerprint:
        raise StateMismatch(f"the state belongs to another learner: {learner.name} with other arguments")
    shape = learner.shape
    policy_state = restored(begin(learner.policy, learner.decision_domain.center), saved, "policy")
    feedback = saved_array(saved, "told.feedback", np.float64, (None, shape.feedback_size))
    rounds = saved_array(saved, "told.round", np.int64, (len(feedback),))
    own = saved_array(saved, "told.strong_convexity", np.float64, (len(feedback),))
    owed = saved_array(saved, "owed.round", np.int64, (None,))
    memos = saved_array(saved, "owed.memo", np.float64, (len(owed), shape.memo_size))
    answered = RoundSet.from_ranges(saved_array(saved, "answered", np.int64, (None, 2)))
    player = Player(
        learner,
        _restored_ledger(saved),
        policy_state,
        restored_generator(streams.learner(0), saved),
        [_Told(values, int(k), float(beta)) for values, k, beta in zip(feedback, rounds, own, strict=True)],
        {int(k): memo for k, memo in zip(owed, memos, strict=True)},
        answered,
    )
    player._check_books()
    return player


def _restored_ledger(saved: Mapping[str, Any]) -> Ledger:
    counts = {name: saved[f"ledger.{name}"] for name in Ledger._fields}
    for name, value in counts.items():
        if name == "own_curvature":
            checks.not_negative("resume", f"ledger.{name}", value)
        else:
            checks.count("resume", f"ledger.{name}", value, least=0)
    return Ledger(**counts)
