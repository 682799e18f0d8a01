r"""Regret matching plus: shares in proportion to what one regrets not to have done.

The policy behind :mod:`~.algorithms.dorm_plus`, where the formula is. A round remembers the shares with which it
was played, since the regret r_k = <g_k, w_k> - g_k is about these.
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.core.vectors import copy_into
from belated.domains.simplex import Simplex
from belated.learners.parts.policies.hints import context_size, guess
from belated.learners.parts.steps.entropy import shares, spread
from belated.learners.verbs import Interface, Rng, begin, decision, interface, play, receive, settle


class RegretMatching(NamedTuple):
    """Shares of the corners of a simplex, matched to their regrets and to a hint at the missing ones."""

    domain: Simplex
    dim: int
    hint: Any


class RegretMatchingState(NamedTuple):
    """x_t, x_1 and its shares; p_t, to which regrets are added as they come; h_t; the last regret received."""

    decision: Vector
    initial: Vector
    prior: Vector
    regret: Vector
    hint: Vector
    last: Vector


@interface.on(RegretMatching)
def matching_interface(policy: RegretMatching) -> Interface:
    """One point, its gradient; the hint that is given, and the shares, are remembered."""
    context = context_size(policy.hint, policy.dim)
    return Interface(1, "gradient", policy.dim, context + policy.dim, policy.dim, context_size=context)


@begin.on(RegretMatching)
def begin_matching(policy: RegretMatching, initial: Vector) -> RegretMatchingState:
    """Nothing is regretted."""
    nothing = np.zeros(initial.size)
    return RegretMatchingState(
        initial.copy(), initial.copy(), shares(policy.domain, initial), nothing, nothing.copy(), nothing.copy()
    )


@decision.on(RegretMatching)
def matching_decision(policy: RegretMatching, state: RegretMatchingState, out: Vector) -> None:
    """x_t."""
    copy_into(state.decision, out)


@receive.on(RegretMatching)
def receive_matching(
    policy: RegretMatching, state: RegretMatchingState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Add the regret of the round; what is below zero is cut off only when the next round is played."""
    n = policy.dim
    weights = memo[memo.size - n :]
    suffered = dot(weights, feedback)
    for i in range(n):
        state.last[i] = suffered - feedback[i]
        state.regret[i] += state.last[i]


@settle.on(RegretMatching)
def settle_matching(policy: RegretMatching, state: RegretMatchingState, ledger: Ledger) -> None:
    """The hint is not known before the next round is played."""


@play.on(RegretMatching)
def play_matching(
    policy: RegretMatching,
    state: RegretMatchingState,
    ledger: Ledger,
    rng: Rng,
    scratch: Vector,
    points: Matrix,
    memo: Vector,
) -> None:
    """Exchange the old hint for the new one, cut off, and match."""
    n = policy.dim
    hint = scratch[:n]
    weights = memo[memo.size - n :]
    guess(policy.hint, state.last, ledger.in_flight, memo, hint)
    total = 0.0
    for i in range(n):
        regret = float(state.regret[i]) + (float(hint[i]) - float(state.hint[i]))
        state.regret[i] = regret if regret > 0.0 else 0.0
        state.hint[i] = hint[i]
        total += float(state.regret[i])
    if total > 0.0:
        for i in range(n):
            weights[i] = state.regret[i] / total
        spread(policy.domain, weights, state.decision)
    else:
        copy_into(state.prior, weights)
        copy_into(state.initial, state.decision)
    decision(policy, state, points[0])
