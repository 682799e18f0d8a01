"""Classes that weights can tell apart: a problem for classifiers, whose mistakes can be bounded."""

from dataclasses import dataclass

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.domains import Simplex
from belated.losses import Misclassification
from belated.sim.problems.base import DrawnProblem, RowSampler
from belated.sim.problems.draws import Made, Uniform


@dataclass(frozen=True)
class Separable(DrawnProblem):
    """Which of some classes it is, from features: <u_y - u_c, z> >= ``margin`` for every class c other than the true y.

    Decisions are shares of the classes, losses the chance of a mistake. Features that are closer to another class than
    the margin are moved away from it. So with R the length of the longest z, a ``perceptron`` makes at most
    2 dim (R / margin)^2 mistakes, however long it runs. For whoever classifies and hears the truth late::

        rng = np.random.default_rng(seed)
        u = rng.standard_normal((dim, features))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        z = rng.uniform(-1, 1, (rounds, features))
        scores = z @ u.T
        y = scores.argmax(axis=1)
        own = np.arange(dim) == y[:, None]
        short = np.where(own, 0, margin - (scores.max(axis=1, keepdims=True) - scores))
        room = np.where(own, 1, 1 - (u @ u.T)[y])
        move = np.maximum(short / room, 0).max(axis=1)
        rows = np.column_stack([z + move[:, None] * u[y], y])

    Args:
        dim: How many classes there are, at least 2.
        features: How many features a round has, at least 2.
        margin: By how much the score of the true class is ahead, > 0.
    """

    dim: int
    features: int
    margin: float

    def __post_init__(self) -> None:
        checks.count("Separable", "dim", self.dim, least=2)
        checks.count("Separable", "features", self.features, least=2)  # with one, several classes have the same weight
        checks.moderate("Separable", "margin", self.margin)

    @property
    def loss(self) -> Misclassification:
        """The chance of a mistake."""
        return Misclassification(self.dim, self.features)

    @property
    def domain(self) -> Simplex:
        """The simplex: a decision is a share for each class."""
        return Simplex(self.dim)

    @classmethod
    def example(cls) -> "Separable":
        return cls(dim=3, features=5, margin=0.1)

    def _begin(self, rng: np.random.Generator) -> RowSampler:
        truth = rng.standard_normal((self.dim, self.features))
        truth /= np.linalg.norm(truth, axis=1, keepdims=True)
        likeness = _products(truth, truth)

        def make(rounds: Vector, features: Matrix) -> Matrix:
            scores, every = _products(features, truth), np.arange(len(features))
            classes = scores.argmax(axis=1)
            missing = self.margin - (scores[every, classes][:, np.newaxis] - scores)
            room = 1.0 - likeness[classes]
            missing[every, classes], room[every, classes] = 0.0, 1.0  # nobody is to be told from oneself
            move = np.maximum(missing / room, 0.0).max(axis=1)
            return np.column_stack([features + move[:, np.newaxis] * truth[classes], classes])

        return Made(Uniform(rng, self.features), make)

    def _extremes(self, centre: Vector) -> Matrix:
        return np.zeros((1, self.features + 1))  # every class has the same constants, whatever the features


def _products(left: Matrix, right: Matrix) -> Matrix:
    """<left_i, right_j>, written out: how NumPy rounds its own sums may depend on how many rows there are."""
    total = np.zeros((len(left), len(right)))
    for one, other in zip(left.T, right.T, strict=True):
        total += one[:, np.newaxis] * other
    return total
