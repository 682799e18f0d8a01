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
    """An arrival rule behind an estimator, for decisions of ``dim`` numbers."""

    estimator: Any
    arrivals: Any
    dim: int


class EstimatedState(NamedTuple):
    """Estimators have no state: what they must remember of a round travels in its memo."""

    arrivals: Any


@shape.on(Estimated)
def estimated_shape(policy: Estimated) -> Shape:
    """The estimator's, with room for a decision or a gradient in front of its own scratch."""
    inner = shape(policy.estimator)
    return inner._replace(scratch_size=policy.dim + inner.scratch_size)


@begin.on(Estimated)
def begin_estimated(policy: Estimated, initial: Vector) -> EstimatedState:
    """The arrival rule's beginning."""
    return EstimatedState(begin(policy.arrivals, initial))


@decision.on(Estimated)
def estimated_decision(policy: Estimated, state: EstimatedState, out: Vector) -> None:
    """The arrival rule's decision."""
    decision(policy.arrivals, state.arrivals, out)


@play.on(Estimated)
def play_estimated(
    policy: Estimated,
    state: EstimatedState,
    ledger: Ledger,
    rng: np.random.Generator | None,
    scratch: Vector,
    points: Matrix,
    memo: Vector,
) -> None:
    """Probe around the decision."""
    center = scratch[: policy.dim]
    decision(policy.arrivals, state.arrivals, center)
    probe(policy.estimator, center, rng, scratch[policy.dim :], points, memo)


@receive.on(Estimated)
def receive_estimated(
    policy: Estimated, state: EstimatedState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Estimate, then absorb."""
    gradient = scratch[: policy.dim]
    estimate(policy.estimator, feedback, memo, scratch[policy.dim :], gradient)
    absorb(policy.arrivals, state.arrivals, ledger, gradient)


@settle.on(Estimated)
def settle_estimated(policy: Estimated, state: EstimatedState, ledger: Ledger) -> None:
    """The arrival rule settles."""
    settle(policy.arrivals, state.arrivals, ledger)
