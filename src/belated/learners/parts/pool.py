r"""A pool of one-point estimates, of which each round uses the oldest.

A round is played at X_t + delta_t (Z_t - (X_t - p) / r), p and r the centre and inner radius of the domain: a point
between X_t and p + r Z_t, so an element for every X_t in a bounded domain, with nothing shrunk. What is told becomes
the estimate (m / delta_k) f_k Z_k, which waits in the pool. At the end of a round the step moves by the estimate of the
earliest round in the pool, and by no other.

Estimates lie in the rows of a table. ``places`` is a permutation of the rows: its first ``pooled`` entries are a binary
heap by round, the earliest on top, and the others are free. The table grows (``full``, ``enlarged``), so that it always
has room for all that is in flight.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.verbs import compilable
from belated.domains.base import Domain
from belated.learners.parts.estimators import draw_direction
from belated.learners.verbs import (
    Shape,
    begin,
    decision,
    enlarged,
    full,
    inverse_rate,
    move,
    play,
    receive,
    settle,
    shape,
)

FIRST_ROOM = 16
"""Rows of a new table."""


class PowerLaw(NamedTuple):
    """A rate: h_t = t^exponent / scale."""

    scale: float
    exponent: float


class OldestFirst(NamedTuple):
    """A step behind a pool; delta_t = ``probe_radius`` t^-``probe_exponent``."""

    step: Any
    domain: Domain
    dim: int
    hull_dim: int
    center: Vector
    inner_radius: float
    probe_radius: float
    probe_exponent: float


class PoolState(NamedTuple):
    """The step's state, and the pool: how many wait, the permutation, and each row's round and estimate."""

    step: Any
    pooled: Integers
    places: Integers
    rounds: Integers
    estimates: Matrix


@inverse_rate.on(PowerLaw)
def power_law_inverse_rate(rate: PowerLaw, ledger: Ledger) -> float:
    """t^c / gamma."""
    return math.pow(ledger.round, rate.exponent) / rate.scale


@compilable
def add(state: PoolState, number: int) -> int:
    """Enter a round into the heap; its row, of which the estimate is still to be written."""
    places, rounds = state.places, state.rounds
    at = int(state.pooled[0])
    row = int(places[at])
    while at > 0 and rounds[places[(at - 1) // 2]] > number:
        places[at] = places[(at - 1) // 2]
        at = (at - 1) // 2
    places[at] = row
    rounds[row] = number
    state.pooled[0] += 1
    return row


@compilable
def take_oldest(state: PoolState) -> int:
    """Remove the earliest round from the heap; its row, which is now free but not yet used again."""
    places, rounds = state.places, state.rounds
    state.pooled[0] -= 1
    last = int(state.pooled[0])
    oldest, moving = int(places[0]), int(places[last])
    at, child = 0, 1
    while child < last:
        if child + 1 < last and rounds[places[child + 1]] < rounds[places[child]]:
            child += 1
        if rounds[places[child]] > rounds[moving]:
            break
        places[at] = places[child]
        at, child = child, 2 * child + 1
    places[at] = moving
    places[last] = oldest
    return oldest


@shape.on(OldestFirst)
def pool_shape(policy: OldestFirst) -> Shape:
    """One point; remembered are the direction, its delta_k and the round, which is exact below 2^53."""
    return Shape(1, "values", 1, policy.dim + 2, policy.dim, draws=True)


@begin.on(OldestFirst)
def begin_pool(policy: OldestFirst, initial: Vector) -> PoolState:
    """An empty pool."""
    whole = np.int64
    return PoolState(
        begin(policy.step, initial),
        np.zeros(1, whole),
        np.arange(FIRST_ROOM, dtype=whole),
        np.zeros(FIRST_ROOM, whole),
        np.zeros((FIRST_ROOM, policy.dim)),
    )


@full.on(OldestFirst)
def pool_full(policy: OldestFirst, state: PoolState, ledger: Ledger) -> bool:
    """All that is in flight, and the round to come, may arrive before this is asked again."""
    return int(state.pooled[0]) + ledger.in_flight >= state.rounds.size


@enlarged.on(OldestFirst)
def enlarged_pool(policy: OldestFirst, state: PoolState) -> PoolState:
    """Twice the rows; the new ones are free."""
    room = state.rounds.size
    return state._replace(
        places=np.concatenate([state.places, np.arange(room, 2 * room, dtype=np.int64)]),
        rounds=np.concatenate([state.rounds, np.zeros(room, np.int64)]),
        estimates=np.concatenate([state.estimates, np.zeros((room, policy.dim))]),
    )


@decision.on(OldestFirst)
def pool_decision(policy: OldestFirst, state: PoolState, out: Vector) -> None:
    """X_t."""
    decision(policy.step, state.step, out)


@play.on(OldestFirst)
def play_pool(
    policy: OldestFirst,
    state: PoolState,
    ledger: Ledger,
    rng: np.random.Generator,
    scratch: Vector,
    points: Matrix,
    memo: Vector,
) -> None:
    """A point towards p + r Z_t, for a fresh direction Z_t."""
    draw_direction(policy.domain, policy.hull_dim, rng, scratch, memo[: policy.dim])
    delta = policy.probe_radius * math.pow(ledger.round, -policy.probe_exponent)
    decision(policy.step, state.step, scratch[: policy.dim])
    for i in range(policy.dim):
        inwards = (scratch[i] - policy.center[i]) / policy.inner_radius
        points[0, i] = scratch[i] + delta * (memo[i] - inwards)
    memo[policy.dim] = delta
    memo[policy.dim + 1] = ledger.round


@receive.on(OldestFirst)
def receive_pool(
    policy: OldestFirst, state: PoolState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Into the pool."""
    row = add(state, int(memo[policy.dim + 1]))
    slope = policy.hull_dim / memo[policy.dim] * feedback[0]
    for i in range(policy.dim):
        state.estimates[row, i] = slope * memo[i]


@settle.on(OldestFirst)
def settle_pool(policy: OldestFirst, state: PoolState, ledger: Ledger) -> None:
    """Move by the oldest, if there is one."""
    if state.pooled[0] > 0:
        move(policy.step, state.step, ledger, state.estimates[take_oldest(state)])
