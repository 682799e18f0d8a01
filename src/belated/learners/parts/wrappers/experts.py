r"""Experts: several learners that decide in every round and are told the same gradients, weighed by delayed Hedge.

.. math::

    x_t = \sum_i w_{t,i}\, x_t^i, \qquad
    w_{t,i} \propto p_i \exp\Bigl(-\frac{1}{\lambda_t} \sum_{k \text{ received}} \ell_k(x_k^i)\Bigr), \qquad
    \ell_k(x) = \langle g_k, x \rangle + \tfrac{\mu}{2} \|x\|^2

==========  ======================  ==============================================================================
symbol      code                    meaning
==========  ======================  ==============================================================================
x_k^i       ``decisions``, memo     the decision of expert i in round k, by which the gradient of round k charges it
p           ``prior``               the shares of the experts in the first round
lambda_t    ``weight``              how strongly p holds: :mod:`belated.learners.parts.rates.weights`
mu          ``regulariser``         of the part (mu / 2) \|x\|^2 of the losses that the experts know; 0 if there is none
==========  ======================  ==============================================================================

Every expert receives g_k, with its own memo of round k. Experts whose policies are of one kind, such as one learner at
several rates, are ``Alike``: their states are a stack, and compiled code has one loop for all of them, however many
they are. Experts of different kinds are joined two by two in ``Both``, so that their kinds are known to the compiler.
Either behaves as a policy that plays one point for each expert, and whose memo has those of the experts one after the
other. Each of these begins with the context of the round, if there is one.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import groupby
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.compiling import layout
from belated.core.ledger import Ledger, after_play
from belated.core.reductions import dot
from belated.core.stacks import joined, level, stacked
from belated.core.vectors import copy_into
from belated.domains.base import Domain, project
from belated.learners.parts.rates.weights import Weight, weigh
from belated.learners.parts.steps.entropy import soften
from belated.learners.playing.state import named_arrays
from belated.learners.verbs import Desk, Interface, Policy, State, begin, decision, interface, play, receive, settle


class Alike(NamedTuple):
    """Experts whose policies are of one class, and whose states differ in nothing but their numbers."""

    policies: tuple[Policy, ...]
    context_size: int


class Both(NamedTuple):
    """Two groups of experts; ``split`` is how many the first has, ``memo_split`` how many numbers their memos have."""

    first: Policy
    rest: Policy
    split: int
    memo_split: int
    context_size: int


class BothState(NamedTuple):
    """The state of the first group, and that of the rest."""

    first: State
    rest: State


def gathered(policies: Sequence[Policy], domain: Domain) -> Policy:
    """One policy for all of ``policies``, in their order; neighbours of one kind become one ``Alike``."""

    def kind(policy: Policy) -> tuple[object, ...]:
        arrays = named_arrays(begin(policy, domain.centre), "")
        return layout(policy), interface(policy), [array.shape for _, array in arrays]

    groups: list[Policy] = [_alike(tuple(group)) for _, group in groupby(policies, kind)]
    return reduce(_both, reversed(groups))


def _alike(policies: tuple[Policy, ...]) -> Alike:
    return Alike(policies, interface(policies[0]).context_size)


def _both(rest: Policy, first: Policy) -> Both:
    before = interface(first)
    return Both(first, rest, before.queries, before.memo_size, before.context_size)


@interface.on(Alike)
def alike_interface(policy: Alike) -> Interface:
    """One point and one memo for each policy."""
    number, inner = len(policy.policies), interface(policy.policies[0])
    return inner._replace(queries=number, memo_size=number * inner.memo_size)


@begin.on(Alike)
def begin_alike(policy: Alike, initial: Vector) -> State:
    """A stack of the first states of all policies."""
    return reduce(joined, [stacked(begin(each, initial), 1) for each in policy.policies])


@play.on(Alike)
def play_alike(policy: Alike, state: State, ledger: Ledger, desk: Desk) -> None:
    """Let each policy play its own point."""
    size = desk.memo.size // len(policy.policies)
    for i in range(len(policy.policies)):
        own = desk.memo[i * size : (i + 1) * size]
        copy_into(desk.memo[: policy.context_size], own)
        play(policy.policies[i], level(state, i), ledger, Desk(desk.rng, desk.scratch, desk.points[i : i + 1], own))


@receive.on(Alike)
def receive_alike(policy: Alike, state: State, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector) -> None:
    size = memo.size // len(policy.policies)
    for i in range(len(policy.policies)):
        own = memo[i * size : (i + 1) * size]
        receive(policy.policies[i], level(state, i), ledger, feedback, own, scratch)


@settle.on(Alike)
def settle_alike(policy: Alike, state: State, ledger: Ledger) -> None:
    for i in range(len(policy.policies)):
        settle(policy.policies[i], level(state, i), ledger)


@interface.on(Both)
def both_interface(policy: Both) -> Interface:
    """The points and memos of both groups; scratch for the one that needs more."""
    first, rest = interface(policy.first), interface(policy.rest)
    return first._replace(
        queries=first.queries + rest.queries,
        memo_size=first.memo_size + rest.memo_size,
        scratch_size=max(first.scratch_size, rest.scratch_size),
        draws=first.draws or rest.draws,
    )


@begin.on(Both)
def begin_both(policy: Both, initial: Vector) -> BothState:
    """All begin at the same decision."""
    return BothState(begin(policy.first, initial), begin(policy.rest, initial))


@play.on(Both)
def play_both(policy: Both, state: BothState, ledger: Ledger, desk: Desk) -> None:
    """Let the first group play, then the rest."""
    here = policy.memo_split
    copy_into(desk.memo[: policy.context_size], desk.memo[here:])
    play(policy.first, state.first, ledger, Desk(desk.rng, desk.scratch, desk.points[: policy.split], desk.memo[:here]))
    play(policy.rest, state.rest, ledger, Desk(desk.rng, desk.scratch, desk.points[policy.split :], desk.memo[here:]))


@receive.on(Both)
def receive_both(
    policy: Both, state: BothState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    receive(policy.first, state.first, ledger, feedback, memo[: policy.memo_split], scratch)
    receive(policy.rest, state.rest, ledger, feedback, memo[policy.memo_split :], scratch)


@settle.on(Both)
def settle_both(policy: Both, state: BothState, ledger: Ledger) -> None:
    settle(policy.first, state.first, ledger)
    settle(policy.rest, state.rest, ledger)


class Advice(NamedTuple):
    """The mean of the experts' decisions; ``prior`` has their first shares, ``weight`` says how strongly these hold."""

    experts: Policy
    domain: Domain
    dim: int
    prior: Vector
    weight: Weight
    regulariser: float = 0.0


class AdviceState(NamedTuple):
    """The experts' state; x_t; their decisions, one in each row; what each has lost; w_t; what the weight remembers."""

    experts: State
    decision: Vector
    decisions: Matrix
    losses: Vector
    weights: Vector
    spent: Vector


@interface.on(Advice)
def advice_interface(policy: Advice) -> Interface:
    """One point is played, its gradient told; behind the experts' memos, their decisions are remembered."""
    inner = interface(policy.experts)
    return inner._replace(queries=1, memo_size=inner.memo_size + policy.prior.size * policy.dim)


@begin.on(Advice)
def begin_advice(policy: Advice, initial: Vector) -> AdviceState:
    """All experts start at the same decision; the weight is shown that the first round is played."""
    number, spent = policy.prior.size, np.zeros(1)
    weigh(policy.weight, spent, after_play(Ledger()))
    decisions, experts = np.tile(initial, (number, 1)), begin(policy.experts, initial)
    return AdviceState(experts, initial.copy(), decisions, np.zeros(number), policy.prior.copy(), spent)


@decision.on(Advice)
def advice_decision(policy: Advice, state: AdviceState, out: Vector) -> None:
    copy_into(state.decision, out)


@play.on(Advice)
def play_advice(policy: Advice, state: AdviceState, ledger: Ledger, desk: Desk) -> None:
    """Let every expert decide, remember the decisions, and play their mean.

    The mean is computed as the first decision plus weighted differences, so that it is exact where all agree.
    """
    said = desk.memo.size - policy.prior.size * policy.dim
    play(policy.experts, state.experts, ledger, Desk(desk.rng, desk.scratch, state.decisions, desk.memo[:said]))
    for i in range(policy.prior.size):
        copy_into(state.decisions[i], desk.memo[said + i * policy.dim :])
    agreed = True
    for j in range(policy.dim):
        first = float(state.decisions[0, j])
        mean = first
        for i in range(1, policy.prior.size):
            mean += float(state.weights[i]) * (float(state.decisions[i, j]) - first)
        state.decision[j] = mean
        agreed = agreed and mean == first
    if not agreed:
        project(policy.domain, state.decision, state.decision)  # a mean of elements is one, but for rounding
    copy_into(state.decision, desk.points[0])


@receive.on(Advice)
def receive_advice(
    policy: Advice, state: AdviceState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Charge every expert with the loss of its decision in that round, and hand it the gradient."""
    said = memo.size - policy.prior.size * policy.dim
    for i in range(policy.prior.size):
        there = memo[said + i * policy.dim : said + (i + 1) * policy.dim]
        loss = dot(feedback, there)
        if policy.regulariser > 0.0:
            loss += 0.5 * policy.regulariser * dot(there, there)
        state.losses[i] += loss
    receive(policy.experts, state.experts, ledger, feedback, memo[:said], scratch)


@settle.on(Advice)
def settle_advice(policy: Advice, state: AdviceState, ledger: Ledger) -> None:
    """Let the experts end their round, and compute the shares of the next one."""
    settle(policy.experts, state.experts, ledger)
    weight = weigh(policy.weight, state.spent, after_play(ledger))
    if ledger.received > 0:
        soften(policy.prior, state.losses, weight, state.weights)
