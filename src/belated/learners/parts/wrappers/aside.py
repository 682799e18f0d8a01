"""What arrives in a round, put aside until the round ends.

A wrapper that hands only some of the arrivals to its base learner knows their number when it has looked at all of them.
The base must be shown that number, in its ledger, before it receives the first of them
(:func:`belated.learners.verbs.receive`). So the wrapper keeps the arrivals here meanwhile.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import Ledger, read_ledger
from belated.core.stacks import joined
from belated.core.verbs import compilable
from belated.learners.verbs import Interface, Policy, State, receive, settle

_AT_FIRST = 8


class Aside(NamedTuple):
    """How many arrivals are put aside; their feedback and memos, one row for each; room for the base to work in."""

    number: Integers
    feedback: Matrix
    memos: Matrix
    scratch: Vector


def nothing_aside(inner: Interface) -> Aside:
    """Room for eight arrivals of a learner with the interface ``inner``, none of them there yet."""
    return Aside(
        np.zeros(1, dtype=np.int64),
        np.zeros((_AT_FIRST, inner.feedback_size)),
        np.zeros((_AT_FIRST, inner.memo_size)),
        np.zeros(inner.scratch_size),
    )


def more_aside(aside: Aside) -> Aside:
    """The same arrivals with room for twice as many."""
    feedback, memos = np.zeros_like(aside.feedback), np.zeros_like(aside.memos)
    return aside._replace(feedback=joined(aside.feedback, feedback), memos=joined(aside.memos, memos))


@compilable
def aside_full(aside: Aside, counts: Integers) -> bool:
    """Whether there is too little room if all that the base has in flight, and the next round's feedback, come at once.

    ``counts`` is the base's ledger.
    """
    return bool(read_ledger(counts).in_flight + 1 > aside.feedback.shape[0])


@compilable
def put_aside(aside: Aside, feedback: Vector, memo: Vector) -> None:
    """Keep an arrival for the end of the round; there must be room. Only the base's part of the memo is kept."""
    place = int(aside.number[0])
    aside.number[0] += 1
    for i in range(feedback.size):
        aside.feedback[place, i] = feedback[i]
    for i in range(aside.memos.shape[1]):
        aside.memos[place, i] = memo[i]


@compilable
def hand_over(aside: Aside, base: Policy, state: State, ledger: Ledger) -> None:
    """Let the base receive all that was put aside, in order of arrival, and end its round; nothing is aside then."""
    for i in range(aside.number[0]):
        receive(base, state, ledger, aside.feedback[i], aside.memos[i], aside.scratch)
    settle(base, state, ledger)
    aside.number[0] = 0
