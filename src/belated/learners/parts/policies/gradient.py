"""The usual policies: an arrival rule that is told gradients, and one behind an estimator.

Gradients that are told go straight to the arrival rule (:mod:`~.policies.arrivals`), which combines those that come
together and moves a step, such as :mod:`~.steps.descent`. Values that are told become a gradient first
(:mod:`~.parts.estimators`).
"""

from typing import NamedTuple

from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.core.vectors import add_onto, subtract_scaled
from belated.learners.verbs import (
    ArrivalRule,
    Desk,
    Estimator,
    Interface,
    State,
    absorb,
    add_up,
    adds_up,
    begin,
    decision,
    estimate,
    interface,
    play,
    probe,
    receive,
    settle,
    settle_sum,
)


class Direct(NamedTuple):
    """An arrival rule that is told the gradients at its decisions, of ``dim`` numbers each.

    With a regulariser mu, the gradients are those of the losses without their part (mu / 2) |x|^2, which the step
    of the arrival rule adds by itself.

    Args:
        arrivals: The arrival rule.
        dim: Dimension of the decisions.
        regulariser: mu; 0 for none.
    """

    arrivals: ArrivalRule
    dim: int
    regulariser: float = 0.0


class Estimated(NamedTuple):
    """An arrival rule behind an estimator, for decisions of ``dim`` numbers.

    Args:
        estimator: What makes a gradient of values.
        arrivals: The arrival rule that is handed the gradient.
        dim: Dimension of the decisions.
    """

    estimator: Estimator
    arrivals: ArrivalRule
    dim: int


class Surrogate(NamedTuple):
    """An arrival rule that is told gradients and takes the loss of round k for a bowl about x_k.

    The loss of round k counts as <g_k, x> + (mu / 2) |x - x_k|^2. The arrival rule is handed the slope of that at the
    origin, g_k - mu x_k; its step knows the curvature.

    Args:
        arrivals: The arrival rule.
        dim: Dimension of the decisions.
        curvature: mu.
    """

    arrivals: ArrivalRule
    dim: int
    curvature: float


class PolicyState(NamedTuple):
    """The arrival rule's state. An estimator has no state: what it must remember of a round is in the round's memo."""

    arrivals: State


@interface.on(Direct)
def direct_interface(policy: Direct) -> Interface:
    """One point is played, the gradient there is told, and nothing is remembered."""
    return Interface(1, "gradient", policy.dim, 0, 0, regulariser=policy.regulariser)


@play.on(Direct)
def play_direct(policy: Direct, state: PolicyState, ledger: Ledger, desk: Desk) -> None:
    decision(policy.arrivals, state.arrivals, desk.points[0])


@receive.on(Direct)
def receive_direct(
    policy: Direct, state: PolicyState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Hand the gradient to the arrival rule as it is."""
    absorb(policy.arrivals, state.arrivals, ledger, feedback)


@add_up.on(Direct)
def add_up_direct(policy: Direct, feedback: Vector, memo: Vector, scratch: Vector, fresh: bool, total: Vector) -> None:
    add_onto(total, feedback, fresh)


@interface.on(Surrogate)
def surrogate_interface(policy: Surrogate) -> Interface:
    """One point is played, the gradient there is told, and the point is remembered."""
    return Interface(1, "gradient", policy.dim, policy.dim, policy.dim)


@play.on(Surrogate)
def play_surrogate(policy: Surrogate, state: PolicyState, ledger: Ledger, desk: Desk) -> None:
    """Play the decision, and remember it."""
    decision(policy.arrivals, state.arrivals, desk.points[0])
    decision(policy.arrivals, state.arrivals, desk.memo)


@receive.on(Surrogate)
def receive_surrogate(
    policy: Surrogate, state: PolicyState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Hand the slope of the bowl at the origin to the arrival rule."""
    slope = scratch[: policy.dim]
    subtract_scaled(feedback, policy.curvature, memo[: policy.dim], slope)
    absorb(policy.arrivals, state.arrivals, ledger, slope)


@add_up.on(Surrogate)
def add_up_surrogate(
    policy: Surrogate, feedback: Vector, memo: Vector, scratch: Vector, fresh: bool, total: Vector
) -> None:
    slope = scratch[: policy.dim]
    subtract_scaled(feedback, policy.curvature, memo[: policy.dim], slope)
    add_onto(total, slope, fresh)


@interface.on(Estimated)
def estimated_interface(policy: Estimated) -> Interface:
    """That of the estimator, with room for a decision or a gradient in front of its own scratch."""
    inner = interface(policy.estimator)
    return inner._replace(scratch_size=policy.dim + inner.scratch_size)


@begin.on(Direct, Surrogate, Estimated)
def begin_policy(policy: Direct | Surrogate | Estimated, initial: Vector) -> PolicyState:
    return PolicyState(begin(policy.arrivals, initial))


@decision.on(Direct, Surrogate, Estimated)
def policy_decision(policy: Direct | Surrogate | Estimated, state: PolicyState, out: Vector) -> None:
    decision(policy.arrivals, state.arrivals, out)


@play.on(Estimated)
def play_estimated(policy: Estimated, state: PolicyState, ledger: Ledger, desk: Desk) -> None:
    centre = desk.scratch[: policy.dim]
    decision(policy.arrivals, state.arrivals, centre)
    probe(policy.estimator, centre, desk.rng, desk.scratch[policy.dim :], desk.points, desk.memo)


@receive.on(Estimated)
def receive_estimated(
    policy: Estimated, state: PolicyState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    gradient = scratch[: policy.dim]
    estimate(policy.estimator, feedback, memo, scratch[policy.dim :], gradient)
    absorb(policy.arrivals, state.arrivals, ledger, gradient)


@add_up.on(Estimated)
def add_up_estimated(
    policy: Estimated, feedback: Vector, memo: Vector, scratch: Vector, fresh: bool, total: Vector
) -> None:
    gradient = scratch[: policy.dim]
    estimate(policy.estimator, feedback, memo, scratch[policy.dim :], gradient)
    add_onto(total, gradient, fresh)


@settle.on(Direct, Surrogate, Estimated)
def settle_policy(policy: Direct | Surrogate | Estimated, state: PolicyState, ledger: Ledger) -> None:
    settle(policy.arrivals, state.arrivals, ledger)


@adds_up.on(Direct, Surrogate, Estimated)
def policy_adds_up(policy: Direct | Surrogate | Estimated) -> bool:
    """Whether the arrival rule does."""
    return adds_up(policy.arrivals)


@settle_sum.on(Direct, Surrogate, Estimated)
def settle_policy_sum(
    policy: Direct | Surrogate | Estimated, state: PolicyState, ledger: Ledger, total: Vector
) -> None:
    settle_sum(policy.arrivals, state.arrivals, ledger, total)
