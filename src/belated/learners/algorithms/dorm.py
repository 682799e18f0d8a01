r"""DORM: delayed optimistic regret matching, in which regrets below zero count.

.. math::

    w_{t+1} = \frac{\max(0, R_t + h_{t+1})}{\sum_i \max(0, R_{t,i} + h_{t+1,i})}, \qquad
    R_t = \sum_{k \text{ received}} r_k, \qquad r_k = \langle g_k, w_k \rangle 1 - g_k

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_k     ``tell(gradient)``      the losses of the n corners in round k (or a gradient at x_k)
w_k     remembered              the shares with which round k was played
R_t     ``regret``              the sum of all regrets received by the end of round t
h_t     ``hint``                a guess at the sum of the *regrets* of all missing rounds and of round
                                t itself
======  ======================  ====================================================================

If nothing of R + h is above 0, it plays the first decision, which is by default the uniform one.

Source: Flaspohler and others 2021, "Online Learning with Optimism and Delay", with q = 2, where the delay is fixed and
one feedback comes per round. R is a sum, so that the same formula serves for any delays. Without delay and hints it is
the regret matching of Hart and Mas-Colell 2000. Its regret, O(sqrt(d T n)) for a fixed delay d and less with good
hints, is remembered from the paper, not derived here.

Must be known: which round a feedback belongs to. Not T, the range of the losses or the delays: the shares do not change
when all losses are multiplied by a number.

Pitfalls: a corner with a large regret below 0 must make up for all of it before it is played again, so when the best
corner changes :mod:`~.algorithms.dorm_plus`, which forgets regrets below 0, is quicker. A hint is a guess at regrets,
not at losses: a guess G at the sum of the missing gradients is the hint <G, w> - G, w for instance the last shares.

>>> from belated.domains import Simplex
>>> player = dorm(Simplex(3)).start()
>>> for losses in ([0.9, 0.3, 0.0], [0.0, 0.5, 0.5]):   # regrets -0.5, 0.1, 0.4; then 0.5, 0, 0
...     play = player.ask()
...     player.tell(losses, round=play.round)
>>> player.ask().point.round(12)                    # the first corner is even; DORM+ would play it half the time
array([0. , 0.2, 0.8])
"""

from __future__ import annotations

from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner
from belated.learners.parts.policies.hints import NO_HINT, Hint, LastGradient, checked_hint
from belated.learners.parts.policies.regret_matching import RegretMatching
from belated.learners.parts.steps.entropy import checked_simplex


def dorm(domain: Domain, hint: Hint = NO_HINT) -> Learner:
    """Delayed optimistic regret matching (Flaspohler and others 2021).

    Args:
        domain: A simplex; decisions are shares of its corners.
        hint: How to guess the sum of the missing regrets: ``hints.NoHint()``, ``hints.LastGradient()`` or
            ``hints.GivenHint()``, with which ``ask(context)`` is given the guess.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: The domain is no simplex, or the hint is none.
    """
    simplex = checked_simplex("dorm", domain)
    return Learner("dorm", simplex, simplex, RegretMatching(simplex, simplex.dim, checked_hint("dorm", hint)))


CARD = Card(
    title="DORM, delayed optimistic regret matching without the plus",
    losses="convex",
    adversary="adaptive",
    known=(),
    promise="O(sqrt(d T n)), less with good hints",
    source="Flaspohler and others 2021; Hart and Mas-Colell 2000 without delay",
    certainty="update as published; order remembered",
    time="O(n)",
    memory="O(n), and O(n) per round in flight",
    examples={"": dorm, "last gradient": lambda domain: dorm(domain, LastGradient())},
    domains="simplex",
)
