r"""Agarwal, Dekel and Xiao with n + 1 points: descent from differences of values, without delay.

OGD on the shrunk domain X_delta with an estimate in place of the gradient:

.. math::

    x_{t+1} = \Pi_{X_\delta}(x_t - \eta_t \tilde g_t), \qquad
    \tilde g_t = \frac{1}{\delta} \sum_{i=1}^{n} \bigl(f_t(x_t + \delta e_i) - f_t(x_t)\bigr) e_i

X_delta is ``domain.shrink(delta)``: its elements stay in the domain when they are moved by delta within its hull.

======  ======================  ====================================================================================
symbol  code                    meaning
======  ======================  ====================================================================================
e_i                             the axes; in a domain without interior, an orthonormal basis of its directions
n       ``hull_dim``            the number of these directions: the dimension for a set with interior
delta   ``probe_radius``        how far from the decision the loss is looked at
f_t     ``tell(values)``        the loss of round t at ``play.points``: at x_t first, then along e_i
eta_t   ``rate``                a number for convex losses, ``PerRound(beta)``, which is 1 / (beta t), for strongly
                                convex ones
======  ======================  ====================================================================================

Source: Agarwal, Dekel and Xiao 2010, remembered. The bounds below agree with its orders. They are OGD's for the
estimates, plus what it costs to play beside the decision and to stay in X_delta. For losses that are alpha-smooth and
change by at most L times the distance, started at the centre, B(p, r) within X within B(p, R), G = min(sqrt(n) L, L +
sqrt(n) alpha delta / 2), the average regret over all points is at most

* convex, at eta = R / (G sqrt(T)): R G sqrt(T) + delta T (sqrt(n) alpha R + L + L R / r);
* beta-strongly convex: G^2 / (2 beta) (1 + ln T) + delta T (sqrt(n) alpha R + L + L R / r).

Nothing is random: losses may be chosen by an adversary who sees everything.

Must be known: T (for delta, and for a constant rate), beta or L. Feedback is anonymous.

Pitfalls: no promise under delay; :mod:`~.algorithms.bdogd_sc` has one. The values must be of the same loss and
free of noise, which is magnified by 1 / delta.

>>> from belated.domains import Ball
>>> player = agarwal_coordinates(Ball(2), rate=0.5, probe_radius=0.25).start()
>>> play = player.ask()
>>> player.tell([x @ [0.5, 1.0] for x in play.points])
>>> player.ask().decision
array([-0.25, -0.5 ])
"""

from __future__ import annotations

import math

from belated.domains.base import Domain
from belated.learners.algorithms.dogd import dogd
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, checked_probe_radius
from belated.learners.parts.estimators import coordinates, fitting_log_probe_radius, typical_probe_radius
from belated.learners.parts.rates import PerRound, Rate, checked_rate


def agarwal_coordinates(domain: Domain, rate: float | Rate, probe_radius: float) -> Learner:
    """OGD on the shrunk domain, behind the coordinate estimator (Agarwal, Dekel and Xiao 2010).

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
    where = "agarwal_coordinates"
    delta = checked_probe_radius(where, domain, probe_radius)
    return dogd(domain.shrink(delta), checked_rate(where, rate)).behind(where, coordinates(domain, delta))


def agarwal_tuning(domain: Domain, facts: Facts, size: float) -> dict[str, float | PerRound]:
    """What the theory above recommends for estimates of at most ``size``."""
    beta = facts.strong_convexity
    rate = PerRound(beta) if beta > 0.0 else domain.outer_radius / (size * math.sqrt(facts.rounds))
    return {"rate": rate, "probe_radius": fitting_log_probe_radius(domain, facts.rounds)}


CARD = Card(
    title="Agarwal, Dekel and Xiao's descent from n + 1 values",
    losses="smooth and convex, or strongly convex",
    adversary="adaptive",
    known=("rounds", "lipschitz or strong convexity", "for a promise: bounded domain"),
    promise="O(sqrt(T)), or O(log T), without delay",
    source="Agarwal, Dekel and Xiao 2010",
    certainty="orders remembered; constants derived here",
    time="O(n), for n + 1 values",
    memory="O(n)",
    examples={
        "": lambda domain: agarwal_coordinates(domain, 0.2, typical_probe_radius(domain)),
        "strongly convex": lambda domain: agarwal_coordinates(domain, PerRound(2.0), typical_probe_radius(domain)),
    },
    tuned=lambda domain, facts: agarwal_tuning(domain, facts, facts.lipschitz),
)
