r"""Composite FTRL: labels come late, and a known regulariser does not. The learner :mod:`~.algorithms.composite_ftrl`.

The loss of every prediction is that of its margin plus (lambda / 2) \|w\|^2, and only the first part has to be waited
for:

.. math::

    w = \Pi\Bigl(\frac{-Z}{\lambda t + a_t}\Bigr)

Z is the sum of all gradients received, t the number of the prediction, Pi the projection onto the ball, and a_t = 0
unless ``lipschitz`` is given; with it a_t is what the learner says, and its bound holds with ``slopes="decision"``. The
arithmetic is in :mod:`~.models.leader`, which also says what a wrong assumption changes: nothing, once it is corrected.
"""

from __future__ import annotations

import math

from belated.core import checks
from belated.learners.parts.rates.weights import Balanced, Unweighted, Weight
from belated.learners.parts.steps.leader import Known
from belated.models.dual_averaging import checked_radius
from belated.models.leader import LeaderStep


def composite(
    regulariser: float, *, radius: float | None = None, lipschitz: float | None = None, caution: float = 1.0
) -> LeaderStep:
    """A step for models: the leader of all slopes that came and of a regulariser that every prediction has.

    Args:
        regulariser: lambda > 0 of the part (lambda / 2) |w|^2 of the loss of every prediction.
        radius: The radius of the ball about 0 that weights are kept in; by default they may be anything.
        lipschitz: Bound on the norms of the gradients without the regulariser; it needs a radius. ``None`` is for data
            that are benign.
        caution: The price of missing labels, from 0 (hopeful) to 1 (made for the worst case); of ``lipschitz`` only.

    Returns:
        The step, for ``step=`` of a model.

    Raises:
        InvalidArgument: A number is out of its range, or there is a ``lipschitz`` and no ``radius``.
    """
    where = "composite"
    known, reach = checks.moderate(where, "regulariser", regulariser), checked_radius(where, radius)
    weight: Weight = Unweighted()
    kappa = checks.probability(where, "caution", caution)
    if lipschitz is not None:
        bound = checks.moderate(where, "lipschitz", lipschitz)
        if reach == math.inf:
            checks.refuse(where, "lipschitz", lipschitz, "needs a radius: the price of delays depends on it")
        weight = Balanced(known, 0.5 * reach**2, own=0.5 * bound**2, late=kappa * (bound + known * reach) * bound)
    return LeaderStep(Known(known), weight, reach)
