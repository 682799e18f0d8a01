r"""Langford's slow learner: descent by a gradient that is always a fixed number of rounds late.

.. math::

    x_{t+1} = \Pi_X(x_t - \eta_t g_{t - \tau}), \qquad
    \eta_t = \frac{Dm}{2 L \sqrt{\tau (t - \tau)}} \;\text{ or }\; \frac{1}{\beta (t - \tau)}

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_k     ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
tau     ``delay`` - 1           with a delay of 1 feedback is there before the next round, and tau = 0
Dm      ``domain.diameter``     diameter of the domain
L       ``lipschitz``           bound on the norms of the gradients; given for the first rate
beta    ``strong_convexity``    every loss is at least this strongly convex; given for the second
======  ======================  ====================================================================

Source: Langford, Smola and Zinkevich 2009. The orders sqrt(tau T) and tau log T are sure, the constants are only
remembered: with F^2 = Dm^2 / 2, regret at most 4 F L sqrt(tau T) for T >= tau^2, or
beta tau F^2 + (1/2 + tau) (L^2 / beta) (1 + tau + ln T). The first rate is their sigma / sqrt(t - tau) with
sigma^2 = F^2 / (2 tau L^2).

Must be known: the delay, the same for all rounds; L and a bounded domain, or beta. Feedback is anonymous.

Pitfalls: their sigma is not defined for tau = 0. There the first rate is OGD's, Dm / (L sqrt(t)), and the second is
OGD-SC's by its formula. Feedback that comes before round tau + 1 is used with the rate of that round, which is the
largest. Feedbacks that come together are one step, by their sum. If delays are others than ``delay`` nothing is
promised: see :mod:`~.algorithms.dogd` and :mod:`~.algorithms.dogd_sc`, which need not know them.

>>> from belated.domains import Ball
>>> player = langford(Ball(2), delay=2, strong_convexity=2.0).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([0.5, 0.0])                         # due now: t - tau = 1
>>> player.ask().point
array([-0.25,  0.  ])
"""

import math
from typing import NamedTuple

from belated.core import checks
from belated.core.ledger import Ledger
from belated.domains.base import Domain
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates import scale
from belated.learners.parts.steps.descent import Descent
from belated.learners.verbs import inverse_rate


def langford(
    domain: Domain, delay: int, lipschitz: float | None = None, strong_convexity: float | None = None
) -> Learner:
    """Descent for one fixed delay (Langford, Smola and Zinkevich 2009); which bound is given decides on the rate.

    Args:
        domain: The set that decisions come from; bounded if ``lipschitz`` is given.
        delay: The delay of every round, at least 1.
        lipschitz: Bound L > 0 on the norms of all gradients that will be told.
        strong_convexity: Every loss is at least this strongly convex, beta > 0. Give exactly one of the two.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    lag = checks.count("langford", "delay", delay) - 1
    step = Descent(checked_domain("langford", domain), _rate(domain, lag, lipschitz, strong_convexity))
    return from_arrivals("langford", domain, Batch(step))


class LateSquareRoot(NamedTuple):
    """1/eta = ``scale`` sqrt(t - tau), with tau = ``lag``; where t - tau is less than 1, it counts as 1."""

    scale: float
    lag: int


class LatePerRound(NamedTuple):
    """1/eta = beta (t - tau), with tau = ``lag``; where t - tau is less than 1, it counts as 1."""

    strong_convexity: float
    lag: int


@inverse_rate.on(LateSquareRoot)
def late_square_root_inverse_rate(rate: LateSquareRoot, ledger: Ledger) -> float:
    """The scale times sqrt(max(1, t - tau))."""
    return rate.scale * math.sqrt(max(1, ledger.round - rate.lag))


@inverse_rate.on(LatePerRound)
def late_per_round_inverse_rate(rate: LatePerRound, ledger: Ledger) -> float:
    return rate.strong_convexity * max(1, ledger.round - rate.lag)


def _rate(
    domain: Domain, lag: int, lipschitz: float | None, strong_convexity: float | None
) -> LateSquareRoot | LatePerRound:
    if (lipschitz is None) == (strong_convexity is None):
        wanted = "give exactly one of lipschitz and strong_convexity: it says which rate to use"
        checks.refuse("langford", "lipschitz", lipschitz, wanted)
    if lipschitz is None:
        return LatePerRound(checks.moderate("langford", "strong_convexity", strong_convexity), lag)
    spread = 2.0 * math.sqrt(lag) if lag > 0 else 1.0
    return LateSquareRoot(scale("langford", domain, lipschitz) * spread, lag)


def _tuned(domain: Domain, facts: Facts) -> dict[str, float]:
    if facts.strong_convexity > 0.0:
        return {"strong_convexity": facts.strong_convexity}
    return {"lipschitz": facts.lipschitz}


CARD = Card(
    title="Langford's slow learner",
    losses="convex, or strongly convex",
    adversary="adaptive",
    known=("the delay, fixed", "lipschitz or strong convexity", "for a promise: bounded domain"),
    promise="O(sqrt(d T)), or O(d log T)",
    source="Langford, Smola and Zinkevich 2009",
    certainty="orders read in papers that cite it; constants only remembered",
    time="O(n)",
    memory="O(n)",
    examples={
        "": lambda domain: langford(domain, delay=3, lipschitz=2.0),
        "strongly convex": lambda domain: langford(domain, delay=3, strong_convexity=2.0),
    },
    domains="bounded; any with strong convexity",
    tuned=_tuned,
)
