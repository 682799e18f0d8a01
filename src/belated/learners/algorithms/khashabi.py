r"""Khashabi's rate: a **negative example**, kept to show what goes wrong. Do not use it.

.. math:: x_{t+1} = \Pi_X\Bigl(x_t - \eta_t \sum_{k \in F_t} g_k\Bigr), \qquad \eta_t = \frac{2}{\beta t |F_t|}

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
F_t     told since the last     rounds whose feedback arrives at the end of round t
        ``ask``
beta    ``strong_convexity``    every loss is at least this strongly convex
======  ======================  ====================================================================

Source: Khashabi, Quanrud and Taghvaei 2016, who withdrew their proof: 1/eta_t may fall from one round to the next,
which the proof does not allow for.

Why it fails: let the feedback of m rounds arrive together, every m rounds, for f_t(x) = x^2. After the j-th burst the
error has shrunk by a factor 1 - 2/(j m) only, so the regret grows like m (T/m)^(1 - 4/m) for m > 4, while
that of DOGD-SC stays bounded. On gentle delays it may well *beat* DOGD-SC; that is not a recommendation.

Must be known: beta. Feedback is anonymous.

>>> from belated.domains import Ball
>>> player = khashabi(Ball(2), strong_convexity=2.0).start()
>>> play = player.ask()
>>> player.tell([0.5, 0.25])
>>> player.ask().point
array([-0.5 , -0.25])
"""

from typing import NamedTuple

from belated.core import checks
from belated.core.ledger import Ledger
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.steps.descent import Descent
from belated.learners.verbs import inverse_rate


def khashabi(domain: Domain, strong_convexity: float) -> Learner:
    """Delayed descent with the rate 2 / (beta t |F_t|): a negative example, see the module.

    Args:
        domain: The set that decisions come from; any domain.
        strong_convexity: Every loss is at least this strongly convex, beta > 0.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    beta = checks.moderate("khashabi", "strong_convexity", strong_convexity)
    return from_arrivals("khashabi", domain, Batch(Descent(checked_domain("khashabi", domain), PerArrival(beta))))


class PerArrival(NamedTuple):
    """1/eta = beta t |F_t| / 2, which may fall from one round to the next. Only for showing why that goes wrong."""

    strong_convexity: float


@inverse_rate.on(PerArrival)
def per_arrival_inverse_rate(rate: PerArrival, ledger: Ledger) -> float:
    """(beta / 2) t |F_t|."""
    return 0.5 * rate.strong_convexity * ledger.round * ledger.arrived


CARD = Card(
    title="Khashabi's rate, a negative example",
    losses="strongly convex",
    adversary="oblivious ones defeat it",
    known=("strong convexity",),
    promise="none: where feedback always comes m > 4 rounds at a time, regret grows like T^(1 - 4/m)",
    source="Khashabi, Quanrud and Taghvaei 2016, withdrawn",
    certainty="counterexample derived here",
    time="O(n) and a projection",
    memory="O(n)",
    examples={"": lambda domain: khashabi(domain, strong_convexity=2.0)},
)
