r"""BDOGD-SC: DOGD-SC from function values at n + 1 points. Algorithm 2 of the paper.

DOGD-SC (:mod:`~.algorithms.dogd_sc`) on the shrunk domain X_delta, with an estimate in place of the gradient g_k:

.. math:: \tilde g_k = \frac{1}{\delta} \sum_{i=1}^{n} \bigl(f_k(x_k + \delta e_i) - f_k(x_k)\bigr) e_i

X_delta is ``domain.shrink(delta)``: its elements stay in the domain when they are moved by delta within its hull.

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
delta   ``probe_radius``        how far from the decision the loss is looked at
e_i                             the axes, or a basis: see Pitfalls
f_k     ``tell(values)``        the loss of round k at ``play.points``: at x_k first, then along e_i
beta    ``strong_convexity``    every loss is at least this strongly convex
======  ======================  ====================================================================

Source: Wan, Tu and Zhang, Theorem 2. For losses that are also alpha-smooth, with delta = c ln T / T
(:func:`~belated.learners.parts.estimators.log_probe_radius`) the average regret over the points played is O(d log T).
It is at most Theorem 1's bound with L + sqrt(n) alpha delta / 2 for L, plus (sqrt(n) alpha R + L R / r + L) c ln T.

Must be known: beta, the number of rounds (for delta), a centre and inner radius r of the domain. Feedback is anonymous.

Pitfalls: the values must be of the same loss and free of noise; noise is magnified by 1/delta. In a domain without
interior (the simplex) the e_i are an orthonormal basis of its directions, one fewer than n.

>>> from belated.domains import Ball
>>> player = bdogd_sc(Ball(2), strong_convexity=2.0, probe_radius=0.25).start()
>>> play = player.ask()
>>> play.points
array([[0.  , 0.  ],
       [0.25, 0.  ],
       [0.  , 0.25]])
>>> player.tell([x @ [0.5, 1.0] for x in play.points])
>>> player.ask().decision                           # projected onto the ball of radius 0.75
array([-0.3354102 , -0.67082039])
"""

from belated.domains.base import Domain
from belated.learners.algorithms.dogd_sc import dogd_sc
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_probe_radius
from belated.learners.parts.estimators import coordinates, fitting_log_probe_radius, typical_probe_radius


def bdogd_sc(domain: Domain, strong_convexity: float, probe_radius: float) -> Learner:
    """DOGD-SC on the shrunk domain, behind the coordinate estimator (Wan, Tu and Zhang, Algorithm 2).

    Args:
        domain: The set that decisions come from; any domain.
        strong_convexity: Every loss is at least this strongly convex, beta > 0.
        probe_radius: How far from the decision the loss is looked at, delta; smaller than the inner radius of the
            domain. ``bl.log_probe_radius(rounds)`` keeps the promise.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    delta = checked_probe_radius("bdogd_sc", domain, probe_radius)
    return dogd_sc(domain.shrink(delta), strong_convexity).behind("bdogd_sc", coordinates(domain, delta))


CARD = Card(
    title="DOGD-SC from values at n + 1 points",
    losses="strongly convex and smooth",
    adversary="adaptive",
    known=("strong convexity", "rounds", "for a promise: bounded domain"),
    promise="O(d log T)",
    source="Wan, Tu and Zhang, Algorithm 2 and Theorem 2",
    certainty="read in the source, with its proof",
    time="O(n^2) and a projection",
    memory="O(n^2)",
    examples={"": lambda domain: bdogd_sc(domain, 2.0, typical_probe_radius(domain))},
    tuned=lambda domain, facts: {"probe_radius": fitting_log_probe_radius(domain, facts.rounds)},
)
