r"""Regret matching: each corner of a simplex has a share in proportion to its regret, as far as that is positive.

The regret of a corner is how much less would have been lost by playing it alone. A hint h guesses the sum of the
regrets that are missing (:mod:`~.policies.hints`).

======================  =======================================================  ===============================
part                    shares in proportion to                                  used by
======================  =======================================================  ===============================
``RegretMatching``      max(0, R + h), R the sum of the regrets that came        :mod:`~.algorithms.dorm`
``RegretMatchingPlus``  p = max(0, p + regrets that came + h - the hint before)  :mod:`~.algorithms.dorm_plus`
======================  =======================================================  ===============================

A round remembers the shares w_k with which it was played, because its regrets are r_k = <g_k, w_k> - g_k. Where no
corner has anything above zero, the first decision is played.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.core.vectors import copy_into
from belated.core.verbs import compilable
from belated.domains.simplex import Simplex
from belated.learners.parts.policies.hints import Hint, context_size, guess
from belated.learners.parts.steps.entropy import shares, spread
from belated.learners.verbs import Desk, Interface, begin, decision, interface, play, receive, settle


class RegretMatching(NamedTuple):
    """Shares of the corners of a simplex, matched to the sum of their regrets and a hint at the missing ones."""

    domain: Simplex
    dim: int
    hint: Hint


class RegretMatchingPlus(NamedTuple):
    """The same with sums that are cut off at zero in every round, so that no corner has to make up for a bad past."""

    domain: Simplex
    dim: int
    hint: Hint


Matching = RegretMatching | RegretMatchingPlus


class RegretMatchingState(NamedTuple):
    """x_t; x_1 and its shares; the sum R, or p_t, to which regrets are added as they come; h_t; the last regrets."""

    decision: Vector
    initial: Vector
    prior: Vector
    regret: Vector
    hint: Vector
    last: Vector


@interface.on(RegretMatching, RegretMatchingPlus)
def matching_interface(policy: Matching) -> Interface:
    """One point is played and its gradient told; a hint that the caller gives, and the shares, are remembered."""
    context = context_size(policy.hint, policy.dim)
    return Interface(1, "gradient", policy.dim, context + policy.dim, policy.dim, context_size=context)


@begin.on(RegretMatching, RegretMatchingPlus)
def begin_matching(policy: Matching, initial: Vector) -> RegretMatchingState:
    """No regrets, and no hint yet."""
    nothing = np.zeros(initial.size)
    return RegretMatchingState(
        initial.copy(), initial.copy(), shares(policy.domain, initial), nothing, nothing.copy(), nothing.copy()
    )


@decision.on(RegretMatching, RegretMatchingPlus)
def matching_decision(policy: Matching, state: RegretMatchingState, out: Vector) -> None:
    """Write the decision x_t, as it was played."""
    copy_into(state.decision, out)


@receive.on(RegretMatching, RegretMatchingPlus)
def receive_matching(
    policy: Matching, state: RegretMatchingState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Add the regrets of the round. They are cut off at zero, if at all, when the next round is played."""
    n = policy.dim
    weights = memo[memo.size - n :]
    suffered = dot(weights, feedback)
    for i in range(n):
        state.last[i] = suffered - feedback[i]
        state.regret[i] += state.last[i]


@settle.on(RegretMatching, RegretMatchingPlus)
def settle_matching(policy: Matching, state: RegretMatchingState, ledger: Ledger) -> None:
    """Do nothing: the decision needs the hint, which is known when the next round is played."""


@compilable
def match(policy: Matching, state: RegretMatchingState, aim: Vector, weights: Vector) -> None:
    """Write into ``weights`` the shares in proportion to ``aim``, whose entries are >= 0, and update the decision."""
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
def play_matching(policy: RegretMatching, state: RegretMatchingState, ledger: Ledger, desk: Desk) -> None:
    """Play shares in proportion to max(0, R + h); R itself is not cut off."""
    n = policy.dim
    aim = desk.scratch[:n]
    guess(policy.hint, state.last, ledger.in_flight, desk.memo, state.hint)
    for i in range(n):
        regret = float(state.regret[i]) + float(state.hint[i])
        aim[i] = regret if regret > 0.0 else 0.0
    match(policy, state, aim, desk.memo[desk.memo.size - n :])
    decision(policy, state, desk.points[0])


@play.on(RegretMatchingPlus)
def play_matching_plus(policy: RegretMatchingPlus, state: RegretMatchingState, ledger: Ledger, desk: Desk) -> None:
    """Take the old hint out of p, put the new one in, cut p off at zero, and play shares in proportion to it."""
    n = policy.dim
    hint = desk.scratch[:n]
    guess(policy.hint, state.last, ledger.in_flight, desk.memo, hint)
    for i in range(n):
        regret = float(state.regret[i]) + (float(hint[i]) - float(state.hint[i]))
        state.regret[i] = regret if regret > 0.0 else 0.0
        state.hint[i] = hint[i]
    match(policy, state, state.regret, desk.memo[desk.memo.size - n :])
    decision(policy, state, desk.points[0])
