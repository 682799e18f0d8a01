"""Linear regression online: forecasts of a number whose truth comes late."""

import math
from dataclasses import dataclass

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.domains import Ball
from belated.losses import SquaredError
from belated.sim.problems.base import DrawnProblem, RowSampler, within
from belated.sim.problems.draws import Made, Uniform


@dataclass(frozen=True)
class Regression(DrawnProblem):
    """Linear forecasts of a number, such as tomorrow's load or the days until a delivery: 1/2 (z_t.x - y_t)^2.

    Features z_t are known when the forecast is made, the truth y_t comes late. Losses are exp-concave on bounded sets,
    but not strongly convex. For whoever forecasts; ``vaw`` sees the features beforehand and needs the whole space,
    ``Euclidean(dim)``, as its domain, ``ons`` a bounded one.

    Labels are at most sqrt(dim) + ``noise`` in size, and the true weights lie in the unit ball::

        rng = np.random.default_rng(seed)
        truth = rng.uniform(-1, 1, dim) / np.sqrt(dim)
        numbers = rng.uniform(-1, 1, (rounds, dim + 1))
        z = numbers[:, :dim]
        y = z @ truth + noise * numbers[:, dim]
        rows = np.column_stack([z, y])

    Args:
        dim: How many features there are, at least 1.
        noise: Size of the noise of the labels, >= 0.
    """

    dim: int
    noise: float

    def __post_init__(self) -> None:
        checks.count("Regression", "dim", self.dim)
        within("Regression", "noise", self.noise, 0.0, checks.LARGEST)

    @property
    def loss(self) -> SquaredError:
        """Half the squared error of the forecast z.x."""
        return SquaredError(self.dim)

    @property
    def domain(self) -> Ball:
        """The unit ball, in which the true weights are."""
        return Ball(self.dim)

    @classmethod
    def example(cls) -> "Regression":
        """Five features and a good deal of noise."""
        return cls(dim=5, noise=0.5)

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        truth = rng.uniform(-1.0, 1.0, self.dim) / math.sqrt(self.dim)

        def make(rounds: Vector, numbers: Matrix) -> Matrix:
            numbers[:, -1] = (numbers[:, :-1] * truth).sum(axis=1) + self.noise * numbers[:, -1]
            return numbers

        return Made(Uniform(rng, self.dim + 1), make)

    def _extremes(self, centre: Vector) -> Matrix:
        steepest = np.append(np.copysign(1.0, centre), -(math.sqrt(self.dim) + self.noise))
        return np.stack([steepest, np.zeros(self.dim + 1)])  # features may vanish, and all curvature with them
