"""A problem of trust: shares of several experts, of whom one hears late how good each was."""

from dataclasses import dataclass

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.domains import Simplex
from belated.losses import Linear
from belated.sim.problems.base import DrawnProblem, RowSampler
from belated.sim.problems.draws import Made, Uniform


@dataclass(frozen=True)
class ForecastExperts(DrawnProblem):
    """Shares of trust in several ``experts``: f_t(x) = g_t.x, with the losses g_t of the experts, all in [0, 1].

    Every expert has a skill of its own, which never changes, and the rounds are easy or hard for all of them at once.
    For whoever combines forecasts, models or suppliers, and hears late how good each of them was.

    With the experts' errors e, and the difficulty of each round in front::

        rng = np.random.default_rng(seed)
        e = rng.uniform(0, 1, experts)
        u = rng.uniform(0, 1, (rounds, experts + 1))
        rows = u[:, :1] * (e + u[:, 1:]) / 2

    Args:
        experts: How many experts there are, at least 2.
    """

    experts: int

    def __post_init__(self) -> None:
        checks.count("ForecastExperts", "experts", self.experts, least=2)

    @property
    def loss(self) -> Linear:
        """The losses of the experts, weighted by their shares."""
        return Linear(self.experts)

    @property
    def domain(self) -> Simplex:
        """Shares that add up to one; a run starts with equal ones."""
        return Simplex(self.experts)

    @classmethod
    def example(cls) -> "ForecastExperts":
        return cls(experts=8)

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        errors = rng.random(self.experts)

        def make(rounds: Vector, numbers: Matrix) -> Matrix:
            losses: Matrix = numbers[:, :1] * (errors + numbers[:, 1:]) / 2.0
            return losses

        return Made(Uniform(rng, self.experts + 1, low=0.0), make)

    def _extremes(self, centre: Vector) -> Matrix:
        return np.ones((1, self.experts))
