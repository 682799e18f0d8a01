r"""OGD-SC: online gradient descent for strongly convex losses and feedback without delay.

.. math:: x_{t+1} = \Pi_X(x_t - \eta_t g_t), \qquad \eta_t = \frac{1}{\beta t}

======  ======================  ===========================================================
symbol  code                    meaning
======  ======================  ===========================================================
g_t     ``tell(gradient)``      gradient of the round's loss at x_t
beta    ``strong_convexity``    every loss is at least this strongly convex
======  ======================  ===========================================================

Source: Hazan, Agarwal and Kale 2007. Regret at most L^2 / (2 beta) (1 + ln T).

Must be known: beta. Nothing else; it can be stopped at any time.

Pitfalls: meant for feedback that arrives before the next round. DOGD-SC without delay is *not* this learner: its rate
is twice as large, so that DOGD-SC(beta) equals OGD-SC(beta/2). Early steps are huge when beta is small.

>>> from belated.domains import Ball
>>> player = ogd_sc(Ball(2), strong_convexity=2.0).start()
>>> play = player.ask()
>>> player.tell([0.5, 0.0])
>>> player.ask().point
array([-0.25,  0.  ])
"""

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates import PerRound
from belated.learners.parts.steps.descent import Descent


def ogd_sc(domain: Domain, strong_convexity: float) -> Learner:
    """Online gradient descent with rate 1 / (beta t) (Hazan, Agarwal and Kale 2007).

    Args:
        domain: The set that decisions come from; any domain.
        strong_convexity: Every loss is at least this strongly convex, beta > 0.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    beta = checks.moderate("ogd_sc", "strong_convexity", strong_convexity)
    step = Descent(checked_domain("ogd_sc", domain), PerRound(beta))
    return from_arrivals("ogd_sc", domain, Batch(step))


CARD = Card(
    title="Online gradient descent for strongly convex losses",
    losses="strongly convex",
    adversary="adaptive, without delay",
    known=("strong convexity", "for a promise: bounded domain"),
    promise="O(log T) without delay; none with it",
    source="Hazan, Agarwal and Kale 2007",
    certainty="rate read in Wan, Tu and Zhang; constant remembered, and well known",
    time="O(n) and a projection",
    memory="O(n)",
    examples={"": lambda domain: ogd_sc(domain, strong_convexity=2.0)},
)
