"""Is a difference of losses more than chance? Blocks of time are drawn again, since neighbours are alike."""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Integers, Vector

DRAWS = 2000
"""How often blocks are drawn anew."""


class Difference(NamedTuple):
    """A mean difference, and a 95 % interval for it."""

    mean: float
    lower: float
    upper: float

    def shown(self, digits: int) -> str:
        """The mean, with the interval in brackets."""
        return f"{self.mean:+.{digits}f} ({self.lower:+.{digits}f} to {self.upper:+.{digits}f})"


def difference(ours: Vector, theirs: Vector, blocks: Integers) -> Difference:
    """The mean of ``ours - theirs``, with blocks of time drawn anew; what is NaN does not count.

    Args:
        ours: Losses.
        theirs: Losses of the same questions.
        blocks: The number of the block that each question is in.
    """
    apart = ours - theirs
    known = ~np.isnan(apart)
    sums, counts = np.bincount(blocks[known], apart[known]), np.bincount(blocks[known])
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(sums), (DRAWS, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    lower, upper = np.quantile(means, [0.025, 0.975])
    return Difference(float(apart[known].mean()), float(lower), float(upper))
