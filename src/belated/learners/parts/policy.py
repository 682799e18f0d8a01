"""The usual policies: an arrival rule that is told gradients, and one behind an estimator.

Told gradients go straight to the arrival rule (:mod:`~belated.learners.parts.arrivals`), which combines those that come
together and moves a step (:mod:`~belated.learners.parts.descent`). Told values become a gradient first
(:mod:`~belated.learners.parts.estimators`).
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


class Direct(NamedTuple):
    """An arrival rule that is told the gradients at its decisions, of ``dim`` numbers each."""

    arrivals: Any
    dim: int


class Estimated(NamedTuple):
    """An arrival rule behind an estimator, for decisions of ``dim`` numbers."""

    estimator: Any
    arrivals: Any
    dim: int


class PolicyState(NamedTuple):
    """The arrival rule's. Estimators have none: what they must remember of a round travels in its memo."""

    arrivals: Any


@shape.on(Direct)
def direct_shape(policy: Direct) -> Shape:
    """One point, its gradient, nothing to remember."""
    return Shape(1, "gradient", policy.dim, 0, 0)


@play.on(Direct)
def play_direct(
    policy: Direct,
    state: PolicyState,
    ledger: Ledger,
    rng: np.random.Generator | None,
    scratch: Vector,
    points: Matrix,
    memo: Vector,
) -> None:
    """The decision."""
    decision(policy.arrivals, state.arrivals, points[0])


@receive.on(Direct)
def receive_direct(
    policy: Direct, state: PolicyState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Absorb it as it is."""
    absorb(policy.arrivals, state.arrivals, ledger, feedback)


@shape.on(Estimated)
def estimated_shape(policy: Estimated) -> Shape:
    """The estimator's, with room for a decision or a gradient in front of its own scratch."""
    inner = shape(policy.estimator)
    return inner._replace(scratch_size=policy.dim + inner.scratch_size)


@begin.on(Direct, Estimated)
def begin_policy(policy: Direct | Estimated, initial: Vector) -> PolicyState:
    """The arrival rule's beginning."""
    return PolicyState(begin(policy.arrivals, initial))


@decision.on(Direct, Estimated)
def policy_decision(policy: Direct | Estimated, state: PolicyState, out: Vector) -> None:
    """The arrival rule's decision."""
    decision(policy.arrivals, state.arrivals, out)


@play.on(Estimated)
def play_estimated(
    policy: Estimated,
    state: PolicyState,
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
    policy: Estimated, state: PolicyState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Estimate, then absorb."""
    gradient = scratch[: policy.dim]
    estimate(policy.estimator, feedback, memo, scratch[policy.dim :], gradient)
    absorb(policy.arrivals, state.arrivals, ledger, gradient)


@settle.on(Direct, Estimated)
def settle_policy(policy: Direct | Estimated, state: PolicyState, ledger: Ledger) -> None:
    """The arrival rule settles."""
    settle(policy.arrivals, state.arrivals, ledger)
