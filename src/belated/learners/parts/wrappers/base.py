"""What a wrapper does with the learner that it wraps, its *base*.

The base plays only some of the rounds, or is told only of some of them, so the counts of the whole run are not its own.
The wrapper keeps a ledger for the base in an array of its state, and shows the base that one. The memo of a round has
what the base remembers, and behind it one number that the wrapper notes, such as the copy that has played the round.
"""

import numpy as np

from belated.core.arrays import Integers, Vector
from belated.core.ledger import (
    COUNTS,
    Ledger,
    after_arrivals,
    after_giving_up,
    after_play,
    read_ledger,
    write_ledger,
)
from belated.core.verbs import compilable
from belated.learners.verbs import Desk, Interface, Policy, State, interface, play


def noting_interface(base: Policy) -> Interface:
    """The base's interface, with one more number in the memo."""
    inner = interface(base)
    return inner._replace(memo_size=inner.memo_size + 1)


def no_counts() -> Integers:
    """An array for the base's ledger, with the counts of a run that has not begun."""
    return np.zeros(COUNTS, dtype=np.int64)


@compilable
def play_noting(
    base: Policy,
    state: State,
    counts: Integers,
    note: int,
    desk: Desk,
) -> None:
    """Let the base play the next round of its own ledger, and write ``note`` at the end of the memo."""
    own = after_play(read_ledger(counts))
    write_ledger(own, counts)
    last = desk.memo.size - 1
    desk.memo[last] = note
    play(base, state, own, Desk(desk.rng, desk.scratch, desk.points, desk.memo[:last]))


@compilable
def noted(memo: Vector) -> int:
    """The number that :func:`play_noting` has noted in the memo of a round."""
    return int(memo[memo.size - 1])


@compilable
def count_arrivals(counts: Integers, arrived: int) -> Ledger:
    """Count ``arrived`` arrivals in the base's present round; the new ledger is stored in ``counts`` and returned."""
    own = after_arrivals(read_ledger(counts), arrived)
    write_ledger(own, counts)
    return own


@compilable
def count_given_up(counts: Integers, lost: int) -> Ledger:
    """Count ``lost`` of the base's rounds as given up; the new ledger is stored in ``counts`` and returned."""
    own = after_giving_up(read_ledger(counts), lost)
    write_ledger(own, counts)
    return own
