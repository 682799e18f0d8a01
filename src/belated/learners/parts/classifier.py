r"""The classifier: weights for every class, which change when a mistake is told, and only then.

.. math::

    x_t = \text{the corner of } \arg\max_c \langle w_c, z_t \rangle, \qquad
    w_c \leftarrow w_c + (1_{c = y_k} - p_{k, c}) z_k

==========  ======================  ==============================================================================
symbol      code                    meaning
==========  ======================  ==============================================================================
z_k         context                 the features of round k, known before it is played
y_k         feedback                its class, a whole number from 0 on
p_k         ``prior``               the shares of the corners in x_k: one corner has all, but where all scores tie
==========  ======================  ==============================================================================

The lowest of the best classes wins. Where all classes have the same score, as before anything is learned, the first
decision is played. A round remembers its features and the class that was played, or ``ALL_TIED``.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.domains.arithmetic import copy_into, fill
from belated.domains.simplex import Simplex, spare
from belated.learners.parts.entropy import shares
from belated.learners.verbs import Rng, Shape, begin, decision, play, receive, settle, shape

ALL_TIED = -1.0


class Classifier(NamedTuple):
    """Plays corners of a simplex, which stand for classes, by the scores of ``features`` numbers."""

    domain: Simplex
    features: int


class ClassifierState(NamedTuple):
    """The weights w, a row for each class; x_t; the first decision, and its shares."""

    weights: Matrix
    decision: Vector
    initial: Vector
    prior: Vector


@shape.on(Classifier)
def classifier_shape(policy: Classifier) -> Shape:
    """One point, one label; the features are known beforehand, and remembered with the class."""
    size, classes = policy.features, policy.domain.size
    return Shape(1, "label", 1, size + 1, 0, context_size=size, classes=classes)


@begin.on(Classifier)
def begin_classifier(policy: Classifier, initial: Vector) -> ClassifierState:
    """Nothing learned: all scores are zero."""
    weights = np.zeros((policy.domain.size, policy.features))
    return ClassifierState(weights, initial.copy(), initial.copy(), shares(policy.domain, initial))


@decision.on(Classifier)
def classifier_decision(policy: Classifier, state: ClassifierState, out: Vector) -> None:
    """x_t, as it was played last."""
    copy_into(state.decision, out)


@play.on(Classifier)
def play_classifier(
    policy: Classifier, state: ClassifierState, ledger: Ledger, rng: Rng, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """The class with the largest score."""
    features = memo[: policy.features]
    best, least = 0, dot(state.weights[0], features)
    most = least
    for c in range(1, policy.domain.size):
        score = dot(state.weights[c], features)
        least = min(least, score)
        if score > most:
            best, most = c, score
    if least < most:
        memo[policy.features] = best
        fill(state.decision, policy.domain.floor)
        state.decision[best] = policy.domain.floor + spare(policy.domain)
    else:
        memo[policy.features] = ALL_TIED
        copy_into(state.initial, state.decision)
    copy_into(state.decision, points[0])


@receive.on(Classifier)
def receive_class(
    policy: Classifier, state: ClassifierState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Towards the features of the round for its class, and away from them for what was played instead."""
    told, played = float(feedback[0]), float(memo[policy.features])
    for c in range(policy.domain.size):
        share = float(state.prior[c]) if played == ALL_TIED else (1.0 if played == c else 0.0)
        change = (1.0 if told == c else 0.0) - share
        if change != 0.0:
            for i in range(policy.features):
                state.weights[c, i] += change * float(memo[i])


@settle.on(Classifier)
def settle_classifier(policy: Classifier, state: ClassifierState, ledger: Ledger) -> None:
    """Nothing: the next decision waits for the features of its round."""
