"""The adversary of the lower bound."""

import math
from dataclasses import dataclass

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.domains import Ball
from belated.losses import Linear
from belated.sim.problems.base import DrawnProblem, RowSampler


@dataclass(frozen=True)
class SignFlips(DrawnProblem):
    """An adversary: f_t(x) = g_t.x, the same for ``period`` rounds, then at random again or with the sign flipped.

    This is the construction of the lower bound for late feedback. Who hears of a block's losses only when it is over,
    which is so when every delay is at least ``period``, cannot do better than 0 on average, while the best fixed
    decision gains about sqrt(2 T ``period`` / pi): no learner has a regret of lower order than sqrt(d T). For whoever
    wants to see what the delay must cost at least, and how much more it costs those who chase the last loss.

    Slopes are along one random direction, all of length 1, with a sign for each block::

        rng = np.random.default_rng(seed)
        direction = np.where(rng.random(dim) < 0.5, -1, 1) / np.sqrt(dim)
        signs = np.where(rng.random(-(-rounds // period)) < 0.5, -1, 1)
        rows = np.outer(np.repeat(signs, period)[:rounds], direction)

    Args:
        dim: Dimension of the decisions, at least 1.
        period: Rounds per block with one sign, at least 1.
    """

    dim: int
    period: int

    def __post_init__(self) -> None:
        checks.count("SignFlips", "dim", self.dim)
        checks.count("SignFlips", "period", self.period)

    @property
    def loss(self) -> Linear:
        """g.x, which is convex and no more than that."""
        return Linear(self.dim)

    @property
    def domain(self) -> Ball:
        """The unit ball, whose radius the lower bound assumes."""
        return Ball(self.dim)

    @classmethod
    def example(cls) -> "SignFlips":
        return cls(dim=5, period=20)

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        return _Blocks(rng, self.dim, self.period)

    def _extremes(self, centre: Vector) -> Matrix:
        return np.full((1, self.dim), 1.0 / math.sqrt(self.dim))


def _signs(rng: np.random.Generator, number: int) -> Vector:
    return np.where(rng.random(number) < 0.5, -1.0, 1.0)


class _Blocks:
    """Slopes whose sign is drawn when a block begins, and kept where a chunk ends within one."""

    valid = True

    def __init__(self, rng: np.random.Generator, dim: int, period: int) -> None:
        self._direction = _signs(rng, dim) / math.sqrt(dim)
        self._rng, self._period = rng, period
        self._taken = self._begun = 0
        self._sign = np.zeros(1)  # of the block that began last

    def take(self, rounds: int) -> Matrix:
        blocks = np.arange(self._taken, self._taken + rounds) // self._period
        self._taken += rounds
        begun = -(-self._taken // self._period)
        signs = np.concatenate([self._sign, _signs(self._rng, begun - self._begun)])
        slopes: Matrix = signs[blocks - self._begun + 1][:, np.newaxis] * self._direction
        self._begun, self._sign = begun, signs[-1:]
        return slopes
