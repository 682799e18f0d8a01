"""The base class of all laws of delay, and the sampler that returns the delays of one run.

A law is a description and holds no state; a sampler is one run of it. How a run is cut into chunks must not matter:
one caller may ask for a thousand delays at once and another for one at a time, and both must get the same numbers.
So a law must use a generator for one kind of draw only. A law that needs several kinds spawns a generator for each.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers
from belated.core.parts import Part

NEVER = 2**62
"""2^62, the delay of feedback that never comes: beyond any run, while t + NEVER - 1 still fits into 64 bits."""

LONGEST = 2**61
"""2^61, the longest delay that an unbounded law draws: safely below ``NEVER``, and beyond any run as well."""

Self = TypeVar("Self", bound="DelayLaw")

Source = Callable[[int, int], Integers]
"""``source(first, rounds)``: the delays of ``rounds`` rounds from ``first`` on. It is called for consecutive chunks."""


class Sampler:
    """One run of a law. Delays come in order of play and in chunks of any size, which do not change their values."""

    def __init__(self, law: "DelayLaw", source: Source) -> None:
        self._law = law
        self._source = source
        self._taken = 0

    def take(self, rounds: int) -> Integers:
        """The delays of the next ``rounds`` rounds.

        Args:
            rounds: How many delays, at least 0.

        Returns:
            The delays in order of play, whole numbers from 1 to ``NEVER``.

        Raises:
            InvalidArgument: The law is a record with fewer rounds left.
        """
        asked = checks.count("take", "rounds", rounds, least=0)
        if self._taken + asked > self._law.longest_run:
            left = int(self._law.longest_run) - self._taken
            checks.refuse("take", "rounds", rounds, f"must be <= {left}, the rounds that are left of {self._law!r}")
        delays = self._source(self._taken + 1, asked)
        self._taken += asked
        return delays


class DelayLaw(Part):
    """A law of delay, as immutable data."""

    __slots__ = ()

    @property
    def longest_run(self) -> float:
        """For how many rounds the law has delays; ``inf`` unless it is a record."""
        return math.inf

    @abstractmethod
    def _begin(self, rng: np.random.Generator) -> Source:
        """Begin a run, and return the function from which it takes its delays."""

    @classmethod
    @abstractmethod
    def example(cls: type[Self]) -> Self:
        """A typical law of this kind."""

    def sampler(self, rng: np.random.Generator) -> Sampler:
        """Start a run that draws from ``rng``. From now on ``rng`` belongs to the run and must not be used elsewhere.

        Args:
            rng: The generator that delays are drawn from.

        Returns:
            A sampler that begins with round 1.

        Raises:
            InvalidArgument: ``rng`` is no generator of NumPy.
        """
        if not isinstance(rng, np.random.Generator):
            checks.refuse(f"{type(self).__name__}.sampler", "rng", rng, "must be a numpy.random.Generator")
        return Sampler(self, self._begin(rng))

    def draw(self, rng: np.random.Generator, rounds: int) -> Integers:
        """The delays of rounds 1 to ``rounds`` of a fresh run.

        Args:
            rng: The generator that delays are drawn from.
            rounds: How many rounds.

        Returns:
            The delays in order of play, whole numbers from 1 to ``NEVER``.

        Raises:
            InvalidArgument: The law is a record with fewer rounds.
        """
        return self.sampler(rng).take(rounds)


def whole_delay(where: str, name: str, value: Any) -> int:
    """A single delay: a whole number from 1 to ``NEVER``."""
    return checks.count(where, name, value, most=NEVER)


def whole_delays(where: str, name: str, value: Any) -> Integers:
    """A read-only copy of a non-empty sequence of delays, each a whole number from 1 to ``NEVER``."""
    raw = checks.any_array(where, name, value, "a sequence of whole numbers")
    if raw.ndim != 1 or raw.size == 0:
        checks.refuse(where, name, value, f"must be a non-empty sequence of delays, got shape {raw.shape}")
    if raw.dtype.kind not in "iu":
        checks.refuse(where, name, value, f"must be whole numbers, got dtype {raw.dtype}")
    bad = np.flatnonzero((raw < 1) | (raw > NEVER))
    if bad.size:
        checks.refuse(where, name, value, f"must lie in 1..NEVER, entry [{bad[0]}] is {raw[bad[0]]}")
    delays: Integers = raw.astype(np.int64)
    delays.flags.writeable = False
    return delays
