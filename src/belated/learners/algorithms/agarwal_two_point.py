r"""Agarwal, Dekel and Xiao with two points: descent from two function values per round, without delay.

OGD on the shrunk domain X_delta with an estimate in place of the gradient:

.. math::

    x_{t+1} = \Pi_{X_\delta}(x_t - \eta_t \tilde g_t), \qquad
    \tilde g_t = \frac{n}{2 \delta} \bigl(f_t(x_t + \delta u_t) - f_t(x_t - \delta u_t)\bigr) u_t

X_delta is ``domain.shrink(delta)``: its elements stay in the domain when they are moved by delta within its hull.

======  ======================  ====================================================================================
symbol  code                    meaning
======  ======================  ====================================================================================
u_t     drawn by ``ask``        uniform on the unit sphere (of the directions in the domain's hull)
n       ``hull_dim``            the number of these directions: the dimension for a set with interior
delta   ``probe_radius``        how far from the decision the loss is looked at
f_t     ``tell(values)``        the loss of round t at ``play.points``, plus side first; the round must be told
eta_t   ``rate``                a number for convex losses, ``PerRound(beta)``, which is 1 / (beta t), for strongly
                                convex ones
======  ======================  ====================================================================================

Source: Agarwal, Dekel and Xiao 2010, remembered. The bounds below agree with its orders. They are OGD's, with n L in
place of L, plus what it costs to play beside the decision and to stay in X_delta. Started at the centre, B(p, r) within
X within B(p, R), losses that change by at most L times the distance, the expected average regret over both points is at
most

* convex, at eta = R / (n L sqrt(T)): R n L sqrt(T) + delta T (L + R L / r). The source runs eta = 1 / sqrt(T);
* beta-strongly convex: n^2 L^2 / (2 beta) (1 + ln T) + delta T (L + R L / r).

With delta = ln T / T (:func:`~belated.learners.parts.estimators.log_probe_radius`) the last term is O(log T).

Must be known: T (for delta, and for a constant rate), beta or L, and the *round* of each feedback. Losses must not
react to the directions drawn.

Pitfalls: no promise under delay; :mod:`~.algorithms.bdogd_sc_two_point` has one. Noise is magnified by 1 / delta.

>>> from belated.domains import Box
>>> player = agarwal_two_point(Box([-1.0], [1.0]), rate=0.25, probe_radius=0.5).start()
>>> play = player.ask()
>>> player.tell([2.0 * x[0] for x in play.points], round=play.round)
>>> player.ask().decision                           # in one dimension the estimate is the slope of the chord
array([-0.5])
"""

from __future__ import annotations

from belated.domains.base import Domain
from belated.learners.algorithms.agarwal_coordinates import agarwal_tuning
from belated.learners.algorithms.dogd import dogd
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_probe_radius
from belated.learners.parts.estimators import two_point, typical_probe_radius
from belated.learners.parts.rates import PerRound, Rate, checked_rate


def agarwal_two_point(domain: Domain, rate: float | Rate, probe_radius: float) -> Learner:
    """OGD on the shrunk domain, behind the two-point estimator (Agarwal, Dekel and Xiao 2010).

    Args:
        domain: The set that decisions come from; any domain.
        rate: The step size: a number > 0 for the same in every round, or a rate such as
            ``bl.rates.count_adaptive(...)``.
        probe_radius: How far from the decision the loss is looked at, delta; smaller than the inner radius of the
            domain. The source takes c ln T / T.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    where = "agarwal_two_point"
    delta = checked_probe_radius(where, domain, probe_radius)
    return dogd(domain.shrink(delta), checked_rate(where, rate)).behind(where, two_point(domain, delta))


CARD = Card(
    title="Agarwal, Dekel and Xiao's descent from two values",
    losses="convex, or strongly convex",
    adversary="oblivious",
    known=("rounds", "lipschitz or strong convexity", "for a promise: bounded domain"),
    promise="O(n sqrt(T)), or O(n^2 log T), in expectation, without delay",
    source="Agarwal, Dekel and Xiao 2010",
    certainty="orders remembered; constants derived here",
    time="O(n)",
    memory="O(n), and O(n) per round in flight",
    examples={
        "": lambda domain: agarwal_two_point(domain, 0.05, typical_probe_radius(domain)),
        "strongly convex": lambda domain: agarwal_two_point(domain, PerRound(2.0), typical_probe_radius(domain)),
    },
    tuned=lambda domain, facts: agarwal_tuning(domain, facts, domain.hull_dim * facts.lipschitz),
)
