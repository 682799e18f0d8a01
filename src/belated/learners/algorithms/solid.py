r"""SOLID: one learner made for feedback without delay, which receives what arrives one by one, as if it were not late.

.. math:: x_t = \tilde x_{N + 1}, \qquad \tilde x_{s+1} = \text{the base's answer to the } s\text{-th feedback}

==========  ======================  ================================================================
symbol      code                    meaning
==========  ======================  ================================================================
N           ``received``            feedbacks that have arrived before round t
x~_s        ``base``                what the base plays in round s of its own run, which has no delay
==========  ======================  ================================================================

Source: Joulani, Gyorgy and Szepesvari 2016; the algorithm as other papers describe it. Regret is at most what the base
has on the losses <g_s, x>, g_s the s-th gradient to arrive, plus the sum of <g_s, x_k - x~_s>, k the round of g_s: how
far the base went while g_s was missing. That is exact for linear losses, whatever the base. What the paper makes of it
for adaptive ones, O(R sqrt(sum of \|g\|^2 + 2 \|g\| times the \|g\| in flight)) if the rate counts these products, is
only remembered. ``solid(adagrad(...))`` is the adaptive variant with AdaGrad's rate, which does not count them;
:mod:`~.algorithms.adaptive_revision` does. ``solid(dogd(domain, rate))`` at a constant rate has DOGD's own bound,
Dm^2 / (2 eta) + eta L^2 (T/2 + D0): ``belated.bounds.sequential_dogd``, derived in ``docs/derivations`` (DOGD).

Must be known: what the base must know. Not T or the delays; the round only if the base needs it.

Pitfalls: rates that count rounds, such as OGD's, count feedbacks here. Of feedbacks that come together each is a step
of its own, in the order in which they are told. Learners whose memory grows with what is in flight (BOLD, skipping,
GOLD) are refused: in the run that they would be shown nothing is ever in flight.

>>> from belated.domains import Ball
>>> from belated.learners.algorithms.ogd_sc import ogd_sc
>>> player = solid(ogd_sc(Ball(1), strong_convexity=2.0)).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([1.0])                              # round 1 of OGD-SC: 1 / (beta 1) = 0.5
>>> player.tell([0.5])                              # round 2: 1 / (beta 2) = 0.25
>>> player.ask().point
array([-0.625])
"""

from belated.learners.algorithms.adagrad import adagrad
from belated.learners.algorithms.ogd_sc import ogd_sc
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_base
from belated.learners.parts.wrappers.replay import Replay


def solid(base: Learner) -> Learner:
    """``base`` as if what arrives had never been late (Joulani, Gyorgy and Szepesvari 2016).

    Args:
        base: A learner whose memory does not grow with what is in flight.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: ``base`` is no learner that can be wrapped so, or a number is out of its range.
    """
    learner = checked_base("solid", base)
    return Learner("solid", learner.domain, learner.decision_domain, Replay(learner.policy))


CARD = Card(
    title="Single-instance online learning in delayed environments",
    losses="those of the base learner, linearised",
    adversary="adaptive, if the base's is",
    known=("what the base must know",),
    promise="the base's regret without delay, plus how far it moves while feedback is missing",
    source="Joulani, Gyorgy and Szepesvari 2016",
    certainty="algorithm as told by others; decomposition exact; constant rates derived here, others only remembered",
    time="the base's",
    memory="the base's",
    examples={
        "": lambda domain: solid(ogd_sc(domain, strong_convexity=2.0)),
        "adagrad": lambda domain: solid(adagrad(domain, scale=0.5)),
    },
)
