"""Losses that a learner may take in another order within short windows, as in Shamir and Szlak 2017."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks, streams
from belated.core.arrays import Integers, Matrix
from belated.core.region import Region
from belated.domains import Domain
from belated.losses.base import Constants, Loss
from belated.sim.problems.base import RowSampler, StreamedProblem

Order = Callable[[np.random.Generator, int], ArrayLike]


class LocallyPermuted:
    """A ``problem`` whose rounds 1..M, M + 1..2M and so on each come in another order, M being the ``window``.

    ``order(rng, M)`` gives that order, a permutation of 0, ..., M - 1, for one window after the other; by default
    ``rng.permutation(M)``. ``rng`` is independent of the losses: it draws from a stream of its own, see
    :mod:`belated.core.streams`. If the problem ends within a window, so does that window.

    Args:
        problem: The problem whose rounds are reordered; it must have a sampler.
        window: Rounds M per window.
        order: How a window is ordered, as above.
    """

    def __init__(self, problem: StreamedProblem, window: int, order: Order | None = None) -> None:
        if not (isinstance(getattr(problem, "loss", None), Loss) and hasattr(problem, "sampler")):
            wanted = "must be a problem that gives its rows in chunks, such as RandomQuadratic(10)"
            checks.refuse("LocallyPermuted", "problem", problem, wanted)
        if not (order is None or callable(order)):
            checks.refuse("LocallyPermuted", "order", order, "must be a function of a generator and a size, or None")
        self.problem = problem
        self.window = checks.count("LocallyPermuted", "window", window)
        self.order = order

    def __repr__(self) -> str:
        own = "" if self.order is None else f", {self.order!r}"
        return f"LocallyPermuted({self.problem!r}, {self.window}{own})"

    @property
    def loss(self) -> Loss:
        """The loss of the wrapped problem."""
        return self.problem.loss

    @property
    def domain(self) -> Domain:
        """That of the problem, if it has one."""
        own: Domain = self.problem.domain  # type: ignore[attr-defined]  # those whose losses are drawn have it
        return own

    @property
    def constants(self) -> Callable[[Region], Constants]:
        """The method ``constants(domain)`` of the wrapped problem, whose losses are the same.

        A problem that has no such method has none in another order, either: AttributeError, as ``hasattr`` expects it.
        """
        if not hasattr(self.problem, "constants"):
            wanted = "give it a method `constants(domain)`, or derive it from OwnProblem, which measures them"
            raise AttributeError(f"`LocallyPermuted.constants`: {checks.shown(self.problem)} has none; {wanted}")
        own: Callable[[Region], Constants] = self.problem.constants
        return own

    def digest(self) -> str | None:
        """That of the problem with the window; ``None`` where the problem has none, or the order is a function."""
        own = getattr(self.problem, "digest", lambda: None)()
        return None if own is None or self.order is not None else f"LocallyPermuted {self.window} {own}"

    @property
    def longest_run(self) -> float:
        """As many rounds as the problem has."""
        return float(getattr(self.problem, "longest_run", math.inf))

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The rows in their new order.

        Args:
            seed: A whole number, at least 0.
            rounds: How many rounds.

        Returns:
            A table with a row for each round.
        """
        return self.sampler(seed).take(checks.count("LocallyPermuted.rows", "rounds", rounds, least=0))

    def sampler(self, seed: int) -> _Permuted:
        """From the first round on; it holds a window of rows.

        Args:
            seed: A whole number, at least 0.

        Returns:
            A sampler that begins with round 1.
        """
        return _Permuted(self, self.problem.sampler(seed), streams.order(seed))

    def permutation(self, rng: np.random.Generator, size: int) -> Integers:
        """The order of the next window, which has ``size`` rows.

        Args:
            rng: The stream that orders are drawn from.
            size: Rounds of the window.

        Returns:
            The numbers 0 to ``size`` - 1 in some order.

        Raises:
            InvalidArgument: ``order`` gave something else.
        """
        if self.order is None:
            return rng.permutation(size)
        drawn = np.asarray(self.order(rng, size))
        if drawn.dtype.kind not in "iu" or not np.array_equal(np.sort(drawn, axis=None), np.arange(size)):
            checks.refuse("LocallyPermuted", "order", drawn, f"must give the numbers 0..{size - 1} in some order")
        return drawn


class _Permuted:
    """The rows of one seed: those of the present window that have not been taken."""

    valid = True

    def __init__(self, problem: LocallyPermuted, rows: RowSampler, rng: np.random.Generator) -> None:
        self._problem, self._rows, self._rng = problem, rows, rng
        self._left = problem.longest_run
        self._window = np.empty((0, problem.loss.row_size))

    def take(self, rounds: int) -> Matrix:
        result = np.empty((rounds, self._window.shape[1]))
        filled = 0
        while filled < rounds:
            if len(self._window) == 0:
                self._next_window()
            some = self._window[: rounds - filled]
            result[filled : filled + len(some)] = some
            self._window = self._window[len(some) :]
            filled += len(some)
        return result

    def _next_window(self) -> None:
        size = int(min(self._problem.window, max(self._left, 1.0)))  # a problem that has ended is left to say so
        self._left -= size
        given = self._rows.take(size)
        if not getattr(self._rows, "valid", False):
            given = self._problem.loss.check_rows("LocallyPermuted", given)
        if len(given) != size:
            wanted = f"must give {size} rows when asked for as many, gave {len(given)}"
            checks.refuse("LocallyPermuted", "problem", self._problem.problem, wanted)
        self._window = given[self._problem.permutation(self._rng, size)]
