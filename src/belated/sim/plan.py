"""The plan of a simulation: which seeds, how many rounds, in which chunks, and which of them are recorded."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers

NUMBERS_PER_CHUNK = 2**17
"""About as many numbers as the losses of a chunk may have: a megabyte, which stays in the processor's cache."""

LEAST_ROUNDS_PER_CHUNK, MOST_ROUNDS_PER_CHUNK = 64, 2**14
"""Rounds of a chunk: enough that what is done between two chunks costs little, and few enough to stop soon."""

MOST_RECORDED = 5_000_000
"""Learners times seeds times rounds up to which every round is recorded by default: a result of at most 200 MB."""

PER_DECADE = 100
"""Rounds recorded between 10^k and 10^(k+1) where not all of them are."""


MOST_SEEDS = 1_000_000
"""How many seeds a single number may ask for."""


class Plan(NamedTuple):
    """Rounds in all, rounds of a chunk (but the last, which may be shorter), and the recorded rounds in order."""

    rounds: int
    rounds_per_chunk: int
    recorded: Integers

    def chunks(self) -> list[int]:
        """The rounds of every chunk."""
        whole, rest = divmod(self.rounds, self.rounds_per_chunk)
        return [self.rounds_per_chunk] * whole + [rest] * (rest > 0)


def plan_of(rounds: int, row_size: int, recorded: Integers) -> Plan:
    """Chunks that depend on the size of the losses only, so that nothing in a result depends on anything else."""
    fitting = max(LEAST_ROUNDS_PER_CHUNK, min(MOST_ROUNDS_PER_CHUNK, NUMBERS_PER_CHUNK // row_size))
    return Plan(rounds, min(rounds, fitting), recorded)


def chosen_seeds(where: str, seeds: Any, number: int = MOST_SEEDS, largest: int = checks.MOST) -> tuple[int, ...]:
    """The seeds that are meant: 0 to n - 1 by a whole number n, or those that are given.

    Args:
        where: The call that they were given to, for errors.
        seeds: A whole number, or several different ones.
        number: The largest n.
        largest: The largest of several.

    Returns:
        One or more different seeds.

    Raises:
        InvalidArgument: There is none, two are the same, or one is no whole number from 0 on.
    """
    single = getattr(seeds, "ndim", None) == 0  # an array that is a number has the methods of an iterable all the same
    if single or isinstance(seeds, str | bytes) or not isinstance(seeds, Iterable):
        return tuple(range(checks.count(where, "seeds", seeds, most=number)))
    numbers = tuple(checks.count(where, "seeds", seed, least=0, most=largest) for seed in seeds)
    if not numbers or len(set(numbers)) < len(numbers):
        checks.refuse(where, "seeds", numbers, "must be one or more different seeds, or their number")
    return numbers


def chosen_rounds(where: str, record: Any, rounds: int, regret_at: Integers, curves: int) -> Integers:
    """The rounds to record: ``"all"``, ``"log"`` or those given; always with ``regret_at`` and the last one.

    By default they are all rounds if ``curves`` curves of that length are few enough numbers, else ``"log"``.
    """
    if record is None:
        record = "all" if rounds * curves <= MOST_RECORDED else "log"
    if isinstance(record, str):
        if record not in ("all", "log"):
            checks.refuse(where, "record", record, 'must be "all", "log" or rounds')
        if record == "all":
            try:
                return np.arange(1, rounds + 1)
            except MemoryError:
                checks.refuse(where, "record", record, f'must be "log" or rounds: {rounds} do not fit into memory')
        chosen = log_spaced(rounds)
    else:
        chosen = growing_rounds(where, "record", record, rounds)
    return np.union1d(np.union1d(chosen, regret_at), [rounds]).astype(np.int64)


def log_spaced(rounds: int) -> Integers:
    """Rounds 1 to ``rounds`` with equal ratios, as far as whole numbers can have them."""
    number = 2 + int(PER_DECADE * np.log10(rounds))
    return np.unique(np.geomspace(1, rounds, number).round().astype(np.int64))


def growing_rounds(where: str, name: str, value: Any, rounds: int) -> Integers:
    """Increasing rounds from 1 to ``rounds``, or none."""
    wanted = f"must be increasing rounds from 1 to {rounds}"
    given = np.atleast_1d(checks.any_array(where, name, value, "increasing rounds"))
    if given.ndim == 1 and given.size == 0:
        return np.empty(0, dtype=np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        checks.refuse(where, name, value, wanted)
    if given[0] < 1 or given[-1] > rounds or (given[1:] <= given[:-1]).any():
        checks.refuse(where, name, value, wanted)
    return given.astype(np.int64)
