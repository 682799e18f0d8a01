"""Are early labels like the others? Often they are not, and whoever learns from them in passing is misled.

A sale is known when it happens, and that there was none is known only at the end of the waiting time. So among the
answers of the first minutes nearly all labels are positive. This file compares the labels of early and late answers.

*When is it a trap?* In nearly every log labels depend on the age of the answer a little: a late flight arrives later.
What misleads a model is that the labels that have arrived for the questions of the last while are unlike all labels of
these questions. So take the questions that were asked within a *window* W before some moment, at an even pace. Of an
answer with delay d, the share (1 - d / W)_+ has arrived. Hence the labels that have arrived have the mean

    recent = sum_i (1 - d_i / W)_+ y_i / sum_i (1 - d_i / W)_+ ,

and the *bias* is its distance to the mean of all labels, in standard deviations of a label. W is the median delay, so
that half of the answers take longer; if no delay is shorter than the median, W is the next longer delay that there is.
Labels are called lopsided if the bias is 0.5 or more, by Cohen's convention no small effect, and no accident.

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
The bias knows no features. A model whose features explain the delays is misled less than this says.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from belated.core.arrays import Vector

GROUPS = 10
LEAST_BIAS = 0.5
"""Below this bias, in standard deviations, labels are not called lopsided."""

LARGEST_CHANCE = 0.001
"""Labels are called lopsided only if chance alone makes them as uneven as this less often than once in a thousand."""


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
    """The probability that ages which have nothing to do with labels give a ratio as large, by the chi-squared law.

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

    @property
    def lopsided(self) -> bool:
        """Whether labels depend on age beyond chance (below 0.001), and recent ones mislead (a bias of 0.5 or more)."""
        return self.chance < LARGEST_CHANCE and abs(self.bias) >= LEAST_BIAS

    @property
    def misleading(self) -> bool:
        """Whether a model without a horizon is misled: labels are lopsided, or one-sided."""
        return self.lopsided or self.one_sided

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


def lopsidedness(ages: Vector, labels: Vector, never: int) -> Lopsidedness:
    """Compare labels by the age of their answers; sums are exact, rounded once.

    Args:
        ages: The age of each answer, at least one.
        labels: The label of each answer, finite.
        never: How many questions are never answered.

    Returns:
        The comparison.
    """
    order = np.argsort(ages, kind="stable")
    ages, labels = ages[order], labels[order]
    ends = _ends(ages)
    groups = np.split(labels, ends[:-1])
    overall = math.fsum(labels) / len(labels)
    means = np.array([math.fsum(group) / len(group) for group in groups])
    answers = np.array([len(group) for group in groups], dtype=np.int64)
    total = math.fsum((labels - overall) ** 2)
    between = math.fsum(answers * (means - overall) ** 2)
    constant = bool((labels == labels[0]).all())
    share = 0.0 if constant or total == 0.0 else min(between / total, 1.0)
    freedom = len(groups) - 1
    chance = float(chdtrc(freedom, share * (len(labels) - 1))) if freedom and not constant else 1.0
    window = _window(ages)
    recent = _recent(ages, labels, window, overall)
    bias = 0.0 if constant or total == 0.0 else (recent - overall) / math.sqrt(total / len(labels))
    return Lopsidedness(
        ages[ends - 1],
        answers,
        means,
        overall,
        math.sqrt(share),
        chance,
        window,
        recent,
        bias,
        one_sided=constant and never > 0,
    )


def _window(ages: Vector) -> float:
    """Return the median of the sorted ages; if it is the smallest of them, the next that there is."""
    median = ages[(len(ages) - 1) // 2]
    if median > ages[0]:
        return float(median)
    longer = ages[ages > ages[0]]
    return float(longer[0]) if len(longer) else float(median)


def _recent(ages: Vector, labels: Vector, window: float, overall: float) -> float:
    """Return the mean of the labels that have arrived for questions of the last window; of none, that of all."""
    known = int(np.searchsorted(ages, window))  # the ages are sorted, and later answers have not arrived
    if not known:
        return overall
    arrived = 1.0 - ages[:known] / window
    return math.fsum(arrived * labels[:known]) / math.fsum(arrived)


def _ends(ages: Vector) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return where each group of the sorted ages ends, as the number of answers up to there."""
    tenths = ages[(np.arange(1, GROUPS + 1) * len(ages) + GROUPS - 1) // GROUPS - 1]
    first, last = np.searchsorted(ages, tenths, side="left"), np.searchsorted(ages, tenths, side="right")
    alone = (last - first) * GROUPS >= len(ages)
    ends = np.unique(np.concatenate([last, first[alone]]))
    return ends[ends > 0].astype(np.int64)
