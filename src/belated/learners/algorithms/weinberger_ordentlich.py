r"""Weinberger and Ordentlich: d copies of a learner that play in turn, for feedback with the fixed delay d.

.. math:: x_t = \text{the decision of copy } (t - 1) \bmod d

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
d       ``delay``               the delay of every feedback: that of round t comes by the end of
                                round t + d - 1
======  ======================  ====================================================================

Source: Weinberger and Ordentlich 2002, as the paper quotes it. If the base has regret at most R(T) without delay,
regret is at most the sum over the copies of R(T_i), T_i the rounds that copy i has played: T / d, rounded up or down.
BOLD (:mod:`~.algorithms.bold`) has the same idea, need not know d, and is the same learner when all delays are d.

Must be known: d, what the base must know, and which round a feedback belongs to.

Pitfalls: if feedback is later than d, its copy has to play again before it has come, from what the copy knows; nothing
is promised then. Each copy learns from one in d rounds only.

>>> from belated.domains import Ball
>>> from belated.learners.algorithms.ogd_sc import ogd_sc
>>> player = weinberger_ordentlich(ogd_sc(Ball(1), strong_convexity=2.0), delay=2).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([1.0], round=first.round)
>>> player.ask().point, player.ask().point          # the first copy, then the second
(array([-0.5]), array([0.]))
"""

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.algorithms.ogd_sc import ogd_sc
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_base
from belated.learners.parts.wrappers.copies import Copies, InTurn


def weinberger_ordentlich(base: Learner, delay: int) -> Learner:
    """``delay`` copies of ``base`` that play in turn (Weinberger and Ordentlich 2002).

    Args:
        base: A learner whose memory does not grow with what is in flight.
        delay: How many copies there are: a bound on the delays.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: ``base`` is no learner that can be wrapped so, or a number is out of its range.
    """
    learner = checked_base("weinberger_ordentlich", base)
    turns = InTurn(checks.count("weinberger_ordentlich", "delay", delay, most=10**6))
    return Learner("weinberger_ordentlich", learner.domain, learner.decision_domain, Copies(learner.policy, turns))


def _example(domain: Domain) -> Learner:
    return weinberger_ordentlich(ogd_sc(domain, strong_convexity=2.0), delay=3)


CARD = Card(
    title="Copies in turn, for a fixed delay",
    losses="those of the base learner",
    adversary="adaptive, if the base's is",
    known=("the delay", "what the base must know"),
    promise="d R(T / d), R the base's without delay",
    source="Weinberger and Ordentlich 2002",
    certainty="as quoted by Wan, Tu and Zhang",
    time="the base's",
    memory="d times the base's",
    examples={"": _example},
)
