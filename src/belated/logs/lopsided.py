"""Are early labels like the others? Often they are not, and whoever learns from them in passing is misled.

A sale is known when it happens, and that there was none is known only at the end of the waiting time. So among the
answers of the first minutes nearly all labels are positive. This file compares the labels of early and late answers: by
the criterion of :mod:`belated.core.early_labels`, which a run under way is judged by, too, and in groups of ages, for
people to look at.

==========================================================  ==============  ===========
stream                                                      mean of labels  bias
==========================================================  ==============  ===========
sales at once, no sale after a waiting time                 0.02            7
the same                                                    0.3             1.5
the same                                                    0.6             0.8
sales ten times as fast as the answer that there was none   0.3             0.8
sales three times as fast                                   0.3             0.4
the flights of New York, late or not                        0.24            -0.37
the flights of New York, minutes                            6.9             -0.34
==========================================================  ==============  ===========

Of two classes, the rarer one that comes early can have a bias of any size, and the more frequent one that comes early
has at most the square root of its odds: that most early flights are punctual misleads little, because most flights are.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.core.arrays import Vector
from belated.core.early_labels import early_labels, overdue_after, with_silence

GROUPS = 10


@dataclass(frozen=True, eq=False)
class Lopsidedness:
    """How the mean label depends on the age of the answer, in groups from early to late of a tenth of the answers each.

    Answers of the same age are in one group. An age that a tenth of all answers or more have, such as the end of a
    waiting time, is a group of its own.
    """

    ages: Vector
    """The largest age in each group, in the unit of the summary."""
    answers: np.ndarray[Any, np.dtype[np.int64]]
    """The number of answers in each group."""
    means: Vector
    """The mean label of each group."""
    overall: float
    """The mean label of all answers."""
    strength: float
    """The correlation ratio of label and group: 0 if all groups have the same mean, 1 if the group decides the label.

    Its square is the share of the variance of labels that lies between the groups.
    """
    chance: float
    """The probability that ages which have nothing to do with labels give a bias as large, by the normal law.

    It takes the answers for independent, so it is too small if labels come in runs.
    """
    window: float
    """How long ago the questions were asked that ``recent`` is about, in the unit of the summary: the median delay."""
    recent: float
    """The mean of the labels that have arrived for the questions of the last ``window``."""
    bias: float
    """``recent`` minus ``overall`` in standard deviations of the labels; 0 if all delays or all labels are equal."""
    one_sided: bool
    """Whether all answers have the same label and some questions are never answered: silence may be the other label."""
    misleading: bool
    """Whether a model that learns labels as they come is misled, by the answers or by silence: the criterion."""

    @property
    def lopsided(self) -> bool:
        """Whether the labels of early answers mislead: they are biased by 0.5 or more, clearly so."""
        return self.misleading and not self.one_sided

    def to_dict(self) -> dict[str, Any]:
        """Make a dictionary that can be written as JSON.

        Returns:
            A new dictionary with the name and the value of every field, arrays as lists.
        """
        return {
            "ages": self.ages.tolist(),
            "answers": self.answers.tolist(),
            "means": self.means.tolist(),
            "overall": self.overall,
            "strength": self.strength,
            "chance": self.chance,
            "window": self.window,
            "recent": self.recent,
            "bias": self.bias,
            "one_sided": self.one_sided,
            "lopsided": self.lopsided,
            "misleading": self.misleading,
        }


def lopsidedness(ages: Vector, labels: Vector, silent: Vector) -> Lopsidedness:
    """Compare labels by the age of their answers; sums are exact, rounded once.

    Args:
        ages: The age of each answer, at least one.
        labels: The label of each answer, finite.
        silent: For how long each question without an answer has waited at the end of the log.

    Returns:
        The comparison.
    """
    found = early_labels(ages, labels)
    overdue = int((silent > overdue_after(ages)).sum())
    with_overdue = early_labels(*with_silence(ages, labels, overdue, None))
    order = np.argsort(ages, kind="stable")
    ages, labels = ages[order], labels[order]
    ends = _ends(ages)
    groups = np.split(labels, ends[:-1])
    means = np.array([math.fsum(group) / len(group) for group in groups])
    answers = np.array([len(group) for group in groups], dtype=np.int64)
    total = math.fsum((labels - found.overall) ** 2)
    between = math.fsum(answers * (means - found.overall) ** 2)
    constant = bool((labels == labels[0]).all())
    share = 0.0 if constant or total == 0.0 else min(between / total, 1.0)
    return Lopsidedness(
        ages=ages[ends - 1],
        answers=answers,
        means=means,
        overall=found.overall,
        strength=math.sqrt(share),
        chance=math.erfc(abs(found.z) / math.sqrt(2.0)),
        window=found.window,
        recent=found.recent,
        bias=found.bias,
        one_sided=constant and len(silent) > 0,
        misleading=with_overdue.lopsided,
    )


def _ends(ages: Vector) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return where each group of the sorted ages ends, as the number of answers up to there."""
    tenths = ages[(np.arange(1, GROUPS + 1) * len(ages) + GROUPS - 1) // GROUPS - 1]
    first, last = np.searchsorted(ages, tenths, side="left"), np.searchsorted(ages, tenths, side="right")
    alone = (last - first) * GROUPS >= len(ages)
    ends = np.unique(np.concatenate([last, first[alone]]))
    return ends[ends > 0].astype(np.int64)
