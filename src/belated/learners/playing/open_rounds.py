"""Which rounds may still be told, and what is remembered of them.

A learner that needs the round of a feedback remembers something of every round, its *memo*, so a round is open as long
as its memo is there. Of other learners' rounds the player only knows those that were told with their number; it keeps
these as a set of ranges (:mod:`belated.core.rounds`), so that nobody answers twice. It also keeps this set for learners
that let go of rounds by themselves (``oldest_wanted``): such a round has no memo any more, and may be answered or given
up all the same, once.

An ask must not be half done, so an ask does not touch any of this: the rounds that it took in are *crossed off* by the
next one. Crossing off twice does no harm, and each of its steps is a single one.
"""

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.errors import AlreadyAnswered, RoundRequired, UnknownRound
from belated.core.rounds import RoundSet
from belated.learners.playing.inbox import FeedbackTable, Inbox
from belated.learners.playing.progress import Inputs, Progress


class OpenRounds:
    """The memos of open rounds; and the rounds that are known to be closed, unless the memos are those of all others.

    Args:
        memos: The memos at the beginning.
        closed: The rounds that are known to be closed at the beginning.
        memo_size: How many numbers a memo has; 0 for learners without memos.
        lets_go: Whether the learner lets go of rounds, so that these are open without a memo.
        asked: How many rounds have been asked.
    """

    def __init__(self, memos: dict[int, Vector], closed: RoundSet, memo_size: int, lets_go: bool, asked: int) -> None:
        self.memos, self.closed, self._memo_size = memos, closed, memo_size
        self._by_memo = memo_size > 0 and not lets_go
        self._first_kept = min(memos, default=asked + 1)
        self._no_rows = np.empty((0, memo_size))

    def cross_off(self, asked: int, memo: Vector | None, applied: Inbox) -> None:
        """Note what the last ask has done.

        Args:
            asked: The round that it played.
            memo: The memo of this round, if it is not among the memos already.
            applied: What it took in.
        """
        if memo is not None:
            self.memos[asked] = memo
        numbers = applied if applied.simple else (*applied, *applied.late, *applied.given_up)
        if self._memo_size:
            for number in numbers:
                self.memos.pop(number, None)
        if not self._by_memo:
            for number in numbers:
                if number > 0:
                    self.closed.add(number)

    def numbers(self, where: str, progress: Progress) -> tuple[int, ...]:
        """The rounds that are open, in ascending order, once the last ask is crossed off.

        Args:
            where: The call that wants to know, for the message of the error.
            progress: How far the player has come.

        Raises:
            RoundRequired: There are no memos and some feedback was told without its round. Fewer rounds are in flight
                then than are not known to be closed.
        """
        asked, waiting = progress.asked, progress.waiting
        if self._memo_size:
            return tuple(number for number in sorted(self.memos) if not waiting.knows(number))
        told = sum(number > 0 for number in waiting) + len(waiting.given_up)
        if progress.in_flight == 0:
            return ()
        if asked - len(self.closed) - told != progress.in_flight:
            raise RoundRequired(
                f"`{where}`: some feedback was told without its round, so nobody knows which {progress.in_flight} of "
                f"{asked} rounds are open; tell(..., round=play.round) keeps track of them"
            )
        return tuple(number for number in self.closed.missing(asked) if not waiting.knows(number))

    def has(self, number: int) -> bool:
        """Whether a round that was asked is open, but for what is not crossed off yet."""
        return number in self.memos if self._by_memo else number not in self.closed

    def checked(self, where: str, name: str, round: Any, progress: Progress) -> int:
        """The number of a round that was asked and neither answered nor given up.

        Args:
            where: The call that the round was given to.
            name: The name of the argument.
            round: What the caller has given.
            progress: How far the player has come.

        Raises:
            RoundRequired: It is ``None``.
            InvalidArgument: It is not a whole number from 1 on.
            UnknownRound: This round was never asked.
            AlreadyAnswered: This round has been answered or given up.
        """
        if round is None:
            raise RoundRequired(
                f"`{where}({name}=None)`: this learner must know which round is answered; give round=play.round"
            )
        number, asked = round, progress.asked
        if type(number) is not int or not 0 < number <= asked:
            number = checks.count(where, name, round)
            if number > asked:
                raise UnknownRound(f"`{where}({name}={number})`: never asked, the last round asked is {asked}")
        if not self._is_open(number, progress):
            raise AlreadyAnswered(f"`{where}({name}={number})`: this round has been answered or given up")
        return number

    def _is_open(self, number: int, progress: Progress) -> bool:
        """Whether a round that was asked is open, also by what is not crossed off yet."""
        again = progress.waiting.knows(number) or progress.applied.knows(number)
        return not again and (number == progress.asked or self.has(number))

    def checked_many(self, where: str, rounds: Any, size: int, progress: Progress) -> dict[int, None]:
        """The numbers of as many rounds, all different, as the keys of a dictionary; errors name the first wrong one.

        Args:
            where: The call that the rounds were given to.
            rounds: What the caller has given; ``None`` if nothing, which only :meth:`checked` says.
            size: How many there must be.
            progress: How far the player has come.

        Raises:
            InvalidArgument: There are not so many, or one is not a whole number from 1 on.
            RoundRequired: There are none, or one of them is ``None``.
            UnknownRound: One was never asked.
            AlreadyAnswered: One has been answered or given up, or is among them twice.
        """
        given = [None] * size if rounds is None else _listed(where, rounds, size + 1)
        if len(given) != size:
            wanted = (
                f"must be as many as the feedbacks, which are {size}, got {'more' if len(given) > size else len(given)}"
            )
            checks.refuse(where, "rounds", rounds, wanted)
        numbers: dict[int, None] = {}
        asked = progress.asked
        for place, number in enumerate(given):
            if not (type(number) is int and 0 < number <= asked and self._is_open(number, progress)):
                number = self.checked(where, f"rounds[{place}]", number, progress)
            if number in numbers:
                raise AlreadyAnswered(f"`{where}(rounds[{place}]={number})`: this round is among them twice")
            numbers[number] = None
        return numbers

    def let_go(self, wanted: int) -> None:
        """Drop the memos of the rounds before ``wanted``. Over a whole run this looks once at each round."""
        for number in range(self._first_kept, wanted):
            self.memos.pop(number, None)
            self._first_kept = number + 1

    def inputs(self, waiting: Inbox, table: FeedbackTable) -> Inputs:
        """What the next turn has to take in, once the last ask is crossed off.

        Args:
            waiting: The rounds of what has come since.
            table: The feedback of these rounds.
        """
        rows = table.rows
        late, given_up = (0, 0) if waiting.simple else (len(waiting.late), len(waiting.given_up))
        if not self._memo_size:
            return len(waiting), late, given_up, *rows
        kept = [number for number in waiting.given_up if number in self.memos]  # which were not let go of
        return len(waiting), late, given_up, rows.feedback, self._rows(waiting), self._rows(kept)

    def _rows(self, numbers: Collection[int]) -> Matrix:
        """The memos of these rounds, one in each row."""
        if not numbers:
            return self._no_rows
        return np.array([self.memos[number] for number in numbers]).reshape(len(numbers), self._memo_size)


def _listed(where: str, rounds: Any, most: int) -> list[Any]:
    """At most so many rounds as a list; InvalidArgument if they are none, such as a number or an array of tables."""
    if isinstance(rounds, np.ndarray) and rounds.ndim == 1:
        return list(rounds.tolist())
    if isinstance(rounds, np.ndarray | str | bytes) or not isinstance(rounds, Iterable):
        checks.refuse(where, "rounds", rounds, "must be a sequence of rounds")
    return list(islice(rounds, most))
