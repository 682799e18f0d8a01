r"""Curvature FTRL: the delayed leader for strongly convex losses, held as strongly as its delays ask for.

.. math::

    x_t = \arg\min_{x \in X} \sum_{k \text{ received}}
          \Bigl(\langle g_k, x \rangle + \frac{\beta}{2} \|x - x_k\|^2\Bigr) + \frac{a_t}{2} \|x - x_1\|^2, \qquad
    a_t P = \sum_{i < t} \frac{c_i}{\beta i + a_i} + \frac{c_t}{\beta t + a_t}

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_k     ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
beta    ``strong_convexity``    every loss is at least this strongly convex
L       ``lipschitz``           bound on the norms of the gradients
c_t                             L (L + (L + beta Dm) sigma_t), sigma_t missing when x_t is played
P, Dm                           R^2 / 2, R the radius of the domain about its centre; its diameter
======  ======================  ====================================================================

Source: the setting and the rate O(log T + min(sigma_max log T, sqrt(D0))) are those of Qiu, Esposito and Zhang 2025;
this weight from counts, and its bound, are derived in ``docs/derivations``. Started at the centre, regret at most 2 a_T
P, which is within a factor 2 of the best weights in hindsight that never fall; at distance r_0 from it, (1 + ((R + r_0)
/ R)^2) a_T P. Losses and delays may be chosen by an adversary who sees everything.

Must be known: beta, L, a bounded domain, and which round a feedback belongs to. Not T or the delays.

Pitfalls: the weight is made for the worst case. Where losses are benign and delays long, :mod:`~.algorithms.ftdl`,
which is this learner with a_t = 0, has a fraction of the regret; with a tiny beta this one has a fraction of FTDL's.

>>> from belated.domains import Ball
>>> player = curvature_ftrl(Ball(1), strong_convexity=2.0, lipschitz=1.0).start()
>>> play = player.ask()
>>> player.tell([1.0], round=play.round)
>>> player.ask().point.round(4)
array([-0.3203])
"""

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, bounded_domain
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.policies.gradient import Surrogate
from belated.learners.parts.rates.weights import Balanced
from belated.learners.parts.steps.leader import Received, leader


def curvature_ftrl(domain: Domain, strong_convexity: float, lipschitz: float) -> Learner:
    """FTRL on quadratic surrogates with a balanced weight, for strongly convex losses and any delays.

    Args:
        domain: The set that decisions come from; it must be bounded.
        strong_convexity: Every loss is at least this strongly convex, beta > 0.
        lipschitz: Bound L > 0 on the norms of all gradients that will be told.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    beta = checks.moderate("curvature_ftrl", "strong_convexity", strong_convexity)
    bound = checks.moderate("curvature_ftrl", "lipschitz", lipschitz)
    radius, diameter = bounded_domain("curvature_ftrl", domain).outer_radius, domain.diameter
    weight = Balanced(beta, 0.5 * radius**2, own=bound**2, late=bound * (bound + beta * diameter))
    arrivals = Batch(leader(domain, Received(beta), weight))
    return Learner("curvature_ftrl", domain, domain, Surrogate(arrivals, domain.dim, beta))


CARD = Card(
    title="The delayed leader, held as strongly as its delays ask for",
    losses="strongly convex",
    adversary="adaptive",
    known=("strong convexity", "lipschitz", "bounded domain"),
    promise="O(log T + min(d log T, sqrt(D0)))",
    source="Qiu, Esposito and Zhang 2025",
    certainty="order from the abstract; this weight and its constant derived here",
    time="O(n) and a projection",
    memory="O(n), and O(n) per round in flight",
    examples={"": lambda domain: curvature_ftrl(domain, strong_convexity=2.0, lipschitz=2.0)},
    domains="bounded",
)
