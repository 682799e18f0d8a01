"""Are early labels like the others? Often they are not, and whoever learns from them in passing is misled.

A sale is known when it happens, and that there was none is known only at the end of the waiting time. So among the
answers of the first minutes nearly all labels are positive. This file compares the labels of early and late answers.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from belated.core.arrays import Vector

GROUPS = 10
LEAST_STRENGTH = 0.1
"""Below this correlation ratio, by Cohen's convention less than a small effect, labels are not called lopsided."""

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
    one_sided: bool
    """Whether all answers have the same label and some questions are never answered: silence may be the other label."""

    @property
    def lopsided(self) -> bool:
        """Whether labels depend on age beyond chance (below 0.001) and noticeably (strength of 0.1 or more)."""
        return self.chance < LARGEST_CHANCE and self.strength >= LEAST_STRENGTH

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
            "one_sided": self.one_sided,
            "lopsided": self.lopsided,
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
    one_sided = constant and never > 0
    return Lopsidedness(ages[ends - 1], answers, means, overall, math.sqrt(share), chance, one_sided)


def _ends(ages: Vector) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return where each group of the sorted ages ends, as the number of answers up to there."""
    tenths = ages[(np.arange(1, GROUPS + 1) * len(ages) + GROUPS - 1) // GROUPS - 1]
    first, last = np.searchsorted(ages, tenths, side="left"), np.searchsorted(ages, tenths, side="right")
    alone = (last - first) * GROUPS >= len(ages)
    ends = np.unique(np.concatenate([last, first[alone]]))
    return ends[ends > 0].astype(np.int64)
