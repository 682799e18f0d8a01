r"""DOGD: delayed online gradient descent, for convex losses and any delays.

.. math:: x_{t+1} = \Pi_X\Bigl(x_t - \eta_t \sum_{k \in F_t} g_k\Bigr), \quad x_{t+1} = x_t \text{ if } F_t = \emptyset

======  ======================  ==============================================================================
symbol  code                    meaning
======  ======================  ==============================================================================
F_t     told since the last     rounds whose feedback arrives at the end of round t
        ``ask``
g_k     ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
eta_t   ``rate``                a number (constant), ``doubling(domain, L)``, a list, a function of t, ...
L       ``lipschitz``           in place of a rate: ``count_adaptive(domain, L)``
======  ======================  ==============================================================================

Source: Quanrud and Khashabi 2015. With D0 the sum of d_t - 1 and Dm the diameter, gradients of norm at most L:

* a constant rate: regret at most Dm^2 / (2 eta) + eta L^2 (T/2 + D0), so Dm L sqrt(T + 2 D0) at its best, which needs
  T and D0;
* ``count_adaptive``: eta_t = Dm / (2 L sqrt(W_t)), where 2 W_t is the sum over i <= t of \|F_i\| (\|F_i\| + 2 o_i), o_i
  the feedbacks still missing at the end of round i: at most sqrt(2) Dm L sqrt(T + 2 D0). Nothing but Dm and L need be
  known. Take this one;
* ``doubling``: the constant rate Dm / (L sqrt(Q)) for a guess Q of T + 2 D0, a power of two, which doubles whenever the
  sum over i <= t of 1 + 2 sigma_i is larger, sigma_i the feedbacks missing when x_i is played. This is the classical
  way for unknown delays: at most (1 + 1 / sqrt(2)) Dm L sqrt(T + 2 D0).

The bounds for count_adaptive and doubling, and the sharp constants, are derived in ``docs/derivations``. One step per
feedback at a constant rate has the same bound.

Must be known: what the rate needs. Feedback is anonymous: no round is needed.

Pitfalls: the paper's experiments use the constant rate 1 / (L sqrt(T + D)), which is tuned for diameter 1 and too small
on the unit ball. This learner sums what arrives together and makes one step; one step for each gives another decision
where a projection changes the result.

>>> from belated.domains import Ball
>>> player = dogd(Ball(2), rate=0.5).start()
>>> first, second = player.ask(), player.ask()      # nothing arrived in between
>>> player.tell([0.5, 0.0])                         # both arrive together, in any order
>>> player.tell([0.5, 1.0])
>>> player.ask().point
array([-0.5, -0.5])
"""

from __future__ import annotations

from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates import CountAdaptive, Rate, doubling, either, scale
from belated.learners.parts.steps.descent import Descent


def dogd(domain: Domain, rate: float | Rate | None = None, *, lipschitz: float | None = None) -> Learner:
    """Delayed online gradient descent (Quanrud and Khashabi 2015), with a Lipschitz constant or a rate.

    Args:
        domain: Where decisions are taken from. It must be bounded for the recommended rate.
        rate: The size of the step in place of the recommended one: a number, a list with a number for each round, a
            function of the round, or a rate such as ``rates.doubling(domain, lipschitz)``.
        lipschitz: A bound on the norms of the gradients, for the recommended rate ``rates.count_adaptive``. Give
            either this or ``rate``.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: Both or neither of ``rate`` and ``lipschitz`` are given, or an argument is out of range.

    Example:
        >>> from belated import Ball
        >>> player = dogd(Ball(10), lipschitz=5.2).start()
    """
    home = checked_domain("dogd", domain)
    chosen = either("dogd", rate, lipschitz, lambda bound: CountAdaptive(scale("dogd", home, bound)))
    return from_arrivals("dogd", home, Batch(Descent(home, chosen)))


CARD = Card(
    title="Delayed online gradient descent",
    losses="convex",
    adversary="adaptive",
    known=("lipschitz and bounded domain, or a good constant rate",),
    promise="O(sqrt(T + D))",
    source="Quanrud and Khashabi 2015",
    certainty="order from the abstract; constants and the count-adaptive rate derived here",
    time="O(n) and a projection",
    memory="O(n)",
    examples={
        "": lambda domain: dogd(domain, rate=0.2),
        "count-adaptive": lambda domain: dogd(domain, lipschitz=2.0),
        "doubling": lambda domain: dogd(domain, doubling(domain, lipschitz=2.0)),
        "listed": lambda domain: dogd(domain, rate=[0.4, 0.3, 0.2]),
    },
    domains="any; bounded for the rate that lipschitz gives",
    tuned=lambda domain, facts: {"lipschitz": facts.lipschitz},
)
