"""The problem of the paper's experiments: quadratic losses with random linear parts."""

from dataclasses import dataclass

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.domains import Ball
from belated.losses import Quadratic
from belated.sim.problems.base import DrawnProblem, RowSampler
from belated.sim.problems.draws import Uniform


@dataclass(frozen=True)
class RandomQuadratic(DrawnProblem):
    """The problem of the paper's experiments: f_t(x) = |x|^2 + b_t.x with b_t uniform on [-1, 1]^dim.

    A start for any comparison, and the one with published numbers::

        rows = np.random.default_rng(seed).uniform(-1, 1, (rounds, dim))

    Args:
        dim: Dimension of the decisions, at least 1.

    Example:
        >>> problem = RandomQuadratic(dim=10)
        >>> problem.constants(problem.domain).lipschitz      # 2 + sqrt(10)
        5.16227766016838
    """

    dim: int

    def __post_init__(self) -> None:
        checks.count("RandomQuadratic", "dim", self.dim)

    @property
    def loss(self) -> Quadratic:
        """|x|^2 + b.x, which is 2-strongly convex and 2-smooth."""
        return Quadratic(self.dim, curvature=2.0)

    @property
    def domain(self) -> Ball:
        """The unit ball, as in the paper."""
        return Ball(self.dim)

    @classmethod
    def example(cls) -> "RandomQuadratic":
        """In ten dimensions, as in the paper."""
        return cls(dim=10)

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        return Uniform(rng, self.dim)

    def _extremes(self, centre: Vector) -> Matrix:
        return np.copysign(1.0, centre)[np.newaxis]
