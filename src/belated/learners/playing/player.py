"""A player: one run of a learner, through two verbs.

``ask`` plays the next round and returns the points to try. ``tell`` hands over one piece of feedback, whenever it comes
and in any order. What is told after one ask and before the next is that round's arrivals F_t; it is applied at the next
ask, and needs no clock. ``give_up`` says of a round that nothing will ever be told of it.

None of them is ever half done. A tell is checked whole and is then one insertion into a dictionary. An ask works on a
copy and takes effect by one assignment; whatever fails before it, Ctrl-C included, has changed nothing that counts.
Who looks at a player, saves it or copies it changes nothing of the run. A player belongs to one thread at a time, and
notices if two use it at once. It begins as plain Python and compiles its arithmetic when it has been asked often enough
to be worth it, which changes no bit of its decisions. Compiled arithmetic runs no Python, so that Ctrl-C takes effect
before or after it (:mod:`belated.core.numba_door`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from numpy.typing import ArrayLike

from belated.core import errors
from belated.core.play import Play
from belated.learners.playing.inbox import Inbox, checked_context
from belated.learners.playing.progress import Inputs, Progress
from belated.learners.playing.saving import first_contents, resumed
from belated.learners.playing.standing import Standing

if TYPE_CHECKING:
    from belated.learners.learner import Learner

_made = tuple.__new__
"""Makes a NamedTuple of all its fields. The class itself does so by a Python function, which costs an ask more."""


class Player(Standing):
    """One run of a learner. Made by ``learner.start()`` or ``learner.resume(state)``."""

    def __reduce__(self) -> tuple[Any, ...]:
        return resume_player, (self.learner, self.state())  # for copies, too: both sides must stay together

    def ask(self, context: ArrayLike | None = None) -> Play:
        """Play the next round: apply what was told since the last ask, and return the points to try now.

        Args:
            context: What is known of the round beforehand, such as the features of what is to be forecast, for learners
                that use it: ``learner.interface.context_size`` numbers.

        Returns:
            The round, its points and the decision, in arrays that you may change.

        Raises:
            InvalidArgument: The context is not what the learner needs.
            NumericalFailure: What was told leads to a decision that is not finite.
            SharedPlayer: Another thread is using the player.
        """
        try:
            token = self._free.pop()
        except IndexError:
            token = self._guard.renewed(f"{self.learner.name}.ask")
        try:
            if context is not None or self._takes_context:
                context = checked_context(f"{self.learner.name}.ask", self._interface, context)
            progress, table = self._progress, self._table
            side, asked, owed, _, waiting, applied, _, _ = progress
            told = len(waiting)
            if self._needs_round or applied.stamped:
                self._cross_off()
            if table.large:
                table.give_back(told)
            if waiting.simple and not self._needs_round:
                inputs: Inputs = (told, 0, 0) + table.rows  # noqa: RUF005  # the same as below, sooner
            else:
                inputs, told = self._rounds.inputs(waiting, table), waiting.everything()
            outcome = self._runner.run(progress, inputs, context)
            if outcome is None:
                raise errors.NumericalFailure(
                    f"`{self.learner.name}.ask()`: with the feedback told by the end of round {asked} the next "
                    "decision is not finite: the feedback is too large, or a part of the learner has failed, such as "
                    "its rate or step, or has written no decision"
                )
            points, decision, random_state, memo, turn = outcome
            number = asked + 1
            play = _made(Play, (number, points, decision))
            after = 1 - side, number, owed - told + 1, random_state, Inbox(), waiting, memo, turn
            self._progress = _made(Progress, after)
            return play
        finally:
            self._free.append(token)

    def compile(self) -> bool:
        """Compile the arithmetic now, which takes seconds, or load it if it was compiled before.

        A player does this by itself after some thousand asks; call it to choose the moment, such as before going live.
        Decisions are the same, bit for bit. Ctrl-C while it compiles changes nothing of the player, and in a compiled
        ask it leaves the player as it was before that ask or as it is after it.

        Returns:
            False if one of the learner's parts cannot be compiled, or the compiler is switched off by
            ``NUMBA_DISABLE_JIT``: then asks go on as plain Python.

        Raises:
            SharedPlayer: Another thread is using the player.
        """
        token = self._guard.taken(f"{self.learner.name}.compile")
        try:
            self._cross_off()
            inputs = self._rounds.inputs(self._progress.waiting, self._table)
            return self._runner.compile(self._progress, inputs)
        finally:
            self._free.append(token)

    def tell(self, feedback: ArrayLike, *, round: int | None = None) -> None:
        """Hand over one round's feedback: its gradient at the decision, or the loss at each of its points, in order.

        Feedback for a round that the learner has let go of, as ``restarting`` and ``skipping`` do, is counted and
        otherwise ignored.

        Args:
            feedback: ``learner.interface.feedback_size`` numbers: a gradient, values, or a label.
            round: The round that it belongs to, ``play.round``. Needed by learners that say so
                (``learner.needs_round``); the others do not use it, but check it if it is given.

        Raises:
            InvalidArgument: The feedback or the round is not what it must be.
            RoundRequired: The learner needs the round.
            UnknownRound: This round was never asked.
            AlreadyAnswered: This round has been answered or given up.
            NothingOwed: All rounds have been answered or given up.
            SharedPlayer: Another thread is using the player.
        """
        try:
            token = self._free.pop()
        except IndexError:
            token = self._guard.renewed(self._where)
        try:
            progress = self._progress
            waiting = progress.waiting
            row = len(waiting)
            self._table.write(row, feedback, self._runner.put)
            number = None
            if round is not None or self._needs_round:
                number = self._rounds.checked(self._where, "round", round, progress)
                if self._lets_go and number < self._oldest_wanted():
                    return waiting.enter("late", number)
            if progress.owed == (row if waiting.simple else waiting.everything()):
                self._refuse_more(f"{self._where}({self._interface.feedback}=...)")
            if number is None:
                waiting[-1 - row] = None
            else:
                waiting.stamp(number)
        finally:
            self._free.append(token)

    def tell_many(self, feedbacks: ArrayLike, rounds: Sequence[int] | None = None) -> None:
        """Hand over the feedback of many rounds at once: the same as a tell of each, in their order, and faster.

        All of it is checked before any of it counts. If one of them cannot be used, none is.

        Args:
            feedbacks: A feedback in each row, possibly none: an array of shape
                (feedbacks, ``learner.interface.feedback_size``), or what becomes one.
            rounds: The rounds that they belong to, as many and in the same order. Needed by learners that say so
                (``learner.needs_round``).

        Raises:
            InvalidArgument: A feedback or a round is not what it must be, or there are not as many of both.
            RoundRequired: The learner needs the rounds.
            UnknownRound: One of the rounds was never asked.
            AlreadyAnswered: One of the rounds has been answered or given up, or is among them twice.
            NothingOwed: Fewer rounds are owed a feedback.
            SharedPlayer: Another thread is using the player.
        """
        where = f"{self.learner.name}.tell_many"
        token = self._guard.taken(where)
        try:
            progress = self._progress
            late: list[int] = []
            waiting, given = progress.waiting, self._table.checked_many(where, feedbacks)
            row = len(waiting)
            if rounds is None and not self._needs_round:
                fresh = dict.fromkeys(range(-1 - row, -1 - row - len(given), -1))
            else:
                fresh = self._rounds.checked_many(where, rounds, len(given), progress)
            if len(given) > progress.in_flight:
                self._refuse_more(f"{where}(feedbacks[{progress.in_flight}]=...)")
            if self._lets_go:
                wanted = self._oldest_wanted()
                late = [number for number in fresh if number < wanted]
                given = given[[number >= wanted for number in fresh]]
                fresh = {number: None for number in fresh if number >= wanted}
            self._table.write_many(row, given)
            waiting.stamped = waiting.stamped or rounds is not None
            if late:
                self._progress = progress._replace(waiting=waiting.joined(fresh, late))
            else:
                waiting.update(fresh)
        finally:
            self._free.append(token)

    def _refuse_more(self, call: str) -> NoReturn:
        """Raise NothingOwed: as many feedbacks have come as rounds were asked."""
        asked = self._progress.asked
        so_far = f"all {asked} rounds asked have been answered or given up"
        raise errors.NothingOwed(f"`{call}`: {so_far if asked else 'no round was asked yet; call ask()'}")

    def give_up(self, round: int) -> None:
        """Say that nothing will ever be told of a round.

        At the next ask the round leaves the feedbacks in flight and its memo is dropped. A learner that has something
        reserved for the round has it back: ``bold`` the copy that played it, ``dftbl`` the place in its block. If the
        learner has let go of the round by itself, only the count of feedbacks in flight changes.

        Args:
            round: A round that was asked and not answered.

        Raises:
            InvalidArgument: It is not a whole number from 1 on.
            UnknownRound: This round was never asked.
            AlreadyAnswered: This round has been answered or given up.
            NothingOwed: All rounds have been answered or given up.
            SharedPlayer: Another thread is using the player.
        """
        where = f"{self.learner.name}.give_up"
        token = self._guard.taken(where)
        try:
            number = self._rounds.checked(where, "round", round, self._progress)
            if self._progress.in_flight == 0:
                raise errors.NothingOwed(f"`{where}(round={number})`: all rounds asked have been answered or given up")
            self._progress.waiting.enter("given_up", number)
        finally:
            self._free.append(token)


def begin_player(learner: Learner, initial: ArrayLike | None, seed: int) -> Player:
    """A run of ``learner`` from the start."""
    return Player(learner, first_contents(learner, initial, seed))


def resume_player(learner: Learner, saved: Mapping[str, Any]) -> Player:
    """A run of ``learner`` from what ``Player.state`` returned."""
    return resumed(Player, learner, saved)
