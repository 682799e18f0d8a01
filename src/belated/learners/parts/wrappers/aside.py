"""What arrives in a round, put aside until the round ends.

A wrapper that takes only some of the arrivals knows how many these are when it has looked at all of them, and its base
learner must be told that number before the first of them (:func:`belated.learners.verbs.receive`).
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
    """How many are put aside; their feedback and memos, a row each; room for the base to work in."""

    number: Integers
    feedback: Matrix
    memos: Matrix
    scratch: Vector


def nothing_aside(inner: Interface) -> Aside:
    """Room for a few arrivals of a learner of that interface."""
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
    """Keep an arrival for the end of the round; there must be room for it. Of the memo, the base's part is kept."""
    place = int(aside.number[0])
    aside.number[0] += 1
    for i in range(feedback.size):
        aside.feedback[place, i] = feedback[i]
    for i in range(aside.memos.shape[1]):
        aside.memos[place, i] = memo[i]


@compilable
def hand_over(aside: Aside, base: Policy, state: State, ledger: Ledger) -> None:
    """The base receives all that was put aside, in order of arrival, and ends its round."""
    for i in range(aside.number[0]):
        receive(base, state, ledger, aside.feedback[i], aside.memos[i], aside.scratch)
    settle(base, state, ledger)
    aside.number[0] = 0
