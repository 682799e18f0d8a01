r"""Skipping: any learner, which stops waiting for feedback that has become too late.

.. math:: \text{give up } s \text{ at the end of round } t \text{ if it is missing and } t - s > \sqrt{2 V_t}, \qquad
          V_t = \sum_{i \le t} (1 + 2 \sigma_i)

=======  ======================  ==========================================================================
symbol   code                    meaning
=======  ======================  ==========================================================================
sigma_i  ``outstanding``         feedbacks missing when x_i is played, those given up not counted
V_t      ``play_weight``         what the delays have cost so far; rates such as that of DDA fall with it
=======  ======================  ==========================================================================

Source: the idea is Thune, Cesa-Bianchi and Seldin's (2019), for bandits with arms; this rule for convex losses is
derived in ``docs/derivations``. Around :mod:`~.algorithms.dda`, with |S| rounds given up: regret at most the
base's for this V_T, plus |S| L Dm, and |S| <= sqrt(V_T / 2).

Must be known: what the base must know, and which round a feedback belongs to. Not the delays.

Pitfalls: feedback that comes too late is ignored, although it may be good, because the bound needs that. Where no
feedback is very late nothing is given up; nor where all is about equally late, because the limit grows with V_t.

How it is computed: the base learner has a ledger of its own, in which a round that is given up is no longer in flight.
How many of a round's arrivals count is known when all of them have been looked at, so they are put aside until the
round ends (:mod:`belated.learners.parts.wrappers.aside`).

>>> from belated.domains import Ball
>>> from belated.learners.algorithms.dda import dda
>>> player = skipping(dda(Ball(1), lipschitz=1.0)).start()
>>> first = player.ask()
>>> for _ in range(20):                             # the others come at once
...     player.tell([0.0], round=player.ask().round)
>>> player.tell([1.0], round=first.round)           # it has been given up
>>> player.ask().point
array([0.])
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Integers, Vector
from belated.core.ledger import Ledger, after_arrivals, after_giving_up, read_ledger, write_ledger
from belated.core.verbs import compilable
from belated.domains.base import Domain
from belated.learners.algorithms.dogd_sc import dogd_sc
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_base
from belated.learners.parts.wrappers.aside import Aside, aside_full, hand_over, more_aside, nothing_aside, put_aside
from belated.learners.parts.wrappers.base import count_given_up, no_counts, noted, noting_interface, play_noting
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
    oldest_wanted,
    play,
    receive,
    settle,
)


def skipping(base: Learner) -> Learner:
    """``base``, which stops waiting for feedback that has become too late.

    Args:
        base: A learner whose memory does not grow with what is in flight.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: ``base`` is no learner that can be wrapped so, or a number is out of its range.
    """
    learner = checked_base("skipping", base)
    return Learner("skipping", learner.domain, learner.decision_domain, Skip(learner.policy))


class Skip(NamedTuple):
    """The policy ``base`` without the feedback that comes too late."""

    base: Policy


class SkipState(NamedTuple):
    """The base's state and ledger; which rounds are answered; what has arrived in the present round.

    ``answered`` is a ring: at place s mod its size stands s if round s has been answered, or given up by the caller.
    ``marks`` has the oldest round that may still be waited for, and how many rounds have been given up.
    """

    base: State
    counts: Integers
    answered: Integers
    marks: Integers
    aside: Aside


OLDEST, GIVEN_UP = 0, 1
"""Places in ``marks``."""


@interface.on(Skip)
def skip_interface(policy: Skip) -> Interface:
    """That of the base, with the round at the end of the memo."""
    return noting_interface(policy.base)


@begin.on(Skip)
def begin_skip(policy: Skip, initial: Vector) -> SkipState:
    """The base begins, and nothing is waited for yet."""
    aside = nothing_aside(interface(policy.base))
    return SkipState(
        begin(policy.base, initial),
        no_counts(),
        np.zeros(len(aside.feedback), dtype=np.int64),
        np.array([1, 0], dtype=np.int64),
        aside,
    )


@full.on(Skip)
def skip_full(policy: Skip, state: SkipState, ledger: Ledger) -> bool:
    return _ring_full(state) or aside_full(state.aside, state.counts)


@compilable
def _ring_full(state: SkipState) -> bool:
    """The rounds that may still be waited for, the next one included, must have places of their own in the ring."""
    return bool(read_ledger(state.counts).round + 2 - state.marks[OLDEST] > state.answered.size)


@enlarged.on(Skip)
def enlarged_skip(policy: Skip, state: SkipState) -> SkipState:
    """Twice the room in the ring, aside, or both, whichever is full; if neither is, twice the room in both."""
    ring, aside = _ring_full(state), aside_full(state.aside, state.counts)
    if ring or not aside:
        state = state._replace(answered=_larger_ring(state))
    return state._replace(aside=more_aside(state.aside)) if aside or not ring else state


def _larger_ring(state: SkipState) -> Integers:
    """A ring of twice the size with the same rounds, whose places in it are others."""
    size = 2 * state.answered.size
    answered = np.zeros(size, dtype=np.int64)
    kept = state.answered[state.answered >= state.marks[OLDEST]]
    answered[kept % size] = kept
    return answered


@decision.on(Skip)
def skip_decision(policy: Skip, state: SkipState, out: Vector) -> None:
    decision(policy.base, state.base, out)


@play.on(Skip)
def play_skip(policy: Skip, state: SkipState, ledger: Ledger, desk: Desk) -> None:
    """Let the base play, and remember the round."""
    play_noting(policy.base, state.base, state.counts, ledger.round, desk)


@receive.on(Skip)
def receive_skip(
    policy: Skip, state: SkipState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Put the feedback aside, unless its round has been given up."""
    number = noted(memo)
    if number < state.marks[OLDEST]:
        return
    state.answered[number % state.answered.size] = number
    put_aside(state.aside, feedback, memo)


@forget.on(Skip)
def forget_skip(policy: Skip, state: SkipState, ledger: Ledger, memo: Vector) -> None:
    """Give the round up, unless that was done before."""
    number = noted(memo)
    if number < state.marks[OLDEST]:
        return
    state.answered[number % state.answered.size] = number
    state.marks[GIVEN_UP] += 1
    count_given_up(state.counts, 1)


@oldest_wanted.on(Skip)
def skip_oldest_wanted(policy: Skip, state: SkipState, ledger: Ledger) -> int:
    """The oldest round that may still be waited for."""
    return int(state.marks[OLDEST])


@settle.on(Skip)
def settle_skip(policy: Skip, state: SkipState, ledger: Ledger) -> None:
    """Give up the rounds that are too old, then hand over what was put aside.

    The order matters: the base's ledger must not count the rounds given up as in flight when it makes its next step.
    """
    own = after_arrivals(read_ledger(state.counts), int(state.aside.number[0]))
    oldest = int(state.marks[OLDEST])
    limit = math.sqrt(2.0 * own.play_weight)
    lost = 0
    while oldest <= ledger.round:
        answered = state.answered[oldest % state.answered.size] == oldest
        if not answered and ledger.round - oldest <= limit:
            break
        lost += 0 if answered else 1
        oldest += 1
    state.marks[OLDEST] = oldest
    state.marks[GIVEN_UP] += lost
    own = after_giving_up(own, lost)
    write_ledger(own, state.counts)
    hand_over(state.aside, policy.base, state.base, own)


def _example(domain: Domain) -> Learner:
    return skipping(dogd_sc(domain, strong_convexity=2.0))


CARD = Card(
    title="Skipping of what is too late",
    losses="those of the base learner",
    adversary="adaptive, if the base's is",
    known=("what the base must know",),
    promise="around dda: O(sqrt(T + D0 without the skipped) + skipped)",
    source="Thune, Cesa-Bianchi and Seldin 2019; the rule is derived here",
    certainty="derived here",
    time="the base's; live, twice that when much is in flight",
    memory="the base's, O(n) for each round in flight, and a number for each since the oldest of them",
    examples={"": _example},
)
