r"""DDA: delayed dual averaging, for convex losses and any delays.

.. math::

    x_t = \arg\min_{x \in X} \Bigl\langle \sum_{k \text{ received}} g_k, x \Bigr\rangle
          + \frac{1}{2 \eta_t} \|x - x_1\|^2, \qquad \eta_t = \frac{R}{\sqrt 2\, L \sqrt{V_t}}

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_k     ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
x_1     ``start(initial)``      the first decision; by default the centre
R       ``outer_radius``        the radius of the domain about its centre
L       ``lipschitz``           bound on the norms of the gradients
V_t     ``play_weight``         sum over i <= t of 1 + 2 sigma_i, sigma_i the number of feedbacks that are
                                missing when x_i is played
======  ======================  ====================================================================

Source: Hsieh, Iutzeler, Malick and Mertikopoulos 2022; the rate from counts, and its bound, are derived in
``docs/derivations``. Started at the centre, regret at most sqrt(2) R L sqrt(T + 2 D0), D0 the sum of d_t - 1. Losses
and delays may be chosen by an adversary who sees everything.

Must be known: L and a bounded domain. Not T or the delays; feedback is anonymous; it can be stopped at any time.

Pitfalls: started elsewhere, at distance r_0 from the centre, the bound has (1 + ((R + r_0) / R)^2) / 2 in front. All
gradients count alike for ever, so that it adapts only slowly to losses that have drifted.

>>> from belated.domains import Ball
>>> player = dda(Ball(2, radius=2.0), lipschitz=1.0).start()
>>> play = player.ask()
>>> player.tell([0.5, 0.0])
>>> player.ask().point                              # V = 2: 1 / eta = 1
array([-0.5,  0. ])
"""

import math

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, bounded_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates.weights import PlayWeight
from belated.learners.parts.steps.leader import Flat, leader


def dda(domain: Domain, lipschitz: float) -> Learner:
    """Delayed dual averaging with a rate from the ledger's counts (Hsieh and others 2022).

    Args:
        domain: The set that decisions come from; it must be bounded.
        lipschitz: Bound L > 0 on the norms of all gradients that will be told.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    bound = checks.moderate("dda", "lipschitz", lipschitz)
    scale = math.sqrt(2.0) * bound / bounded_domain("dda", domain).outer_radius
    return from_arrivals("dda", domain, Batch(leader(domain, Flat(), PlayWeight(scale))))


CARD = Card(
    title="Delayed dual averaging",
    losses="convex",
    adversary="adaptive",
    known=("lipschitz", "bounded domain"),
    promise="O(sqrt(T + D))",
    source="Hsieh, Iutzeler, Malick and Mertikopoulos 2022",
    certainty="rate from counts and constant derived here",
    time="O(n) and a projection",
    memory="O(n)",
    examples={"": lambda domain: dda(domain, lipschitz=2.0)},
    domains="bounded",
)
