r"""FTDL: follow the delayed leader, for strongly convex losses.

.. math::

    x_t = \arg\min_{x \in X} \sum_{k \text{ received}}
          \Bigl(\langle g_k, x \rangle + \frac{\beta}{2} \|x - x_k\|^2\Bigr)

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_k     ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
beta    ``strong_convexity``    every loss is at least this strongly convex
======  ======================  ====================================================================

Source: Bao, Wei and Wan 2025, O(d log T) regret; their FTDL is told whole losses, and this is what they call its
approximate variant, for gradients. With sigma_t the number of feedbacks missing when x_t is played, L a
bound on the gradients' norms and Dm the diameter: regret at most the sum over t of
L (L + (L + beta Dm) sigma_t) / (beta t), derived in ``docs/derivations``. Losses and delays may be chosen by an
adversary who sees everything.

Must be known: beta, and which round a feedback belongs to. Not T, L or the delays.

Pitfalls: with a small beta hardly anything holds the leader, so that early gradients move it far: see
:mod:`~.algorithms.curvature_ftrl`. It plays the first decision until something arrives. An unbounded domain is taken,
but nothing is promised there: Dm is infinite, and no L bounds the gradients of strongly convex losses.

>>> from belated.domains import Ball
>>> player = ftdl(Ball(2), strong_convexity=2.0).start([0.5, 0.0])
>>> play = player.ask()
>>> player.tell([0.5, 1.0], round=play.round)       # the bowl's lowest point is x_1 - g / beta
>>> player.ask().point
array([ 0.25, -0.5 ])
"""

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.policies.gradient import Surrogate
from belated.learners.parts.rates.weights import Unweighted
from belated.learners.parts.steps.leader import Received, leader


def ftdl(domain: Domain, strong_convexity: float) -> Learner:
    """Follow the delayed leader on quadratic surrogates (Bao, Wei and Wan 2025).

    Args:
        domain: The set that decisions come from. The promise needs a bounded one.
        strong_convexity: Every loss is at least this strongly convex, beta > 0.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    beta = checks.moderate("ftdl", "strong_convexity", strong_convexity)
    arrivals = Batch(leader(checked_domain("ftdl", domain), Received(beta), Unweighted()))
    return Learner("ftdl", domain, domain, Surrogate(arrivals, domain.dim, beta))


CARD = Card(
    title="Follow the delayed leader",
    losses="strongly convex",
    adversary="adaptive",
    known=("strong convexity", "for a promise: bounded domain"),
    promise="O(d log T)",
    source="Bao, Wei and Wan 2025",
    certainty="order from the abstract; constant derived here",
    time="O(n) and a projection",
    memory="O(n), and O(n) per round in flight",
    examples={"": lambda domain: ftdl(domain, strong_convexity=2.0)},
)
