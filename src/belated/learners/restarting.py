r"""Restarting: any learner, begun anew at the start of every phase.

.. math:: \text{phase } p \text{ has the rounds } E_{p-1} < t \le E_p, \qquad
          E_p = H (1 + \gamma + \dots + \gamma^p)

======  ======================  ==============================================================================
symbol  code                    meaning
======  ======================  ==============================================================================
H       ``first``               the rounds of the first phase
gamma   ``growth``              each phase is so many times as long as the one before: 1 for phases that are
                                all alike, 2 to double them
======  ======================  ==============================================================================

Every phase is a run of its own from the same first decision, told only of its own rounds: feedback that comes after
the end of its phase is dropped. So whatever is promised for the base holds in every phase, with delays that are cut
off at its end, as they are at the end of every run; and those add up to no more than the delays of the whole run.

Source: an old idea, derived here. If the base has regret at most R(h) in a phase of h rounds, regret is at most the sum
of the R(h), also against comparators that change between the phases. Against u_1, ..., u_T that move by P in total,
gradients of norm at most L, phases of H rounds (``growth=1``) have dynamic regret at most ceil(T / H) R(H) + L H P:
within a phase, u_t is never further than the phase's share of P from where it began. With R(H) = O(sqrt(d H)) the best
H is of order (d T^2 / P^2)^(1/3) and gives O((d P T^2)^(1/3)); with R(H) = O(d log H), for strongly convex losses, it
is of order sqrt(d T / P) and gives O(sqrt(d P T) log T). With phases that double, R(h) = c sqrt(h) adds up to less than
3.5 c sqrt(T + H).

Must be known: what the base must know, and which round a feedback belongs to; P and T, or how long things stay the
same, for a good H.

Pitfalls: a phase must be much longer than the delays, or nearly all feedback is dropped. For convex losses that drift,
:mod:`~belated.learners.mild_ogd` need not know P and is better.

>>> from belated.domains import Ball
>>> from belated.learners.dogd import dogd
>>> player = restarting(dogd(Ball(1), rate=0.5), first=2, growth=1.0).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([1.0], round=first.round)           # at the end of the phase: nobody plays what follows from it
>>> third = player.ask()
>>> player.tell([1.0], round=second.round)          # of the phase before
>>> player.tell([0.5], round=third.round)
>>> third.point, player.ask().point
(array([0.]), array([-0.25]))
"""

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.dogd_sc import dogd_sc
from belated.learners.learner import Learner, checked_base
from belated.learners.parts.restart import Restart


def restarting(base: Learner, first: int, growth: float = 2.0) -> Learner:
    """``base``, begun anew after ``first`` rounds, then after ``growth`` times as many, and so on."""
    learner = checked_base("restarting", base)
    length, factor = checks.count("restarting", "first", first), checks.moderate("restarting", "growth", growth)
    if factor < 1.0:
        checks.refuse("restarting", "growth", growth, "must be >= 1: phases do not get shorter")
    return Learner("restarting", learner.domain, learner.decision_domain, Restart(learner.policy, length, factor))


def _example(domain: Domain) -> Learner:
    return restarting(dogd_sc(domain, strong_convexity=2.0), first=4)


CARD = Card(
    title="A learner that begins anew",
    losses="those of the base learner",
    adversary="adaptive, if the base's is",
    known=("what the base must know", "for losses that drift: P, the path of the comparators, and rounds"),
    promise="the base's, summed over the phases; dynamic regret T R(H) / H + L H P with phases of H rounds",
    source="this library",
    certainty="derived here",
    time="the base's; live, ask() also copies what is waited for",
    memory="twice the base's, and O(n) for each feedback of the phase in flight",
    examples={"": _example},
)
