r"""DBGD: delayed bandit gradient descent, for smooth convex losses known by their values at n + 1 points.

For each round k whose feedback arrives, one step, in order of arrival:

.. math:: x \leftarrow \Pi_{X_\delta}(x - \eta \tilde g_k), \qquad
          \tilde g_k = \frac{1}{\delta} \sum_{i=1}^{n} \bigl(f_k(x_k + \delta e_i) - f_k(x_k)\bigr) e_i

X_delta is ``domain.shrink(delta)``: its elements stay in the domain when they are moved by delta within its hull. The
e_i are the axes; in a domain without interior, an orthonormal basis of its n directions.

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
eta     ``rate``                a number; the paper's experiments use 1 / (L sqrt(T + D))
delta   ``probe_radius``        how far from the decision the loss is looked at; there 1 / (T + D)
f_k     ``tell(values)``        the loss of round k at ``play.points``: at x_k first, then along e_i
======  ======================  ====================================================================

Source: Li, Chen and Giannakis 2019: regret O(sqrt(n (T + D))), D the sum of the delays; the paper quotes it without n.
Losses must be smooth for it. Derived in ``docs/derivations`` (DOGD): for alpha-smooth losses that change by at most L
times the distance, from the centre, B(p, r) within X within B(p, R), the average regret over all points is at most
R^2 / (2 eta) + eta G^2 (T/2 + D0) + delta T (sqrt(n) alpha R + L + L R / r), with D0 the sum of d_t - 1 and
G = min(sqrt(n) L, L + sqrt(n) alpha delta / 2). ``belated.bounds.dbgd`` is that number.

Must be known: T, D and L for the rate and the probe radius. Feedback is anonymous.

Pitfalls: where losses have kinks, forward differences need not point downhill, however small delta is, and regret may
grow like T: for \|x - y\| - (x + y) / 10 the estimate is (0.9, 0.9) wherever x = y. Every feedback costs a projection,
and the order in which those of one round are told matters. A very small probe radius loses digits, because differences
of values are divided by it.

>>> from belated.domains import Ball
>>> player = dbgd(Ball(2), rate=0.5, probe_radius=0.25).start()
>>> play = player.ask()
>>> player.tell([x @ [0.5, 1.0] for x in play.points])
>>> player.ask().decision
array([-0.25, -0.5 ])
"""

from __future__ import annotations

import math

from belated.domains.base import Domain
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, checked_probe_radius, from_arrivals
from belated.learners.parts.estimators import coordinates, typical_probe_radius
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.rates import Rate, checked_rate
from belated.learners.parts.steps.descent import Descent


def dbgd(domain: Domain, rate: float | Rate, probe_radius: float) -> Learner:
    """Sequential descent on the shrunk domain, behind the coordinate estimator (Li, Chen and Giannakis 2019).

    Args:
        domain: The set that decisions come from; any domain.
        rate: The step size: a number > 0 for the same in every round, or a rate such as
            ``bl.rates.count_adaptive(...)``. The paper takes 1 / (L sqrt(T + D)).
        probe_radius: How far from the decision the loss is looked at, delta; smaller than the inner radius of the
            domain. The paper takes 1 / (T + D).

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    delta = checked_probe_radius("dbgd", domain, probe_radius)
    inside = domain.shrink(delta)
    descent = from_arrivals("dbgd", inside, Sequential(Descent(inside, checked_rate("dbgd", rate))))
    return descent.behind("dbgd", coordinates(domain, delta))


def _tuned(domain: Domain, facts: Facts) -> dict[str, float]:
    """The values of the paper's experiments, scaled to a domain of any size."""
    late = facts.rounds + facts.total_delay
    return {
        "rate": domain.outer_radius / (facts.lipschitz * math.sqrt(late)),
        "probe_radius": domain.inner_radius / (1 + late),
    }


CARD = Card(
    title="Delayed bandit gradient descent",
    losses="convex and smooth",
    adversary="adaptive",
    known=("rounds", "total delay", "lipschitz", "for a promise: bounded domain"),
    promise="O(sqrt(n (T + D)))",
    source="Li, Chen and Giannakis 2019",
    certainty="order from the abstract; constant derived here; rate and probe radius read in Wan, Tu and Zhang",
    time="O(n^2) and a projection per feedback",
    memory="O(n^2)",
    examples={"": lambda domain: dbgd(domain, 0.2, typical_probe_radius(domain))},
    tuned=_tuned,
)
