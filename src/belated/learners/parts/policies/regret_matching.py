r"""Regret matching: shares in proportion to what one regrets not to have done, and to a hint at what is missing.

======================  =======================================================  ===============================
part                    shares in proportion to                                  used by
======================  =======================================================  ===============================
``RegretMatching``      max(0, R + h), R the sum of the regrets that came        :mod:`~.algorithms.dorm`
``RegretMatchingPlus``  p = max(0, p + regrets that came + h - the hint before)  :mod:`~.algorithms.dorm_plus`
======================  =======================================================  ===============================

A round remembers the shares with which it was played, since the regret r_k = <g_k, w_k> - g_k is about these. Where
there is nothing above zero the first decision is played.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.core.vectors import copy_into
from belated.core.verbs import compilable
from belated.domains.simplex import Simplex
from belated.learners.parts.policies.hints import Hint, context_size, guess
from belated.learners.parts.steps.entropy import shares, spread
from belated.learners.verbs import Interface, Rng, begin, decision, interface, play, receive, settle


class RegretMatching(NamedTuple):
    """Shares of the corners of a simplex, matched to the sum of their regrets and a hint at the missing ones."""

    domain: Simplex
    dim: int
    hint: Hint


class RegretMatchingPlus(NamedTuple):
    """The same with regrets that are cut off at zero in every round, so that none has to be made up for."""

    domain: Simplex
    dim: int
    hint: Hint


Matching = RegretMatching | RegretMatchingPlus


class RegretMatchingState(NamedTuple):
    """x_t, x_1 and its shares; R or p_t, to which regrets are added as they come; h_t; the last regret received."""

    decision: Vector
    initial: Vector
    prior: Vector
    regret: Vector
    hint: Vector
    last: Vector


@interface.on(RegretMatching, RegretMatchingPlus)
def matching_interface(policy: Matching) -> Interface:
    """One point, its gradient; the hint that is given, and the shares, are remembered."""
    context = context_size(policy.hint, policy.dim)
    return Interface(1, "gradient", policy.dim, context + policy.dim, policy.dim, context_size=context)


@begin.on(RegretMatching, RegretMatchingPlus)
def begin_matching(policy: Matching, initial: Vector) -> RegretMatchingState:
    """Nothing is regretted or hinted at yet."""
    nothing = np.zeros(initial.size)
    return RegretMatchingState(
        initial.copy(), initial.copy(), shares(policy.domain, initial), nothing, nothing.copy(), nothing.copy()
    )


@decision.on(RegretMatching, RegretMatchingPlus)
def matching_decision(policy: Matching, state: RegretMatchingState, out: Vector) -> None:
    """The decision x_t, as it was played."""
    copy_into(state.decision, out)


@receive.on(RegretMatching, RegretMatchingPlus)
def receive_matching(
    policy: Matching, state: RegretMatchingState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Add the regret of the round; what is below zero is not cut off before the next round is played."""
    n = policy.dim
    weights = memo[memo.size - n :]
    suffered = dot(weights, feedback)
    for i in range(n):
        state.last[i] = suffered - feedback[i]
        state.regret[i] += state.last[i]


@settle.on(RegretMatching, RegretMatchingPlus)
def settle_matching(policy: Matching, state: RegretMatchingState, ledger: Ledger) -> None:
    """The hint is not known before the next round is played."""


@compilable
def match(policy: Matching, state: RegretMatchingState, aim: Vector, weights: Vector) -> None:
    """Write the shares that are in proportion to ``aim``, which is not negative, and make the decision of them."""
    total = 0.0
    for i in range(aim.size):
        total += float(aim[i])
    if total > 0.0:
        for i in range(aim.size):
            weights[i] = aim[i] / total
        spread(policy.domain, weights, state.decision)
    else:
        copy_into(state.prior, weights)
        copy_into(state.initial, state.decision)


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
    """Match to what is above zero of the sum and the hint, and keep the sum as it is."""
    n = policy.dim
    aim = scratch[:n]
    guess(policy.hint, state.last, ledger.in_flight, memo, state.hint)
    for i in range(n):
        regret = float(state.regret[i]) + float(state.hint[i])
        aim[i] = regret if regret > 0.0 else 0.0
    match(policy, state, aim, memo[memo.size - n :])
    decision(policy, state, points[0])


@play.on(RegretMatchingPlus)
def play_matching_plus(
    policy: RegretMatchingPlus,
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
    guess(policy.hint, state.last, ledger.in_flight, memo, hint)
    for i in range(n):
        regret = float(state.regret[i]) + (float(hint[i]) - float(state.hint[i]))
        state.regret[i] = regret if regret > 0.0 else 0.0
        state.hint[i] = hint[i]
    match(policy, state, state.regret, memo[memo.size - n :])
    decision(policy, state, points[0])
