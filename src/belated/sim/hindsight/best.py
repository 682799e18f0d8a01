"""The best fixed decision for a table of losses, and for its beginnings."""

from collections.abc import Iterable
from itertools import pairwise

from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.domains.base import Domain
from belated.losses.base import Loss
from belated.losses.sums import SumsToQuadratic
from belated.sim.hindsight.closed_forms import closed_form
from belated.sim.hindsight.descent import Best, descend
from belated.sim.hindsight.objectives import QuadraticTotal, RowsTotal


def best_fixed(loss: Loss, rows: ArrayLike, domain: Domain, *, tolerance: float = 1e-9) -> Best:
    """The point of ``domain`` at which the sum of the losses of all ``rows`` is least.

    The result holds the point, the sum there, and a ``gap`` with value - gap <= minimum <= value, up to the rounding of
    the sum itself. The search aims at a gap of ``tolerance`` times |F(c)| + |F(c) - F(x)|, F being the sum, c the
    centre of the domain and x the point; if that cannot be reached the gap is larger and says so. On an unbounded
    domain, for a sum without strong convexity that is not a quadratic, no certificate exists and the gap is ``inf``:
    the point is then one where the gradient, which vanishes at a minimum, is at most ``tolerance`` times that at c.
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
    if isinstance(loss, SumsToQuadratic):
        return _of_quadratic(where, loss, table, domain, lengths, allowed)
    return _of_rows(loss, table, domain, lengths, allowed)


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
        objective = QuadraticTotal(total)
        start = closed_form(where, objective, domain)
        bests.append(descend(objective, domain, _start(start, bests, domain), tolerance))
    return bests


def _of_rows(loss: Loss, table: Matrix, domain: Domain, lengths: list[int], tolerance: float) -> list[Best]:
    constants = loss.constants(table, domain)
    bests: list[Best] = []
    for length in lengths:
        objective = RowsTotal(loss, table[:length], constants)
        bests.append(descend(objective, domain, _start(None, bests, domain), tolerance))
    return bests


def _start(formula: Vector | None, bests: list[Best], domain: Domain) -> Vector:
    """Where to begin: at the closed form if there is one, else at the last prefix's best, else in the middle."""
    if formula is not None:
        return formula
    return bests[-1].point if bests else domain.center
