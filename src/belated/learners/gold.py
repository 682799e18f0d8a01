r"""GOLD: gradient-free learning from one late value a round, the oldest estimate first.

.. math::

    \hat x_t = X_t + \delta_t \Bigl(Z_t - \frac{X_t - p}{r}\Bigr), \qquad
    X_{t+1} = \Pi_X(X_t - \gamma_t \tilde g_q), \qquad \tilde g_k = \frac{n}{\delta_k} f_k(\hat x_k) Z_k

q is the earliest round whose estimate has arrived and was not used before; without one X_{t+1} = X_t.

=======  ======================  =================================================================================
symbol   code                    meaning
=======  ======================  =================================================================================
x^_t     ``play.point``          where round t is played; an element for every X_t, so nothing is shrunk
f_k      ``tell(value, round)``  the loss of round k at x^_k
Z_t      drawn by ``ask``        uniform on the unit sphere (of the directions in the domain's hull)
n        ``hull_dim``            the number of these directions: the dimension for a set with interior
p, r     ``center``,             of the domain
         ``inner_radius``
delta_t  ``probe_radius``        delta_1 t^-b, b = min(1/4, 1/3 - a/3); each estimate is divided by its own
gamma_t  ``rate``                gamma_1 t^-c, c = max(3/4, 2/3 + a/3), t the round in which the step is made
a        ``delay_growth``        delays are O(t^a); 0 for bounded ones
=======  ======================  =================================================================================

Source: Heliou, Mertikopoulos and Zhou 2020: expected regret O~(T^(3/4) + T^(2/3 + a/3)), as quoted by Wan, Tu and
Zhang. The pool and the order of its use are as its abstract describes them. The exponents are *only remembered*, and
there is no constant here to rely on; at a = 1/4 both kinds of exponents change over, as the regret does.

Must be known: a, a bounded domain, and the *round* of each feedback. Losses and delays must not react to the directions
drawn.

Pitfalls: one estimate a round: when many arrive at once they wait, and those of late rounds longest. The rate is that
of the round in which an estimate is used, however old that is. :mod:`~belated.learners.one_point_dda` uses all of
them, and needs no a.

>>> from belated.domains import Box
>>> player = gold(Box([-1.0], [1.0]), rate=0.25, probe_radius=0.5).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([0.0], round=2)
>>> player.tell([1.0], round=1)                     # the older one, and the only one that is used: 2 Z_1
>>> step = (player.ask().decision - first.decision) / (2 * first.point / 0.5)
>>> bool(abs(step[0] + 0.25 * 2**-0.75) < 1e-15)
True
"""

from belated.core import checks
from belated.core.arrays import frozen
from belated.domains.base import Domain
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, bounded_domain, checked_probe_radius
from belated.learners.parts.descent import Descent
from belated.learners.parts.estimators import typical_probe_radius
from belated.learners.parts.pool import OldestFirst, PowerLaw


def gold(domain: Domain, rate: float, probe_radius: float, delay_growth: float = 0.0) -> Learner:
    """Descent by the oldest unused one-point estimate, one a round (Heliou, Mertikopoulos and Zhou 2020)."""
    delta = checked_probe_radius("gold", bounded_domain("gold", domain), probe_radius)
    growth = checks.not_negative("gold", "delay_growth", delay_growth)
    if growth >= 1.0:
        checks.refuse(
            "gold", "delay_growth", delay_growth, "must be < 1: nothing is learned if delays grow like rounds"
        )
    power = PowerLaw(checks.moderate("gold", "rate", rate), exponent=max(3 / 4, (2 + growth) / 3))
    step, p = Descent(domain, power), frozen(domain.center)
    shrinking = min(1 / 4, (1 - growth) / 3)
    policy = OldestFirst(step, domain, domain.dim, domain.hull_dim, p, domain.inner_radius, delta, shrinking)
    return Learner("gold", domain, domain, policy)


def _tuned(domain: Domain, facts: Facts) -> dict[str, float]:
    """A first look halfway to the boundary, and a first step that at most crosses the domain's radius."""
    delta = domain.inner_radius / 2.0
    return {"rate": domain.outer_radius * delta / (domain.hull_dim * facts.bound), "probe_radius": delta}


CARD = Card(
    title="GOLD, gradient-free online learning with delays",
    losses="convex",
    adversary="oblivious",
    known=("how fast delays grow",),
    promise="O~(T^(3/4) + T^(2/3 + a/3)) in expectation, for delays O(t^a)",
    source="Heliou, Mertikopoulos and Zhou 2020",
    certainty="structure from the abstract; regret second-hand; exponents remembered",
    time="O(n + log pooled)",
    memory="O(n), and O(n) a round in flight or in the pool",
    examples={"": lambda domain: gold(domain, rate=0.001, probe_radius=typical_probe_radius(domain))},
    domains="bounded",
    tuned=_tuned,
)
