r"""ODAFTRL: optimistic delayed adaptive FTRL with entropy; AdaHedgeD and DUB are two tunings of it.

.. math::

    w_t = \arg\min_w \Bigl\langle \sum_{k \text{ received}} g_k + h_t, w \Bigr\rangle
          + \lambda_t \sum_i w_i \ln\frac{w_i}{w_{1,i}}

========  ======================  ======================================================================
symbol    code                    meaning
========  ======================  ======================================================================
g_k       ``tell(gradient)``      the losses of the n corners in round k (or a gradient at x_k)
h_t       ``hint``                a guess at the sum of all missing gradients and of round t's own
lambda_t  ``tuning``              how strongly the first decision w_1 holds: a number, ``dub(domain)`` or
                                  ``ada_hedge_d(domain)``, which it is by default
========  ======================  ======================================================================

Source: Flaspohler and others 2021, "Online Learning with Optimism and Delay". The tunings, what is remembered of them
and what is derived for any delays stand in :mod:`~belated.learners.parts.tunings`. AdaHedgeD: regret at most
(ln(1 / w_{1,i}) / ln n + 1) times the sum of delta against corner i, whatever the delays: twice the sum from equal
shares. DUB: at most 2 (2 max A + sqrt(sum of a^2 + 2 alpha b)) from equal shares, if feedback comes in the order of
play. Both are O(sqrt(d T ln n)) then, and small for good hints. Losses and delays may be chosen by an adversary who
sees everything.

Must be known: nothing; with a tuning that learns, which round a feedback belongs to. Neither T nor the range of the
losses nor the delays. With a constant lambda it is anonymous, and the right constant depends on all of these.

Pitfalls: AdaHedgeD starts with lambda = 0 and plays only corners that have lost the least until it is wrong for the
first time. Feedback that comes together is looked at in the order in which it is told, and other orders give other
lambda. A hint that is much too large is as bad as a long delay.

>>> from belated.domains import Simplex
>>> player = odaftrl(Simplex(2)).start()
>>> play = player.ask()
>>> player.tell([1.0, 0.0], round=play.round)       # lambda = 0.5 / ln 2: half was lost beyond the least
>>> player.ask().point                              # odds 1 : e^(1 / lambda) = 1 : 4
array([0.2, 0.8])
"""

from typing import Any

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner
from belated.learners.parts.entropy import checked_simplex
from belated.learners.parts.hints import NO_HINT, Hint, LastGradient, checked_hint
from belated.learners.parts.optimistic import Optimistic
from belated.learners.parts.tunings import Tuning, ada_hedge_d, dub
from belated.learners.parts.weights import ConstantWeight, weigh


def odaftrl(domain: Domain, tuning: float | Tuning | None = None, hint: Hint = NO_HINT) -> Learner:
    """Optimistic delayed FTRL with entropy (Flaspohler and others 2021); AdaHedgeD unless another tuning is given."""
    simplex = checked_simplex("odaftrl", domain)
    chosen: Any = ada_hedge_d(simplex) if tuning is None else tuning
    if not weigh.knows(chosen):
        chosen = ConstantWeight(checks.moderate("odaftrl", "tuning", tuning))
    policy = Optimistic(simplex, simplex.dim, chosen, checked_hint("odaftrl", hint))
    return Learner("odaftrl", simplex, simplex, policy)


CARD = Card(
    title="ODAFTRL, the optimistic delayed leader: AdaHedgeD and DUB",
    losses="convex",
    adversary="adaptive",
    known=(),
    promise="O(sqrt(d T ln n)) for feedback in order of play, less with good hints",
    source="Flaspohler and others 2021",
    certainty="update read in the authors' code; some terms of the tunings remembered; validity derived here",
    time="O(n)",
    memory="O(n), and O(n) a round in flight",
    examples={
        "": odaftrl,
        "dub": lambda domain: odaftrl(domain, dub(checked_simplex("odaftrl", domain))),
        "last gradient": lambda domain: odaftrl(domain, hint=LastGradient()),
        "constant": lambda domain: odaftrl(domain, tuning=4.0, hint=LastGradient()),
    },
    domains="simplex",
)
