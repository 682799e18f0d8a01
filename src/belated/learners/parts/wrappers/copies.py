r"""Copies: several runs of one learner that share the rounds among them, so that none of them has any delay.

A round is played by one copy, and its feedback goes back to that copy, which plays no other round in between. So every
copy has a run without delay, of only those rounds that it plays.

==============  ==============================================================  ============================
part            who plays round t                                               used by
==============  ==============================================================  ============================
``Idle``        the copy that has waited longest, or a new one if none is idle  BOLD
``InTurn``      copy (t - 1) mod K, even if it still waits                      Weinberger and Ordentlich
==============  ==============================================================  ============================

A copy has a ledger of its own. The memo of a round has what the base learner remembers, and behind it the number of the
copy that has played the round. When a round is given up, its copy is idle again, and has learned nothing from it.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Integers, Vector
from belated.core.ledger import COUNTS, Ledger
from belated.core.stacks import finite, joined, level, stacked
from belated.core.verbs import verb
from belated.learners.parts.wrappers.base import count_arrivals, count_given_up, noted, noting_interface, play_noting
from belated.learners.verbs import (
    Desk,
    Interface,
    Policy,
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
    """The copy that has been idle longest plays; there are as many copies as were ever needed at once."""


class InTurn(NamedTuple):
    """A fixed number of copies, which play one after the other."""

    number: int


Turns = Idle | InTurn
"""Who plays which round, with the verbs ``choose``, ``dismiss``, ``crowded`` and ``at_first``."""


class Copies(NamedTuple):
    """Copies of the policy ``base``; ``turns`` says which of them plays a round."""

    base: Policy
    turns: Turns


class CopiesState(NamedTuple):
    """The states and ledgers of all copies, the first decision of new ones, and which copies are idle.

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
    """Note that a copy does not wait for feedback any more."""


@dismiss.on(Idle)
def dismiss_idle(turns: Idle, state: CopiesState, copy: int) -> None:
    """Put the copy at the end of the queue of those that are idle."""
    state.queue[(state.marks[FIRST] + state.marks[WAITING]) % state.queue.size] = copy
    state.marks[WAITING] += 1


@dismiss.on(InTurn)
def dismiss_in_turn(turns: InTurn, state: CopiesState, copy: int) -> None:
    """Do nothing: copies that play in a fixed order have no queue."""


@verb
def crowded(turns: Turns, state: CopiesState) -> bool:  # type: ignore[empty-body]  # declarations have no body
    """Whether the next round needs a new copy for which there is no desk."""


@crowded.on(Idle)
def crowded_idle(turns: Idle, state: CopiesState) -> bool:
    """True if no copy is idle, and all places are taken."""
    return bool(state.marks[WAITING] == 0 and state.marks[NUMBER] == state.queue.size)


@crowded.on(InTurn)
def crowded_in_turn(turns: InTurn, state: CopiesState) -> bool:
    """False: all copies have their place from the start."""
    return False


@verb
def at_first(turns: Turns) -> int:  # type: ignore[empty-body]  # declarations have no body
    """For how many copies a new state has desk."""


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
    """All copies begin at the same decision."""
    return _fresh(policy, initial, at_first(policy.turns))


@full.on(Copies)
def copies_full(policy: Copies, state: CopiesState, ledger: Ledger) -> bool:
    return crowded(policy.turns, state)


@enlarged.on(Copies)
def enlarged_copies(policy: Copies, state: CopiesState) -> CopiesState:
    """Twice the desk. Nobody is idle when this is called, so that the ring may be extended where it ends."""
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
    """Write the decision of the copy that plays the present round."""
    decision(policy.base, level(state.stack, int(state.marks[PLAYING])), out)


@play.on(Copies)
def play_copies(policy: Copies, state: CopiesState, ledger: Ledger, desk: Desk) -> None:
    chosen = choose(policy.turns, state, ledger)
    state.marks[PLAYING] = chosen
    inner = level(state.stack, chosen)
    play_noting(policy.base, inner, state.counts[chosen], chosen, desk)


@receive.on(Copies)
def receive_copies(
    policy: Copies, state: CopiesState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Let the copy that played the round receive its feedback and end the round; it is idle then."""
    owner = noted(memo)
    own = count_arrivals(state.counts[owner], 1)
    inner = level(state.stack, owner)
    receive(policy.base, inner, own, feedback, memo[: memo.size - 1], scratch)
    settle(policy.base, inner, own)
    dismiss(policy.turns, state, owner)


@forget.on(Copies)
def forget_copies(policy: Copies, state: CopiesState, ledger: Ledger, memo: Vector) -> None:
    """The copy that played the round is idle again, and has learned nothing from it."""
    owner = noted(memo)
    count_given_up(state.counts[owner], 1)
    dismiss(policy.turns, state, owner)


@sound.on(Copies)
def copies_sound(policy: Copies, state: CopiesState, memo: Vector) -> bool:
    """Whether the numbers of the copy that has played the round are finite."""
    return finite(level(state.stack, noted(memo)))


@settle.on(Copies)
def settle_copies(policy: Copies, state: CopiesState, ledger: Ledger) -> None:
    """Do nothing: every copy has ended its round when the feedback arrived."""
