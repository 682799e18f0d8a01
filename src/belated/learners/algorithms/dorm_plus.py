r"""DORM+: delayed optimistic regret matching, which has nothing to tune.

.. math::

    p_{t+1} = \max\Bigl(0,\; p_t + \sum_{k \in F_t} r_k + h_{t+1} - h_t\Bigr), \qquad
    w_{t+1} = \frac{p_{t+1}}{\sum_i p_{t+1,i}}, \qquad r_k = \langle g_k, w_k \rangle 1 - g_k

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
F_t     told since the last     rounds whose feedback arrives at the end of round t
        ``ask``
g_k     ``tell(gradient)``      the losses of the n corners in round k (or a gradient at x_k)
w_k     remembered              the shares with which round k was played
h_t     ``hint``                a guess at the sum of the *regrets* of all missing rounds and of round
                                t itself; h_0 = 0
======  ======================  ====================================================================

If p is 0 everywhere, it plays the first decision, which is by default the uniform one.

Source: Flaspohler and others 2021, "Online Learning with Optimism and Delay", with q = 2. The update is that of the
paper, where the delay is fixed and one feedback comes per round. For any delays, the regrets of all of F_t are added
before p is cut off at 0, and hints are exchanged also when F_t is empty. Its regret, O(sqrt(d T)) for a fixed delay d
and less with good hints, is remembered from the paper, not derived here.

Must be known: which round a feedback belongs to. Not T, the range of the losses or the delays: the shares do not change
when all losses are multiplied by a number.

Pitfalls: a hint is a guess at regrets, not at losses: a guess G at the sum of the missing gradients is the hint
<G, w> - G, w for instance the last shares. In every round, also when nothing arrives, the old hint is taken out of p
and the new one put in: without one of these, or without the p so far, it is another algorithm. Without the cut at 0 it
is :mod:`~.algorithms.dorm`.

>>> from belated.domains import Simplex
>>> player = dorm_plus(Simplex(3)).start()
>>> play = player.ask()
>>> player.tell([0.9, 0.3, 0.0], round=play.round)  # regrets -0.5, 0.1 and 0.4
>>> player.ask().point.round(12)
array([0. , 0.2, 0.8])
"""

from __future__ import annotations

from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner
from belated.learners.parts.policies.hints import NO_HINT, Hint, LastGradient, checked_hint
from belated.learners.parts.policies.regret_matching import RegretMatchingPlus
from belated.learners.parts.steps.entropy import checked_simplex


def dorm_plus(domain: Domain, hint: Hint = NO_HINT) -> Learner:
    """Delayed optimistic regret matching plus (Flaspohler and others 2021).

    Args:
        domain: A simplex; decisions are shares of its corners.
        hint: How to guess the sum of the missing regrets: ``hints.NoHint()``, ``hints.LastGradient()`` or
            ``hints.GivenHint()``, with which ``ask(context)`` is given the guess.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: The domain is no simplex, or the hint is none.
    """
    simplex = checked_simplex("dorm_plus", domain)
    policy = RegretMatchingPlus(simplex, simplex.dim, checked_hint("dorm_plus", hint))
    return Learner("dorm_plus", simplex, simplex, policy)


CARD = Card(
    title="DORM+, delayed optimistic regret matching",
    losses="convex",
    adversary="adaptive",
    known=(),
    promise="O(sqrt(d T n)), less with good hints",
    source="Flaspohler and others 2021",
    certainty="update read in the authors' code; order remembered",
    time="O(n)",
    memory="O(n), and O(n) per round in flight",
    examples={"": dorm_plus, "last gradient": lambda domain: dorm_plus(domain, LastGradient())},
    domains="simplex",
)
