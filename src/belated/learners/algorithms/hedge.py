r"""Hedge: exponential weights with late losses.

.. math::

    x_{t,i} \propto x_{1,i} \exp\Bigl(-\eta_t \sum_{k \text{ received}} g_{k,i}\Bigr), \qquad
    \eta_t = \sqrt{\frac{\ln n}{V_t}} \text{ by default}

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_k     ``tell(gradient)``      the losses of the n corners in round k (or a gradient at x_k)
x_1     ``start(initial)``      the first decision, which is the prior; by default equal shares
n       ``dim``                 the number of corners to choose from
V_t     ``play_weight``         sum over i <= t of 1 + 2 sigma_i, sigma_i the number of feedbacks that are
                                missing when x_i is played
eta_t   ``rate``                any other rate; eta_t is the one for the decision of round t
======  ======================  ====================================================================

Source: Freund and Schapire 1997 for the weights; under delay it is dual averaging with entropy, Hsieh, Iutzeler, Malick
and Mertikopoulos 2022. Rate and bound are derived in ``docs/derivations``, by Hoeffding's lemma for the sum of the
weights and a covariance for what is missing. If the n losses of a round lie within b of each other, regret against
corner i is at most (ln(1 / x_{1,i}) / sqrt(ln n) + (b^2 / 4) sqrt(ln n)) sqrt(V_T). The rate is made for losses in
[-1, 1], where b = 2: 2 sqrt(ln n (T + 2 D0)) from equal shares, D0 the sum of d_t - 1. Losses and delays may be chosen
by an adversary who sees everything.

Must be known: that losses lie in [-1, 1], or in another interval of length 2; scale others. For losses in [0, 1] the
factor 2 of the bound is 5/4; if they are doubled before they are told, it is 1. Not T or the delays; feedback is
anonymous; it can be stopped at any time.

Pitfalls: eta_t falls also when nothing arrives, and shares then move towards the prior. A corner without a share in the
first decision never gets one. On a simplex with a floor or another total the shares are those of its corners:
:mod:`~belated.learners.parts.steps.entropy`.

>>> from belated.domains import Simplex
>>> player = hedge(Simplex(2)).start()
>>> play = player.ask()
>>> player.tell([1.0, 0.0])
>>> player.ask().point.round(4)                     # V = 2: eta = sqrt(ln 2 / 2), and 1 : e^eta are the odds
array([0.3569, 0.6431])
"""

from __future__ import annotations

import math

from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates import Rate, checked_rate
from belated.learners.parts.rates.tunings import mark_size
from belated.learners.parts.rates.weights import OfRate, PlayWeight, Weight, checked_weight, weigh
from belated.learners.parts.steps.entropy import Entropic, checked_simplex, log_corners


def hedge(domain: Domain, rate: float | Rate | Weight | None = None) -> Learner:
    """Exponential weights with late losses (Freund and Schapire 1997; Hsieh and others 2022).

    Args:
        domain: A simplex; decisions are shares of its corners.
        rate: eta_t in place of the default, which is derived for losses in [-1, 1]: a number, a list with a number for
            each round, a function of the round, a rate of ``belated.rates``, or a weight, which is 1 / eta_t.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: The domain is no simplex, or the rate is none.

    Example:
        >>> from belated import Simplex
        >>> player = hedge(Simplex(10), rate=0.1).start()
    """
    simplex = checked_simplex("hedge", domain)
    default = PlayWeight(1.0 / math.sqrt(log_corners(simplex)))
    return from_arrivals("hedge", simplex, Batch(Entropic(simplex, default if rate is None else _weight(rate))))


def _weight(rate: float | Rate | Weight) -> Weight | OfRate:
    """The weight that ``rate`` is, or that of a rate; tunings are refused, as they must be shown every feedback."""
    counted = weigh.knows(rate) and not mark_size.knows(rate)
    weight: Weight | OfRate = checked_weight("hedge", "rate", rate) if counted else OfRate(checked_rate("hedge", rate))
    return weight


CARD = Card(
    title="Hedge, exponential weights with late losses",
    losses="convex, gradients with entries in [-1, 1]",
    adversary="adaptive",
    known=("range of the losses",),
    promise="O(sqrt((T + D0) ln n))",
    source="Freund and Schapire 1997; Hsieh and others 2022",
    certainty="constant derived here",
    time="O(n)",
    memory="O(n)",
    examples={"": hedge},
    domains="simplex",
)
