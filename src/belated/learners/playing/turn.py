"""One turn of a player: everything between two plays, as one function that runs as plain Python and compiles.

The compiled turn is the same arithmetic as the simulator's loop: both call the verbs of the policy, and nothing else
moves a decision.
"""

from typing import Any

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import after_arrivals, after_play, read_ledger, write_ledger
from belated.core.vectors import all_finite
from belated.core.verbs import compilable
from belated.learners.verbs import decision, play, receive, settle


@compilable
def copy_row(table: Any, source: int, target: int) -> None:
    """Copy a row of a table over another; number by number, because compiled code makes an array for a whole one."""
    for i in range(table.shape[1]):
        table[target, i] = table[source, i]


def take_turn(
    policy: Any,
    state: Any,
    reals: Matrix,
    wholes: Integers,
    side: int,
    arrived: int,
    feedback: Matrix,
    memos: Matrix,
    rng: np.random.Generator | None,
    scratch: Vector,
    points: Matrix,
    memo: Vector,
    held: Vector,
) -> bool:
    """Take in what has arrived and play the next round, on the other side's copy of a player's numbers.

    ``side`` is the copy that counts; ``state`` is the policy's state on the other. The first ``arrived`` rows of
    ``feedback`` and ``memos`` are what has come. False if a number is not finite: then the other side means nothing.
    """
    other = 1 - side
    copy_row(reals, side, other)
    copy_row(wholes, side, other)
    ledger = read_ledger(wholes[other])
    if ledger.round > 0:
        ledger = after_arrivals(ledger, arrived)
        for i in range(arrived):
            receive(policy, state, ledger, feedback[i], memos[i], scratch)
        settle(policy, state, ledger)
    ledger = after_play(ledger)
    write_ledger(ledger, wholes[other])
    fine = all_finite(reals[other])
    play(policy, state, ledger, rng, scratch, points, memo)
    for j in range(points.shape[0]):
        fine = fine and all_finite(points[j])
    decision(policy, state, held)
    return fine


def plain_turn(*arguments: Any) -> bool:
    """The turn as Python runs it; numbers out of range are found by their effect, as compiled code finds them."""
    try:
        with np.errstate(all="ignore"):
            return take_turn(*arguments)
    except ArithmeticError:
        return False
