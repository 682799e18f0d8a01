r"""Windows: two policies that share the rounds of every window, for losses that come in random order within it.

Rounds 1..M are the first window, M + 1..2M the second, and so on. ``first`` plays the first tau rounds of each window
and ``second`` the rest.

==========  ==========================================================================================================
policy      what it is told of
==========  ==========================================================================================================
``first``   the rounds that it has played
``second``  every round whose feedback comes in the window of that round, whoever has played it: with a delay of
            tau + 1, rounds 1..M - tau of the window while it plays rounds tau + 1..M
==========  ==========================================================================================================

So ``second`` hears of as many rounds as it plays, of each tau rounds after, and never of the last tau of a window. The
number of the round is its memo.
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import Ledger
from belated.learners.verbs import Rng, Shape, begin, decision, play, receive, settle, shape


class Windows(NamedTuple):
    """Two policies without a memo, for windows of ``window`` rounds, of which the first ``lag`` are the first's."""

    first: Any
    second: Any
    window: int
    lag: int


class WindowsState(NamedTuple):
    """Of both; and whether the first plays the present round: 1, or 0."""

    first: Any
    second: Any
    early: Integers


@shape.on(Windows)
def windows_shape(policy: Windows) -> Shape:
    """Theirs; the round is remembered."""
    return shape(policy.second)._replace(memo_size=1)


@begin.on(Windows)
def begin_windows(policy: Windows, initial: Vector) -> WindowsState:
    """Both begin at the same decision."""
    return WindowsState(begin(policy.first, initial), begin(policy.second, initial), np.zeros(1, dtype=np.int64))


@decision.on(Windows)
def windows_decision(policy: Windows, state: WindowsState, out: Vector) -> None:
    """That of who plays."""
    if state.early[0] == 1:
        decision(policy.first, state.first, out)
    else:
        decision(policy.second, state.second, out)


@play.on(Windows)
def play_windows(
    policy: Windows, state: WindowsState, ledger: Ledger, rng: Rng, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """Who plays is a matter of the place in the window."""
    memo[0] = ledger.round
    if (ledger.round - 1) % policy.window < policy.lag:
        state.early[0] = 1
        play(policy.first, state.first, ledger, rng, scratch, points, memo[:0])
    else:
        state.early[0] = 0
        play(policy.second, state.second, ledger, rng, scratch, points, memo[:0])


@receive.on(Windows)
def receive_windows(
    policy: Windows, state: WindowsState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Both may hear of it, one of them, or nobody."""
    number = int(memo[0])
    if (number - 1) % policy.window < policy.lag:
        receive(policy.first, state.first, ledger, feedback, memo[:0], scratch)
    if (number - 1) // policy.window == (ledger.round - 1) // policy.window:
        receive(policy.second, state.second, ledger, feedback, memo[:0], scratch)


@settle.on(Windows)
def settle_windows(policy: Windows, state: WindowsState, ledger: Ledger) -> None:
    """Both settle."""
    settle(policy.first, state.first, ledger)
    settle(policy.second, state.second, ledger)
