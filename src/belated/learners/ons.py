r"""ONS: the online Newton step with late gradients, as the leader of surrogates that bend along them.

.. math::

    x_t = \arg\min_{x \in X} \sum_{k \text{ received}}
          \Bigl(\langle g_k, x \rangle + \frac{\gamma}{2} \langle g_k, x - x_k \rangle^2\Bigr)
          + \frac{a}{2} \|x - x_1\|^2, \qquad
    \gamma = \frac12 \min\Bigl(\frac{1}{4 L D}, \alpha\Bigr)

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_k     ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
x_1     ``start(initial)``      the first decision; by default the centre
L       ``lipschitz``           bound on the norms of the gradients
alpha   ``exp_concavity``       exp(-alpha f_t) is concave for every loss f_t
D       ``diameter``            of the domain
a       ``weight``              by default 1 / (gamma D^2), which costs at most 1 / (2 gamma)
======  ======================  ====================================================================

Source: Hazan, Agarwal and Kale 2007 without delay; with delays derived in ``docs/derivations``. With
A_t = a I + gamma sum over k <= t of g_k g_k', and U_t the rounds missing when x_t is played, regret at most

.. math::

    \frac{a}{2} \max_u \|u - x_1\|^2 + \sum_t \|g_t\|_{A_t^{-1}}
    \sum_{k \in U_t \cup \{t\}} (1 + \gamma |\langle g_k, x_t - x_k \rangle|) \|g_k\|_{A_t^{-1}}

so O(d n log T), d the largest delay. Qiu, Esposito and Zhang 2025 state O(min(d n log T, sqrt(D_0))), D_0 the sum of
d_t - 1, for a rate of their own. Losses and delays may be chosen by an adversary who sees everything.

Must be known: L, alpha, a bounded domain, and which round a feedback belongs to. Not T or the delays.

Pitfalls: O(n^2) numbers, and O(n^2) a feedback; on the boundary of the domain each round with arrivals solves a small
problem (:mod:`belated.learners.parts.quadratic_leader`). With the default weight and gradients within L the condition
number of A is at most 1 + N / 64 after N feedbacks, so that is quick; gradients far beyond L make it slow. gamma is
often tiny, and then so is the gain over :mod:`~belated.learners.dda`.

>>> from belated.domains import Ball
>>> player = ons(Ball(2, radius=0.25), lipschitz=1.0, exp_concavity=0.5, weight=7.75).start()
>>> play = player.ask()
>>> player.tell([1.0, 0.0], round=play.round)       # gamma = 1/4: A = diag(8, 7.75)
>>> player.ask().point
array([-0.125,  0.   ])
"""

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, bounded_domain
from belated.learners.parts.quadratic_leader import QuadraticLeader


def ons(domain: Domain, lipschitz: float, exp_concavity: float, weight: float | None = None) -> Learner:
    """The online Newton step on delayed surrogates (after Hazan, Agarwal and Kale 2007)."""
    bound = checks.moderate("ons", "lipschitz", lipschitz)
    alpha = checks.moderate("ons", "exp_concavity", exp_concavity)
    diameter = bounded_domain("ons", domain).diameter
    gamma = 0.5 * min(1.0 / (4.0 * bound * diameter), alpha)
    held = 1.0 / (gamma * diameter**2) if weight is None else checks.moderate("ons", "weight", weight)
    return Learner("ons", domain, domain, QuadraticLeader(domain, domain.dim, gamma, held, diameter))


def _tuned(domain: Domain, facts: Facts) -> dict[str, float]:
    """Strongly convex losses are exp-concave; of others the facts do not tell."""
    beta = facts.strong_convexity
    return {"exp_concavity": beta / facts.lipschitz**2} if beta > 0.0 else {}


CARD = Card(
    title="Online Newton step with late gradients",
    losses="exp-concave",
    adversary="adaptive",
    known=("gradient bound", "exp-concavity", "a bounded domain"),
    promise="O(d n log T)",
    source="derived here, after Hazan, Agarwal and Kale 2007",
    certainty="bound derived here; the undelayed algorithm remembered",
    time="O(n^2) for each feedback, and a small problem to solve on the boundary",
    memory="O(n^2), and O(n) a round in flight",
    domains="bounded",
    examples={"": lambda domain: ons(domain, lipschitz=2.0, exp_concavity=0.5)},
    tuned=_tuned,
)
