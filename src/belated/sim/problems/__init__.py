"""Problems: a loss and the rows that make it a stream.

``EVERY`` lists those whose losses are drawn, each a short file; the contract that all of them must keep is tested over
it. :class:`Recorded` is for losses that you have, :class:`LocallyPermuted` for those that may come in another order.
What a problem of your own needs is said in :mod:`~belated.sim.problems.base`; :class:`OwnProblem` is a base for it.
"""

from belated.sim.problems.base import (
    DrawnProblem,
    MeasuredConstants,
    OwnProblem,
    Problem,
    RowSampler,
    StreamedProblem,
)
from belated.sim.problems.drifting_quadratic import DriftingQuadratic
from belated.sim.problems.forecast_experts import ForecastExperts
from belated.sim.problems.ill_conditioned import IllConditioned
from belated.sim.problems.late_labels import LateLabels
from belated.sim.problems.locally_permuted import LocallyPermuted
from belated.sim.problems.pricing import Pricing
from belated.sim.problems.random_quadratic import RandomQuadratic
from belated.sim.problems.recorded import Recorded
from belated.sim.problems.regression import Regression
from belated.sim.problems.separable import Separable
from belated.sim.problems.sign_flips import SignFlips

EVERY: tuple[type[DrawnProblem], ...] = (
    RandomQuadratic,
    DriftingQuadratic,
    SignFlips,
    IllConditioned,
    LateLabels,
    Pricing,
    ForecastExperts,
    Regression,
    Separable,
)
"""Every family of problems whose losses are drawn."""

__all__ = [
    "EVERY",
    "DrawnProblem",
    "DriftingQuadratic",
    "ForecastExperts",
    "IllConditioned",
    "LateLabels",
    "LocallyPermuted",
    "MeasuredConstants",
    "OwnProblem",
    "Pricing",
    "Problem",
    "RandomQuadratic",
    "Recorded",
    "Regression",
    "RowSampler",
    "Separable",
    "SignFlips",
    "StreamedProblem",
]
