r"""Flaxman, Kalai and McMahan: descent from one function value per round, for convex losses without delay.

OGD on the shrunk domain X_delta with an estimate in place of the gradient:

.. math::

    x_{t+1} = \Pi_{X_\delta}(x_t - \eta \tilde g_t), \qquad
    \tilde g_t = \frac{n}{\delta} \bigl(f_t(x_t + \delta u_t) - b\bigr) u_t

X_delta is ``domain.shrink(delta)``: its elements stay in the domain when they are moved by delta within its hull.

======  ======================  ====================================================================================
symbol  code                    meaning
======  ======================  ====================================================================================
u_t     drawn by ``ask``        uniform on the unit sphere (of the directions in the domain's hull)
n       ``hull_dim``            the number of these directions: the dimension for a set with interior
delta   ``probe_radius``        how far from the decision the loss is looked at
f_t     ``tell(value, round)``  the loss of round t at ``play.point``, which is not the decision
b       ``baseline``            a constant taken off every value; 0 in the paper
eta     ``rate``                the size of the steps; the paper's nu is (n / delta) eta
M, L    ``bound``,              ``flaxman_tuning``: \|f_t - b\| is at most M, and losses change by at most L times the
        ``lipschitz``           distance
======  ======================  ====================================================================================

Source: Flaxman, Kalai and McMahan 2005. For a start at the centre, B(p, r) within X within B(p, R),
delta = T^(-1/4) sqrt(R n M r / (3 (L r + M))) and eta = delta R / (n M sqrt(T)), which ``flaxman_tuning`` gives, the
expected regret is at most 2 T^(3/4) sqrt(3 R n M (L + M / r)). The constants are remembered, and agree with their
derivation: OGD costs R (n M / delta) sqrt(T); to play beside the decision and to stay in X_delta costs
delta T (3 L + 2 M / r).

Must be known: T, L and M for the tuning, and the *round* of each feedback, because u_t has to be looked up. Losses must
not react to the directions drawn, and neither must delays, if there are any.

Pitfalls: no promise under delay; :mod:`~.algorithms.one_point_dda` has one. Estimates are of size n M / delta
however flat the loss is: a baseline near the usual value makes M small, and changes no expectation. It must not be
chosen by looking at the round's own value.

>>> from belated.domains import Box
>>> player = flaxman(Box([-1.0], [1.0]), rate=0.25, probe_radius=0.5, baseline=2.0).start()
>>> play = player.ask()
>>> player.tell([2.5], round=play.round)            # the estimate is u / delta * 0.5, the step 0.25 u
>>> moved = player.ask().decision - play.decision
>>> moved / (play.point - play.decision)
array([-0.5])
"""

from __future__ import annotations

import math
from typing import NamedTuple

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.algorithms.dogd import dogd
from belated.learners.card import Card
from belated.learners.learner import Learner, bounded_domain, checked_probe_radius
from belated.learners.parts.estimators import one_point, typical_probe_radius
from belated.learners.parts.rates import Rate, checked_rate


class FlaxmanTuning(NamedTuple):
    """The arguments of :func:`flaxman` that its theorem asks for."""

    rate: float
    probe_radius: float


def flaxman_tuning(domain: Domain, rounds: int, lipschitz: float, bound: float) -> FlaxmanTuning:
    """The rate and the probe radius for ``flaxman(domain, *tuning)`` over T rounds.

    Args:
        domain: The set that decisions come from; it must be bounded.
        rounds: T.
        lipschitz: The losses change by at most L times the distance.
        bound: Bound M on the sizes of the values.

    Returns:
        The rate and the probe radius.

    Raises:
        InvalidArgument: A number is out of its range, or the domain is unbounded.

    Example:
        >>> from belated.domains import Ball
        >>> tuning = flaxman_tuning(Ball(3), rounds=10_000, lipschitz=1.0, bound=1.0)
        >>> round(tuning.rate, 6), round(tuning.probe_radius, 6)
        (0.000236, 0.070711)
    """
    where = "flaxman_tuning"
    size, inner = bounded_domain(where, domain).outer_radius, domain.inner_radius
    steps, slope = checks.count(where, "rounds", rounds), checks.moderate(where, "lipschitz", lipschitz)
    scale = domain.hull_dim * checks.moderate(where, "bound", bound)
    delta = math.pow(steps, -0.25) * math.sqrt(size * scale * inner / (3.0 * (slope * inner + bound)))
    if delta >= inner:
        checks.refuse(where, "rounds", rounds, f"too few: the probe radius {delta:g} does not fit into the domain")
    return FlaxmanTuning(delta * size / (scale * math.sqrt(steps)), delta)


def flaxman(domain: Domain, rate: float | Rate, probe_radius: float, baseline: float = 0.0) -> Learner:
    """OGD on the shrunk domain, behind the one-point estimator (Flaxman, Kalai and McMahan 2005).

    Args:
        domain: The set that decisions come from; any domain.
        rate: The step size: a number > 0 for the same in every round, or a rate such as
            ``bl.rates.count_adaptive(...)``.
        probe_radius: How far from the decision the loss is looked at, delta; smaller than the inner radius of the
            domain. ``bl.flaxman_tuning`` gives both.
        baseline: A usual value of the losses, chosen beforehand; values are told as they are.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    delta = checked_probe_radius("flaxman", domain, probe_radius)
    estimator = one_point(domain, delta, checks.number("flaxman", "baseline", baseline))
    return dogd(domain.shrink(delta), checked_rate("flaxman", rate)).behind("flaxman", estimator)


CARD = Card(
    title="Flaxman, Kalai and McMahan's gradient descent without a gradient",
    losses="convex",
    adversary="oblivious",
    known=("rounds", "lipschitz", "bound", "for a promise: bounded domain"),
    promise="O(sqrt(n) T^(3/4)) in expectation, without delay",
    source="Flaxman, Kalai and McMahan 2005",
    certainty="constants remembered, and agree with their derivation",
    time="O(n)",
    memory="O(n), and O(n) per round in flight",
    examples={"": lambda domain: flaxman(domain, rate=0.001, probe_radius=typical_probe_radius(domain))},
    tuned=lambda domain, facts: flaxman_tuning(domain, facts.rounds, facts.lipschitz, facts.bound)._asdict(),
)
