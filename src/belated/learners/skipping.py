r"""Skipping: any learner, without the feedback that is not worth waiting for.

.. math:: \text{give up } s \text{ at the end of round } t \text{ if it is missing and } t - s > \sqrt{2 V_t}, \qquad
          V_t = \sum_{i \le t} (1 + 2 \sigma_i)

=======  ======================  ==========================================================================
symbol   code                    meaning
=======  ======================  ==========================================================================
sigma_i  ``outstanding``         feedbacks missing when x_i is played, those given up not counted
V_t      ``play_weight``         what the delays cost so far, as rates that fall with it see it
=======  ======================  ==========================================================================

Source: the idea is Thune, Cesa-Bianchi and Seldin's (2019), for bandits with arms; this rule for convex losses is
derived in ``docs/derivations``. Around :mod:`~belated.learners.dda`, with |S| rounds given up: regret at most the
base's for this V_T, plus |S| L Dm, and |S| <= sqrt(V_T / 2).

Must be known: what the base must know, and which round a feedback belongs to. Not the delays.

Pitfalls: what comes too late is thrown away, though it may be good: the bound needs that. Where nothing is very late it
changes nothing; nor where all is, since nothing is then late beside the rest.

>>> from belated.domains import Ball
>>> from belated.learners.dda import dda
>>> player = skipping(dda(Ball(1), lipschitz=1.0)).start()
>>> first = player.ask()
>>> for _ in range(20):                             # the others come at once
...     player.tell([0.0], round=player.ask().round)
>>> player.tell([1.0], round=first.round)           # it has been given up
>>> player.ask().point
array([0.])
"""

from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.dogd_sc import dogd_sc
from belated.learners.learner import Learner, checked_base
from belated.learners.parts.skip import Skip


def skipping(base: Learner) -> Learner:
    """``base`` without the feedback that is not worth waiting for."""
    learner = checked_base("skipping", base)
    return Learner("skipping", learner.domain, learner.decision_domain, Skip(learner.policy))


def _example(domain: Domain) -> Learner:
    return skipping(dogd_sc(domain, strong_convexity=2.0))


CARD = Card(
    title="Skipping of what is too late",
    losses="those of the base learner",
    adversary="adaptive, if the base's is",
    known=("what the base must know",),
    promise="around dda: O(sqrt(T + D0 without the skipped) + skipped)",
    source="Thune, Cesa-Bianchi and Seldin 2019; the rule is derived here",
    certainty="derived here",
    time="the base's; live, ask() also copies what is waited for",
    memory="the base's, and O(n) for each round that is waited for",
    examples={"": _example},
)
