"""Who is best, and how sure that is.

All learners meet the same losses and delays in a seed, so two of them are compared seed by seed: the mean of the
differences has a far narrower interval than the difference of the means. Intervals are Student's, at 95 %, for the mean
over seeds; they are for each learner by itself and not widened for looking at many.
"""

import math
from typing import NamedTuple

import xarray as xr
from scipy.special import stdtrit  # the quantiles of Student's t; scipy.stats has the same, and takes seconds to import

from belated.core.arrays import Vector

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A mean over seeds and where it would lie over all seeds, with 95 % confidence; both ends ``nan`` for one seed."""

    mean: float
    low: float
    high: float


class Standing(NamedTuple):
    """Where a learner stands in a ranking after the last round.

    ========================  =====================================================================================
    field                     meaning
    ========================  =====================================================================================
    ``rank``                  1 for the least mean score
    ``learner``               the name that the learner has in the comparison
    ``score``                 the measure that is ranked by: its mean over the seeds, with a 95 % interval
    ``behind``                the score minus that of the first, seed by seed: mean and 95 % interval
    ``tied``                  whether the interval of ``behind`` holds 0, so that it cannot be told from the first
    ``cumulative_loss``       the sum of the losses suffered: mean over the seeds and 95 % interval
    ========================  =====================================================================================
    """

    rank: int
    learner: str
    score: Interval
    behind: Interval
    tied: bool
    cumulative_loss: Interval


def ranked(curves: xr.Dataset) -> tuple[Standing, ...]:
    """The learners after the last round, the one with the least score first."""
    last = curves.isel(round=-1)
    scores = {str(label): last.score.sel(learner=label).to_numpy() for label in last.learner.to_numpy()}
    losses = {str(label): last.cumulative_loss.sel(learner=label).to_numpy() for label in last.learner.to_numpy()}
    order = sorted(scores, key=lambda label: (float(scores[label].mean()), label))
    best = scores[order[0]]
    standings = []
    for rank, label in enumerate(order, start=1):
        behind = interval(scores[label] - best)
        tied = rank > 1 and behind.low <= 0.0
        standings.append(Standing(rank, label, interval(scores[label]), behind, tied, interval(losses[label])))
    return tuple(standings)


def interval(values: Vector) -> Interval:
    """The mean of the values and its confidence interval.

    >>> import numpy as np
    >>> interval(np.array([1.0, 2.0, 3.0]))
    Interval(mean=2.0, low=-0.48..., high=4.48...)
    """
    mean = float(values.mean())
    if values.size < 2:
        return Interval(mean, math.nan, math.nan)
    half = float(stdtrit(values.size - 1, 0.5 + CONFIDENCE / 2.0)) * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Interval(mean, mean - half, mean + half)
