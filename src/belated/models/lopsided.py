"""Whether labels that come early mislead a run under way, which is the trap of learning labels as they come.

The criterion is that of :mod:`belated.core.early_labels`, which a log is described by, too. This file says which
answers of a run it is applied to: the last thousand labels that were learned as they came, those of deadlines among
them. A deadline that passes without an answer is an answer of the age of the deadline, with the assumed label.

In a run that has just begun, only what answers soon has answered, and the rest waits. So overdue predictions count as
the criterion says, in proportion to all answers that there ever were. Silence stands for the assumed label. Of numbers
without a horizon nobody has said that it does, so that it counts only if all answers agree.

A run that holds or assumes labels is not in the trap, and remembers no answers. An answer costs the same whatever there
was before; the statistic is computed when it is asked for.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from belated.core.early_labels import early_labels, overdue_after, with_silence
from belated.models.keys import Keys

RECENT = 1000
"""So many answers are remembered."""


class Lopsided(NamedTuple):
    """What :attr:`Predictor.lopsided` says.

    Args:
        answers: How many of the last answers were looked at.
        overdue: How many predictions wait for more than three times as long as nine in ten answers took.
        window: How long ago the predictions were made that ``recent`` is about: the median age of an answer, infinite
            if most are silence that counts as one; NaN without any answer, as are the next two.
        recent: The mean of the labels that have come for the predictions of the last ``window``.
        overall: The mean of all labels.
        bias: ``recent`` minus ``overall`` in standard deviations of a label.
        z: How many standard errors ``bias`` is away from 0.
        clear: Whether labels that come early mislead, and that is no accident.
    """

    answers: int
    overdue: int
    window: float
    recent: float
    overall: float
    bias: float
    z: float
    clear: bool

    @property
    def message(self) -> str:
        """One sentence for a person, if it is clear."""
        how = (
            f"of the last {self.answers} answers, those that come early have the mean label {self.recent:.3g}, and all "
            f"with the {self.overdue} predictions that are overdue {self.overall:.3g} (bias {self.bias:+.2f})"
        )
        return (
            f"labels of one kind come first: {how}. A model that learns labels as they come learns the early kind too "
            "often; give it a horizon, after which no answer counts as one, and while_waiting='hold' or 'assume'"
        )


class Answers:
    """The ages and labels of the last answers, and how many there ever were."""

    def __init__(self, total: int = 0, recent: Iterable[tuple[float, float]] = ()) -> None:
        self.total, self.recent = total, deque(recent, maxlen=RECENT)

    def note(self, age: float, label: float) -> None:
        """Remember an answer, in the place of the oldest one if there are many."""
        self.total += 1
        self.recent.append((age, label))


def lopsided(answers: Answers, keys: Keys, now: float, stands_for: float | None) -> Lopsided:
    """The statistic of a run.

    Args:
        answers: What was answered.
        keys: What waits.
        now: The moment.
        stands_for: The label that silence stands for; None if nobody has said.

    Returns:
        The statistic; not clear as long as there are few answers.
    """
    number = len(answers.recent)
    if number == 0:
        return Lopsided(0, 0, math.nan, math.nan, math.nan, 0.0, 0.0, False)
    ages, labels = np.array(answers.recent).T
    overdue = _overdue(keys, now - overdue_after(ages))
    silent = overdue * number // answers.total
    found = early_labels(*with_silence(ages, labels, silent, stands_for))
    return Lopsided(number, overdue, found.window, found.recent, found.overall, found.bias, found.z, found.lopsided)


def _overdue(keys: Keys, since: float) -> int:
    """How many predictions wait from before a moment; they are in the order of their moments."""
    number = 0
    for each in keys.open.values():
        if each.made >= since:
            break
        number += 1
    return number
