r"""The forecaster: least squares in which features count at once and labels when they come.

.. math::

    w_t = w_0 + A_t^{-1} \sum_{k \text{ received}} (y_k - \langle z_k, w_0 \rangle) z_k, \qquad
    A_t = \lambda I + \sum_{k \le t} z_k z_k'

==========  ======================  ==============================================================================
symbol      code                    meaning
==========  ======================  ==============================================================================
z_k         context                 the features of round k, known before it is played
y_k         feedback                its label
A_t         ``factor``              all features up to those of the present round, as
                                    :mod:`belated.learners.parts.cholesky`
w_0         ``anchor``              the first decision: labels are measured from what it forecasts
==========  ======================  ==============================================================================

If the forecast <z_t, w_t> lies beyond ``label_bound``, w_t is scaled back until it does not. Each round is O(n^2).
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.domains.arithmetic import copy_into
from belated.learners.parts.cholesky import add_outer, solve
from belated.learners.verbs import Rng, Shape, begin, decision, play, receive, settle, shape


class Forecaster(NamedTuple):
    """Forecasts from ``dim`` features, at most ``label_bound`` in size."""

    dim: int
    regulariser: float
    label_bound: float


class ForecasterState(NamedTuple):
    """w_t; w_0; the sum over the labels received; A_t."""

    decision: Vector
    anchor: Vector
    total: Vector
    factor: Matrix


@shape.on(Forecaster)
def forecaster_shape(policy: Forecaster) -> Shape:
    """One point, one label; the features are known beforehand and remembered."""
    return Shape(1, "label", 1, policy.dim, policy.dim, context_size=policy.dim)


@begin.on(Forecaster)
def begin_forecaster(policy: Forecaster, initial: Vector) -> ForecasterState:
    """Nothing seen: A = lambda I."""
    factor = math.sqrt(policy.regulariser) * np.eye(policy.dim)
    return ForecasterState(initial.copy(), initial.copy(), np.zeros(policy.dim), factor)


@decision.on(Forecaster)
def forecaster_decision(policy: Forecaster, state: ForecasterState, out: Vector) -> None:
    """w_t, as it was played last."""
    copy_into(state.decision, out)


@play.on(Forecaster)
def play_forecaster(
    policy: Forecaster, state: ForecasterState, ledger: Ledger, rng: Rng, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """The features of this round count before its forecast."""
    features, weights = memo[: policy.dim], state.decision
    copy_into(features, scratch)
    add_outer(state.factor, scratch[: policy.dim])
    copy_into(state.total, weights)
    solve(state.factor, weights)
    for i in range(policy.dim):
        weights[i] = float(state.anchor[i]) + float(weights[i])
    forecast = abs(dot(features, weights))
    if forecast > policy.label_bound:
        for i in range(policy.dim):
            weights[i] = float(weights[i]) * (policy.label_bound / forecast)
    copy_into(weights, points[0])


@receive.on(Forecaster)
def receive_label(
    policy: Forecaster, state: ForecasterState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """The label counts along the features of its round."""
    features = memo[: policy.dim]
    surprise = float(feedback[0]) - dot(features, state.anchor)
    for i in range(policy.dim):
        state.total[i] += surprise * float(features[i])


@settle.on(Forecaster)
def settle_forecaster(policy: Forecaster, state: ForecasterState, ledger: Ledger) -> None:
    """Nothing: the next decision waits for the features of its round."""
