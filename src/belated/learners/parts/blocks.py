r"""Blocks of rounds: one decision a block, and a block counts when all of its feedback is in.

Rounds 1..K are the first block, K + 1..2K the second, and so on. Within a block the decision stays, and an estimator
probes around it. The estimates of a block are summed; when the last of them has come, the block is complete. At the end
of each block a step moves once by the sums of the blocks that were completed since the end of the one before.

The sums of incomplete blocks lie in the rows of a table that grows (``full``, ``enlarged``). ``free`` is a stack of its
unused rows: the entries from ``open`` on. A round remembers the row of its block, which is used by no other before the
block is complete.
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import Ledger
from belated.learners.verbs import (
    Rng,
    Shape,
    begin,
    decision,
    enlarged,
    estimate,
    full,
    move,
    play,
    probe,
    receive,
    settle,
    shape,
)

FIRST_ROOM = 8
"""Rows of a new table."""


class CompleteBlocks(NamedTuple):
    """A step behind an estimator, for blocks of ``length`` rounds and decisions of ``dim`` numbers."""

    estimator: Any
    step: Any
    dim: int
    length: int


class BlocksState(NamedTuple):
    """The step's state; what was completed in this block, and its sum; the table of the incomplete ones.

    ``row`` is the present block's; ``counts`` and ``sums`` are of what has come for the block of each row.
    """

    step: Any
    completed: Integers
    ready: Vector
    row: Integers
    open: Integers
    free: Integers
    counts: Integers
    sums: Matrix


@shape.on(CompleteBlocks)
def blocks_shape(policy: CompleteBlocks) -> Shape:
    """The estimator's; the row of the block is remembered as well."""
    inner = shape(policy.estimator)
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
    """A round ends at most one block and so needs at most one more row."""
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
    """That of the block."""
    decision(policy.step, state.step, out)


@play.on(CompleteBlocks)
def play_blocks(
    policy: CompleteBlocks, state: BlocksState, ledger: Ledger, rng: Rng, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """Probe around the block's decision."""
    center, last = scratch[: policy.dim], memo.size - 1
    decision(policy.step, state.step, center)
    probe(policy.estimator, center, rng, scratch[policy.dim :], points, memo[:last])
    memo[last] = state.row[0]


@receive.on(CompleteBlocks)
def receive_blocks(
    policy: CompleteBlocks, state: BlocksState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Add the estimate to its block; a block that is complete gives its row back."""
    gradient, last = scratch[: policy.dim], memo.size - 1
    estimate(policy.estimator, feedback, memo[:last], scratch[policy.dim :], gradient)
    row = int(memo[last])
    state.counts[row] += 1
    for i in range(policy.dim):
        state.sums[row, i] += gradient[i]
    if state.counts[row] == policy.length:
        for i in range(policy.dim):
            state.ready[i] += state.sums[row, i]
            state.sums[row, i] = 0.0
        state.counts[row] = 0
        state.completed[0] += 1
        state.open[0] -= 1
        state.free[state.open[0]] = row


@settle.on(CompleteBlocks)
def settle_blocks(policy: CompleteBlocks, state: BlocksState, ledger: Ledger) -> None:
    """At the end of a block, move by what was completed, and begin the next."""
    if ledger.round % policy.length == 0:
        if state.completed[0] > 0:
            move(policy.step, state.step, ledger, state.ready)
            for i in range(policy.dim):
                state.ready[i] = 0.0
            state.completed[0] = 0
        state.row[0] = state.free[state.open[0]]
        state.open[0] += 1
