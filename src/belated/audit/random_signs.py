"""Linear losses with random signs: losses on which no learner can do better than the order of its bound."""

import math
from dataclasses import dataclass

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.domains import Ball
from belated.losses import Linear
from belated.sim.problems.base import DrawnProblem, RowSampler


@dataclass(frozen=True)
class RandomSigns(DrawnProblem):
    r"""Linear losses g_t.x of length 1, with a random sign for each entry, the same for ``period`` rounds.

    If the feedback of a block comes when it is over, every decision is independent of the losses of its block. So every
    learner has the mean loss 0, and its mean regret is that of the best fixed decision, the mean of \|g_1 + ... +
    g_T\| on the unit ball: for blocks of m rounds about sqrt(m T), whatever the learner. Unlike the losses of
    ``problems.SignFlips``, which all lie on one line, these have nearly the same regret in every seed if ``dim`` is
    large. The rows are::

        rng = np.random.default_rng(seed)
        blocks = np.where(rng.random((-(-rounds // period), dim)) < 0.5, -1, 1) / np.sqrt(dim)
        rows = np.repeat(blocks, period, axis=0)[:rounds]

    Args:
        dim: Dimension of the decisions, at least 1.
        period: Rounds per block, at least 1.
    """

    dim: int
    period: int

    def __post_init__(self) -> None:
        checks.count("RandomSigns", "dim", self.dim)
        checks.count("RandomSigns", "period", self.period)

    @property
    def loss(self) -> Linear:
        """g.x, which is convex and no more than that."""
        return Linear(self.dim)

    @property
    def domain(self) -> Ball:
        """The unit ball, on which the best fixed decision gains the length of the sum of all gradients."""
        return Ball(self.dim)

    @classmethod
    def example(cls) -> "RandomSigns":
        return cls(dim=20, period=10)

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        return _Blocks(rng, self.dim, self.period)

    def _extremes(self, centre: Vector) -> Matrix:
        return np.full((1, self.dim), 1.0 / math.sqrt(self.dim))


class _Blocks:
    """Blocks whose signs are drawn when they begin, and kept where a chunk ends within one."""

    valid = True

    def __init__(self, rng: np.random.Generator, dim: int, period: int) -> None:
        self._rng, self._dim, self._period = rng, dim, period
        self._taken = self._begun = 0
        self._last = np.zeros((1, dim))  # the block that began last

    def take(self, rounds: int) -> Matrix:
        at = np.arange(self._taken, self._taken + rounds) // self._period
        self._taken += rounds
        begun = -(-self._taken // self._period)
        size = (begun - self._begun, self._dim)
        drawn = np.where(self._rng.random(size) < 0.5, -1.0, 1.0) / math.sqrt(self._dim)
        blocks = np.concatenate([self._last, drawn])
        rows: Matrix = blocks[at - self._begun + 1]
        self._begun, self._last = begun, blocks[-1:]
        return rows
