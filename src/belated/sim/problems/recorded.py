"""A problem of losses that are given, as a table or as a file."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, frozen
from belated.core.region import Region
from belated.losses.base import Constants, Loss
from belated.sim.problems.base import RowSampler, constants_of

_ROWS_AT_ONCE = 4096
"""Rows of a file that are looked at together."""


class Recorded:
    """A loss with rows that are given: the same stream for every seed.

    ``rows`` is a table, or the path of a ``.npy`` file with one, which is read in chunks while a run goes on.

    Args:
        loss: The family of losses that the rows belong to.
        rows: A row of ``loss.row_size`` numbers for each round.
    """

    def __init__(self, loss: Loss, rows: Any) -> None:
        if not isinstance(loss, Loss):
            checks.refuse("Recorded", "loss", loss, "must be a loss, such as Quadratic(10)")
        self.loss = loss
        self._path = Path(rows) if isinstance(rows, str | Path) else None
        self._rows = frozen(loss.check_rows("Recorded", rows)) if self._path is None else _opened(loss, self._path)

    def constants(self, domain: Region) -> Constants:
        """L, beta and alpha over a domain that hold for every row recorded.

        Args:
            domain: The set of decisions.

        Returns:
            Bounds that hold for every recorded row.
        """
        return constants_of(self.loss, self._chunks(), domain)

    def digest(self) -> str:
        """A digest of all rows, of which a file is read for it."""
        digest = hashlib.blake2b(digest_size=16)
        for rows in self._chunks():
            digest.update(np.ascontiguousarray(rows, dtype=np.float64).tobytes())
        return f"Recorded {self._rows.shape} {digest.hexdigest()}"

    def _chunks(self) -> Iterator[Matrix]:
        for start in range(0, len(self._rows), _ROWS_AT_ONCE):
            yield self._rows[start : start + _ROWS_AT_ONCE]

    def __repr__(self) -> str:
        place = f" in {self._path}" if self._path else ""
        return f"Recorded({self.loss!r}, {len(self._rows)} rows{place})"

    @property
    def longest_run(self) -> int:
        """How many rounds were recorded."""
        return len(self._rows)

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The first ``rounds`` of the rows given.

        Args:
            seed: Not used: the rows are the same for every seed.
            rounds: How many rounds, at most as many as were recorded.

        Returns:
            A table with a row for each round.

        Raises:
            InvalidArgument: ``rounds`` is no whole number of at least 0, or fewer were recorded.
        """
        number = checks.count("Recorded.rows", "rounds", rounds, least=0)
        if number > len(self._rows):
            checks.refuse("simulate", "rounds", rounds, f"must be <= {len(self._rows)}, the rows that were recorded")
        first: Matrix = self._rows[:number]
        return first

    def sampler(self, seed: int) -> RowSampler:
        """From the first row on.

        Args:
            seed: Not used: the rows are the same for every seed.

        Returns:
            A sampler that begins with round 1.
        """
        return _Reader(self, valid=self._path is None)  # a table was looked at when it was given


class _Reader:
    """The rows of a recorded problem, one chunk after the other."""

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
