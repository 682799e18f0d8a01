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
from belated.models.waiting import Waiting


class Endings:
    """The keys and the machine of one run, kept in line with each other, and what is learned as it comes."""

    def __init__(self, waiting: Waiting, running: Running, keys: Keys, answers: Answers) -> None:
        self._waiting, self._running, self._keys, self._answers = waiting, running, keys, answers

    def hold(self, where: str, key: Key, found: Open, label: float, weight: float) -> bool:
        """Note an outcome until the deadline; false if it is a duplicate."""
        first = self._waiting.outcomes == "first"
        if first and found.outcomes:
            if found.outcomes[0] == label:
                return False
            raise errors.AlreadyAnswered(f"`{where}(key={checks.shown(key)})`: another label was told for it")
        self._keys.open[key] = found._replace(outcomes=(*found.outcomes, label), weight=weight)
        return True

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

    def give_up(self, key: Key, found: Open) -> None:
        """End a prediction without a label."""
        self._keys.closed[key] = Closed(GIVEN_UP, 0.0)
        self._running.drop(found.entry)
        self._keys.drop_ended(key)

    def pass_time(self, moment: float, at_it: bool) -> None:
        """Do what is due before a moment, or at it, too: deadlines, and assumptions."""
        waiting, keys = self._waiting, self._keys
        while (due := keys.due(moment, at_it)) is not None:
            key, is_deadline = due
            found = keys.open[key]
            if is_deadline:
                held = found.outcomes
                ended = Closed(ANSWERED, reduced(waiting.outcomes, held)) if held else Closed(DEADLINE, waiting.assumed)
                self.close(key, found, ended, found.weight, found.deadline)
                continue
            if not self._running.has_assumed(found.entry):  # as it is after an interrupt, or when it was saved
                self._running.assume(found.entry, waiting.assumed)
            keys.strike()

    def tidy(self) -> None:
        """Take out the key that the machine has ended, where an interrupt has struck between the two."""
        pending, keys = self._running.machine.pending, self._keys
        if int(pending.counts[WAITING]) != len(keys.open):
            for key in [key for key, each in keys.open.items() if pending.number[each.entry] != each.number]:
                keys.drop_ended(key)
