"""A quadratic problem whose optimum moves along a line and is reflected at walls."""

import math
from dataclasses import dataclass

import numpy as np

from belated.core import checks, streams
from belated.core.arrays import Matrix, Vector
from belated.domains import Ball
from belated.losses import Quadratic
from belated.sim.problems.base import DrawnProblem, RowSampler, within
from belated.sim.problems.draws import Made, Uniform


@dataclass(frozen=True)
class DriftingQuadratic(DrawnProblem):
    """A target that moves: f_t(x) = |x|^2 + b_t.x, which is |x - c_t|^2 but for noise and a constant.

    The target c_t goes through the cube inside the unit ball on a straight line, by ``speed`` a round, and is reflected
    at its walls, as a billiard ball is. For whoever follows something that changes, such as a demand, a channel or a
    user: late feedback is then also out of date, and no fixed decision is good. ``comparators`` are the c_t, against
    which :func:`belated.dynamic_regret` compares.

    With the noise v_t uniform on [-1, 1]^dim, times ``noise`` / sqrt(dim)::

        rng = np.random.default_rng(seed)
        phases = rng.uniform(0, 1, dim)
        v = rng.uniform(-1, 1, (rounds, dim))
        t = np.arange(1, rounds + 1)[:, None]
        c = (4 * abs((phases + speed / 4 * t) % 1 - 0.5) - 1) / np.sqrt(dim)
        rows = -2 * (c + noise / np.sqrt(dim) * v)

    Args:
        dim: Dimension of the decisions, at least 1.
        speed: How far the target moves per round, from 0 to 2.
        noise: Size of the noise, >= 0.
    """

    dim: int
    speed: float
    noise: float

    def __post_init__(self) -> None:
        checks.count("DriftingQuadratic", "dim", self.dim)
        within("DriftingQuadratic", "speed", self.speed, 0.0, 2.0)
        within("DriftingQuadratic", "noise", self.noise, 0.0, checks.LARGEST)

    @property
    def loss(self) -> Quadratic:
        """|x|^2 + b.x, which is 2-strongly convex and 2-smooth."""
        return Quadratic(self.dim, curvature=2.0)

    @property
    def domain(self) -> Ball:
        """The unit ball, in which the target always is."""
        return Ball(self.dim)

    @classmethod
    def example(cls) -> "DriftingQuadratic":
        """A target that crosses the ball in some hundred rounds."""
        return cls(dim=5, speed=0.02, noise=0.5)

    def comparators(self, seed: int, rounds: int) -> Matrix:
        """The targets c_1, ..., c_rounds, a row each.

        Args:
            seed: A whole number, at least 0.
            rounds: How many rounds.

        Returns:
            The target of each round, one in each row.

        Raises:
            InvalidArgument: A number is out of its range.
        """
        number = checks.count("DriftingQuadratic.comparators", "rounds", rounds, least=0)
        return self.comparator_sampler(seed).take(number)

    def comparator_sampler(self, seed: int) -> RowSampler:
        """The same in chunks, from the first round on.

        Args:
            seed: A whole number, at least 0.

        Returns:
            A sampler of the targets that begins with round 1.

        Raises:
            InvalidArgument: ``seed`` is no whole number of at least 0.
        """
        where = "DriftingQuadratic.comparator_sampler"
        return _Path(streams.losses(checks.count(where, "seed", seed, least=0)), self.dim, self.speed)

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        path = _Path(rng, self.dim, self.speed)
        blur = self.noise / math.sqrt(self.dim)

        def make(rounds: Vector, numbers: Matrix) -> Matrix:
            numbers *= blur
            numbers += path.at(rounds)
            numbers *= -2.0
            return numbers

        return Made(Uniform(rng, self.dim), make)

    def _extremes(self, centre: Vector) -> Matrix:
        return np.copysign(2.0 * (1.0 + self.noise) / math.sqrt(self.dim), centre)[np.newaxis]


class _Path:
    """The targets: every coordinate goes up and down between its two walls, out of step with the others.

    A coordinate needs four times its largest value to be back where it was, which is why phases grow by ``speed`` / 4.
    """

    def __init__(self, rng: np.random.Generator, dim: int, speed: float) -> None:
        self._phases = rng.random(dim)
        self._speed = speed
        self._taken = 0

    def at(self, rounds: Vector) -> Matrix:
        phases = self._speed / 4.0 * rounds[:, np.newaxis] + self._phases
        targets: Matrix = (4.0 * np.abs(phases % 1.0 - 0.5) - 1.0) / math.sqrt(self._phases.size)
        return targets

    def take(self, rounds: int) -> Matrix:
        before, self._taken = self._taken, self._taken + rounds
        return self.at(np.arange(before + 1.0, self._taken + 1.0))
