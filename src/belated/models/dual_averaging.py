r"""Dual averaging: all slopes count alike, and the rate falls with the delays. The learner :mod:`~.algorithms.dda`.

.. math::

    w = \Pi(-\eta_t Z), \qquad \eta_t = \frac{a}{\sqrt{V_t}}

Z is the sum of all gradients received, Pi the projection onto the ball, and V_t the sum over the predictions of 1 + 2
sigma, sigma being the number of labels that are missing at a prediction. With a = R / (sqrt(2) L), for a ball of radius
R and gradients of at most L, this is ``dda`` on the ball, and with ``slopes="decision"`` its bound holds. The
arithmetic is in :mod:`~.models.leader`, which also says what a wrong assumption changes: nothing, once it is corrected.
"""

from __future__ import annotations

import math

from belated.core import checks
from belated.learners.parts.rates.weights import PlayWeight
from belated.learners.parts.steps.leader import Flat
from belated.models.leader import LeaderStep


def dual_averaging(scale: float = 0.5, *, radius: float | None = None) -> LeaderStep:
    """A step for models: dual averaging, whose rate falls with the number of predictions and of missing labels.

    Args:
        scale: a > 0, the size of the first steps; for the bound R / (sqrt(2) L).
        radius: R > 0 of the ball about 0 that weights are kept in; by default they may be anything.

    Returns:
        The step, for ``step=`` of a model.

    Raises:
        InvalidArgument: A number does not lie in [1e-50, 1e50].
    """
    size = checks.moderate("dual_averaging", "scale", scale)
    return LeaderStep(Flat(), PlayWeight(1.0 / size), checked_radius("dual_averaging", radius))


def checked_radius(where: str, radius: float | None) -> float:
    """``radius``, or infinity if there is none; InvalidArgument if it is no such number."""
    return math.inf if radius is None else checks.moderate(where, "radius", radius)
