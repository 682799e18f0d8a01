r"""The perceptron, for several classes: weights that change when a mistake is told, and only then.

Features z_t are known when round t is played, ``ask(context=z_t)``, and classes are told, perhaps late:

.. math::

    \hat y_t = \arg\max_c \langle w_c, z_t \rangle, \qquad x_t = \text{the corner of } \hat y_t, \qquad
    w_{y_k} \leftarrow w_{y_k} + z_k, \quad w_{\hat y_k} \leftarrow w_{\hat y_k} - z_k

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
z_t     ``ask(context)``        the ``features`` numbers of round t
y_k     ``tell([class])``       the true class of round k, one of 0, ..., n - 1
w_c     ``weights``             what has been learned of class c; zero at first
======  ======================  ====================================================================

If some of the classes tie, the lowest of them is played. If all tie, as they do before anything is learned, the first
decision x_1 is played. The step is then made with the shares of x_1: w_c changes by (1 - x_{1,c}) z_k for c = y_k and
by -x_{1,c} z_k for the others. Started at a corner, this is the classifier of the textbooks.

Source: Rosenblatt 1958; for several classes Duda and Hart 1973; remembered. Let l_k = 1 - x_k[y_k], which is 1 for a
mistake and 0 for none: :class:`~belated.losses.Misclassification`. If \|z_k\| <= R and some u has
<u_y - u_c, z_k> >= gamma for all rounds and classes c other than y = y_k, mistakes (the sum of the l_k) are at most
M = 2 (R \|u\| / gamma)^2 without delay, and (1 + 2 sigma) M if at most sigma others are missing whenever a round is
played. In short: step k is U_k = (e_y - x_k) z_k', so <u, U_k> >= gamma l_k and \|U_k\| <= sqrt(2) R l_k. When k was
played <w, U_k> <= 0, as only best classes have a share. Until U_k is taken, w changes by steps U_i, each of which adds
2 <U_i, U_k> <= 4 R^2 l_i l_k to \|w\|^2. Of i and k, one was missing when the other was played, so that there are at
most sigma such pairs per round, and \|w\|^2 <= 2 R^2 (1 + 2 sigma) sum l, while gamma sum l <= \|u\| \|w\|.

Must be known: the features beforehand, and which round a class belongs to. Nothing of R, gamma, T or the delays.

Pitfalls: on a simplex other than that of total 1 and floor 0 it plays the corners of that, and losses are no count of
mistakes. If no u separates the classes it never comes to rest.

How it is computed: a round remembers its features and the class that was played, or ``ALL_TIED``.

>>> from belated.domains import Simplex
>>> player = perceptron(Simplex(3), features=2).start([1.0, 0.0, 0.0])
>>> play = player.ask(context=[1.0, 0.0])           # all tie: class 0, where it was started
>>> player.tell([2.0], round=play.round)            # a mistake: class 2 gets z, class 0 loses it
>>> player.ask(context=[0.5, 1.0]).point
array([0., 0., 1.])
"""

from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.core.vectors import copy_into, fill
from belated.domains.base import Domain
from belated.domains.simplex import Simplex, spare
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain
from belated.learners.parts.steps.entropy import checked_simplex, shares
from belated.learners.verbs import Desk, Interface, begin, decision, interface, play, receive, settle


def perceptron(domain: Domain, features: int) -> Learner:
    """The perceptron with a class for every corner of a simplex.

    Args:
        domain: A simplex: every corner stands for a class.
        features: How many numbers are known of a round before it is played.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    classes = checked_simplex("perceptron", checked_domain("perceptron", domain))
    policy = Classifier(classes, checks.count("perceptron", "features", features, most=10**6))
    return Learner("perceptron", classes, classes, policy)


ALL_TIED = -1.0
"""In the memo of a round, in place of a class: all classes tied, and the first decision was played."""


class Classifier(NamedTuple):
    """Plays corners of a simplex, which stand for classes, by scores that are linear in ``features`` numbers."""

    domain: Simplex
    features: int


class ClassifierState(NamedTuple):
    """The weights w, one row for each class; x_t; the first decision, and its shares."""

    weights: Matrix
    decision: Vector
    initial: Vector
    prior: Vector


@interface.on(Classifier)
def classifier_interface(policy: Classifier) -> Interface:
    """One point is played, a label told; the features are the context, and remembered with the class played."""
    size, classes = policy.features, policy.domain.size
    return Interface(1, "label", 1, size + 1, 0, context_size=size, classes=classes)


@begin.on(Classifier)
def begin_classifier(policy: Classifier, initial: Vector) -> ClassifierState:
    """Nothing is learned yet, so that all scores are zero."""
    weights = np.zeros((policy.domain.size, policy.features))
    return ClassifierState(weights, initial.copy(), initial.copy(), shares(policy.domain, initial))


@decision.on(Classifier)
def classifier_decision(policy: Classifier, state: ClassifierState, out: Vector) -> None:
    """Write x_t, as it was played last."""
    copy_into(state.decision, out)


@play.on(Classifier)
def play_classifier(policy: Classifier, state: ClassifierState, ledger: Ledger, desk: Desk) -> None:
    """Play the class with the largest score."""
    features = desk.memo[: policy.features]
    best, least = 0, dot(state.weights[0], features)
    most = least
    for c in range(1, policy.domain.size):
        score = dot(state.weights[c], features)
        least = min(least, score)
        if score > most:
            best, most = c, score
    if least < most:
        desk.memo[policy.features] = best
        fill(state.decision, policy.domain.floor)
        state.decision[best] = policy.domain.floor + spare(policy.domain)
    else:
        desk.memo[policy.features] = ALL_TIED
        copy_into(state.initial, state.decision)
    copy_into(state.decision, desk.points[0])


@receive.on(Classifier)
def receive_class(
    policy: Classifier, state: ClassifierState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Add the features of the round to the weights of its class, and subtract them from those of the class played."""
    told, played = float(feedback[0]), float(memo[policy.features])
    for c in range(policy.domain.size):
        share = float(state.prior[c]) if played == ALL_TIED else (1.0 if played == c else 0.0)
        change = (1.0 if told == c else 0.0) - share
        if change != 0.0:
            for i in range(policy.features):
                state.weights[c, i] += change * float(memo[i])


@settle.on(Classifier)
def settle_classifier(policy: Classifier, state: ClassifierState, ledger: Ledger) -> None:
    """Do nothing: the next decision needs the features of its round."""


CARD = Card(
    title="Perceptron",
    losses="mistakes of classification",
    adversary="adaptive",
    known=("features of the round",),
    promise="(1 + 2 sigma) 2 (R |u| / gamma)^2 mistakes, sigma the most in flight, if u separates the classes by gamma",
    source="Rosenblatt 1958, Duda and Hart 1973",
    certainty="remembered, and well known; with delays derived here",
    time="O(n m), m the number of features",
    memory="O(n m), and O(m) per round in flight",
    domains="simplex",
    examples={"": lambda domain: perceptron(domain, features=domain.dim)},
)
