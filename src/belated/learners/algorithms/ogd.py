r"""OGD: online gradient descent, for convex losses and feedback without delay.

.. math:: x_{t+1} = \Pi_X(x_t - \eta_t g_t), \qquad \eta_t = \frac{Dm}{L \sqrt t} \text{ by default}

======  ======================  ==========================================
symbol  code                    meaning
======  ======================  ==========================================
g_t     ``tell(gradient)``      gradient of the round's loss at x_t
Dm      ``domain.diameter``     diameter of the domain
L       ``lipschitz``           bound on the norms of the gradients
eta_t   ``rate``                in place of ``lipschitz``: any rate
======  ======================  ==========================================

Source: Zinkevich 2003. Regret at most (3/2) Dm L sqrt(T). Zinkevich's own rate is 1/sqrt(t), which ignores the scale
of the problem; this one has it.

Must be known: L, and a bounded domain; or a rate. Not the number of rounds.

Pitfalls: meant for feedback that arrives before the next round. Late feedback is accepted, and applied with the rate of
the round in which it arrives, but nothing is promised then: see :mod:`~.algorithms.dogd`.

>>> from belated.domains import Ball
>>> player = ogd(Ball(2), lipschitz=1.0).start()
>>> play = player.ask()
>>> player.tell([0.25, 0.0], round=play.round)
>>> player.ask().point
array([-0.5,  0. ])
"""

from __future__ import annotations

from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates import Rate, SquareRoot, either, scale
from belated.learners.parts.steps.descent import Descent


def ogd(domain: Domain, lipschitz: float | None = None, *, rate: float | Rate | None = None) -> Learner:
    """Online gradient descent (Zinkevich 2003), with a Lipschitz constant or a rate.

    Args:
        domain: Where decisions are taken from. It must be bounded for the rate Dm / (L sqrt(t)).
        lipschitz: L, a bound on the norms of the gradients, for the rate Dm / (L sqrt(t)), Dm the diameter. Give either
            this or ``rate``.
        rate: The size of the step in place of that: a number, a list with a number for each round, a function of the
            round, or a rate of ``belated.rates``.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: Both or neither of ``lipschitz`` and ``rate`` are given, or an argument is out of range.

    Example:
        >>> from belated import Euclidean
        >>> player = ogd(Euclidean(10), rate=lambda t: 0.5 / t**0.5).start()
    """
    home = checked_domain("ogd", domain)
    chosen = either("ogd", rate, lipschitz, lambda bound: SquareRoot(scale("ogd", home, bound)))
    return from_arrivals("ogd", home, Batch(Descent(home, chosen)))


CARD = Card(
    title="Online gradient descent",
    losses="convex",
    adversary="adaptive, without delay",
    known=("lipschitz and bounded domain, or a rate",),
    promise="O(sqrt(T)) without delay; none with it",
    source="Zinkevich 2003",
    certainty="remembered, and well known",
    time="O(n) and a projection",
    memory="O(n)",
    examples={"": lambda domain: ogd(domain, lipschitz=2.0)},
    domains="bounded; any with a rate of your own",
    tuned=lambda domain, facts: {"lipschitz": facts.lipschitz},
)
