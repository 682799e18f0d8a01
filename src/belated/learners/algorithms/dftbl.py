r"""D-FTBL: delayed follow-the-bandit-leader, from one function value per round, in blocks.

Block m has the rounds (m - 1) K + 1, ..., m K, in which the points y_m + delta u_t are played. At its end

.. math:: y_{m+1} = \arg\min_{y \in X_\delta} \Bigl\langle \sum_{j \text{ complete}} \; \sum_{k \in \text{block } j}
          \tilde g_k, y \Bigr\rangle + \frac{1}{2 \eta} \|y - y_1\|^2, \qquad
          \tilde g_k = \frac{n}{\delta} f_k(y_{m(k)} + \delta u_k) u_k

A block is complete when the feedback of all of its K rounds has been received. X_delta is ``domain.shrink(delta)``: its
elements stay in the domain when they are moved by delta within its hull.

======  ======================  ====================================================================================
symbol  code                    meaning
======  ======================  ====================================================================================
f_k     ``tell(value, round)``  the loss of round k at ``play.point``, which is not the decision
u_k     drawn by ``ask``        uniform on the unit sphere (of the directions in the domain's hull)
n       ``hull_dim``            the number of these directions: the dimension for a set with interior
delta   ``probe_radius``        how far from the decision the loss is looked at
K       ``block_length``        rounds per block; of the order of sqrt(T)
eta     ``rate``                1 / eta is how strongly the leader is held near y_1
======  ======================  ====================================================================================

Source: Wan and others 2024: O(sqrt(n) T^(3/4) + sqrt(d T)) expected regret, d the largest delay, in its abstract. The
blocks are known here only *second-hand*, from a later paper of the same group; how the source chooses eta and delta
is not reproduced. Derived here, for a start at the centre, |f| at most M, losses that change by at most L times the
distance, G = n M / delta, s = ceil((d - 1) / K) and T a multiple of K: at most
R^2 / (2 eta) + eta T ((G^2 + K L^2) / 2 + L (G sqrt(s K) + s K L)) + delta T (L + L R / r),
which is of the source's order at its best eta with K = sqrt(T) and delta of the order sqrt(n) T^(-1/4).

Must be known: T and d for eta, K and delta; and the *round* of each feedback. Losses and delays must not react to the
directions drawn.

Pitfalls: a single feedback that never comes loses its whole block, unless its round is given up
(``player.give_up``); a last block that is cut short never counts.
:mod:`~.algorithms.one_point_dda` has the same order without blocks, and needs no d.

How it is computed: the sums of incomplete blocks lie in the rows of a table that grows (``full``, ``enlarged``).
``free`` is a stack of its unused rows: the entries from ``open`` on. A round remembers the row of its block, which no
other block uses until this one is complete. At the end of each block the step moves once, by the sums of the blocks
that were completed since the end of the block before.

>>> from belated.domains import Box
>>> player = dftbl(Box([-1.0], [1.0]), rate=0.125, block_length=2, probe_radius=0.5).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([1.0], round=1)
>>> player.tell([0.0], round=2)                     # now the block is complete, and just over: its sum is 2 u_1
>>> (player.ask().decision - first.decision) / (first.point - first.decision)
array([-0.5])
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.verbs import compilable
from belated.domains.base import Domain
from belated.learners.algorithms.one_point_dda import one_point_dda_probe_radius
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, checked_probe_radius
from belated.learners.parts.estimators import one_point, typical_probe_radius
from belated.learners.parts.rates.weights import ConstantWeight
from belated.learners.parts.steps.leader import Flat, leader
from belated.learners.verbs import (
    Desk,
    Estimator,
    Interface,
    State,
    Step,
    begin,
    decision,
    enlarged,
    estimate,
    forget,
    full,
    interface,
    move,
    play,
    probe,
    receive,
    settle,
)


def dftbl(domain: Domain, rate: float, block_length: int, probe_radius: float) -> Learner:
    """Follow the leader of the complete blocks, behind the one-point estimator (Wan and others 2024).

    Args:
        domain: The set that decisions come from; any domain.
        rate: eta > 0 of the leader.
        block_length: Rounds K per block, of the order of sqrt(T).
        probe_radius: How far from the decision the loss is looked at, delta; smaller than the inner radius of the
            domain.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    delta = checked_probe_radius("dftbl", domain, probe_radius)
    inside, weight = domain.shrink(delta), ConstantWeight(1.0 / checks.moderate("dftbl", "rate", rate))
    length = checks.count("dftbl", "block_length", block_length)
    blocks = CompleteBlocks(one_point(domain, delta), leader(inside, Flat(), weight), domain.dim, length)
    return Learner("dftbl", domain, inside, blocks)


FIRST_ROOM = 8
"""How many rows a new table has."""


class CompleteBlocks(NamedTuple):
    """A step behind an estimator, for blocks of ``length`` rounds and decisions of ``dim`` numbers."""

    estimator: Estimator
    step: Step
    dim: int
    length: int


class BlocksState(NamedTuple):
    """The step's state; how many blocks were completed during this one, and their sum; the table of incomplete blocks.

    ``row`` is the row of the present block. ``counts`` and ``sums`` have, for the block of each row, the number of
    rounds that are not waited for any more, and the sum of their estimates.
    """

    step: State
    completed: Integers
    ready: Vector
    row: Integers
    open: Integers
    free: Integers
    counts: Integers
    sums: Matrix


@interface.on(CompleteBlocks)
def blocks_interface(policy: CompleteBlocks) -> Interface:
    """That of the estimator; the row of the block is remembered as well."""
    inner = interface(policy.estimator)
    return inner._replace(memo_size=inner.memo_size + 1, scratch_size=policy.dim + inner.scratch_size)


@begin.on(CompleteBlocks)
def begin_blocks(policy: CompleteBlocks, initial: Vector) -> BlocksState:
    """The first block has the first row."""
    whole = np.int64
    return BlocksState(
        begin(policy.step, initial),
        np.zeros(1, whole),
        np.zeros(policy.dim),
        np.zeros(1, whole),
        np.ones(1, whole),
        np.arange(FIRST_ROOM, dtype=whole),
        np.zeros(FIRST_ROOM, whole),
        np.zeros((FIRST_ROOM, policy.dim)),
    )


@full.on(CompleteBlocks)
def blocks_full(policy: CompleteBlocks, state: BlocksState, ledger: Ledger) -> bool:
    """True if no row is free: a round ends at most one block, and so needs at most one more row."""
    return int(state.open[0]) >= state.counts.size


@enlarged.on(CompleteBlocks)
def enlarged_blocks(policy: CompleteBlocks, state: BlocksState) -> BlocksState:
    """Twice the rows; the new ones are free."""
    room = state.counts.size
    return state._replace(
        free=np.concatenate([state.free, np.arange(room, 2 * room, dtype=np.int64)]),
        counts=np.concatenate([state.counts, np.zeros(room, np.int64)]),
        sums=np.concatenate([state.sums, np.zeros((room, policy.dim))]),
    )


@decision.on(CompleteBlocks)
def blocks_decision(policy: CompleteBlocks, state: BlocksState, out: Vector) -> None:
    decision(policy.step, state.step, out)


@play.on(CompleteBlocks)
def play_blocks(policy: CompleteBlocks, state: BlocksState, ledger: Ledger, desk: Desk) -> None:
    """Probe around the block's decision."""
    centre, last = desk.scratch[: policy.dim], desk.memo.size - 1
    decision(policy.step, state.step, centre)
    probe(policy.estimator, centre, desk.rng, desk.scratch[policy.dim :], desk.points, desk.memo[:last])
    desk.memo[last] = state.row[0]


@receive.on(CompleteBlocks)
def receive_blocks(
    policy: CompleteBlocks, state: BlocksState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Add the estimate to its block."""
    gradient, last = scratch[: policy.dim], memo.size - 1
    estimate(policy.estimator, feedback, memo[:last], scratch[policy.dim :], gradient)
    row = int(memo[last])
    for i in range(policy.dim):
        state.sums[row, i] += gradient[i]
    count_one(policy, state, row)


@compilable
def count_one(policy: CompleteBlocks, state: BlocksState, row: int) -> None:
    """One more round of the block in that row is not waited for; a block that is complete gives its row back."""
    state.counts[row] += 1
    if state.counts[row] == policy.length:
        for i in range(policy.dim):
            state.ready[i] += state.sums[row, i]
            state.sums[row, i] = 0.0
        state.counts[row] = 0
        state.completed[0] += 1
        state.open[0] -= 1
        state.free[state.open[0]] = row


@forget.on(CompleteBlocks)
def forget_blocks(policy: CompleteBlocks, state: BlocksState, ledger: Ledger, memo: Vector) -> None:
    """A round that is given up adds nothing to its block, which does not wait for it."""
    count_one(policy, state, int(memo[memo.size - 1]))


@settle.on(CompleteBlocks)
def settle_blocks(policy: CompleteBlocks, state: BlocksState, ledger: Ledger) -> None:
    """At the end of a block, move by the sum of the blocks completed during it, and begin the next one."""
    if ledger.round % policy.length == 0:
        if state.completed[0] > 0:
            move(policy.step, state.step, ledger, state.ready)
            for i in range(policy.dim):
                state.ready[i] = 0.0
            state.completed[0] = 0
        state.row[0] = state.free[state.open[0]]
        state.open[0] += 1


def _tuned(domain: Domain, facts: Facts) -> dict[str, float]:
    """Blocks of sqrt(T) rounds, and the rate at which the bound above is least."""
    slope, length = facts.lipschitz, max(1, math.isqrt(facts.rounds))
    delta = one_point_dda_probe_radius(domain, facts.rounds, slope, facts.bound)
    noise = domain.hull_dim * facts.bound / delta
    waiting = length * math.ceil((facts.delay - 1) / length)
    cost = (noise**2 + length * slope**2) / 2.0 + slope * (noise * math.sqrt(waiting) + waiting * slope)
    rate = domain.outer_radius / math.sqrt(2.0 * facts.rounds * cost)
    return {"rate": rate, "block_length": length, "probe_radius": delta}


CARD = Card(
    title="Delayed follow-the-bandit-leader",
    losses="convex",
    adversary="oblivious",
    known=("rounds", "lipschitz", "bound", "largest delay", "for a promise: bounded domain"),
    promise="O(sqrt(n) T^(3/4) + sqrt(d T)) in expectation",
    source="Wan and others 2024",
    certainty="order from the abstract; blocks second-hand; constants derived here",
    time="O(n)",
    memory="O(n), and O(n) per round in flight and an incomplete block",
    examples={"": lambda domain: dftbl(domain, 0.001, 4, typical_probe_radius(domain))},
    tuned=_tuned,
)
