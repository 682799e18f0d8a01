"""What a run of a learner holds between two calls, and how it is looked at and saved, which changes nothing of it.

The verbs that move it are those of a :class:`~belated.learners.playing.player.Player`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belated.core.ledger import Ledger
from belated.learners.playing.guard import Guard
from belated.learners.playing.inbox import FeedbackTable, Inbox
from belated.learners.playing.open_rounds import OpenRounds
from belated.learners.playing.progress import Progress
from belated.learners.playing.runner import TurnRunner
from belated.learners.playing.saving import Contents, saved_state
from belated.learners.verbs import oldest_wanted

if TYPE_CHECKING:
    from belated.learners.learner import Learner


class Standing:
    """Where a run stands: its numbers, what waits for the next ask, and which rounds are open."""

    def __init__(self, learner: Learner, contents: Contents) -> None:
        self.learner = learner
        self._interface = learner.interface
        self._needs_round = learner.needs_round
        self._takes_context = self._interface.context_size > 0
        ledger, interface = contents.ledger, self._interface
        self._lets_go = learner.needs_round and oldest_wanted.knows(learner.policy)
        self._runner = TurnRunner(learner, contents.policy_state, ledger)
        self._rounds = OpenRounds(contents.memos, contents.closed, interface.memo_size, self._lets_go, ledger.round)
        self._where = f"{learner.name}.tell"
        self._table = FeedbackTable(self._where, interface, contents.feedback)
        random, nothing = contents.random_state, Inbox()
        self._progress = Progress(0, ledger.round, ledger.in_flight, random, contents.waiting, nothing)
        self._wanted: tuple[int | None, int] = None, 1
        self._guard = Guard()
        self._free = self._guard.free

    def __repr__(self) -> str:
        asked, in_flight, waiting = self._progress.asked, self._progress.in_flight, self._progress.waiting
        answered = self.ledger.received + len(waiting) + len(waiting.late)
        counts = f"{answered} answered, {asked - answered - in_flight} given up, {in_flight} in flight"
        return f"<{self.learner.name} player: {asked} rounds asked, {counts}>"

    @property
    def ledger(self) -> Ledger:
        """The counts at the last ask, before what was told since."""
        while True:  # an ask of another thread writes to this side only when it is not the one that counts any more
            progress = self._progress
            ledger = self._runner.numbers.ledger(progress.side)
            if progress is self._progress:
                return ledger

    @property
    def open_rounds(self) -> tuple[int, ...]:
        """The rounds that were asked and neither answered nor given up, in ascending order.

        What was told or given up since the last ask counts at once. Rounds that the learner has let go of by itself, as
        ``restarting`` and ``skipping`` do, are not among them.

        Raises:
            RoundRequired: Feedback was told without its round, so nobody knows which rounds are open.
            SharedPlayer: Another thread is using the player.
        """
        where = f"{self.learner.name}.open_rounds"
        token = self._guard.taken(where)
        try:
            self._cross_off()
            return self._rounds.numbers(where, self._progress)
        finally:
            self._free.append(token)

    def state(self) -> dict[str, Any]:
        """All of the run, from which ``learner.resume`` goes on.

        Returns:
            Named arrays and plain values, copies that you may change; nothing in them is pickled.

        Raises:
            SharedPlayer: Another thread is using the player.
        """
        token = self._guard.taken(f"{self.learner.name}.state")
        try:
            self._cross_off()
            progress = self._progress
            contents = Contents(
                self.ledger,
                self._runner.numbers.states[progress.side],
                progress.random_state,
                progress.waiting,
                self._table.rows.feedback,
                self._rounds.memos,
                self._rounds.closed,
            )
            return saved_state(self.learner, contents)
        finally:
            self._free.append(token)

    def _cross_off(self) -> None:
        """Note what the last ask has done, and let go of what the learner will not use. Twice does no harm."""
        progress = self._progress
        self._rounds.cross_off(progress.asked, progress.memo, progress.applied)
        if self._lets_go:
            self._rounds.let_go(self._oldest_wanted())

    def _oldest_wanted(self) -> int:
        """What the verb says of the side that counts; it is asked once after each round."""
        progress, (known_for, number) = self._progress, self._wanted
        if known_for != progress.asked:
            number = oldest_wanted(self.learner.policy, self._runner.numbers.states[progress.side], self.ledger)
            self._wanted = progress.asked, number
        return number
