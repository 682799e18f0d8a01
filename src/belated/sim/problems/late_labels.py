"""Classification with labels that come late."""

import math
from dataclasses import dataclass

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.domains import Ball
from belated.losses import Logistic
from belated.sim.problems.base import DrawnProblem, RowSampler, within
from belated.sim.problems.draws import Made, Uniform

_RADIUS = 6.0


@dataclass(frozen=True)
class LateLabels(DrawnProblem):
    """Logistic regression online: will this click lead to a purchase, this loan be paid back, this flight be late?

    The features z_t are known at once and the label, yes or no, long after. The loss is log(1 + exp(-y_t z_t.x)) +
    (``l2``/2)|x|^2. Labels follow a logistic model; with ``flip_every`` > 0 all labels flip after so many rounds, and
    back after as many more, so that no fixed weights are of use. For whoever trains a model on labels that are late.

    True weights have a length of at most 6, features are uniform, and y is 1 with probability 1 / (1 + exp(-z.truth))::

        rng = np.random.default_rng(seed)
        truth = 6 / np.sqrt(dim) * rng.uniform(-1, 1, dim)
        numbers = rng.uniform(-1, 1, (rounds, dim + 1))
        z = numbers[:, :dim]
        y = np.where(numbers[:, dim] < np.tanh(z @ truth / 2), 1, -1)
        if flip_every > 0:
            y *= np.where(np.arange(rounds) // flip_every % 2 == 0, 1, -1)
        rows = np.column_stack([z, y])

    Args:
        dim: How many features there are, at least 1.
        l2: Weight >= 0 of the regulariser (l2/2)|x|^2.
        flip_every: After how many rounds all labels flip; 0 for never.
    """

    dim: int
    l2: float
    flip_every: int = 0

    def __post_init__(self) -> None:
        checks.count("LateLabels", "dim", self.dim)
        within("LateLabels", "l2", self.l2, 0.0, checks.LARGEST)
        checks.count("LateLabels", "flip_every", self.flip_every, least=0)

    @property
    def loss(self) -> Logistic:
        """The logistic loss, whose only strong convexity is that of its regulariser."""
        return Logistic(self.dim, l2=self.l2)

    @property
    def domain(self) -> Ball:
        """A ball of radius 6, in which the true weights are."""
        return Ball(self.dim, radius=_RADIUS)

    @classmethod
    def example(cls) -> "LateLabels":
        """Twenty features, and a little regularisation."""
        return cls(dim=20, l2=0.01)

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        truth = _RADIUS / math.sqrt(self.dim) * rng.uniform(-1.0, 1.0, self.dim)

        def make(rounds: Vector, numbers: Matrix) -> Matrix:
            scores = (numbers[:, :-1] * truth).sum(axis=1)
            yes = numbers[:, -1] < np.tanh(0.5 * scores)
            if self.flip_every > 0:
                yes ^= (rounds - 1.0) // self.flip_every % 2.0 == 1.0
            numbers[:, -1] = np.where(yes, 1.0, -1.0)
            return numbers

        return Made(Uniform(rng, self.dim + 1), make)

    def _extremes(self, centre: Vector) -> Matrix:
        return np.append(np.copysign(1.0, centre), -1.0)[np.newaxis]
