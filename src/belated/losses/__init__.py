"""Losses: families f(x; row) with their value, their gradient and their constants over a set.

``EVERY`` lists all of them. The suite checks for each entry of that list what every loss must satisfy, so a new loss in
the list is tested without a new test.
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
