"""Random laws with light tails: delays are independent, and long ones are rare."""

from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.delays.base import DelayLaw, Source, whole_delay

_LARGEST_MEAN = 2.0**53
"""Larger means are refused, because the tail would reach beyond ``NEVER``. Up to here floats count rounds exactly."""


class _UniformFields(NamedTuple):
    least: int
    most: int


class Uniform(DelayLaw, _UniformFields):
    """Every delay from ``least`` to ``most``, both included, with the same probability.

    Args:
        least: The shortest delay, at least 1.
        most: The longest delay.
    """

    __slots__ = ()

    def __new__(cls, least: int, most: int) -> "Uniform":
        """Check the arguments and make the law."""
        shortest = whole_delay("Uniform", "least", least)
        longest = whole_delay("Uniform", "most", most)
        if longest < shortest:
            checks.refuse("Uniform", "most", most, f"must be >= least = {shortest}")
        return cls._make((shortest, longest))

    @classmethod
    def example(cls) -> "Uniform":
        """Delays from 1, which is no delay, to 10."""
        return cls(1, 10)

    def _begin(self, rng: np.random.Generator) -> Source:
        return lambda first, rounds: rng.integers(self.least, self.most, rounds, dtype=np.int64, endpoint=True)


class _GeometricFields(NamedTuple):
    mean: float


class Geometric(DelayLaw, _GeometricFields):
    """Without memory: feedback that is missing comes at the end of each round with probability 1 / ``mean``.

    P(d = k) = p (1 - p)^(k - 1) for k = 1, 2, ... with p = 1 / ``mean``.

    Args:
        mean: The mean delay, at least 1.
    """

    __slots__ = ()

    def __new__(cls, mean: float) -> "Geometric":
        """Check the arguments and make the law."""
        return cls._make((_mean("Geometric", mean),))

    @classmethod
    def example(cls) -> "Geometric":
        """A law whose delays are six rounds on average."""
        return cls(6.0)

    def _begin(self, rng: np.random.Generator) -> Source:
        return lambda first, rounds: rng.geometric(1.0 / self.mean, rounds)


class _PoissonFields(NamedTuple):
    mean: float


class Poisson(DelayLaw, _PoissonFields):
    """Concentrated about its mean: 1 plus a Poisson number with mean ``mean`` - 1.

    Args:
        mean: The mean delay, at least 1.
    """

    __slots__ = ()

    def __new__(cls, mean: float) -> "Poisson":
        """Check the arguments and make the law."""
        return cls._make((_mean("Poisson", mean),))

    @classmethod
    def example(cls) -> "Poisson":
        """A law whose delays are four and a half rounds on average."""
        return cls(4.5)

    def _begin(self, rng: np.random.Generator) -> Source:
        return lambda first, rounds: 1 + rng.poisson(self.mean - 1.0, rounds)


def _mean(where: str, value: Any) -> float:
    """The mean of a law whose shortest delay is 1."""
    mean = checks.number(where, "mean", value)
    if not 1.0 <= mean <= _LARGEST_MEAN:
        checks.refuse(where, "mean", value, f"must lie in [1, {_LARGEST_MEAN:g}], no delay is shorter than 1")
    return mean
