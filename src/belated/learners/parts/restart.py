r"""Restarts: a learner that begins anew at the start of every phase, and hears of the present phase only.

Phase p ends with the last round that is not beyond first (1 + growth + ... + growth^p). Its feedback comes back with
the number of the phase, behind the base learner's memo; what belongs to an earlier phase is dropped. At the end of a
phase's last round the base's first state is copied over the present one, whatever has arrived in that round.

The base has a ledger of its own, which counts the rounds and the feedback of the phase. How many of a round's arrivals
belong to it is known when all have been looked at, so they are put aside until the round ends.
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import COUNTS, Ledger, after_arrivals, after_play, read_ledger, write_ledger
from belated.core.stacks import overwrite
from belated.learners.parts.aside import Aside, hand_over, more_aside, nothing_aside, put_aside
from belated.learners.verbs import Rng, Shape, begin, decision, enlarged, full, play, receive, settle, shape


class Restart(NamedTuple):
    """The policy ``base``, begun anew after ``first`` rounds, then after ``growth`` times as many, and so on."""

    base: Any
    first: int
    growth: float


class RestartState(NamedTuple):
    """The base's first state; its present one and its ledger; the number of the phase; what arrives in this round.

    ``schedule`` has the end of the phase and its length, which need not be whole.
    """

    pristine: Any
    base: Any
    counts: Integers
    curvature: Vector
    phase: Integers
    schedule: Vector
    aside: Aside


END, LENGTH = 0, 1


@shape.on(Restart)
def restart_shape(policy: Restart) -> Shape:
    """The base's, with the number of the phase at the end of the memo."""
    inner = shape(policy.base)
    return inner._replace(memo_size=inner.memo_size + 1)


@begin.on(Restart)
def begin_restart(policy: Restart, initial: Vector) -> RestartState:
    """The first phase."""
    return RestartState(
        begin(policy.base, initial),
        begin(policy.base, initial),
        np.zeros(COUNTS, dtype=np.int64),
        np.zeros(1),
        np.zeros(1, dtype=np.int64),
        np.array([float(policy.first), float(policy.first)]),
        nothing_aside(shape(policy.base)),
    )


@full.on(Restart)
def restart_full(policy: Restart, state: RestartState, ledger: Ledger) -> bool:
    """What is in flight of this phase, the next round's feedback included, may arrive together."""
    own = read_ledger(state.counts, state.curvature)
    return bool(own.in_flight + 1 > state.aside.feedback.shape[0])


@enlarged.on(Restart)
def enlarged_restart(policy: Restart, state: RestartState) -> RestartState:
    """Twice the room for arrivals."""
    return state._replace(aside=more_aside(state.aside))


@decision.on(Restart)
def restart_decision(policy: Restart, state: RestartState, out: Vector) -> None:
    """The base's."""
    decision(policy.base, state.base, out)


@play.on(Restart)
def play_restart(
    policy: Restart, state: RestartState, ledger: Ledger, rng: Rng, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """The base plays; the phase is remembered."""
    own = after_play(read_ledger(state.counts, state.curvature))
    write_ledger(own, state.counts, state.curvature)
    last = memo.size - 1
    memo[last] = state.phase[0]
    play(policy.base, state.base, own, rng, scratch, points, memo[:last])


@receive.on(Restart)
def receive_restart(
    policy: Restart, state: RestartState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Put it aside, unless it belongs to a phase that is over."""
    last = memo.size - 1
    if memo[last] == state.phase[0]:
        put_aside(state.aside, feedback, memo[:last])


@settle.on(Restart)
def settle_restart(policy: Restart, state: RestartState, ledger: Ledger) -> None:
    """Hand over what belongs to the phase; or, if the next round is beyond its end, begin the next one."""
    if ledger.round + 1 <= state.schedule[END]:
        own = after_arrivals(read_ledger(state.counts, state.curvature), int(state.aside.number[0]))
        write_ledger(own, state.counts, state.curvature)
        hand_over(state.aside, policy.base, state.base, own)
        return
    overwrite(state.base, state.pristine)
    for i in range(state.counts.size):
        state.counts[i] = 0
    state.curvature[0] = 0.0
    state.aside.number[0] = 0
    state.phase[0] += 1
    state.schedule[LENGTH] *= policy.growth
    state.schedule[END] += state.schedule[LENGTH]
