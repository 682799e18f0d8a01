"""Where a run's losses and delays come from: drawn or read in chunks, and never held as a whole.

A problem that can give its rows in chunks has a ``sampler(seed)`` with a method ``take(rounds)``, as laws of delay
have; any other is asked for all of its rows at once.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks, streams
from belated.core.arrays import Integers, Matrix
from belated.core.errors import InvalidArgument
from belated.delays import NEVER, DelayLaw
from belated.losses.base import Loss
from belated.sim.plan import MOST_ROUNDS_PER_CHUNK, Plan
from belated.sim.problems import Problem, RowSampler


class Chunk(NamedTuple):
    """The losses and delays of some consecutive rounds."""

    rows: Matrix
    delays: Integers


class SeedStream:
    """The losses and delays of one seed, which come out the same however often they are asked for.

    Errors name the call ``where`` and its problem or delays.
    """

    def __init__(
        self, problem: Problem, loss: Loss, law: DelayLaw, seed: int, plan: Plan, where: str = "simulate"
    ) -> None:
        self.where = where
        self.problem, self.loss, self.law, self.seed, self.plan = problem, loss, law, seed, plan
        self._all_rows: Matrix | None = None

    def with_delays(self) -> Iterator[Chunk]:
        """All chunks of the plan, each checked: compiled code trusts what it is given."""
        sampler = self.law.sampler(streams.delays(self.seed))
        delays, left = np.empty(0, dtype=np.int64), self.plan.rounds
        for rows in self.chunks(self.plan.rounds):
            if len(delays) == 0:  # those of many short chunks are drawn together
                more = min(left, len(rows) * max(1, MOST_ROUNDS_PER_CHUNK // len(rows)))
                delays = _checked_delays(self.law, sampler.take(more), more)
                left -= more
            yield Chunk(rows, delays[: len(rows)])
            delays = delays[len(rows) :]

    def chunks(self, rounds: int) -> Iterator[Matrix]:
        """The rows of the first ``rounds`` rounds."""
        sampler = self._sampler()
        valid = getattr(sampler, "valid", False)
        left = rounds
        for size in self.plan.chunks():
            if left <= 0:
                return
            taken = sampler.take(size)
            fits = valid and _is_table(taken, size, self.loss.row_size)
            rows: Matrix = (taken if fits else self._checked_rows(taken, size, rounds - left))[:left]
            rows.flags.writeable = False
            yield rows
            left -= size

    def _sampler(self) -> RowSampler:
        begin = getattr(self.problem, "sampler", None)
        if begin is not None:
            sampler: RowSampler = begin(self.seed)
            return sampler
        if self._all_rows is None:
            self._all_rows = self._checked_rows(self.problem.rows(self.seed, self.plan.rounds), self.plan.rounds, 0)
        return _Whole(self._all_rows)

    def _checked_rows(self, rows: Any, rounds: int, before: int) -> Matrix:
        try:
            checked = self.loss.check_rows(self.where, rows)
        except InvalidArgument as problem:
            place = f"row 0 is that of round {before + 1} of seed {self.seed}"
            wanted = f"has rows that its loss cannot take: {problem} ({place})"
            checks.refuse(self.where, "problem", self.problem, wanted)
        if len(checked) != rounds:
            wanted = f"must have {rounds} rows for seed {self.seed}, got {len(checked)}"
            checks.refuse(self.where, "problem", self.problem, wanted)
        return checks.matrix(self.where, "rows", checked, self.loss.row_size)  # a loss's own check may return anything


def _is_table(rows: Any, rounds: int, row_size: int) -> bool:
    """Whether compiled code can read it, whatever the numbers are."""
    return (
        type(rows) is np.ndarray
        and rows.dtype == np.float64
        and rows.shape == (rounds, row_size)
        and rows.flags.c_contiguous
        and rows.flags.aligned
    )


class _Whole:
    """All rows of a problem that cannot give them in chunks; they have been looked at."""

    valid = True

    def __init__(self, rows: Matrix) -> None:
        self._rows = rows
        self._taken = 0

    def take(self, rounds: int) -> Matrix:
        start, self._taken = self._taken, self._taken + rounds
        part: Matrix = self._rows[start : self._taken]
        return part


def _checked_delays(law: DelayLaw, drawn: Any, rounds: int) -> Integers:
    delays = np.asarray(drawn)
    if delays.shape != (rounds,) or delays.dtype.kind not in "iu":
        wanted = f"must draw {rounds} whole numbers, drew {delays.dtype} of shape {delays.shape}"
        checks.refuse("simulate", "delays", law, wanted)
    if delays.min() < 1 or delays.max() > NEVER:
        checks.refuse(
            "simulate", "delays", law, f"must draw delays from 1 to NEVER, drew {delays.min()}..{delays.max()}"
        )
    return np.ascontiguousarray(delays, dtype=np.int64)
