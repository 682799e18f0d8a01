r"""Composite FTRL: gradients that come late, and a known regulariser that needs no feedback.

Losses are f_t(x) = l_t(x) + (lambda / 2) |x|^2, and only the feedback of l_t has to be waited for:

.. math::

    x_t = \arg\min_{x \in X} \Bigl\langle \sum_{k \text{ received}} \nabla l_k(x_k), x \Bigr\rangle
          + \frac{\lambda t + a_t}{2} \|x\|^2

======  ======================  =====================================================================================
symbol  code                    meaning
======  ======================  =====================================================================================
l_k     ``tell(gradient)``      the gradient of round k's loss *without* its regulariser, at x_k
lambda  ``regulariser``         the curvature of the regulariser of every round
a_t                             solves a_t P = A_{t-1} + c_t / (lambda t + a_t), A_t the sum of c_i / (lambda i + a_i);
                                0 without ``lipschitz``
c_t                             L^2 / 2 + kappa (L + lambda R) L sigma_t, sigma_t missing when x_t is played
L       ``lipschitz``           bound on the norms of the gradients of the l_t
kappa   ``caution``             how much of the price of delays enters a_t: 1 for all, 0 for nothing
P, R                            R^2 / 2, R the largest norm in the domain
======  ======================  =====================================================================================

Source: derived in ``docs/derivations``. Started at the element of the domain nearest to the origin, regret is at most
(1 + 1 / kappa) a_T P, which is O(log T + min(sigma_max log T, sqrt(D0))) for a fixed lambda and kappa, D0 the sum of
d_t - 1. Losses and delays may be chosen by an adversary who sees everything. Without the weight a_t, or with kappa = 0,
regret is O((1 + sigma_max) log T), sigma_max the most that is missing at once: at most the sum of c_t / (lambda t) with
kappa = 1 in c_t, without a weight. If the origin is an element of the domain, that holds on an unbounded domain, too,
with L / lambda for R, because no decision is further away. On losses that are alike throughout, a smaller kappa is
better.

Must be known: lambda; for the weight L, and a bounded domain. Not T or the delays; feedback is anonymous.

Pitfalls: until something arrives it plays the first decision, by default the centre of the domain. If that is not the
element nearest to the origin, each of these rounds may cost more than the bound allows for, by the difference of the
two. Do not tell the regulariser's part of a gradient: it would count twice. ``simulate`` takes it out by itself.

>>> from belated.domains import Ball
>>> player = composite_ftrl(Ball(2), regulariser=0.5).start()
>>> play = player.ask()
>>> player.tell([0.5, 0.0])
>>> player.ask().point                              # in round 2 the regulariser counts twice
array([-0.5,  0. ])
"""

import numpy as np

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, bounded_domain, checked_domain
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.policies.gradient import Direct
from belated.learners.parts.rates.weights import Balanced, Unweighted, Weight
from belated.learners.parts.steps.leader import Known, leader


def composite_ftrl(domain: Domain, regulariser: float, lipschitz: float | None = None, caution: float = 1.0) -> Learner:
    """FTRL that knows the regulariser and waits for the rest; ``caution`` is the price of missing feedback.

    Args:
        domain: The set that decisions come from; bounded, unless ``lipschitz`` is left out.
        regulariser: mu > 0 of the part (mu / 2) |x|^2 of all losses; gradients are told without it.
        lipschitz: Bound on the norms of the gradients without the regulariser. ``None`` plays without a weight, for
            benign losses.
        caution: Price of missing feedback, from 0 (hopeful) to 1 (made for the worst case).

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    where = "composite_ftrl"
    mu = checks.moderate(where, "regulariser", regulariser)
    weight: Weight = Unweighted()
    kappa = checks.probability(where, "caution", caution)
    if lipschitz is not None:
        bound = checks.moderate(where, "lipschitz", lipschitz)
        reach = float(np.linalg.norm(bounded_domain(where, domain).centre)) + domain.outer_radius
        weight = Balanced(mu, 0.5 * reach**2, own=0.5 * bound**2, late=kappa * (bound + mu * reach) * bound)
    step = leader(checked_domain(where, domain), Known(mu), weight, origin=np.zeros(domain.dim))
    return Learner(where, domain, domain, Direct(Batch(step), domain.dim, mu))


def _tuned(domain: Domain, facts: Facts) -> dict[str, float]:
    """All of the strong convexity as the regulariser; what is left then has gradients of at most L + beta max |x|."""
    beta, reach = facts.strong_convexity, float(np.linalg.norm(domain.centre)) + domain.outer_radius
    return {"regulariser": beta, "lipschitz": facts.lipschitz + beta * reach}


CARD = Card(
    title="Late losses with a regulariser that is never late",
    losses="convex, plus a known regulariser",
    adversary="adaptive",
    known=("regulariser", "for a promise: lipschitz, bounded domain"),
    promise="O(log T + min(d log T, sqrt(D0))) if cautious; O(d log T) otherwise",
    source="this library",
    certainty="derived here",
    time="O(n) and a projection",
    memory="O(n)",
    examples={
        "": lambda domain: composite_ftrl(domain, regulariser=0.5),
        "cautious": lambda domain: composite_ftrl(domain, regulariser=0.5, lipschitz=2.0),
    },
    domains="any; bounded with lipschitz",
    tuned=_tuned,
)
