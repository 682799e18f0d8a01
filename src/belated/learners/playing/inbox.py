"""What a player is told, checked and in order: the context of a round, and what waits for the next ask."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.learners.playing.putting import Put, put_plainly
from belated.learners.verbs import Interface

_ARRAY = np.ndarray
_REAL = np.dtype(np.float64)

_FEW_ROWS = 16
"""A table of four times so many rows is never made smaller: its memory is not worth the work."""


class Inbox(dict[int, None]):
    """The rounds of what has come since the last ask, in order of arrival; dictionaries serve as ordered sets.

    The keys are the rounds of the feedback that waits in the table; a negative number stands for a round that was not
    told. ``late`` are rounds that the learner has let go of, so that their feedback is only counted. ``given_up`` are
    rounds whose feedback will never come. Most inboxes have none of these two: they share an empty set, and are
    ``simple``. ``stamped`` says that a round may be among them by its number, which the next ask has to note.
    """

    late: Mapping[int, None] = MappingProxyType({})
    given_up: Mapping[int, None] = MappingProxyType({})
    simple = True
    stamped = False

    def stamp(self, number: int) -> None:
        """Add a round by its number: its feedback waits in the row behind the last."""
        self.stamped = True
        self[number] = None

    def enter(self, kind: str, number: int) -> None:
        """Add a round to ``late`` or ``given_up``, whichever ``kind`` says."""
        self.stamped, self.simple = True, False
        vars(self).setdefault(kind, {})[number] = None

    def joined(self, fresh: Mapping[int, None], late: Iterable[int]) -> "Inbox":
        """A new inbox, of what is in this one and of more feedback that has come.

        Args:
            fresh: The rounds of feedback that waits in the rows behind the last.
            late: More rounds that the learner has let go of.
        """
        both = Inbox({**self, **fresh})
        for kind, numbers in (("late", (*self.late, *late)), ("given_up", self.given_up)):
            for number in numbers:
                both.enter(kind, number)
        return both

    def everything(self) -> int:
        """How many rounds there are in it, of any kind."""
        return len(self) if self.simple else len(self) + len(self.late) + len(self.given_up)

    def knows(self, number: int) -> bool:
        """Whether anything of that round waits."""
        return number in self or (not self.simple and (number in self.late or number in self.given_up))


class _Rows(NamedTuple):
    """Room for feedback; and what learners without memos have for those of as many rounds, and of rounds given up."""

    feedback: Matrix
    no_memos: Matrix
    none_given_up: Matrix


def _rows(feedback: Matrix) -> _Rows:
    return _Rows(feedback, np.empty((len(feedback), 0)), np.empty((0, 0)))


class FeedbackTable:
    """Feedback that waits for the next ask, one in each row; a row counts when its round is entered in the inbox.

    ``large`` says that the table has rows that it might :meth:`give_back`.
    """

    def __init__(self, where: str, interface: Interface, feedback: Matrix) -> None:
        """Begin with what waits in ``feedback``, behind which there must be room for another row.

        Args:
            where: The call that feedback is checked for.
            interface: What feedback must be.
            feedback: The first rows.
        """
        self._where, self._interface = where, interface
        self._any_label = not interface.classes and interface.label_bound == np.inf
        self._shape = (interface.feedback_size,)
        self.rows = _rows(feedback)
        self.large = len(feedback) > 4 * _FEW_ROWS

    def give_back(self, used: int) -> None:
        """Halve the table if less than a quarter of it is used, so that a burst does not keep its memory for ever.

        At most ``used`` rows are copied, so this adds a constant to the cost of each feedback.

        Args:
            used: How many of the first rows count.
        """
        size = len(self.rows.feedback)
        if size > 4 * max(used, _FEW_ROWS):
            shorter = np.empty((size // 2, self._interface.feedback_size))
            shorter[:used] = self.rows.feedback[:used]
            self.rows = _rows(shorter)
            self.large = len(shorter) > 4 * _FEW_ROWS

    def write(self, row: int, feedback: Any, put: Put = put_plainly) -> None:
        """Put checked feedback into a row.

        Args:
            row: A row that is free, at most one behind the last.
            feedback: What the caller has told.
            put: What copies a vector into a row, and says whether all is well with it.

        Raises:
            InvalidArgument: It is not what the learner must be told. The row means nothing then.
        """
        table = self.rows.feedback
        if row == len(table):
            table = self._lengthened(row, row + 1)
        if (
            type(feedback) is _ARRAY
            and feedback.dtype is _REAL
            and feedback.shape == self._shape
            # Machine code takes for granted that the numbers lie one behind the other.
            and put(table, row, feedback if feedback.flags.carray else feedback.copy())
            and self._any_label
        ):
            return
        table[row] = checks.moderate_vector(
            self._where, self._interface.feedback, feedback, self._interface.feedback_size
        )
        if not self._any_label:
            self._check_label(self._where, "label", float(table[row, 0]), feedback)

    def checked_many(self, where: str, feedbacks: Any) -> Matrix:
        """A copy of many feedbacks, one in each row.

        Args:
            where: The call that they were given to.
            feedbacks: What the caller has told.

        Raises:
            InvalidArgument: They are not what the learner must be told.
        """
        given = checks.moderate_rows(where, "feedbacks", feedbacks, self._interface.feedback_size)
        if not self._any_label:
            for place, label in enumerate(given[:, 0].tolist()):
                self._check_label(where, f"feedbacks[{place}]", label, label)
        return given

    def write_many(self, row: int, feedbacks: Matrix) -> None:
        """Put feedbacks that have been checked into a row each.

        Args:
            row: The first of the rows, which is free; at most one behind the last.
            feedbacks: What :meth:`checked_many` has returned, or some rows of it.
        """
        table, behind = self.rows.feedback, row + len(feedbacks)
        if behind > len(table):
            table = self._lengthened(row, behind)
        table[row:behind] = feedbacks

    def _lengthened(self, used: int, wanted: int) -> Matrix:
        """The table, made at least twice as long, and ``wanted`` rows; the first ``used`` ones are kept."""
        longer = np.empty((max(2 * len(self.rows.feedback), wanted), self._interface.feedback_size))
        longer[:used] = self.rows.feedback[:used]
        self.rows = _rows(longer)
        self.large = len(longer) > 4 * _FEW_ROWS
        return longer

    def _check_label(self, where: str, name: str, label: float, given: Any) -> None:
        classes, bound = self._interface.classes, self._interface.label_bound
        if classes and label not in range(classes):
            checks.refuse(where, name, given, f"must be a class, from 0 to {classes - 1}")
        if abs(label) > bound:
            checks.refuse(where, name, given, f"must be of size at most {bound:g}, the learner's label_bound")


def checked_context(where: str, interface: Interface, context: Any) -> Vector:
    """The context of a round as a vector of the right size.

    Args:
        where: The call that it was given to.
        interface: What the learner wants.
        context: What the caller has given; ``None`` if nothing.

    Raises:
        InvalidArgument: It is not what the learner wants.
    """
    if interface.context_size == 0:
        checks.refuse(where, "context", context, "this learner does not use a context")
    if context is None:
        wanted = f"must be {interface.context_size} numbers that are known of the round"
        checks.refuse(where, "context", context, wanted)
    return checks.moderate_vector(where, "context", context, interface.context_size)
