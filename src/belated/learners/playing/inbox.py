"""What a player is told, checked and in order: the context of a round, and what waits for the next ask."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.learners.verbs import Interface

_REAL = np.dtype(np.float64)

_FEW_ROWS = 16
"""A table of four times so many rows is never made smaller: its memory is not worth the work."""


class Inbox(dict[int, None]):
    """The rounds of what has come since the last ask, in order of arrival; dictionaries serve as ordered sets.

    The keys are the rounds of the feedback that waits in the table; a negative number stands for a round that was not
    told. ``late`` are rounds that the learner has let go of, so that their feedback is only counted. ``given_up`` are
    rounds whose feedback will never come. Most inboxes have none of these two: they share an empty set, and are
    ``simple``.
    """

    late: Mapping[int, None] = MappingProxyType({})
    given_up: Mapping[int, None] = MappingProxyType({})
    simple = True

    def enter(self, kind: str, number: int) -> None:
        """Add a round to ``late`` or ``given_up``, whichever ``kind`` says."""
        self.simple = False
        vars(self).setdefault(kind, {})[number] = None

    def everything(self) -> int:
        """How many rounds there are in it, of any kind."""
        return len(self) if self.simple else len(self) + len(self.late) + len(self.given_up)

    def knows(self, number: int) -> bool:
        """Whether anything of that round waits."""
        return number in self or (not self.simple and (number in self.late or number in self.given_up))


class _Rows(NamedTuple):
    """Room for feedback, and as many memos without numbers: those of learners that remember nothing."""

    feedback: Matrix
    no_memos: Matrix


def _rows(feedback: Matrix) -> _Rows:
    return _Rows(feedback, np.empty((len(feedback), 0)))


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

    def write(self, row: int, feedback: Any, row_within_limit: Any = None) -> None:
        """Put checked feedback into a row.

        Args:
            row: A row that is free, at most one behind the last.
            feedback: What the caller has told.
            row_within_limit: A fast check of the entries of a row, if there is one.

        Raises:
            InvalidArgument: It is not what the learner must be told. The row means nothing then.
        """
        table = self.rows.feedback
        if row == len(table):
            longer = np.empty((2 * row, self._interface.feedback_size))
            longer[:row] = table
            self.rows, table = _rows(longer), longer
            self.large = len(longer) > 4 * _FEW_ROWS
        if (
            row_within_limit
            and type(feedback) is np.ndarray
            and feedback.dtype is _REAL
            and feedback.shape == self._shape
        ):
            table[row] = feedback
            if self._any_label and row_within_limit(table, row):
                return
        table[row] = checks.moderate_vector(
            self._where, self._interface.feedback, feedback, self._interface.feedback_size
        )
        if not self._any_label:
            self._check_label(float(table[row, 0]), feedback)

    def _check_label(self, label: float, feedback: Any) -> None:
        classes, bound = self._interface.classes, self._interface.label_bound
        if classes and label not in range(classes):
            checks.refuse(self._where, "label", feedback, f"must be a class, from 0 to {classes - 1}")
        if abs(label) > bound:
            checks.refuse(
                self._where, "label", feedback, f"must be of size at most {bound:g}, the learner's label_bound"
            )


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
