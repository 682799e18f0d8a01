"""A random law with a heavy tail: most delays are short, and a few are as long as all others together."""

from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers
from belated.delays.base import LONGEST, DelayLaw, Source


class _ParetoFields(NamedTuple):
    shape: float
    scale: float


class Pareto(DelayLaw, _ParetoFields):
    """``P(d > k) = (scale / k)^shape`` for whole k >= ``scale``: a Pareto lag, rounded up to whole rounds.

    The mean is infinite for ``shape`` <= 1. ``scale`` is the shortest lag. With the default of 1 every delay is at
    least 2; with a scale below 1 some feedback comes without delay. A lag beyond ``LONGEST``, which is longer than any
    run, becomes ``LONGEST``.

    Args:
        shape: The exponent of the tail, > 0: the smaller, the heavier.
        scale: The shortest lag, > 0.
    """

    __slots__ = ()

    def __new__(cls, shape: float, scale: float = 1.0) -> "Pareto":
        """Check the arguments and make the law."""
        shortest = checks.positive("Pareto", "scale", scale)
        if shortest > LONGEST:
            checks.refuse("Pareto", "scale", scale, f"must be <= {LONGEST:g}")
        return cls._make((checks.positive("Pareto", "shape", shape), shortest))

    @classmethod
    def example(cls) -> "Pareto":
        """A law with an infinite mean, under which two thirds of the feedback comes without delay."""
        return cls(0.8, scale=0.25)

    def _begin(self, rng: np.random.Generator) -> Source:
        def next_delays(first: int, rounds: int) -> Integers:
            with np.errstate(over="ignore"):  # an infinite lag becomes the longest one, too
                lags = self.scale * np.exp(rng.standard_exponential(rounds) / self.shape)
            return np.minimum(np.ceil(lags), float(LONGEST)).astype(np.int64)

        return next_delays
