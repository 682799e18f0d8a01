"""What a replay has found: losses by time, and what they sum up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers, Matrix, Vector
from belated.logs.counts import Counts
from belated.models import Predictor

if TYPE_CHECKING:
    import xarray as xr

DRAWS = 2000
"""How often blocks are drawn anew for an interval."""

CONSTANT = "constant"
"""The name of the running mean of the labels, which every replay has as a mark."""


class Difference(NamedTuple):
    """The mean loss of one model minus that of another, and a 95 % interval for it."""

    mean: float
    lower: float
    upper: float


class Quality(NamedTuple):
    """What is said of one model besides its loss; a number that its kind of labels does not have is NaN.

    ``brier`` and ``auc`` are of two classes, ``squared_error`` and ``absolute_error`` of numbers. ``calibration`` has
    the mean prediction, the share of positives and the number of predictions, in groups of equally many.
    """

    brier: float
    auc: float
    squared_error: float
    absolute_error: float
    calibration: tuple[Vector, Vector, Integers]


def difference_of(gaps: Vector, weights: Vector) -> Difference:
    """The mean difference of losses, and its interval by drawing blocks anew.

    Args:
        gaps: For each block, the sum of the losses of one model minus that of the other.
        weights: For each block, the weight of the predictions that were scored: their number, if all weights are 1.

    Returns:
        The difference; its ends are NaN with fewer than two blocks, and all of it if nothing was scored.
    """
    total = float(weights.sum())
    if total == 0.0:
        return Difference(float("nan"), float("nan"), float("nan"))
    mean = float(gaps.sum()) / total
    if len(gaps) < 2:
        return Difference(mean, float("nan"), float("nan"))
    drawn = np.random.default_rng(0).integers(0, len(gaps), (DRAWS, len(gaps)))
    means = gaps[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    lower, upper = np.quantile(means, [0.025, 0.975])
    return Difference(mean, float(lower), float(upper))


@dataclass(frozen=True, eq=False)
class Replay:
    """The losses of several models on one log, by blocks of the time at which predictions were made.

    Only predictions whose label the log has are scored. With deadlines, no answer until then is the assumed label.
    """

    names: tuple[str, ...]
    """The models, then ``"constant"``, the mean of the labels so far, then the best models in hindsight, if wanted."""
    loss: str
    """The name of the loss."""
    starts: Integers
    """When each block begins, in microseconds since 1970, or ticks."""
    width: int
    """How wide the blocks are."""
    scored: Vector
    """How many predictions were scored in each block."""
    weights: Vector
    """The sum of their weights in each block, which is their number for a log without weights."""
    losses: Matrix
    """The sums of the losses times the weights, a row for each model and a column for each block."""
    quality: Mapping[str, Quality]
    """By model, what is known besides the loss."""
    asked: int
    """Questions of the log."""
    told: int
    """Answers of the log."""
    too_late: int
    """Answers that came after their deadline; the assumed label had been taken."""
    counts: Counts
    """How often each rule of the log was applied."""
    predictors: Mapping[str, Predictor]
    """The runs as they are now; they may go on."""
    interrupted: bool
    """Whether Ctrl-C has ended the replay before the log was over."""

    def mean_loss(self, name: str) -> float:
        """The mean loss of a model over all scored predictions, weighted if the log has weights.

        Args:
            name: A name of ``names``.

        Returns:
            The mean; NaN if nothing was scored.

        Raises:
            InvalidArgument: There is no such model.
        """
        total = float(self.weights.sum())
        return float(self.losses[self._row("mean_loss", name)].sum()) / total if total else float("nan")

    def difference(self, name: str, other: str) -> Difference:
        """The mean loss of one model minus that of another, with an interval that allows for losses that come in runs.

        Blocks of time are drawn with replacement, two thousand times. Losses of one block stay together, so that a day
        on which everything is late counts once and not a thousand times.

        Args:
            name: A name of ``names``.
            other: Another one.

        Returns:
            The difference, below 0 if the first is better, and a 95 % interval; NaN with fewer than two blocks.

        Raises:
            InvalidArgument: There is no such model.
        """
        gaps = self.losses[self._row("difference", name)] - self.losses[self._row("difference", other)]
        return difference_of(gaps, self.weights)

    def _row(self, call: str, name: str) -> int:
        if name not in self.names:
            checks.refuse(f"Replay.{call}", "name", name, f"must be one of {', '.join(map(repr, self.names))}")
        return self.names.index(name)

    def to_dataset(self) -> xr.Dataset:
        """The losses by time as labelled arrays.

        Returns:
            A dataset with ``loss`` (model, time), the mean loss in each block, ``scored`` (time) and ``weight`` (time).
        """
        import xarray as xr

        means = self.losses / self.weights  # a block is there only if something was scored in it
        return xr.Dataset(
            {
                "loss": (("model", "time"), means),
                "scored": (("time",), self.scored),
                "weight": (("time",), self.weights),
            },
            coords={"model": list(self.names), "time": self.starts},
            attrs={"loss": self.loss, "width": self.width},
        )

    def to_dict(self) -> dict[str, Any]:
        """Make a dictionary of the totals that can be written as JSON.

        Returns:
            A new dictionary: mean losses and qualities by model, and the counts.
        """
        return {
            "loss": self.loss,
            "scored": int(self.scored.sum()),
            "asked": self.asked,
            "told": self.told,
            "too_late": self.too_late,
            "models": {
                name: {"mean_loss": self.mean_loss(name), **_numbers(self.quality[name])} for name in self.names
            },
            "counts": self.counts.to_dict(),
        }

    def __repr__(self) -> str:
        ranked = sorted(self.names, key=self.mean_loss)
        lines = [f"  {name:24s} {self.mean_loss(name):.5f}" for name in ranked]
        ended = ", interrupted" if self.interrupted else ""
        scored = int(self.scored.sum())
        return "\n".join([f"<Replay: mean {self.loss} of {scored} predictions{ended}>", *lines])


def _numbers(quality: Quality) -> dict[str, float]:
    return {name: float(getattr(quality, name)) for name in ("brier", "auc", "squared_error", "absolute_error")}
