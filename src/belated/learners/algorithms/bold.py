r"""BOLD: copies of a learner, one for each feedback in flight, so that each copy has a run without delay.

.. math:: x_t = \text{the decision of copy } i_t, \qquad i_t = \text{who has been idle longest, else a new copy}

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
i_t     in the memo of round t  the copy that plays round t, and receives its feedback
sigma   ``outstanding``         feedbacks missing when x_t is played; sigma_max + 1 copies are enough
======  ======================  ====================================================================

Source: Joulani, Gyorgy and Szepesvari 2013. If the base has regret at most R(T) without delay, R concave, regret is at
most (sigma_max + 1) R(T / (sigma_max + 1)). The abstract has the result; that idle copies may be taken in any order is
remembered.

Must be known: what the base must know, and which round a feedback belongs to. Not T or the delays.

Pitfalls: every copy learns from its own rounds only, and starts from nothing: with long delays that wastes most of what
is told. Memory grows with the number of feedbacks in flight at once. Feedback that never comes occupies a copy for
ever, unless its round is given up (``player.give_up``).

>>> from belated.domains import Ball
>>> from belated.learners.algorithms.ogd_sc import ogd_sc
>>> player = bold(ogd_sc(Ball(1), strong_convexity=2.0)).start()
>>> first, second = player.ask(), player.ask()      # two copies
>>> player.tell([1.0], round=second.round)
>>> player.ask().point                              # the second copy, which is idle again
array([-0.5])
>>> player.ask().point                              # a third: nobody is idle
array([0.])
"""

from belated.domains.base import Domain
from belated.learners.algorithms.ogd_sc import ogd_sc
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_base
from belated.learners.parts.wrappers.copies import Copies, Idle


def bold(base: Learner) -> Learner:
    """Copies of ``base``, a new one whenever none is idle (Joulani, Gyorgy and Szepesvari 2013).

    Args:
        base: A learner whose memory does not grow with what is in flight. Every copy of it lives without delay.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: ``base`` is no learner that can be wrapped so, or a number is out of its range.
    """
    learner = checked_base("bold", base)
    return Learner("bold", learner.domain, learner.decision_domain, Copies(learner.policy, Idle()))


def _example(domain: Domain) -> Learner:
    return bold(ogd_sc(domain, strong_convexity=2.0))


CARD = Card(
    title="Copies for delayed feedback",
    losses="those of the base learner",
    adversary="adaptive, if the base's is",
    known=("what the base must know",),
    promise="(sigma + 1) R(T / (sigma + 1)), R the base's without delay and sigma the most in flight",
    source="Joulani, Gyorgy and Szepesvari 2013",
    certainty="from the abstract",
    time="the base's",
    memory="the base's, for each feedback in flight at once",
    examples={"": _example},
)
