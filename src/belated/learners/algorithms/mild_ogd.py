r"""Mild-OGD: delayed descent at many rates at once, for losses that drift.

.. math::

    x_t = \sum_i w_{t,i}\, x_t^i, \qquad
    w_{t,i} \propto \pi_i \exp\Bigl(-\frac{1}{\lambda_t} \sum_{k \text{ received}} \langle g_k, x_k^i \rangle\Bigr),
    \qquad x^i \leftarrow \Pi_X(x^i - \eta_i g_k) \text{ for each } k \text{ received, in order of arrival}

========  ======================  =========================================================================
symbol    code                    meaning
========  ======================  =========================================================================
g_k       ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
x_k^i     remembered              where expert i was in round k
eta_i                             2^(i-1) Dm / (L T) for i = 1, ..., m, Dm the diameter; m = 1 + ceil(log2 T)
L, T      ``lipschitz``,          bound on the norms of the gradients, number of rounds
          ``rounds``
pi_i                              (1 + 1/m) / (i (i + 1)), the shares in the first round
lambda_t                          (L Dm / 2) sqrt(V_t), V_t the sum over i <= t of 1 + 2 sigma_i, sigma_i the
                                  number of feedbacks missing when x_i is played
========  ======================  =========================================================================

Source: Wan, Yao, Song and Zhang 2024, "Non-stationary Online Convex Optimization with Arbitrary Delays": dynamic regret
O(sqrt(d T (P + 1))), P the length of the path of the comparators, and with the average in place of the largest delay d
if feedback comes in the order of play (from the abstract). The pi_i are only remembered. The paper's eta_i and lambda
use the delays or a doubling trick; ours are derived here: the range of the eta_i fits every path and all delays, and
lambda_t comes from counts. In the order of play, expert i has dynamic regret at most (Dm^2 + 2 Dm P) / (2 eta_i) +
(eta_i L^2 / 2) V_T, and following the experts costs at most (1 + ln(1 / pi_i)) (L Dm / 2) sqrt(V_T) more, where V_T = T
+ 2 D0, D0 the sum of d_t - 1. Against a single decision, P = 0, that holds in any order of arrival: expert i then has
``belated.bounds.sequential_dogd`` at the rate eta_i (``docs/derivations``, DOGD).

Must be known: L, T, a bounded domain, and which round a feedback belongs to. Not the delays or P.

Pitfalls: every round in flight costs m n numbers of memory. It may be played for more than T rounds, but then the bound
is larger. Against a single decision, :mod:`~.algorithms.dda` is as good and much cheaper.

>>> from belated.domains import Ball
>>> player = mild_ogd(Ball(2), lipschitz=1.0, rounds=2).start()      # rates 1 and 2
>>> play = player.ask()
>>> player.tell([0.25, 0.0], round=play.round)
>>> player.ask().point                              # the shares are 3/4 and 1/4: both lost the same
array([-0.3125,  0.    ])
"""

import math

import numpy as np

from belated.core import checks
from belated.core.arrays import frozen
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, bounded_domain
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.policies.gradient import Direct
from belated.learners.parts.rates import ConstantRate
from belated.learners.parts.rates.weights import PlayWeight
from belated.learners.parts.steps.descent import Descent
from belated.learners.parts.wrappers.experts import Advice, gathered


def mild_ogd(domain: Domain, lipschitz: float, rounds: int) -> Learner:
    """Delayed Hedge over delayed descents on a grid of rates (Wan, Yao, Song and Zhang 2024).

    Args:
        domain: The set that decisions come from; it must be bounded.
        lipschitz: Bound L > 0 on the norms of all gradients that will be told.
        rounds: T, which decides how many rates are tried.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    bound = checks.moderate("mild_ogd", "lipschitz", lipschitz)
    length = checks.count("mild_ogd", "rounds", rounds)
    diameter = bounded_domain("mild_ogd", domain).diameter
    number = np.arange(1, 2 + math.ceil(math.log2(length)))
    rates = 2.0 ** (number - 1) * diameter / (bound * length)
    prior = (1.0 + 1.0 / number.size) / (number * (number + 1))
    steps = [Sequential(Descent(domain, ConstantRate(1.0 / float(rate)))) for rate in rates]
    experts = gathered([Direct(step, domain.dim) for step in steps], domain)
    policy = Advice(experts, domain, domain.dim, frozen(prior), PlayWeight(0.5 * bound * diameter))
    return Learner("mild_ogd", domain, domain, policy)


CARD = Card(
    title="Mild-OGD, many rates at once for losses that drift",
    losses="convex",
    adversary="adaptive",
    known=("lipschitz", "rounds"),
    promise="dynamic regret O(sqrt(d T (P + 1)))",
    source="Wan, Yao, Song and Zhang 2024",
    certainty="order from the abstract; first shares remembered; rates and their use without the delays derived here",
    time="O(n log T)",
    memory="O(n log T), and as much per round in flight",
    examples={"": lambda domain: mild_ogd(domain, lipschitz=2.0, rounds=1000)},
    domains="bounded",
)
