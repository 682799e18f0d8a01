r"""One-point DDA: dual averaging from one function value per round, for convex losses and any delays.

Dual averaging with estimates in place of gradients, on the shrunk domain X_delta, ``domain.shrink(delta)``. Elements of
X_delta stay in the domain when they are moved by delta within its hull.

.. math::

    x_t = \arg\min_{x \in X_\delta} \Bigl\langle \sum_{k \text{ received}} \tilde g_k, x \Bigr\rangle
          + \frac{1}{2 \eta_t} \|x - x_1\|^2, \qquad \tilde g_k = \frac{n}{\delta} f_k(x_k + \delta u_k) u_k, \qquad
    \frac{1}{\eta_t^2} = \frac{1}{P} \sum_{i \le t} \Bigl(G^2 + 2 L \bigl(G \sqrt{\sigma_i} + L \sigma_i\bigr)\Bigr)

=======  ======================  ===================================================================================
symbol   code                    meaning
=======  ======================  ===================================================================================
f_k      ``tell(value, round)``  the loss of round k at ``play.point``, which is not the decision
u_k      drawn by ``ask``        uniform on the unit sphere (of the directions in the domain's hull)
n        ``hull_dim``            the number of these directions: the dimension for a set with interior
delta    ``probe_radius``        how far from the decision the loss is looked at
M, L     ``bound``,              \|f_k\| is at most M, and losses change by at most L times the distance
         ``lipschitz``
G                                n M / delta, the largest estimate
sigma_i  ``outstanding``         feedbacks missing when x_i is played
P                                half the square of the radius of X_delta about its centre
=======  ======================  ===================================================================================

Source: derived in ``docs/derivations``. The order is the one that Ryabchenko, Attias and Roy 2026 announce. Started at
the centre, with V_T the last sum above, expected regret at most 2 sqrt(P V_T) + delta T (L + L R / r); with the radius
of ``one_point_dda_probe_radius`` that is O(sqrt(n) T^(3/4) + sqrt(D0)), D0 the sum of d_t - 1.

Must be known: L, M, T (for delta), a bounded domain, and the *round* of each feedback, because u_k has to be looked up.
Losses and delays must not react to the directions drawn.

Pitfalls: the rate is made of counts alone. One that looked at the values received would depend on the directions whose
feedback is missing, and the proof would fail. Subtract a constant from the values if that makes M smaller.

>>> from belated.domains import Box
>>> player = one_point_dda(Box([-1.0], [1.0]), lipschitz=1.0, bound=1.0, probe_radius=0.5).start()
>>> play = player.ask()
>>> player.tell([0.5], round=play.round)            # the estimate is u; V = 8, P = 1/8, so eta = 1/8
>>> (player.ask().decision - play.decision) / (play.point - play.decision)
array([-0.25])
"""

import math

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, bounded_domain, checked_probe_radius, from_arrivals
from belated.learners.parts.estimators import one_point, typical_probe_radius
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates.weights import Noisy
from belated.learners.parts.steps.leader import Flat, leader


def one_point_dda_probe_radius(domain: Domain, rounds: int, lipschitz: float, bound: float) -> float:
    """The radius delta = sqrt(sqrt(2) n M R / (L + L R / r)) / T^(1/4), at which the bound is least without delay.

    Args:
        domain: Where decisions live; bounded.
        rounds: T, the number of rounds.
        lipschitz: L, by which losses change at most, times the distance.
        bound: M, a bound on the size of the losses' values.

    Returns:
        A probe radius below the inner radius of the domain.

    Raises:
        InvalidArgument: The domain is unbounded, a number is not positive, or there are so few rounds that the radius
            does not fit into the domain.

    Example:
        >>> from belated.domains import Ball
        >>> round(one_point_dda_probe_radius(Ball(3), rounds=10_000, lipschitz=1.0, bound=1.0), 6)
        0.145648
    """
    where = "one_point_dda_probe_radius"
    size, inner = bounded_domain(where, domain).outer_radius, domain.inner_radius
    looking = checks.moderate(where, "lipschitz", lipschitz) * (1.0 + size / inner)
    noise = math.sqrt(2.0) * domain.hull_dim * checks.moderate(where, "bound", bound) * size
    delta = math.sqrt(noise / looking) * math.pow(checks.count(where, "rounds", rounds), -0.25)
    if delta >= inner:
        checks.refuse(where, "rounds", rounds, f"too few: the probe radius {delta:g} does not fit into the domain")
    return delta


def one_point_dda(domain: Domain, lipschitz: float, bound: float, probe_radius: float) -> Learner:
    """Delayed dual averaging on the shrunk domain, behind the one-point estimator, with a rate from counts.

    Args:
        domain: The set that decisions come from; it must be bounded.
        lipschitz: The losses change by at most L times the distance, L > 0.
        bound: Bound M > 0 on the sizes of the values that will be told.
        probe_radius: How far from the decision the loss is looked at, delta; smaller than the inner radius of the
            domain. ``bl.one_point_dda_probe_radius`` gives one.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    where = "one_point_dda"
    delta = checked_probe_radius(where, bounded_domain(where, domain), probe_radius)
    slope, most = checks.moderate(where, "lipschitz", lipschitz), checks.moderate(where, "bound", bound)
    inside = domain.shrink(delta)
    weight = Noisy(reach=0.5 * inside.outer_radius**2, noise=domain.hull_dim * most / delta, lipschitz=slope)
    return from_arrivals(where, inside, Batch(leader(inside, Flat(), weight))).behind(where, one_point(domain, delta))


CARD = Card(
    title="One-point delayed dual averaging",
    losses="convex",
    adversary="oblivious",
    known=("lipschitz", "bound", "rounds"),
    promise="O(sqrt(n) T^(3/4) + sqrt(D0)) in expectation",
    source="derived here; order as in Ryabchenko, Attias and Roy 2026",
    certainty="derived here; the order agrees with an abstract",
    time="O(n)",
    memory="O(n), and O(n) per round in flight",
    examples={"": lambda domain: one_point_dda(domain, 2.0, 2.0, typical_probe_radius(domain))},
    domains="bounded",
    tuned=lambda domain, facts: {
        "probe_radius": one_point_dda_probe_radius(domain, facts.rounds, facts.lipschitz, facts.bound)
    },
)
