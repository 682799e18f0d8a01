"""Keeping score: losses by time and by name, and the constant that every model is held against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from belated.losses.logistic import Logistic
from belated.losses.squared_error import SquaredError
from belated.losses.squared_hinge import SquaredHinge
from belated.models.links import Link, PoissonCount
from belated.replays.blocks import Blocks
from belated.replays.result import Quality
from belated.replays.scores import Histogram, loss_of, position

LOSSES: dict[type, str] = {
    Logistic: "log-loss",
    SquaredHinge: "squared hinge loss",
    SquaredError: "squared error",
    PoissonCount: "Poisson loss",
}
"""What the losses are called."""

LEAST_BLOCKS = 40
"""Blocks are as wide as they can be while so many are left, so that an interval has something to draw from."""


class RunningMean:
    """The mean of the labels that have come, which is what a model without features would predict.

    Args:
        link: How models are held against labels.
    """

    def __init__(self, link: Link) -> None:
        self._link, self._two_classes = link, position.knows(link)
        self._labels, self._sum = 0.0, 0.0

    def prediction(self) -> float:
        """The mean as a prediction; of no labels, what a model without weights predicts."""
        if self._two_classes:  # half a positive and half a negative more, so that it is never certain
            share = (0.5 + 0.5 * (self._sum + self._labels)) / (self._labels + 1.0)
            return share if isinstance(self._link, Logistic) else 2.0 * share - 1.0
        first = 1.0 if isinstance(self._link, PoissonCount) else 0.0
        return (self._sum + first) / (self._labels + 1.0) if first else self._sum / (self._labels or 1.0)

    def learn(self, label: float, weight: float = 1.0) -> None:
        """Let the mean follow a label that has come."""
        self._labels += weight
        self._sum += weight * label


class Tally:
    """The scores of several models.

    Args:
        names: The models.
        link: How all of them are held against labels.
        calendar: Whether times are microseconds since 1970.
    """

    def __init__(self, names: Sequence[str], link: Link, calendar: bool) -> None:
        self.names, self._link = tuple(names), link
        self._blocks = Blocks(2 + len(self.names), calendar)
        self._two_classes = position.knows(link)
        self._histograms = [Histogram() for _ in self.names]
        self._errors = np.zeros((len(self.names), 2))

    def score(self, time: int, values: Sequence[float], label: float, weight: float = 1.0) -> None:
        """Score predictions that were made at a time, now that their label is known."""
        numbers = np.empty(2 + len(values))
        numbers[0], numbers[1] = 1.0, weight
        for place, value in enumerate(values):
            numbers[2 + place] = weight * loss_of(self._link, value, label)
            truth = 0.5 * (1.0 + label) if isinstance(self._link, Logistic) else label
            self._errors[place] += weight * (value - truth) ** 2, weight * abs(value - truth)
            if self._two_classes:
                self._histograms[place].add(position(self._link, value), label > 0.0, weight)
        self._blocks.add(time, numbers)

    def table(self) -> tuple[Any, int, Any, Any, Any]:
        """Starts and width of the blocks, how many were scored in each, their weight, and the losses of each model."""
        starts, width, sums = self._blocks.table(LEAST_BLOCKS)
        return starts, width, sums[:, 0], sums[:, 1], sums[:, 2:].T.copy()

    def quality(self) -> dict[str, Quality]:
        """What is said of each model besides its loss."""
        found, total = {}, float(self._blocks.table(0)[2][:, 1].sum())
        for name, histogram, errors in zip(self.names, self._histograms, self._errors, strict=True):
            squared, absolute = (float(each) / total if total else math.nan for each in errors)
            is_number, is_chance = not self._two_classes, isinstance(self._link, Logistic)
            found[name] = Quality(
                brier=squared if is_chance else math.nan,
                auc=histogram.auc() if self._two_classes else math.nan,
                squared_error=squared if is_number else math.nan,
                absolute_error=absolute if is_number else math.nan,
                calibration=histogram.calibration(),
            )
        return found
