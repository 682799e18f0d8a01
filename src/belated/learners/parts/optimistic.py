r"""The optimistic entropic leader: it follows what has come and, by a hint, what has not.

The policy behind :mod:`~belated.learners.odaftrl`, where the formula is. The hint belongs to the round that is played,
so the decision is made when the round is.
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.domains.arithmetic import copy_into
from belated.domains.simplex import Simplex
from belated.learners.parts.entropy import shares, soften, spread
from belated.learners.parts.hints import context_size, guess
from belated.learners.parts.tunings import REMEMBERED, learn, mark, mark_size
from belated.learners.parts.weights import weigh
from belated.learners.verbs import Rng, Shape, begin, decision, play, receive, settle, shape


class Optimistic(NamedTuple):
    """The leader of what is received and of a hint, held at the first decision by a tuned amount of entropy."""

    domain: Simplex
    dim: int
    tuning: Any
    hint: Any


class OptimisticState(NamedTuple):
    """x_t, x_1 and its shares; Z; the last gradient; the last lambda_t; what the tuning remembers."""

    decision: Vector
    initial: Vector
    prior: Vector
    linear: Vector
    last: Vector
    held: Vector
    spent: Vector


@shape.on(Optimistic)
def optimistic_shape(policy: Optimistic) -> Shape:
    """One point, its gradient; the hint that is given, and what the tuning marks, are remembered."""
    n = policy.dim
    context = context_size(policy.hint, n)
    return Shape(1, "gradient", n, context + mark_size(policy.tuning, n), 4 * n, context_size=context)


@begin.on(Optimistic)
def begin_optimistic(policy: Optimistic, initial: Vector) -> OptimisticState:
    """Nothing received."""
    nothing, prior = np.zeros(initial.size), shares(policy.domain, initial)
    return OptimisticState(
        initial.copy(), initial.copy(), prior, nothing, nothing.copy(), np.zeros(1), np.zeros(REMEMBERED)
    )


@decision.on(Optimistic)
def optimistic_decision(policy: Optimistic, state: OptimisticState, out: Vector) -> None:
    """x_t."""
    copy_into(state.decision, out)


@receive.on(Optimistic)
def receive_optimistic(
    policy: Optimistic, state: OptimisticState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Add it, and let the tuning look at it."""
    for i in range(policy.dim):
        state.linear[i] += feedback[i]
        state.last[i] = feedback[i]
    marked = memo[memo.size - mark_size(policy.tuning, policy.dim) :]
    learn(policy.tuning, state.spent, state.prior, state.linear, feedback, marked, scratch)


@settle.on(Optimistic)
def settle_optimistic(policy: Optimistic, state: OptimisticState, ledger: Ledger) -> None:
    """The hint is not known before the next round is played."""


@play.on(Optimistic)
def play_optimistic(
    policy: Optimistic, state: OptimisticState, ledger: Ledger, rng: Rng, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """Aim at what is received and guessed; with nothing to aim at, play the first decision."""
    n = policy.dim
    aim, weights = scratch[:n], scratch[n : 2 * n]
    guess(policy.hint, state.last, ledger.in_flight, memo, aim)
    somewhere = False
    for i in range(n):
        aim[i] += state.linear[i]
        somewhere = somewhere or aim[i] != 0.0
    weight = weigh(policy.tuning, state.spent, ledger)
    state.held[0] = weight
    if somewhere:
        soften(state.prior, aim, weight, weights)
        spread(policy.domain, weights, state.decision)
    else:
        copy_into(state.initial, state.decision)
    mark(policy.tuning, state.spent, aim, weight, memo[memo.size - mark_size(policy.tuning, n) :])
    decision(policy, state, points[0])
