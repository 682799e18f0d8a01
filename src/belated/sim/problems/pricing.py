"""One price and what it earns."""

from dataclasses import dataclass

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.domains import Box
from belated.losses import Quadratic
from belated.sim.problems.base import DrawnProblem, RowSampler, within
from belated.sim.problems.draws import Made, Uniform


@dataclass(frozen=True)
class Pricing(DrawnProblem):
    """One price x between 0 and 1, and a demand m - x + shock: f_t(x) = -x (m - x + ``noise`` v_t), minus the revenue.

    The size m of the market lies between 1 and 2 and is not known; the best price is about m/2. For whoever turns a
    knob and is told, days later, what came of it: nobody sees a gradient here, only the revenue at the price that was
    charged. So learners that are told values at one point are what to compare; others show what more would be worth.
    A shock may take the demand below zero, as returns do.

    As a quadratic, f_t(x) = x^2 + b_t x::

        rng = np.random.default_rng(seed)
        m = rng.uniform(1, 2)
        v = rng.uniform(-1, 1, (rounds, 1))
        rows = -(m + noise * v)

    Args:
        noise: Size of the shocks of the demand, >= 0.
    """

    noise: float

    def __post_init__(self) -> None:
        within("Pricing", "noise", self.noise, 0.0, 1.0)

    @property
    def loss(self) -> Quadratic:
        """x^2 + b x, which is 2-strongly convex and 2-smooth."""
        return Quadratic(1, curvature=2.0)

    @property
    def domain(self) -> Box:
        """Prices from 0 to 1; a run starts at the half."""
        return Box([0.0], [1.0])

    @classmethod
    def example(cls) -> "Pricing":
        """Shocks of up to half the smallest market."""
        return cls(noise=0.5)

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        market = rng.uniform(1.0, 2.0)

        def make(rounds: Vector, numbers: Matrix) -> Matrix:
            numbers *= -self.noise
            numbers -= market
            return numbers

        return Made(Uniform(rng, 1), make)

    def _extremes(self, centre: Vector) -> Matrix:
        return np.array([[-(2.0 + self.noise)], [-(1.0 - self.noise)]])
