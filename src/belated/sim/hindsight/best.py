"""The best fixed decision for a table of losses, for its beginnings, and for a stream of rows."""

from collections.abc import Callable, Iterable
from itertools import pairwise

from numpy.typing import ArrayLike

from belated.core import checks
from belated.domains.base import Domain
from belated.losses import SquaredError
from belated.losses.base import Loss
from belated.sim.hindsight.accelerated import Best
from belated.sim.hindsight.searches import QuadraticSearch, Question, RowsSearch, Search, SquaresSearch
from belated.sim.tables import Given


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


def begin_search(
    where: str,
    loss: Loss,
    domain: Domain,
    prefixes: Iterable[int],
    tolerance: float = 1e-9,
    look: Callable[[], None] = lambda: None,
) -> Search:
    """:func:`prefix_bests` for rows that come in chunks: give these to ``take``, then ask for ``bests``.

    Memory does not grow with the number of rows. ``where`` is who asks, for messages; ``look`` is called before each
    prefix is searched, and may raise to end it.
    """
    if domain.dim != loss.dim:
        checks.refuse(where, "domain", domain, f"must have dimension {loss.dim}, got {domain.dim}")
    allowed = checks.positive(where, "tolerance", tolerance)
    question = Question(where, domain, _growing(where, prefixes), allowed, look)
    if isinstance(loss, SquaredError):
        return SquaresSearch(question, loss)
    if hasattr(loss, "quadratic_form") and loss.row_size == loss.dim:  # a SumsToQuadratic; Python asks longer for that
        return QuadraticSearch(question, loss)
    return RowsSearch(question, loss)


def _searched(
    where: str, loss: Loss, rows: ArrayLike, domain: Domain, prefixes: Iterable[int] | None, tolerance: float
) -> list[Best]:
    # A loss's own check may return anything, and compiled code must be able to read it.
    table = checks.matrix(where, "rows", loss.check_rows(where, rows), loss.row_size)
    search = begin_search(where, loss, domain, [len(table)] if prefixes is None else prefixes, tolerance)
    search.take(table)
    return search.bests(Given(table))


def _growing(where: str, prefixes: Iterable[int]) -> list[int]:
    lengths = [checks.count(where, "prefixes", length) for length in prefixes]
    if any(later <= earlier for earlier, later in pairwise(lengths)):
        checks.refuse(where, "prefixes", lengths, "must grow")
    return lengths
