"""Searches that run along with a stream of rows, and hold no more of it than they must.

A search is begun, takes the rows as they come, and gives the best fixed decision of every prefix at the end:

==========================  =====================================  ==============================================
a loss                      what a search keeps of the rows        what it reads again
==========================  =====================================  ==============================================
that sums to a quadratic    the quadratic                          nothing
a squared error             a table of n + 1 rows with that sum    all rows once for each prefix, to measure it
any other                   bounds of its curvature                all rows, at every step
==========================  =====================================  ==============================================
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.errors import NumericalFailure
from belated.domains.base import Domain
from belated.losses import SquaredError
from belated.losses.base import Curvature, Loss
from belated.sim.hindsight.accelerated import Best, descend, measured
from belated.sim.hindsight.closed_forms import closed_form, linear_minimiser
from belated.sim.hindsight.objectives import Adder, RowsTotal
from belated.sim.hindsight.quadratics import LeastSquaresTotal, QuadraticTotal, fold
from belated.sim.hindsight.sums import RunningSum, SumsToQuadratic
from belated.sim.tables import Given, Table, at_hand


class Question(NamedTuple):
    """What ``where`` asks for: over ``domain``, the best of the first k rows for every k in ``prefixes``."""

    where: str
    domain: Domain
    prefixes: Sequence[int]
    tolerance: float
    look: Callable[[], None] = lambda: None


class Search(ABC):
    """The best fixed decisions of a stream of rows; :func:`~belated.sim.hindsight.best.begin_search` begins one."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._taken = 0
        self._reached = 0

    def take(self, rows: Matrix) -> None:
        """Go on with the next rows, any number of them; they must be valid. Those after the last prefix do not count.

        Nothing is kept that belongs to the caller: the array may be used again.
        """
        prefixes, begin = self._question.prefixes, 0
        # Overflow is looked for where it matters, in the sums and their gradients.
        with np.errstate(all="ignore"):
            while begin < len(rows) and self._reached < len(prefixes):
                end = min(len(rows), begin + prefixes[self._reached] - self._taken)
                self._add(rows[begin:end])
                self._taken += end - begin
                begin = end
                if self._taken == prefixes[self._reached]:
                    self._question.look()
                    self._mark(self._taken)
                    self._reached += 1

    def bests(self, table: Table) -> list[Best]:
        """The best of every prefix, each with its certificate; ``table`` has the rows that have been taken, again."""
        question = self._question
        if self._reached < len(question.prefixes):
            checks.refuse(
                question.where, "prefixes", question.prefixes, f"must be <= {self._taken}, the number of rows"
            )
        with np.errstate(all="ignore"):
            return self._found(table)

    @abstractmethod
    def _add(self, rows: Matrix) -> None:
        """Go on with rows that are part of the next prefix."""

    @abstractmethod
    def _mark(self, length: int) -> None:
        """A prefix, of this length, is complete."""

    @abstractmethod
    def _found(self, table: Table) -> list[Best]:
        """The results, now that all prefixes are complete."""


class QuadraticSearch(Search):
    """For losses whose sum is a quadratic: a prefix is searched as soon as it is complete, and its sum forgotten."""

    def __init__(self, question: Question, loss: SumsToQuadratic) -> None:
        super().__init__(question)
        self._sum = RunningSum(loss.quadratic_form, question.domain.dim)
        self._bests: list[Best] = []

    def _add(self, rows: Matrix) -> None:
        self._sum.add(rows)

    def _mark(self, length: int) -> None:
        where, domain, _, tolerance, _ = self._question
        objective = QuadraticTotal(self._sum.total())
        total = objective.total
        _refuse_overflow(where, length, total.linear + total.form.image(np.ones(domain.dim)))
        start = closed_form(where, objective, domain)
        self._bests.append(descend(objective, domain, _start(start, self._bests, domain), tolerance))

    def _found(self, table: Table) -> list[Best]:
        return self._bests


class _Short(NamedTuple):
    """Few rows with the same sum of squares as many, and how many have been folded to get there."""

    length: int
    rows: Matrix
    foldings: int


class SquaresSearch(Search):
    """For squared errors: search with a table of n + 1 rows that has the same sum; measure the result on all rows."""

    def __init__(self, question: Question, loss: SquaredError) -> None:
        super().__init__(question)
        self._loss = loss
        self._folded = np.empty((0, loss.row_size))
        self._waiting: list[Matrix] = []
        self._foldings = 0
        self._shorts: list[_Short] = []

    def _add(self, rows: Matrix) -> None:
        # Small tables are folded on one core; with large ones NumPy would keep all of them busy, and this one waiting.
        size = max(256, 8 * self._loss.row_size)
        for chunk in (rows[start : start + size] for start in range(0, len(rows), size)):
            self._waiting.append(chunk)
            # The folded rows are folded again: that costs and rounds little beside many times as many new ones.
            if sum(map(len, self._waiting)) >= 8 * self._loss.row_size:
                self._fold()
            else:
                self._waiting[-1] = chunk.copy()

    def _fold(self) -> None:
        rows = np.concatenate([self._folded, *self._waiting])
        self._folded, self._foldings, self._waiting = fold(rows), self._foldings + len(rows), []

    def _mark(self, length: int) -> None:
        if self._waiting:
            self._fold()
        rows = fold(np.concatenate([self._folded, self._ridge(length)]))
        _refuse_overflow(self._question.where, length, rows * rows)
        self._shorts.append(_Short(length, rows, self._foldings + len(self._folded) + self._loss.dim))

    def _ridge(self, length: int) -> Matrix:
        """The regulariser of so many rounds is n more squares."""
        return math.sqrt(length * self._loss.l2) * np.eye(self._loss.dim, self._loss.row_size)

    def _found(self, table: Table) -> list[Best]:
        where, domain, _, tolerance, _ = self._question
        bests: list[Best] = []
        for length, rows, foldings in self._shorts:
            objective = LeastSquaresTotal(Given(rows), len(rows), rows, foldings)
            start = closed_form(where, objective, domain)
            found = descend(objective, domain, _start(start, bests, domain), tolerance)
            all_rows = _Followed(table, length, self._ridge(length))
            whole = LeastSquaresTotal(all_rows, length + self._loss.dim, rows, foldings)
            bests.append(measured(whole, domain, found.point))
        return bests


class _Followed:
    """The beginning of a table, followed by some more rows; as a table, it can only be read whole."""

    def __init__(self, table: Table, length: int, more: Matrix) -> None:
        self._table, self._length, self._more = table, length, more

    def chunks(self, rounds: int) -> Iterator[Matrix]:
        yield from self._table.chunks(self._length)
        yield self._more


class RowsSearch(Search):
    """For any loss: every step of the descent reads the table."""

    def __init__(self, question: Question, loss: Loss) -> None:
        super().__init__(question)
        self._loss = loss
        self._curvature = Curvature(np.inf, 0.0)
        self._at_prefixes: list[Curvature] = []

    def _add(self, rows: Matrix) -> None:
        for chunk in Given(rows).chunks(len(rows)):
            here, so_far = self._loss.curvature(chunk, self._question.domain), self._curvature
            self._curvature = Curvature(
                min(here.strong_convexity, so_far.strong_convexity), max(here.smoothness, so_far.smoothness)
            )

    def _mark(self, length: int) -> None:
        _refuse_overflow(self._question.where, length, np.array([length * self._curvature.smoothness]))
        self._at_prefixes.append(self._curvature)

    def _found(self, table: Table) -> list[Best]:
        where, domain, prefixes, tolerance, _ = self._question
        bests: list[Best] = []
        if prefixes:
            table = at_hand(table, prefixes[-1], self._loss.row_size)
        adder = Adder(self._loss)
        for length, curvature in zip(prefixes, self._at_prefixes, strict=True):
            objective = RowsTotal(adder, table, length, curvature)
            straight = curvature.smoothness == 0.0  # a sum that is linear has its minimum at once, or none
            formula = linear_minimiser(where, objective.gradient(domain.centre), domain) if straight else None
            bests.append(descend(objective, domain, _start(formula, bests, domain), tolerance))
        return bests


def _refuse_overflow(where: str, length: int, numbers: Vector) -> None:
    if not np.isfinite(numbers).all():
        raise NumericalFailure(f"`{where}`: the sum of the losses of {length} rows overflows")


def _start(formula: Vector | None, bests: list[Best], domain: Domain) -> Vector:
    """Where to begin: at the closed form if there is one, else at the last prefix's best, else in the middle."""
    if formula is not None:
        return formula
    return bests[-1].point if bests else domain.centre
