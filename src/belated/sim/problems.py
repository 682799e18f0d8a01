"""Problems: a loss and the rows that make it a stream.

A problem draws its rows from ``numpy.random.default_rng(seed)`` in a documented order, so that anybody can regenerate
the same losses without this library.

A problem of your own needs ``loss`` and ``rows(seed, rounds)``, which gives all rows at once. For runs that are longer
than memory it also has ``sampler(seed)``, which gives them in pieces: the same rows, however they are cut.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from belated.core import checks, streams
from belated.core.arrays import Matrix, frozen
from belated.core.region import Region
from belated.losses import Quadratic
from belated.losses.base import Constants, Loss


class Problem(Protocol):
    """Anything with a loss and, for every seed, its rows."""

    @property
    def loss(self) -> Loss:
        """What all rounds share."""

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The rows of rounds 1..``rounds``, a row each."""


class RowSampler(Protocol):
    """The rows of one seed, from the first round on.

    One with an attribute ``valid`` that is true vouches for its rows: they are tables for the problem's loss, all
    numbers finite. Those of others are looked at.
    """

    def take(self, rounds: int) -> Matrix:
        """The rows of the next ``rounds`` rounds; those taken before may be gone then."""


class StreamedProblem(Problem, Protocol):
    """A problem whose rows can be had in pieces."""

    def sampler(self, seed: int) -> RowSampler:
        """Start at the first round."""


_NUMBERS_AT_ONCE = 2**14
"""Numbers that are drawn and scaled together: few enough to stay in the processor's cache meanwhile."""


class _Uniform:
    """``rng.uniform(-1, 1, (rounds, dim))``; NumPy draws one number after the other, so pieces change nothing.

    Pieces lie in the same place, one after the other: to get new memory for each takes a tenth of the time of a run.
    """

    valid = True

    def __init__(self, rng: np.random.Generator, dim: int) -> None:
        self._rng = rng
        self._place = np.empty((0, dim))

    def take(self, rounds: int) -> Matrix:
        if rounds > len(self._place):
            self._place = np.empty((rounds, self._place.shape[1]))
        piece = self._place[:rounds]
        numbers = piece.reshape(-1)
        for start in range(0, numbers.size, _NUMBERS_AT_ONCE):
            few = numbers[start : start + _NUMBERS_AT_ONCE]
            self._rng.random(out=few)
            few *= 2.0  # -1 + 2 u, which is what `uniform` does
            few -= 1.0
        return piece


@dataclass(frozen=True)
class RandomQuadratic:
    """The problem of the paper's experiments: f_t(x) = |x|^2 + b_t.x with b_t uniform on [-1, 1]^dim.

    ``b = numpy.random.default_rng(seed).uniform(-1, 1, (rounds, dim))``.
    """

    dim: int

    def __post_init__(self) -> None:
        checks.count("RandomQuadratic", "dim", self.dim)

    @property
    def loss(self) -> Quadratic:
        """|x|^2 + b.x, which is 2-strongly convex and 2-smooth."""
        return Quadratic(self.dim, curvature=2.0)

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The linear terms b_t."""
        return self.sampler(seed).take(rounds)

    def sampler(self, seed: int) -> RowSampler:
        """The linear terms, from b_1 on."""
        return _Uniform(streams.losses(seed), self.dim)

    def constants(self, domain: Region) -> Constants:
        """L, beta and alpha over a domain, whatever is drawn: the largest b_t has norm sqrt(dim).

        >>> from belated.domains import Ball
        >>> RandomQuadratic(dim=10).constants(Ball(10)).lipschitz      # 2 + sqrt(10)
        5.16227766016838
        """
        if domain.dim != self.dim:
            checks.refuse("RandomQuadratic.constants", "domain", domain, f"must have dimension {self.dim}")
        at_center = 2.0 * float((domain.center**2).sum()) ** 0.5
        return Constants(at_center + self.dim**0.5 + 2.0 * domain.outer_radius, 2.0, 2.0)


_ROWS_AT_ONCE = 4096
"""Rows of a file that are looked at together."""


class Recorded:
    """A loss with rows that are given: the same stream for every seed.

    ``rows`` is a table, or the path of a ``.npy`` file with one, which is read in pieces while a run goes on.
    """

    def __init__(self, loss: Loss, rows: Any) -> None:
        if not isinstance(loss, Loss):
            checks.refuse("Recorded", "loss", loss, "must be a loss, such as Quadratic(10)")
        self.loss = loss
        self._path = Path(rows) if isinstance(rows, str | Path) else None
        self._rows = frozen(loss.check_rows("Recorded", rows)) if self._path is None else _opened(loss, self._path)

    def constants(self, domain: Region) -> Constants:
        """L, beta and alpha over a domain that hold for every row recorded."""
        pieces = range(0, len(self._rows), _ROWS_AT_ONCE)
        each = [self.loss.constants(self._rows[start : start + _ROWS_AT_ONCE], domain) for start in pieces]
        lipschitz, strong_convexity, smoothness = zip(*each, strict=True)
        return Constants(max(lipschitz), min(strong_convexity), max(smoothness))

    def __repr__(self) -> str:
        place = f" in {self._path}" if self._path else ""
        return f"Recorded({self.loss!r}, {len(self._rows)} rows{place})"

    @property
    def longest_run(self) -> int:
        """How many rounds were recorded."""
        return len(self._rows)

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The first ``rounds`` of the rows given."""
        if rounds > len(self._rows):
            checks.refuse("simulate", "rounds", rounds, f"must be <= {len(self._rows)}, the rows that were recorded")
        first: Matrix = self._rows[:rounds]
        return first

    def sampler(self, seed: int) -> RowSampler:
        """From the first row on."""
        return _Reader(self, valid=self._path is None)  # a table was looked at when it was given


class _Reader:
    """The rows of a recorded problem, one piece after the other."""

    def __init__(self, problem: Recorded, valid: bool) -> None:
        self._problem = problem
        self._taken = 0
        self.valid = valid

    def take(self, rounds: int) -> Matrix:
        start, self._taken = self._taken, self._taken + rounds
        return self._problem.rows(0, self._taken)[start:]


def _opened(loss: Loss, path: Path) -> Any:
    """The table in a file, of which nothing is read yet but its size."""
    try:
        rows = np.lib.format.open_memmap(path, mode="r")
    except (OSError, ValueError, EOFError) as problem:
        checks.refuse("Recorded", "rows", str(path), f"must be a readable .npy file: {problem}")
    if rows.dtype.kind not in "iuf":
        checks.refuse("Recorded", "rows", str(path), f"must hold a table of real numbers, got dtype {rows.dtype}")
    if rows.ndim != 2 or len(rows) == 0 or rows.shape[1] != loss.row_size:
        wanted = f"must hold a table with {loss.row_size} columns, got shape {rows.shape}"
        checks.refuse("Recorded", "rows", str(path), wanted)
    return rows
