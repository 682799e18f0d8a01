r"""Are labels that come early like the others? The one criterion, for a log as a whole and for a run under way.

Early labels always differ a little: a late flight lands later. What misleads a model is that the labels which have come
for the questions of the last while are unlike all labels of these questions. A model that has just begun knows no
others, and neither does one that meets a new word. So take the questions that were asked within a *window* W before
some moment, at an even pace. Of an answer with delay d, the share w = (1 - d / W)_+ has come. Hence the labels that
have come have the mean

    recent = sum_i w_i y_i / sum_i w_i ,

and the *bias* is its distance to the mean of all labels, in standard deviations of a label. W is the median delay, so
that half of the answers take longer; if no delay is shorter than the median, W is the next longer delay that there is.

*The error.* If ages say nothing of labels, every order of the labels is as probable as any other. With k = (sum_i
w_i)^2 / sum_i w_i^2, which is the number of answers that have come if all shares are 0 or 1, the bias of n answers then
has the mean 0 and the variance

    error^2 = (n / k - 1) / (n - 1) ,

exactly, whatever labels and delays are. (Of the bias, sum_i (w_i / sum_j w_j - 1 / n) (y_i - mean) / deviation, it is
the variance under permutations.)

*The criterion.* Labels are **lopsided** if the bias is beyond 1/2 by eight errors or more. By Cohen's convention, 1/2
is no small effect. Eight errors are many, and for a reason: labels come in runs. On the flights of New York the bias of
the year is -0.37, and among a thousand answers in a row, in days of storms, it is up to -0.73, at an error of 0.04. A
purchase that comes at once, while its absence takes a month, has a bias of 1.5 if three in ten buy, at an error of
0.05, and more if fewer do. As no bias is larger than sqrt(n - 1) errors, less than 66 answers are never lopsided.

A sum of few terms is far from normal. So there must be ten early answers and ten labels that differ, both counted as k
is: k itself, and (sum_i v_i)^2 / sum_i v_i^2 for the squared deviations v. Of labels of two kinds the latter is about
the number of the rarer kind, and of numbers it is small if a few outliers make up the deviation.

*Silence.* Where only purchases are told, no label is ever late; silence is the other label. A question is *overdue* if
it has waited for more than three times as long as nine in ten answers took. If no answer has the label that silence
stands for, overdue questions count as answers with that label that take for ever. Where nobody says what silence stands
for, they count if all answers agree, as a label that is another one; the size of the bias does not depend on which.

The bias knows no features. A model whose features explain the delays is misled less than this says.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector

LEAST_BIAS, ERRORS = 0.5, 8.0
"""Labels are lopsided if their bias is beyond the first by so many errors."""

LEAST = 10.0
"""So many early answers and so many labels that differ there must be."""

LONG, USUAL = 3.0, 0.9
"""A question is overdue that waits for so many times as long as this share of the answers took."""


class EarlyLabels(NamedTuple):
    """How labels that come early differ from all labels.

    ``bias`` is ``recent`` minus ``overall`` in standard deviations of a label, and ``error`` that of the bias if ages
    say nothing. ``counted`` is the number of early answers, or that of labels that differ, whichever is smaller.
    """

    window: float
    recent: float
    overall: float
    bias: float
    error: float
    counted: float

    @property
    def z(self) -> float:
        """How many errors the bias is away from 0."""
        return self.bias / self.error if self.error > 0.0 else 0.0

    @property
    def lopsided(self) -> bool:
        """Whether early labels mislead, and that is no accident."""
        return self.counted >= LEAST and abs(self.bias) >= LEAST_BIAS + ERRORS * self.error


def early_labels(ages: Vector, labels: Vector) -> EarlyLabels:
    """Hold the labels that come early against all labels.

    Args:
        ages: How late each answer is, at least one; infinity for a label that silence stands for.
        labels: Their labels, finite.

    Returns:
        The comparison; without any bias if all ages or all labels are equal.
    """
    order, number = np.argsort(ages, kind="stable"), len(ages)
    ages, labels = ages[order], labels[order]
    window = _window(ages)
    overall = math.fsum(labels.tolist()) / number
    came = 1.0 - ages[: np.searchsorted(ages, window)] / window
    if not came.size or (labels == labels[0]).all():
        return EarlyLabels(window, overall, overall, 0.0, 0.0, 0.0)
    recent = math.fsum((came * labels[: came.size]).tolist()) / math.fsum(came.tolist())
    largest = float(np.abs(labels - overall).max())
    squares = ((labels - overall) / largest) ** 2  # so that their squares are finite, too
    bias = (recent - overall) / (largest * math.sqrt(math.fsum(squares.tolist()) / number))
    known = _counted(came)
    error = math.sqrt(max(number / known - 1.0, 0.0) / (number - 1))
    return EarlyLabels(window, recent, overall, bias, error, min(known, _counted(squares)))


def overdue_after(ages: Vector) -> float:
    """From which age on a question without an answer is overdue, by the ages of at least one answer."""
    return LONG * float(np.sort(ages)[math.ceil(USUAL * len(ages)) - 1])


def with_silence(ages: Vector, labels: Vector, overdue: int, stands_for: float | None) -> tuple[Vector, Vector]:
    """Count overdue questions as answers, if silence may be a label.

    Args:
        ages: How late each answer is, at least one.
        labels: Their labels.
        overdue: How many questions are overdue.
        stands_for: The label that silence stands for; None if nobody says.

    Returns:
        Ages and labels, with those of silence at the end if there are any.
    """
    other = labels[0] - max(abs(labels[0]), 1.0) if stands_for is None else stands_for
    is_a_label = (labels == labels[0]).all() if stands_for is None else not (labels == stands_for).any()
    if not is_a_label:
        return ages, labels
    return np.append(ages, np.full(overdue, math.inf)), np.append(labels, np.full(overdue, other))


def _window(ages: Vector) -> float:
    """The median of the sorted ages; if it is the smallest of them, the next that there is."""
    median = ages[(len(ages) - 1) // 2]
    if median > ages[0]:
        return float(median)
    longer = ages[ages > ages[0]]
    return float(longer[0]) if len(longer) else float(median)


def _counted(weights: Vector) -> float:
    """How many there are, if each counts by its weight: all of them if weights are equal, one if one outweighs all."""
    return math.fsum(weights.tolist()) ** 2 / math.fsum((weights**2).tolist())
