"""How predictions end: with an answer, at their deadline, or given up; and what is assumed of them until then.

At one moment answers come first, then deadlines, then assumptions, then predictions. So an answer that comes at the
moment of its deadline is in time, one that comes at the moment of its assumption is learned without any, and a
prediction whose assumption would fall on its deadline or after it is assumed nothing of: the assumed label is learned
at the deadline. Deadlines that fall on one moment come in the order of their predictions, and so do assumptions.
"""

from __future__ import annotations

from belated.core import checks, errors
from belated.models.keys import ANSWERED, DEADLINE, GIVEN_UP, Closed, Key, Keys, Open, reduced
from belated.models.lopsided import Answers
from belated.models.pending import WAITING
from belated.models.running import Running
from belated.models.times import Times
from belated.models.waiting import Waiting


class Endings:
    """The keys, the machine and the time of one run, kept in line with each other, and what is learned as it comes."""

    def __init__(self, waiting: Waiting, running: Running, keys: Keys, times: Times, answers: Answers) -> None:
        self._waiting, self._running, self._keys = waiting, running, keys
        self._times, self._answers = times, answers
        self._stuck: Key | None = None
        """The key whose deadline or assumption failed last: time cannot go on until it is given up."""

    def is_held(self, where: str, key: Key, found: Open, label: float, weight: float) -> bool:
        """Whether a label is held already, so that it is a duplicate; AlreadyAnswered if another one is.

        Of outcomes that are added up, one label is learned with one weight, so another weight is refused.
        """
        outcomes = self._waiting.outcomes
        if not found.outcomes or outcomes == "last":
            return False
        if outcomes != "first":
            if weight != found.weight:
                allowed = f"must be {found.weight!r} as before: one label is learned of all outcomes of a prediction"
                checks.refuse(where, "weight", weight, allowed)
            return False
        if found.outcomes[0] != label:
            raise errors.AlreadyAnswered(f"`{where}(key={checks.shown(key)})`: another label was told for it")
        return True

    def hold(self, key: Key, found: Open, label: float, weight: float) -> None:
        """Note an outcome until the deadline; of several, the one that counts is the last, or all have one weight."""
        self._keys.open[key] = found._replace(outcomes=(*found.outcomes, label), weight=weight)

    def close(self, key: Key, found: Open, ended: Closed, weight: float, moment: float) -> None:
        """Learn the label of a key. What the machine has done counts, wherever an interrupt strikes: see ``tidy``."""
        self._keys.closed[key] = ended
        try:
            if self._running.has_assumed(found.entry):
                self._running.amend(found.entry, self._waiting.assumed, ended.label, weight)
            else:
                self._running.learn(found.entry, ended.label, weight)
        except errors.NumericalFailure:
            del self._keys.closed[key]
            raise
        self._keys.drop_ended(key)
        if self._waiting.way == "nothing":
            self._answers.note(moment - found.made, ended.label)

    def give_up(self, where: str, key: Key, found: Open) -> None:
        """End a prediction without a label; AlreadyAnswered if one is held for it that can be learned."""
        if found.outcomes and key != self._stuck:
            raise errors.AlreadyAnswered(
                f"`{where}(key={checks.shown(key)})`: a label was told for it, and is held until {found.deadline!r}"
            )
        self._keys.closed[key] = Closed(GIVEN_UP, 0.0)
        self._running.drop(found.entry)
        self._keys.drop_ended(key)

    def pass_time(self, moment: float, at_it: bool) -> None:
        """Do what is due before a moment, or at it, too: deadlines, and assumptions.

        Time goes on to each of them when it is done, so that nothing comes before it afterwards, even if the event
        fails that time has passed for.
        """
        while (due := self._keys.due(moment, at_it)) is not None:
            when, key, is_deadline = due
            try:
                self._let_end(key) if is_deadline else self._assume(key)
            except errors.NumericalFailure as problem:
                self._stuck = key
                raise errors.NumericalFailure(
                    f"{problem}: those of key {checks.shown(key)}, whose label is assumed at {when!r}; give it up"
                ) from None
            self._times.now = max(self._times.now, when)
        self._stuck = None

    def _let_end(self, key: Key) -> None:
        """End a prediction at its deadline."""
        found, waiting = self._keys.open[key], self._waiting
        held = found.outcomes
        ended = Closed(ANSWERED, reduced(waiting.outcomes, held)) if held else Closed(DEADLINE, waiting.assumed)
        self.close(key, found, ended, found.weight, found.deadline)

    def _assume(self, key: Key) -> None:
        """Learn the assumed label of a prediction, which goes on waiting."""
        entry = self._keys.open[key].entry
        if not self._running.has_assumed(entry):  # as it is after an interrupt, or when it was saved
            self._running.assume(entry, self._waiting.assumed)
        self._keys.strike()

    def tidy(self) -> None:
        """Take out the key that the machine has ended, where an interrupt has struck between the two."""
        pending, keys = self._running.machine.pending, self._keys
        if int(pending.counts[WAITING]) != len(keys.open):
            for key in [key for key, each in keys.open.items() if pending.number[each.entry] != each.number]:
                keys.drop_ended(key)
