"""The usual policy: an estimator in front of an arrival rule.

Feedback becomes a gradient (:mod:`~belated.learners.parts.estimators`), gradients that arrive together are combined
(:mod:`~belated.learners.parts.arrivals`) and a step follows (:mod:`~belated.learners.parts.descent`).
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.learners.verbs import (
    Shape,
    absorb,
    begin,
    decision,
    estimate,
    play,
    probe,
    receive,
    settle,
    shape,
)


class Estimated(NamedTuple):
    """An arrival rule behind an estimator."""

    estimator: Any
    arrivals: Any


class EstimatedState(NamedTuple):
    """Estimators have no state: what they must remember of a round travels in its memo."""

    arrivals: Any


@shape.on(Estimated)
def estimated_shape(policy: Estimated) -> Shape:
    """The estimator's."""
    return shape(policy.estimator)


@begin.on(Estimated)
def begin_estimated(policy: Estimated, initial: Vector) -> EstimatedState:
    """The arrival rule's beginning."""
    return EstimatedState(begin(policy.arrivals, initial))


@decision.on(Estimated)
def estimated_decision(policy: Estimated, state: EstimatedState) -> Vector:
    """The arrival rule's decision."""
    return decision(policy.arrivals, state.arrivals)


@play.on(Estimated)
def play_estimated(
    policy: Estimated, state: EstimatedState, ledger: Ledger, rng: np.random.Generator, points: Matrix, memo: Vector
) -> None:
    """Probe around the decision."""
    probe(policy.estimator, decision(policy.arrivals, state.arrivals), rng, points, memo)


@receive.on(Estimated)
def receive_estimated(policy: Estimated, state: EstimatedState, ledger: Ledger, feedback: Vector, memo: Vector) -> None:
    """Estimate, then absorb."""
    absorb(policy.arrivals, state.arrivals, ledger, estimate(policy.estimator, feedback, memo))


@settle.on(Estimated)
def settle_estimated(policy: Estimated, state: EstimatedState, ledger: Ledger) -> None:
    """The arrival rule settles."""
    settle(policy.arrivals, state.arrivals, ledger)
