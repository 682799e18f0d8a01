"""One turn of a player: everything between two plays, as one function that runs as plain Python and compiles.

The compiled turn is the same arithmetic as the simulator's loop: both call the verbs of the policy, and nothing else
moves a decision.
"""

from contextvars import Context
from typing import Any

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import after_arrivals, after_giving_up, after_play, read_ledger, write_ledger
from belated.core.vectors import all_finite
from belated.core.verbs import compiled_as
from belated.learners.verbs import Policy, Rng, State, decision, desk_of, forget, play, receive, settle, sound


def _copying(table: Any, source: int, target: int) -> None:
    """Do what :func:`copy_row` does, number by number, because compiled code makes an array for a whole row."""
    for i in range(table.shape[1]):
        table[target, i] = table[source, i]


@compiled_as(_copying)
def copy_row(table: Any, source: int, target: int) -> None:
    """Copy a row of a table over another."""
    table[target] = table[source]


def take_turn(
    policy: Policy,
    state: State,
    reals: Matrix,
    wholes: Integers,
    checked: int,
    side: int,
    copied: bool,
    arrived: int,
    late: int,
    given_up: int,
    feedback: Matrix,
    memos: Matrix,
    forgotten: Matrix,
    rng: Rng,
    scratch: Vector,
    points: Matrix,
    memo: Vector,
    out: Vector,
) -> bool:
    """Take in what has arrived and play the next round, on the side of a player's numbers that does not count.

    Args:
        policy: The learner's.
        state: The policy's state on the side that does not count.
        reals: The real numbers of both sides, one in each row.
        wholes: The whole numbers of both sides, the ledger in front.
        checked: How many of the real numbers to look through for such as are not finite.
        side: The side that counts.
        copied: Whether to begin with a copy of that side. Otherwise the other one goes on from where it is.
        arrived: How many feedbacks have come that the policy receives.
        late: How many more have come for rounds that the policy has let go of.
        given_up: How many rounds have been given up by the caller.
        feedback: What has come, in the first ``arrived`` rows.
        memos: The memos of the same rounds.
        forgotten: The memos of the rounds that have been given up, as far as there are some.
        rng: What the policy draws from.
        scratch: Room to work in.
        points: Where the points to play are written.
        memo: Where the memo of the round is written; it has the context already.
        out: Where the decision is written.

    Returns:
        False if a number is not finite. Then the side that does not count means nothing.
    """
    other = 1 - side
    if copied:
        copy_row(reals, side, other)
        copy_row(wholes, side, other)
    ledger = read_ledger(wholes[other])
    if ledger.round > 0:
        if given_up > 0:
            ledger = after_giving_up(ledger, given_up)
        for i in range(len(forgotten)):
            forget(policy, state, ledger, forgotten[i])
        ledger = after_arrivals(ledger, arrived + late)
        for i in range(arrived):
            receive(policy, state, ledger, feedback[i], memos[i], scratch)
        settle(policy, state, ledger)
    ledger = after_play(ledger)
    write_ledger(ledger, wholes[other])
    numbers = reals[other]
    grows = checked < len(numbers)
    fine = all_finite(numbers[:checked] if grows else numbers)
    for i in range(arrived if grows else 0):
        fine = sound(policy, state, memos[i]) and fine
    play(policy, state, ledger, desk_of(rng, scratch, points, memo))
    if grows:
        fine = sound(policy, state, memo) and fine
    for j in range(len(points)):
        fine = fine and all_finite(points[j])
    decision(policy, state, out)
    return fine


_silence = Context()
"""A context in which NumPy does not warn; to run in a copy of it takes a quarter of the time of ``np.errstate``."""
_silence.run(np.seterr, all="ignore")


def plain_turn(*arguments: Any) -> bool:
    """The turn as Python runs it; numbers out of range are found by their effect, as compiled code finds them."""
    try:
        return _silence.copy().run(take_turn, *arguments) and all_finite(arguments[-1])
    except ArithmeticError:
        return False
