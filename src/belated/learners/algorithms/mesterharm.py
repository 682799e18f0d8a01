r"""Mesterharm: copies of a conservative classifier, each of which has a run without delay, for labels that come late.

.. math:: x_t = \text{what copy } i_t \text{ plays}, \qquad i_t = \text{who has been idle longest, else a new copy}

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
i_t     in the memo of round t  the copy that plays round t, and receives its label
sigma   ``outstanding``         labels missing when x_t is played; sigma_max + 1 copies are enough
M       the base's promise      a bound on the mistakes of the base without delay
======  ======================  ====================================================================

A classifier is conservative if it changes on mistakes only, as :mod:`~.algorithms.perceptron` does. Mistakes, as
:class:`~belated.losses.Misclassification` counts them, are at most (sigma_max + 1) M, since every copy makes at most M.

Source: Mesterharm 2005, who converts classifiers in two ways, for instances that an adversary chooses and for random
ones. His abstract says no more; that mistakes grow by a factor in the first case and by a summand in the second is
remembered. The algorithm is BOLD (:mod:`~.algorithms.bold`), with a bound on mistakes in place of regret. For random
instances take the base as it is: a single classifier that learns from labels as they come. ``solid(base)`` is the same
here.

Must be known: the features beforehand, what the base must know, and which round a label belongs to. Not the delays.

Pitfalls: every copy may make M mistakes, however few rounds it plays, so that on easy data one classifier makes fewer.
A single perceptron is certain to make no more than (1 + 2 sigma_max) M. Whether the base is conservative is not
checked, and one that is not may have no bound M. A label that never comes occupies a copy for ever, unless its round is
given up.

>>> from belated.domains import Simplex
>>> from belated.learners.algorithms.perceptron import perceptron
>>> player = mesterharm(perceptron(Simplex(2), features=1)).start([1.0, 0.0])
>>> first, second = player.ask(context=[1.0]), player.ask(context=[1.0])            # two copies
>>> player.tell([1.0], round=first.round)                                           # a mistake
>>> player.ask(context=[1.0]).point, player.ask(context=[1.0]).point                # the first, then a third
(array([0., 1.]), array([1., 0.]))
"""

from belated.core import checks
from belated.domains.simplex import Simplex
from belated.learners.algorithms.perceptron import perceptron
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_base
from belated.learners.parts.wrappers.copies import Copies, Idle


def mesterharm(base: Learner) -> Learner:
    """Copies of the classifier ``base``, a new one whenever none is idle (Mesterharm 2005).

    Args:
        base: A classifier, such as ``bl.perceptron(...)``.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: ``base`` is no learner that can be wrapped so, or a number is out of its range.
    """
    classifier = checked_base("mesterharm", base)
    if not (classifier.interface.feedback == "label" and isinstance(classifier.domain, Simplex)):
        wanted = "must be a classifier, told labels on a simplex, such as perceptron(Simplex(3), features=10)"
        checks.refuse("mesterharm", "base", classifier.name, wanted)
    policy = Copies(classifier.policy, Idle())
    return Learner("mesterharm", classifier.domain, classifier.decision_domain, policy)


CARD = Card(
    title="Copies of a classifier, for late labels",
    losses="mistakes of classification",
    adversary="adaptive",
    known=("what the base must know",),
    promise="(sigma + 1) M mistakes, M the base's bound without delay and sigma the most in flight",
    source="Mesterharm 2005",
    certainty="two conversions from the abstract, the factor remembered; the bound for copies is plain",
    time="the base's",
    memory="the base's, for each label in flight at once",
    domains="simplex",
    examples={"": lambda domain: mesterharm(perceptron(domain, features=domain.dim))},
)
