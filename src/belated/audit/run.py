"""A run with everything that a proof speaks of: losses, delays, decisions and what was told.

A proof also speaks of virtual rounds after the last one, in which late feedback moves the decision on. These are no
part of a run: whoever checks the proof makes them from the definition (:mod:`belated.audit.arrivals`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.audit.certificate import TOLERANCE
from belated.core import checks
from belated.core.arrays import Integers, Matrix, Vector
from belated.delays.base import whole_delays
from belated.domains.base import Domain
from belated.learners import Learner
from belated.losses.base import Loss, value
from belated.sim.hindsight import Best, best_fixed

WHERE = "Run"


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run of T rounds that claims to be one of ``learner``; made by :func:`record_run`, or from arrays of your own.

    Nothing here says that the numbers belong together: to find that out is what ``certify`` is for. Arrays of another
    program will do, and so will those of a learner with a bug.

    Args:
        learner: The learner that this is a run of. Its name says whose proof is checked, its parts say with which
            constants.
        loss: The family of losses.
        rows: The losses of rounds 1 to T, a row for each.
        delays: d_1, ..., d_T, each at least 1: the feedback of round t comes at the end of round t + d_t - 1.
        decisions: x_1, ..., x_{T+1}, a row for each.
        feedback: What was told of rounds 1 to T, a row for each, also of those whose feedback came too late: gradients
            at the decisions, or values at the points that were played.
        unprojected: x'_2, ..., x'_{T+1}, where the steps of rounds 1 to T led to before they were projected, if that is
            known. A certificate can then tell a wrong step from a wrong projection. Rounds without arrivals have no
            step, and any numbers will do.
        inverse_rates: h_1, ..., h_T, one over the rates of the steps, if they are known; likewise.
        best: The best fixed decision, its loss, and by how much that may be too large. By default it is searched. Of
            one that is given the point and the loss are checked; that no other is better by more than the gap is
            believed.

    Raises:
        InvalidArgument: Something is missing, has another shape or is not finite.

    Example:
        >>> import belated as bl
        >>> learner, loss = bl.dogd_sc(bl.Ball(1), strong_convexity=2.0), bl.losses.Quadratic(1, curvature=2.0)
        >>> run = Run(learner, loss, rows=[[1.0], [1.0]], delays=[1, 1], decisions=[[0.0], [-1.0], [-0.5]],
        ...           feedback=[[1.0], [-1.0]])
        >>> bl.certify(run).holds
        True
    """

    learner: Learner
    loss: Loss
    rows: Matrix
    delays: Integers
    decisions: Matrix
    feedback: Matrix
    unprojected: Matrix | None = None
    inverse_rates: Vector | None = None
    best: Best | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.learner, Learner):
            checks.refuse(WHERE, "learner", self.learner, "must be a learner, such as dogd_sc(Ball(10), 2.0)")
        if not isinstance(self.loss, Loss) or self.loss.dim != self.learner.domain.dim:
            checks.refuse(WHERE, "loss", self.loss, f"must be a loss of dimension {self.learner.domain.dim}")
        rows = checks.matrix(WHERE, "rows", self.loss.check_rows(WHERE, self.rows), self.loss.row_size)
        rounds, dim = len(rows), self.loss.dim
        delays = whole_delays(WHERE, "delays", self.delays)
        if delays.size != rounds:
            checks.refuse(WHERE, "delays", self.delays, f"must have a delay for each of the {rounds} rows")
        self._keep("rows", rows)
        self._keep("delays", delays)
        self._keep("decisions", _table("decisions", self.decisions, rounds + 1, dim))
        self._keep("feedback", _table("feedback", self.feedback, rounds, self.learner.interface.feedback_size))
        if self.unprojected is not None:
            self._keep("unprojected", _table("unprojected", self.unprojected, rounds, dim))
        if self.inverse_rates is not None:
            self._keep("inverse_rates", checks.vector(WHERE, "inverse_rates", self.inverse_rates, rounds))
        if self.best is None:
            self._keep("best", best_fixed(self.loss, rows, self.learner.domain))
        else:
            self._keep("best", _checked_best(self.best, self.loss, rows, self.learner.domain))

    def _keep(self, name: str, kept: Any) -> None:
        object.__setattr__(self, name, kept)

    @property
    def rounds(self) -> int:
        """T, the number of rounds."""
        return len(self.rows)

    @property
    def regret(self) -> float:
        """The losses of the run, less that of the best fixed decision; of several points in a round, their mean."""
        if self.learner.interface.feedback == "values":
            return float(self.feedback.mean(axis=1).sum()) - self.comparator.value
        played = zip(self.rows, self.decisions, strict=False)  # nothing is lost at x_{T+1}
        return float(sum(value(self.loss, row, point) for row, point in played)) - self.comparator.value

    def __repr__(self) -> str:
        return f"<Run of {self.learner.name}: {self.rounds} rounds, dim {self.loss.dim}>"

    @property
    def comparator(self) -> Best:
        """The best fixed decision, with its loss and its gap."""
        if self.best is None:
            raise AssertionError("it is searched when the run is made")
        return self.best


def _checked_best(given: Any, loss: Loss, rows: Matrix, domain: Domain) -> Best:
    """A best decision that lies in the domain, with the loss that it has and a gap that may be one."""
    if not isinstance(given, Best):
        checks.refuse(WHERE, "best", given, "must be what best_fixed returns: a point, its loss and a gap")
    point = checks.vector(WHERE, "best", given.point, domain.dim)
    if not domain.contains(point):
        checks.refuse(WHERE, "best", given, f"must lie in {domain!r}")
    told = checks.number(WHERE, "best", given.value)
    if not given.gap >= 0.0:
        checks.refuse(WHERE, "best", given, "must have a gap >= 0")
    losses = np.array([value(loss, row, point) for row in rows])
    if not abs(told - losses.sum()) <= TOLERANCE * np.abs(losses).sum() + given.gap:
        checks.refuse(WHERE, "best", given, f"must have the loss at its point, which is {losses.sum():.9g}")
    return given._replace(point=point, value=told)


def _table(name: str, given: Any, rounds: int, columns: int) -> Matrix:
    table = checks.matrix(WHERE, name, given, columns)
    if len(table) != rounds:
        checks.refuse(WHERE, name, given, f"must have {rounds} rows, got {len(table)}")
    frozen = table.view()
    frozen.flags.writeable = False
    return np.asarray(frozen)
