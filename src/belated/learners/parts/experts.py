r"""Experts: many descents at different rates, and delayed Hedge to find out which of them is right.

The policy behind :mod:`~belated.learners.mild_ogd`, where the formula is. Every gradient moves every expert at once, in
order of arrival. A round remembers where all of them have been, because that is what its gradient judges.
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger, after_play
from belated.core.reductions import dot
from belated.domains.arithmetic import copy_into
from belated.domains.base import Domain, project
from belated.learners.parts.descent import Descent, DescentState
from belated.learners.parts.entropy import soften
from belated.learners.parts.rates import Constant
from belated.learners.parts.weights import weigh
from belated.learners.verbs import Shape, begin, decision, move, play, receive, settle, shape


class Experts(NamedTuple):
    """A descent at each of the rates; ``prior`` are their shares at first, ``weight`` is how strongly these hold."""

    domain: Domain
    dim: int
    rates: Vector
    prior: Vector
    weight: Any


class ExpertsState(NamedTuple):
    """x_t; the decisions of the experts, a row each; what each has lost, and its share; what the weight remembers."""

    decision: Vector
    decisions: Matrix
    losses: Vector
    weights: Vector
    spent: Vector


@shape.on(Experts)
def experts_shape(policy: Experts) -> Shape:
    """One point, its gradient; all decisions are remembered."""
    return Shape(1, "gradient", policy.dim, policy.rates.size * policy.dim, policy.dim + 1)


@begin.on(Experts)
def begin_experts(policy: Experts, initial: Vector) -> ExpertsState:
    """All start at the same point."""
    decisions, spent = np.tile(initial, (policy.rates.size, 1)), np.zeros(1)
    weigh(policy.weight, spent, after_play(Ledger()))
    return ExpertsState(initial.copy(), decisions, np.zeros(policy.rates.size), policy.prior.copy(), spent)


@decision.on(Experts)
def experts_decision(policy: Experts, state: ExpertsState, out: Vector) -> None:
    """x_t."""
    copy_into(state.decision, out)


@play.on(Experts)
def play_experts(
    policy: Experts,
    state: ExpertsState,
    ledger: Ledger,
    rng: np.random.Generator | None,
    scratch: Vector,
    points: Matrix,
    memo: Vector,
) -> None:
    """Play the mean, and remember who said what."""
    decision(policy, state, points[0])
    n = policy.dim
    for i in range(policy.rates.size):
        copy_into(state.decisions[i], memo[i * n : (i + 1) * n])


@receive.on(Experts)
def receive_experts(
    policy: Experts, state: ExpertsState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Charge every expert with its own decision of that round, and move it."""
    n = policy.dim
    for i in range(policy.rates.size):
        state.losses[i] += dot(feedback, memo[i * n : (i + 1) * n])
        expert = Descent(policy.domain, Constant(1.0 / float(policy.rates[i])))
        move(expert, DescentState(state.decisions[i], scratch[:n], scratch[n : n + 1]), ledger, feedback)


@settle.on(Experts)
def settle_experts(policy: Experts, state: ExpertsState, ledger: Ledger) -> None:
    """The mean of the experts with the shares of the next round; the first decision until something has arrived."""
    weight = weigh(policy.weight, state.spent, after_play(ledger))
    if ledger.received == 0:
        return
    soften(policy.prior, state.losses, weight, state.weights)
    for j in range(policy.dim):
        mean = 0.0
        for i in range(policy.rates.size):
            mean += float(state.weights[i]) * float(state.decisions[i, j])
        state.decision[j] = mean
    project(policy.domain, state.decision, state.decision)  # a mean of elements is one, but for rounding
