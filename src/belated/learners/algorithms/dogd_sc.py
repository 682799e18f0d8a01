r"""DOGD-SC: delayed online gradient descent for strongly convex losses. Algorithm 1 of the paper.

.. math::

    h_t = h_{t-1} + \tfrac{\beta}{2} |F_t|, \qquad
    x_{t+1} = \Pi_X\Bigl(x_t - \frac{1}{h_t} \sum_{k \in F_t} g_k\Bigr) \text{ if } |F_t| > 0, \text{ else } x_t

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
F_t     told since the last     rounds whose feedback arrives at the end of round t
        ``ask``
g_k     ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
beta    ``strong_convexity``    every loss is at least this strongly convex
h_t     ``inverse_rate``        1/eta_t = (beta/2) N_t, N_t the number of feedbacks received
======  ======================  ====================================================================

Source: Wan, Tu and Zhang, "Online Strongly Convex Optimization with Unknown Delays", Theorem 1: with d the maximum
delay, R the radius of the domain and L a bound on the gradients' norms, regret at most (4 beta R L + 5 L^2) (d /
beta) (1 + ln(T / |F_s|)), F_s the first arrivals that are not empty. Losses and delays may be chosen by an adversary
who sees everything.

Must be known: beta. Not T, d, L, R or the delays; feedback is anonymous; it can be stopped at any time.

Pitfalls: this round's arrivals count in h_t *before* the step. The gradients are summed, not averaged. Without delay
the rate is 2/(beta t), twice that of OGD-SC. A beta up to twice the true one still has regret O(d log T)
(``docs/errata.md``, the factor one half); beyond that regret may grow like T, silently and without any delay. A beta
that is small makes the first steps huge, so for weakly regularised losses it is the wrong choice. An unbounded domain
is taken, but nothing is promised there: R is infinite, and no L bounds the gradients of strongly convex losses.

>>> from belated.domains import Ball
>>> player = dogd_sc(Ball(2), strong_convexity=2.0).start()
>>> first, second = player.ask(), player.ask()      # nothing arrived in between
>>> player.tell([0.5, 0.0])                         # both arrive together, in any order
>>> player.tell([0.5, 1.0])
>>> player.ask().point                              # h = 2
array([-0.5, -0.5])
"""

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates import PerFeedback
from belated.learners.parts.steps.descent import Descent


def dogd_sc(domain: Domain, strong_convexity: float) -> Learner:
    """Delayed descent whose rate falls with the number of feedbacks received (Wan, Tu and Zhang, Algorithm 1).

    Args:
        domain: The set that decisions come from. The promise needs a bounded one.
        strong_convexity: Every loss is at least this strongly convex, beta > 0.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    beta = checks.moderate("dogd_sc", "strong_convexity", strong_convexity)
    step = Descent(checked_domain("dogd_sc", domain), PerFeedback(beta))
    return from_arrivals("dogd_sc", domain, Batch(step))


CARD = Card(
    title="Delayed online gradient descent for strongly convex losses",
    losses="strongly convex",
    adversary="adaptive",
    known=("strong convexity", "for a promise: bounded domain"),
    promise="O(d log T)",
    source="Wan, Tu and Zhang, Algorithm 1 and Theorem 1",
    certainty="read in the source, with its proof",
    time="O(n) and a projection",
    memory="O(n)",
    examples={"": lambda domain: dogd_sc(domain, strong_convexity=2.0)},
)
