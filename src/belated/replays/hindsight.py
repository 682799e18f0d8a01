r"""The best weights in hindsight: marks that no live model could have had, and regret is measured against.

The questions that were scored are divided into K parts of equal time. For each part, weights u are fitted to all its
labels at once,

.. math::

    u = \arg\min_u \sum_{t \in \text{part}} w_t \ell(u^\top z_t, y_t) + \tfrac12 \|u - v\|^2,

with the rows z as a model had them at the prediction, and weights w of the log, which are 1 if it has none. For K = 1
this is the best fixed model, and v = 0. A larger K stands for a model that moves, K - 1 times: then v are the weights
of the longer part that this one lies in. Weights that stay at v pay nothing for it, so the sum of the losses never
rises from one K to the next in a list. The penalty keeps a short part from knowing its few labels by heart. It has no
unit: labels and weights of squared errors grow together, and the other margins are pure numbers. The losses that are
reported are without it.

*How exact.* The objective is at least as curved as the penalty, whose curvature is 1. So it is at most half the square
of the length of its gradient above its least value. The search ends when this is below a millionth per question, or
per unit of weight.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers, Matrix, Vector
from belated.losses.prediction import link_slope, link_value
from belated.models import Model
from belated.models.encoders import new_encoder
from belated.models.links import Link, mean
from belated.models.rows import Row
from belated.models.verbs import lane_margin, value_at
from belated.replays.scored_rows import Recorded, ScoredRows
from belated.replays.tally import Tally
from belated.sim.compensated import Warming
from belated.sim.watching import bar_of

MOST_PARTS = 10_000

PRECISION = 1e-6
"""The mean loss with the penalty is at most this far above its least value."""

MOST_ITERATIONS = 2000


def checked_parts(where: str, parts: Any) -> tuple[int, ...]:
    """The numbers of parts, if each divides the next.

    Args:
        where: The call that they were given to.
        parts: Whole numbers in ascending order; none for no marks.

    Returns:
        The numbers.

    Raises:
        InvalidArgument: They are not such numbers.
    """
    if isinstance(parts, (str, bytes)) or not isinstance(parts, (Sequence, np.ndarray)):
        checks.refuse(where, "hindsight", parts, "must be a list of whole numbers, such as (1, 16)")
    found = tuple(checks.count(where, "hindsight", each) for each in parts)
    if any(two <= one or two % one for one, two in pairwise(found)):
        checks.refuse(where, "hindsight", parts, "each number must be a multiple of the one before it")
    if found and found[-1] > MOST_PARTS:
        checks.refuse(where, "hindsight", parts, f"must be at most {MOST_PARTS} parts")
    return found


def mark_name(parts: int) -> str:
    """The name of a mark in results."""
    return "best fixed" if parts == 1 else f"best of {parts} parts"


class Hindsight:
    """The marks of one replay: keeps the rows of what is scored, and fits weights to them at the end.

    Args:
        model: Whose features and labels they are.
        parts: Numbers of parts, as :func:`checked_parts` gives them.
    """

    def __init__(self, model: Model, parts: tuple[int, ...]) -> None:
        self._link, self._dim, self.parts = model.link, model.features.dim + 1, parts
        self._encoder = new_encoder(model.features)
        self._rows = ScoredRows()
        self.complete = True
        """Whether there was room for all rows."""

    def row_of(self, example: Any) -> Row:
        """The row of a question, in the order in which they are asked: its numbers are scaled by those before it."""
        encoded = self._encoder.encode("replay", example)
        self._encoder.notice(encoded)
        return encoded.row

    def keep(self, row: Row, label: float, time: int, weight: float) -> None:
        """Keep a row that was scored; if there is no room for it, warn once and keep none any more."""
        if not self.complete:
            return
        try:
            self._rows.add(row, label, time, weight)
        except OSError as problem:
            self.complete = False
            self.close()
            warnings.warn(
                f"`replay(hindsight={self.parts})`: the best models in hindsight are left out, because their rows "
                f"cannot be kept in temporary files: {problem.strerror or problem}",
                stacklevel=2,
            )

    def scored(self, calendar: bool, progress: bool | None) -> Tally:
        """Fit the weights, and score what they predict.

        Args:
            calendar: As for :class:`~belated.replays.tally.Tally`.
            progress: Whether to show a bar; by default if the standard error is a terminal.

        Returns:
            The score of each mark. An interrupt while it is computed is raised.
        """
        tally = Tally([mark_name(each) for each in self.parts], self._link, calendar)
        rows, times = self._rows.recorded(), self._rows.times()
        values = foreseen(self._link, self._dim, rows, times, self.parts, progress)
        each = (array.tolist() for array in (times, values, rows.labels, rows.weights))
        for time, given, label, weight in zip(*each, strict=True):
            tally.score(time, given, label, weight)
        return tally

    def close(self) -> None:
        """Free the temporary files of the rows."""
        self._rows.close()


def foreseen(
    link: Link, dim: int, rows: Recorded, times: Integers, parts: tuple[int, ...], progress: bool | None = False
) -> Matrix:
    """What the best weights in hindsight predict.

    Args:
        link: How margins are held against labels.
        dim: How many slots there are.
        rows: The rows.
        times: When their questions were asked.
        parts: Numbers of parts, each a multiple of the one before.
        progress: Whether to show a bar.

    Returns:
        A row for each question and a column for each number of parts.
    """
    found = np.empty((len(times), len(parts)))
    if not len(times) or not parts:
        return found
    finest = part_of(times, parts[-1])
    order = np.argsort(finest, kind="stable")
    with bar_of(sum(parts), progress, "fit") as bar:
        fits = Fits(link, rows, dim)

        def descend(level: int, begin: int, end: int, centre: Vector) -> None:
            """Fit the weights of one part, the rows ``order[begin:end]``, and of the parts within it."""
            which = order[begin:end]
            weights = fits.weights(which, centre)
            found[which, level] = fits.predictions(which, weights)
            bar.update(1)
            if level + 1 < len(parts):
                finer = finest[which] // (parts[-1] // parts[level + 1])
                edges = [begin, *(begin + 1 + np.flatnonzero(np.diff(finer))).tolist(), end]
                for one, two in pairwise(edges):
                    descend(level + 1, one, two, weights)

        coarsest = finest[order] // (parts[-1] // parts[0])
        for one, two in pairwise([0, *(1 + np.flatnonzero(np.diff(coarsest))).tolist(), len(order)]):
            descend(0, one, two, np.zeros(dim))
    return found


def part_of(times: Integers, parts: int) -> Integers:
    """In which of so many parts of equal length each time lies, from 0 on."""
    first, last = int(times.min()), int(times.max())
    share = (times - first) / float(last - first + 1)
    return np.minimum((share * parts).astype(np.int64), parts - 1)


class Fits:
    """Weights fitted to some of the rows, by SciPy's conjugate gradients.

    Its L-BFGS needs half as many sums, but works on tiny matrices with all threads of the linear algebra library. On a
    machine that is busy, these wait for each other far longer than the sums take.
    """

    def __init__(self, link: Link, rows: Recorded, dim: int) -> None:
        self._link, self._rows = link, rows
        self._table, self._gradient = np.zeros((dim, 1)), np.zeros(dim)
        example = link, rows, np.zeros(1, dtype=np.int64), self._table, self._gradient
        self._sum = Warming(summed_loss, summed_loss, *example)
        self._predict = Warming(write_means, write_means, *example)

    def weights(self, which: Integers, centre: Vector) -> Vector:
        """The best weights for the rows ``which``, held at ``centre``."""
        from scipy.optimize import minimize  # takes half a second to import

        self._gradient[:] = 0.0
        used = self._slots(which)
        self._table[:, 0] = centre
        held, size = centre[used], self._size(which)

        def objective(moved: Vector) -> tuple[float, Vector]:
            self._table[used, 0] = held + moved
            self._gradient[used] = 0.0
            loss = self._sum.up_to(size)(self._link, self._rows, which, self._table, self._gradient)
            return loss + 0.5 * float(moved @ moved), self._gradient[used] + moved

        total = float(self._rows.weights[which].sum())
        largest = (2.0 * PRECISION * total / len(used)) ** 0.5  # then half the square is precise enough
        options = {"maxiter": MOST_ITERATIONS, "gtol": largest}
        moved = minimize(objective, np.zeros(len(used)), jac=True, method="CG", options=options).x
        weights = centre.copy()
        weights[used] += moved
        return weights

    def predictions(self, which: Integers, weights: Vector) -> Vector:
        """What weights predict for the rows ``which``."""
        found = np.empty(len(which))
        self._table[:, 0] = weights
        self._predict.up_to(self._size(which))(self._link, self._rows, which, self._table, found)
        return found

    def _size(self, which: Integers) -> int:
        """How many numbers the rows have."""
        return int((self._rows.starts[which + 1] - self._rows.starts[which]).sum())

    def _slots(self, which: Integers) -> Integers:
        """The slots that the rows use."""
        used = np.zeros(len(self._table), dtype=bool)
        for row in which.tolist():
            used[self._rows.slots[self._rows.starts[row] : self._rows.starts[row + 1]]] = True
        return np.flatnonzero(used)


def summed_loss(link: Any, rows: Recorded, which: Integers, table: Matrix, gradient: Vector) -> float:
    """The weighted sum of the losses of some rows; their gradients are added to ``gradient``."""
    total = 0.0
    for place in range(which.size):
        row = int(which[place])
        slots = rows.slots[rows.starts[row] : rows.starts[row + 1]]
        values = rows.values[rows.value_starts[row] : rows.value_starts[row + 1]]
        margin, label, weight = lane_margin(table, 0, slots, values), float(rows.labels[row]), rows.weights[row]
        total += weight * link_value(link, margin, label)
        slope = weight * link_slope(link, margin, label)
        for i in range(slots.size):
            gradient[slots[i]] += slope * value_at(values, i)
    return total


def write_means(link: Any, rows: Recorded, which: Integers, table: Matrix, out: Vector) -> None:
    """Write what the weights predict for some rows."""
    for place in range(which.size):
        row = int(which[place])
        slots = rows.slots[rows.starts[row] : rows.starts[row + 1]]
        values = rows.values[rows.value_starts[row] : rows.value_starts[row + 1]]
        out[place] = mean(link, lane_margin(table, 0, slots, values))
