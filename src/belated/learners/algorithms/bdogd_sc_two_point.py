r"""Two-query BDOGD-SC: DOGD-SC from function values at two points. Algorithm 3 of the paper.

DOGD-SC (:mod:`~.algorithms.dogd_sc`) on the shrunk domain X_delta, with an estimate in place of the gradient g_k:

.. math:: \tilde g_k = \frac{n}{2 \delta} \bigl(f_k(x_k + \delta u_k) - f_k(x_k - \delta u_k)\bigr) u_k

X_delta is ``domain.shrink(delta)``: its elements stay in the domain when they are moved by delta within its hull.

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
u_k     drawn by ``ask``        uniform on the unit sphere (of the directions in the domain's hull)
n       ``hull_dim``            the number of these directions: the dimension for a set with interior
delta   ``probe_radius``        how far from the decision the loss is looked at
f_k     ``tell(values,          the loss of round k at ``play.points``, plus side first
        round=k)``
beta    ``strong_convexity``    every loss is at least this strongly convex
======  ======================  ====================================================================

Source: Wan, Tu and Zhang, Theorem 3 (its statement names Algorithm 2 by mistake). With delta = c ln T / T the expected
average regret is at most Theorem 1's bound with 2 L + n L for L, plus (3 L + R L / r) c ln T: that is
``belated.bounds.theorem_3``. n L and L suffice in place of 2 L + n L and 3 L (``docs/errata.md``). Losses need not
be smooth.

Must be known: beta, the number of rounds (for delta), the inner radius r, and the *round* of each feedback, because
u_k has to be looked up. Losses must not react to the directions drawn; delays may.

Pitfalls: as for BDOGD-SC, noise is magnified by 1/delta. Every outstanding round holds a vector until it is answered.

>>> from belated.domains import Ball
>>> player = bdogd_sc_two_point(Ball(2), strong_convexity=2.0, probe_radius=0.25).start(seed=0)
>>> play = player.ask()
>>> values = [x @ [0.5, 1.0] for x in play.points]
>>> player.tell(values)
Traceback (most recent call last):
...
belated.core.errors.RoundRequired: `bdogd_sc_two_point.tell(round=None)`: this learner must know which round ...
>>> player.tell(values, round=play.round)
"""

from belated.domains.base import Domain
from belated.learners.algorithms.dogd_sc import dogd_sc
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_probe_radius
from belated.learners.parts.estimators import fitting_log_probe_radius, two_point, typical_probe_radius


def bdogd_sc_two_point(domain: Domain, strong_convexity: float, probe_radius: float) -> Learner:
    """DOGD-SC on the shrunk domain, behind the two-point estimator (Wan, Tu and Zhang, Algorithm 3).

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
    delta = checked_probe_radius("bdogd_sc_two_point", domain, probe_radius)
    return dogd_sc(domain.shrink(delta), strong_convexity).behind("bdogd_sc_two_point", two_point(domain, delta))


CARD = Card(
    title="DOGD-SC from values at two points",
    losses="strongly convex",
    adversary="oblivious losses, adaptive delays",
    known=("strong convexity", "rounds", "for a promise: bounded domain"),
    promise="O(n^2 d log T) in expectation",
    source="Wan, Tu and Zhang, Algorithm 3 and Theorem 3",
    certainty="read in the source, with its proof",
    time="O(n) and a projection",
    memory="O(n), and O(n) per round in flight",
    examples={"": lambda domain: bdogd_sc_two_point(domain, 2.0, typical_probe_radius(domain))},
    tuned=lambda domain, facts: {"probe_radius": fitting_log_probe_radius(domain, facts.rounds)},
)
