"""A quadratic problem whose curvature differs much between directions."""

import math
from dataclasses import dataclass

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector, frozen
from belated.domains import Ball
from belated.losses import Quadratic
from belated.sim.problems.base import DrawnProblem, RowSampler, within
from belated.sim.problems.draws import Made, Uniform


@dataclass(frozen=True)
class IllConditioned(DrawnProblem):
    """A long valley: f_t(x) = 1/2 (x - y_t)'A (x - y_t) without its constant, A = diag(1/``condition``, ..., 1).

    The curvatures A_ii are spread with equal ratios. In the flattest direction gradients are ``condition`` times
    weaker, and so is all that strong convexity promises. For whoever has features or knobs of very different scales:
    learners that scale each coordinate on its own should win, and late gradients hurt most along the steepest.

    The y_t lie in the unit ball, uniformly about one corner s of a cube::

        rng = np.random.default_rng(seed)
        s = np.where(rng.random(dim) < 0.5, -1, 1)
        y = (s + rng.uniform(-1, 1, (rounds, dim))) / (2 * np.sqrt(dim))
        rows = -np.geomspace(1 / condition, 1, dim) * y

    Args:
        dim: Dimension of the decisions, at least 2.
        condition: Ratio of the largest to the smallest curvature, at least 1.
    """

    dim: int
    condition: float

    def __post_init__(self) -> None:
        checks.count("IllConditioned", "dim", self.dim, least=2)
        within("IllConditioned", "condition", self.condition, 1.0, checks.LARGEST)

    @property
    def loss(self) -> Quadratic:
        """1/2 x'A x + b.x, which is 1/condition-strongly convex and 1-smooth."""
        return Quadratic(self.dim, curvature=self._curvatures)

    @property
    def domain(self) -> Ball:
        """The unit ball, which holds all centres y_t."""
        return Ball(self.dim)

    @classmethod
    def example(cls) -> "IllConditioned":
        """Ten coordinates with curvatures from 1/100 to 1."""
        return cls(dim=10, condition=100.0)

    @property
    def _curvatures(self) -> Vector:
        return frozen(np.geomspace(1.0 / self.condition, 1.0, self.dim))

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        corner = np.where(rng.random(self.dim) < 0.5, -1.0, 1.0)
        scales = -self._curvatures / (2.0 * math.sqrt(self.dim))

        def make(rounds: Vector, numbers: Matrix) -> Matrix:
            numbers += corner
            numbers *= scales
            return numbers

        return Made(Uniform(rng, self.dim), make)

    def _extremes(self, centre: Vector) -> Matrix:
        return np.copysign(self._curvatures / math.sqrt(self.dim), centre)[np.newaxis]
