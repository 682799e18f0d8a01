"""The best fixed decision for a table of losses, and for its beginnings."""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.errors import NumericalFailure
from belated.domains.base import Domain
from belated.losses import SquaredError
from belated.losses.base import Loss
from belated.losses.sums import SumsToQuadratic
from belated.sim.hindsight.closed_forms import closed_form
from belated.sim.hindsight.descent import Best, descend, measured
from belated.sim.hindsight.objectives import RowsTotal
from belated.sim.hindsight.quadratics import LeastSquaresTotal, QuadraticTotal, fold


def best_fixed(loss: Loss, rows: ArrayLike, domain: Domain, *, tolerance: float = 1e-9) -> Best:
    """The point of ``domain`` at which the sum of the losses of all ``rows`` is least.

    The result holds the point, the sum there, and a ``gap`` with value - gap <= minimum. The gap includes what rounding
    may have done to the sums, so that the minimum is at most value + gap, and at most value but for rounding.

    The search aims at a gap of ``tolerance`` times |F(c)| + |F(c) - F(x)|, F being the sum, c the centre of the domain
    and x the point; if that cannot be reached the gap is larger and says so. On an unbounded domain a certificate needs
    a sum that is strongly convex beyond doubt. Without that the gap of a sum of squares is its value, and any other is
    ``inf``: the point is then one where the gradient, which vanishes at a minimum, is at most ``tolerance`` times that
    at c.
    """
    return _searched("best_fixed", loss, rows, domain, None, tolerance)[0]


def prefix_bests(
    loss: Loss, rows: ArrayLike, domain: Domain, prefixes: Iterable[int], *, tolerance: float = 1e-9
) -> list[Best]:
    """:func:`best_fixed` of the first k rows, for each k of ``prefixes``, which must grow.

    Sums are carried on from one prefix to the next where the losses add up to a quadratic, and otherwise each search
    starts from the previous point.
    """
    return _searched("prefix_bests", loss, rows, domain, prefixes, tolerance)


def _searched(
    where: str, loss: Loss, rows: ArrayLike, domain: Domain, prefixes: Iterable[int] | None, tolerance: float
) -> list[Best]:
    table = loss.check_rows(where, rows)
    if domain.dim != loss.dim:
        checks.refuse(where, "domain", domain, f"must have dimension {loss.dim}, got {domain.dim}")
    allowed = checks.positive(where, "tolerance", tolerance)
    lengths = [len(table)] if prefixes is None else _growing(where, prefixes, len(table))
    # Overflow is looked for where it matters, in the sums and their gradients.
    with np.errstate(all="ignore"):
        if isinstance(loss, SquaredError):
            return _of_squares(where, loss, table, domain, lengths, allowed)
        if isinstance(loss, SumsToQuadratic):
            return _of_quadratic(where, loss, table, domain, lengths, allowed)
        return _of_rows(where, loss, table, domain, lengths, allowed)


def _growing(where: str, prefixes: Iterable[int], rounds: int) -> list[int]:
    lengths = [checks.count(where, "prefixes", length) for length in prefixes]
    if any(later <= earlier for earlier, later in pairwise(lengths)):
        checks.refuse(where, "prefixes", lengths, "must grow")
    if lengths and lengths[-1] > rounds:
        checks.refuse(where, "prefixes", lengths, f"must be <= {rounds}, the number of rows")
    return lengths


def _of_quadratic(
    where: str, loss: SumsToQuadratic, table: Matrix, domain: Domain, lengths: list[int], tolerance: float
) -> list[Best]:
    bests: list[Best] = []
    total = None
    done = 0
    for length in lengths:
        piece = loss.quadratic_sum(table[done:length])
        total = piece if total is None else total.plus(piece)
        done = length
        _refuse_overflow(where, length, total.linear + total.form.image(np.ones(domain.dim)))
        objective = QuadraticTotal(total)
        start = closed_form(where, objective, domain)
        bests.append(descend(objective, domain, _start(start, bests, domain), tolerance))
    return bests


def _of_squares(
    where: str, loss: SquaredError, table: Matrix, domain: Domain, lengths: list[int], tolerance: float
) -> list[Best]:
    """Search with a table of n + 1 rows that has the same sum; measure the result on all rows."""
    bests: list[Best] = []
    folded = np.empty((0, loss.row_size))
    done = foldings = 0
    for length in lengths:
        unfolded = np.concatenate([folded, table[done:length]])
        folded, done, foldings = fold(unfolded), length, foldings + len(unfolded)
        # The regulariser is n more squares.
        ridge = np.sqrt(length * loss.l2) * np.eye(loss.dim, loss.row_size)
        short = fold(np.concatenate([folded, ridge]))
        foldings_here = foldings + len(folded) + loss.dim
        _refuse_overflow(where, length, short * short)
        objective = LeastSquaresTotal(short, short, foldings_here)
        start = closed_form(where, objective, domain)
        found = descend(objective, domain, _start(start, bests, domain), tolerance)
        whole = LeastSquaresTotal(np.concatenate([table[:length], ridge]), short, foldings_here)
        bests.append(measured(whole, domain, found.point))
    return bests


def _of_rows(where: str, loss: Loss, table: Matrix, domain: Domain, lengths: list[int], tolerance: float) -> list[Best]:
    constants = loss.constants(table, domain)
    bests: list[Best] = []
    for length in lengths:
        objective = RowsTotal(loss, table[:length], constants)
        _refuse_overflow(where, length, np.array([objective.smoothness]))
        bests.append(descend(objective, domain, _start(None, bests, domain), tolerance))
    return bests


def _refuse_overflow(where: str, length: int, numbers: Vector) -> None:
    if not np.isfinite(numbers).all():
        raise NumericalFailure(f"`{where}`: the sum of the losses of {length} rows overflows")


def _start(formula: Vector | None, bests: list[Best], domain: Domain) -> Vector:
    """Where to begin: at the closed form if there is one, else at the last prefix's best, else in the middle."""
    if formula is not None:
        return formula
    return bests[-1].point if bests else domain.center
