"""What a wrapper does with the learner that it wraps, its *base*.

The base lives a run of its own: it plays only some of the rounds, or hears only of some. So it has a ledger of its own,
kept in an array of the wrapper's state, and is shown that one. The wrapper notes one number for each round, such as who
has played it, in the memo behind what the base remembers.
"""

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
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
from belated.learners.verbs import Interface, Policy, Rng, State, interface, play


def noting_interface(base: Policy) -> Interface:
    """The base's interface, with one more number in the memo."""
    inner = interface(base)
    return inner._replace(memo_size=inner.memo_size + 1)


def no_counts() -> Integers:
    """Where the base's ledger is kept: that of a run which has not begun."""
    return np.zeros(COUNTS, dtype=np.int64)


@compilable
def play_noting(
    base: Policy,
    state: State,
    counts: Integers,
    note: int,
    rng: Rng,
    scratch: Vector,
    points: Matrix,
    memo: Vector,
) -> None:
    """The base plays the next round of its own ledger, and ``note`` goes to the end of the memo."""
    own = after_play(read_ledger(counts))
    write_ledger(own, counts)
    last = memo.size - 1
    memo[last] = note
    play(base, state, own, rng, scratch, points, memo[:last])


@compilable
def noted(memo: Vector) -> int:
    """The number that :func:`play_noting` has noted in the memo of a round."""
    return int(memo[memo.size - 1])


@compilable
def count_arrivals(counts: Integers, arrived: int) -> Ledger:
    """The base's ledger, kept and returned, after so many arrivals of the base's present round."""
    own = after_arrivals(read_ledger(counts), arrived)
    write_ledger(own, counts)
    return own


@compilable
def count_given_up(counts: Integers, lost: int) -> Ledger:
    """The base's ledger, kept and returned, when ``lost`` of its rounds are not waited for any more."""
    own = after_giving_up(read_ledger(counts), lost)
    write_ledger(own, counts)
    return own
