r"""OGD: online gradient descent, for convex losses and feedback without delay.

.. math:: x_{t+1} = \Pi_X(x_t - \eta_t g_t), \qquad \eta_t = \frac{Dm}{L \sqrt t}

======  ======================  ==========================================
symbol  code                    meaning
======  ======================  ==========================================
g_t     ``tell(gradient)``      gradient of the round's loss at x_t
Dm      ``domain.diameter``     diameter of the domain
L       ``lipschitz``           bound on the norms of the gradients
======  ======================  ==========================================

Source: Zinkevich 2003. Regret at most (3/2) Dm L sqrt(T). Zinkevich's own rate is 1/sqrt(t), which ignores the scale
of the problem; this one has it.

Must be known: L, and a bounded domain. Not the number of rounds.

Pitfalls: meant for feedback that arrives before the next round. Late feedback is accepted, and applied with the rate of
the round in which it arrives, but nothing is promised then: see :mod:`~.algorithms.dogd`.

>>> from belated.domains import Ball
>>> player = ogd(Ball(2), lipschitz=1.0).start()
>>> play = player.ask()
>>> player.tell([0.25, 0.0], round=play.round)
>>> player.ask().point
array([-0.5,  0. ])
"""

from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates import SquareRoot, scale
from belated.learners.parts.steps.descent import Descent


def ogd(domain: Domain, lipschitz: float) -> Learner:
    """Online gradient descent with rate Dm / (L sqrt(t)) (Zinkevich 2003)."""
    step = Descent(checked_domain("ogd", domain), SquareRoot(scale("ogd", domain, lipschitz)))
    return from_arrivals("ogd", domain, Batch(step))


CARD = Card(
    title="Online gradient descent",
    losses="convex",
    adversary="adaptive, without delay",
    known=("lipschitz", "bounded domain"),
    promise="O(sqrt(T)) without delay; none with it",
    source="Zinkevich 2003",
    certainty="remembered, and well known",
    time="O(n) and a projection",
    memory="O(n)",
    examples={"": lambda domain: ogd(domain, lipschitz=2.0)},
)
