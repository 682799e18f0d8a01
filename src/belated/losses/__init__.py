"""Losses: families f(x; row) with their value, their gradient and their constants over a set.

``EVERY`` lists them all. What a loss must satisfy is checked for each entry of that list, so that a new loss is tested
by being in it.
"""

from belated.losses.base import Constants, Loss
from belated.losses.linear import Linear
from belated.losses.log_wealth import LogWealth
from belated.losses.logistic import Logistic
from belated.losses.misclassification import Misclassification
from belated.losses.quadratic import Quadratic
from belated.losses.squared_error import SquaredError
from belated.losses.squared_hinge import SquaredHinge

EVERY: tuple[type[Loss], ...] = (
    Linear,
    Quadratic,
    SquaredError,
    Logistic,
    SquaredHinge,
    LogWealth,
    Misclassification,
)

__all__ = [
    "EVERY",
    "Constants",
    "Linear",
    "LogWealth",
    "Logistic",
    "Loss",
    "Misclassification",
    "Quadratic",
    "SquaredError",
    "SquaredHinge",
]
