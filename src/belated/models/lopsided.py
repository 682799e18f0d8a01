r"""Whether labels that come early are of another kind than those that come late, which is a trap.

Where a purchase answers within hours and no purchase answers after a month or never, the labels that are learned as
they come are nearly all positive for a month, and the model learns to predict too much. The trap is not that age and
label go together: of flights, late ones answer later, too, and no harm is done, since on every day labels of both kinds
come. It is that one kind of label comes *first*. Two signs of it are looked for, in the last thousand answers.

* **Order.** Of two answers, one with a label above the mean and one with a label that is not, the first is the younger
  one with a probability that is 1/2 if age says nothing. (It is the statistic of Mann and Whitney, divided by the
  number of pairs.) The sign is a probability of at least 0.9, or at most 0.1. A test for *any* difference would not do:
  with a thousand answers it finds the flights, whose probability is about 0.4. Means of the youngest and the oldest
  answers would not do either, as their difference is as small as positive labels are rare; the probability does not
  depend on how rare they are.
* **Silence.** None of the answers is the assumed label, and more predictions than were ever answered wait for more than
  three times as long as nine in ten answers took. Those will hardly be answered any more: no answer is the other label.
  That is for labels of two kinds and for counts, whose assumed label would come if it came at all.

Neither is looked for in fewer than 100 answers, nor the first with fewer than ten labels on one side: of a hundred
answers with ten large labels, chance alone gives such a probability about once in 30,000 times. Answers to predictions
with a deadline do not count, and a run that holds or assumes labels is not in the trap.

An answer costs the same whatever there was before; the statistic is computed when it is asked for.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from belated.models.keys import Keys

RECENT, LEAST, LEAST_OF_A_KIND = 1000, 100, 10
"""So many answers are remembered, and so many must have come, in all and of each kind."""

CLEAR = 0.9
"""From this probability on one kind of label comes first."""

LONG = 3.0
"""A prediction is overdue that waits for so many times as long as nine in ten answers took."""


class Lopsided(NamedTuple):
    """What :attr:`Predictor.lopsided` says.

    Args:
        answers: How many of the last answers were looked at.
        early: The mean label of the youngest fifth of them; NaN if there are none.
        late: The mean label of the oldest fifth.
        order: Of two answers with a large and a small label, how probably the large one is the younger; 1/2 if all
            labels are equal.
        z: How many standard errors ``order`` is away from 1/2.
        overdue: How many predictions wait for more than three times as long as nine in ten answers took.
        clear: Whether one kind of label comes first.
    """

    answers: int
    early: float
    late: float
    order: float
    z: float
    overdue: int
    clear: bool

    @property
    def message(self) -> str:
        """One sentence for a person, if it is clear."""
        how = (
            f"the youngest fifth of the last {self.answers} answers has the mean label {self.early:.3g}, the oldest "
            f"{self.late:.3g}, and {self.overdue} predictions are overdue"
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


def lopsided(answers: Answers, keys: Keys, now: float, assumed: float, may_be_silent: bool) -> Lopsided:
    """The statistic of a run.

    Args:
        answers: What was answered.
        keys: What waits.
        now: The moment.
        assumed: The assumed label.
        may_be_silent: Whether the second sign is looked for.

    Returns:
        The statistic; not clear as long as there are few answers.
    """
    number = len(answers.recent)
    if number == 0:
        return Lopsided(0, math.nan, math.nan, 0.5, 0.0, 0, False)
    ages, labels = np.array(answers.recent).T
    by_age = labels[np.argsort(ages, kind="stable")]
    fifth = max(number // 5, 1)
    order, z, rarer = _order(ages, labels > labels.mean())
    usual = float(np.sort(ages)[math.ceil(0.9 * number) - 1])
    overdue = _overdue(keys, now - LONG * usual)
    first = rarer >= LEAST_OF_A_KIND and max(order, 1.0 - order) >= CLEAR
    silent = may_be_silent and overdue > answers.total and not (labels == assumed).any()
    clear = number >= LEAST and (first or silent)
    return Lopsided(number, float(by_age[:fifth].mean()), float(by_age[-fifth:].mean()), order, z, overdue, clear)


def _order(ages: np.ndarray, large: np.ndarray) -> tuple[float, float, int]:
    """How probably the large one of two labels is the younger, the z of that, and how many are of the rarer kind."""
    many, few = int(large.sum()), int((~large).sum())
    if not many or not few:
        return 0.5, 0.0, 0
    _, place, count = np.unique(ages, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - 0.5 * (count - 1))[place]
    older = (float(rank[large].sum()) - 0.5 * many * (many + 1)) / (many * few)
    error = math.sqrt((many + few + 1) / (12.0 * many * few))
    return 1.0 - older, (0.5 - older) / error, min(many, few)


def _overdue(keys: Keys, since: float) -> int:
    """How many predictions without a deadline wait from before a moment; they are in the order of their moments."""
    number = 0
    for each in keys.open.values():
        if each.made >= since:
            break
        number += each.deadline == math.inf
    return number
