r"""Copies: several runs of one learner that share the rounds among them, each living without delay.

A round is played by one copy, and its feedback goes back to that copy, which meanwhile plays nothing else: so every
copy sees a run without delay, shorter by as much as there are copies.

==============  ==============================================================  ============================
part            who plays round t                                               used by
==============  ==============================================================  ============================
``Idle``        the copy that has waited longest, or a new one if none is idle  BOLD
``InTurn``      copy (t - 1) mod K, even if it still waits                      Weinberger and Ordentlich
==============  ==============================================================  ============================

A copy has a ledger of its own. The number of the copy travels behind the base learner's memo. A round that is given up
gives its copy back, which then has played a round in vain.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import COUNTS, Ledger
from belated.core.stacks import finite, joined, level, stacked
from belated.core.verbs import verb
from belated.learners.parts.wrappers.base import count_arrivals, count_given_up, noted, noting_interface, play_noting
from belated.learners.verbs import (
    Interface,
    Policy,
    Rng,
    State,
    begin,
    decision,
    enlarged,
    forget,
    full,
    interface,
    play,
    receive,
    settle,
    sound,
)


class Idle(NamedTuple):
    """First come, first served; as many copies as are needed at once."""


class InTurn(NamedTuple):
    """A fixed number of copies, one after the other."""

    number: int


Turns = Idle | InTurn
"""Who plays which round, with the verbs ``choose``, ``dismiss``, ``crowded`` and ``at_first``."""


class Copies(NamedTuple):
    """Copies of the policy ``base``, of which ``turns`` chooses."""

    base: Policy
    turns: Turns


class CopiesState(NamedTuple):
    """The stack of their states and ledgers, where new ones begin, and who waits for what.

    ``queue`` is a ring of the idle copies. ``marks`` are: copies so far, the one that plays the present round, the
    place of the first idle one in the ring, and how many are idle.
    """

    stack: State
    counts: Integers
    initial: Vector
    queue: Integers
    marks: Integers


NUMBER, PLAYING, FIRST, WAITING = 0, 1, 2, 3


@verb
def choose(turns: Turns, state: CopiesState, ledger: Ledger) -> int:  # type: ignore[empty-body]  # declarations have no body
    """The copy that plays the round which the ledger counts as played; there must be room for a new one."""


@choose.on(Idle)
def choose_idle(turns: Idle, state: CopiesState, ledger: Ledger) -> int:
    if state.marks[WAITING] == 0:
        fresh = int(state.marks[NUMBER])
        state.marks[NUMBER] += 1
        return fresh
    first = int(state.marks[FIRST])
    state.marks[FIRST] = (first + 1) % state.queue.size
    state.marks[WAITING] -= 1
    return int(state.queue[first])


@choose.on(InTurn)
def choose_in_turn(turns: InTurn, state: CopiesState, ledger: Ledger) -> int:
    state.marks[NUMBER] = min(ledger.round, turns.number)
    return (ledger.round - 1) % turns.number


@verb
def dismiss(turns: Turns, state: CopiesState, copy: int) -> None:
    """A copy has what it waited for."""


@dismiss.on(Idle)
def dismiss_idle(turns: Idle, state: CopiesState, copy: int) -> None:
    """It goes to the end of the queue."""
    state.queue[(state.marks[FIRST] + state.marks[WAITING]) % state.queue.size] = copy
    state.marks[WAITING] += 1


@dismiss.on(InTurn)
def dismiss_in_turn(turns: InTurn, state: CopiesState, copy: int) -> None:
    """Do nothing: copies that play in a fixed order have no queue."""


@verb
def crowded(turns: Turns, state: CopiesState) -> bool:  # type: ignore[empty-body]  # declarations have no body
    """Whether a new copy is needed and has no room."""


@crowded.on(Idle)
def crowded_idle(turns: Idle, state: CopiesState) -> bool:
    """Nobody is idle, and all places are taken."""
    return bool(state.marks[WAITING] == 0 and state.marks[NUMBER] == state.queue.size)


@crowded.on(InTurn)
def crowded_in_turn(turns: InTurn, state: CopiesState) -> bool:
    """All have their place from the start."""
    return False


@verb
def at_first(turns: Turns) -> int:  # type: ignore[empty-body]  # declarations have no body
    """For how many copies there is room in the beginning."""


@at_first.on(Idle)
def at_first_idle(turns: Idle) -> int:
    """Room for four copies; it doubles whenever all of them are waiting."""
    return 4


@at_first.on(InTurn)
def at_first_in_turn(turns: InTurn) -> int:
    return turns.number


@interface.on(Copies)
def copies_interface(policy: Copies) -> Interface:
    """The base's, with the number of the copy at the end of the memo."""
    return noting_interface(policy.base)


def _fresh(policy: Copies, initial: Vector, number: int) -> CopiesState:
    return CopiesState(
        stacked(begin(policy.base, initial), number),
        np.zeros((number, COUNTS), dtype=np.int64),
        initial.copy(),
        np.zeros(number, dtype=np.int64),
        np.zeros(4, dtype=np.int64),
    )


@begin.on(Copies)
def begin_copies(policy: Copies, initial: Vector) -> CopiesState:
    """All begin at the same decision."""
    return _fresh(policy, initial, at_first(policy.turns))


@full.on(Copies)
def copies_full(policy: Copies, state: CopiesState, ledger: Ledger) -> bool:
    return crowded(policy.turns, state)


@enlarged.on(Copies)
def enlarged_copies(policy: Copies, state: CopiesState) -> CopiesState:
    """Twice the room; the ring of those that are idle is empty then."""
    more = _fresh(policy, state.initial, state.queue.size)
    return CopiesState(
        joined(state.stack, more.stack),
        joined(state.counts, more.counts),
        state.initial,
        joined(state.queue, more.queue),
        state.marks.copy(),
    )


@decision.on(Copies)
def copies_decision(policy: Copies, state: CopiesState, out: Vector) -> None:
    """That of the copy that plays."""
    decision(policy.base, level(state.stack, int(state.marks[PLAYING])), out)


@play.on(Copies)
def play_copies(
    policy: Copies, state: CopiesState, ledger: Ledger, rng: Rng, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    chosen = choose(policy.turns, state, ledger)
    state.marks[PLAYING] = chosen
    inner = level(state.stack, chosen)
    play_noting(policy.base, inner, state.counts[chosen], chosen, rng, scratch, points, memo)


@receive.on(Copies)
def receive_copies(
    policy: Copies, state: CopiesState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """The copy that played ends its round, and is idle."""
    owner = noted(memo)
    own = count_arrivals(state.counts[owner], 1)
    inner = level(state.stack, owner)
    receive(policy.base, inner, own, feedback, memo[: memo.size - 1], scratch)
    settle(policy.base, inner, own)
    dismiss(policy.turns, state, owner)


@forget.on(Copies)
def forget_copies(policy: Copies, state: CopiesState, ledger: Ledger, memo: Vector) -> None:
    """The copy that played is idle, and has learned nothing from the round."""
    owner = noted(memo)
    count_given_up(state.counts[owner], 1)
    dismiss(policy.turns, state, owner)


@sound.on(Copies)
def copies_sound(policy: Copies, state: CopiesState, memo: Vector) -> bool:
    """The copy that has played the round is finite."""
    return finite(level(state.stack, noted(memo)))


@settle.on(Copies)
def settle_copies(policy: Copies, state: CopiesState, ledger: Ledger) -> None:
    """Everything has been done on arrival."""
