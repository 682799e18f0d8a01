r"""Restarting: any learner, begun anew at the start of every phase.

.. math:: \text{phase } p \text{ has the rounds } E_{p-1} < t \le E_p, \qquad
          E_p = H (1 + \gamma + \dots + \gamma^p)

======  ======================  ==============================================================================
symbol  code                    meaning
======  ======================  ==============================================================================
H       ``first``               the rounds of the first phase
gamma   ``growth``              each phase is gamma times as long as the one before: 1 for phases of one length,
                                2 for phases that double
======  ======================  ==============================================================================

Every phase is a run of its own from the same first decision, told only of its own rounds: feedback that comes after the
end of its phase is dropped. So whatever is promised for the base holds in every phase, with delays that are cut off at
the end of the phase, as delays are at the end of every run. The sum of these delays is at most that of the delays of
the whole run.

Source: the idea is old; the bounds are derived here. If the base has regret at most R(h) in a phase of h rounds, regret
is at most the sum of the R(h), also against comparators that change between the phases. Against u_1, ..., u_T that move
by P in total, for losses that change by at most L times the distance *between these comparators* (gradients of norm at
most L at the decisions alone will not do), phases of H rounds (``growth=1``) have dynamic regret at most ceil(T / H)
R(H) + L H P: within a phase, u_t is never further than the phase's share of P from where it began. With R(H) = O(sqrt(d
H)) the best H is of order (d T^2 / P^2)^(1/3) and gives O((d P T^2)^(1/3)); with R(H) = O(d log H), for strongly convex
losses, it is of order sqrt(d T / P) and gives O(sqrt(d P T) log T). With phases that double, R(h) = c sqrt(h) adds up
to less than 3.5 c sqrt(T + H).

Must be known: what the base must know, and which round a feedback belongs to; for a good H also P and T, or for how
many rounds the losses stay alike.

Pitfalls: a phase must be much longer than the delays, or nearly all feedback is dropped. For convex losses that drift,
:mod:`~.algorithms.mild_ogd` need not know P and is better.

How it is computed: phase p ends with the last round that is not beyond first (1 + growth + ... + growth^p). A round
remembers the number of its phase, and feedback of an earlier phase is dropped. At the end of a phase the base's first
state is copied over its present one, whatever has arrived in that round. The base has a ledger of its own, which counts
the rounds and the feedback of the phase. How many of a round's arrivals belong to the phase is known when all of them
have been looked at, so they are put aside until the round ends (:mod:`belated.learners.parts.wrappers.aside`).

>>> from belated.domains import Ball
>>> from belated.learners.algorithms.dogd import dogd
>>> player = restarting(dogd(Ball(1), rate=0.5), first=2, growth=1.0).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([1.0], round=first.round)           # at the end of the phase: nobody plays what follows from it
>>> third = player.ask()
>>> player.tell([1.0], round=second.round)          # of the phase before
>>> player.tell([0.5], round=third.round)
>>> third.point, player.ask().point
(array([0.]), array([-0.25]))
"""

from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers, Vector
from belated.core.ledger import Ledger, read_ledger
from belated.core.stacks import overwrite
from belated.domains.base import Domain
from belated.learners.algorithms.dogd_sc import dogd_sc
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_base
from belated.learners.parts.wrappers.aside import Aside, aside_full, hand_over, more_aside, nothing_aside, put_aside
from belated.learners.parts.wrappers.base import (
    count_arrivals,
    count_given_up,
    no_counts,
    noted,
    noting_interface,
    play_noting,
)
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


def restarting(base: Learner, first: int, growth: float = 2.0) -> Learner:
    """``base``, begun anew after ``first`` rounds, then after ``growth`` times as many, and so on.

    Args:
        base: A learner whose memory does not grow with what is in flight.
        first: Rounds of the first phase, H >= 1.
        growth: By which factor phases get longer, at least 1; 1 for phases of one length.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: ``base`` is no learner that can be wrapped so, or a number is out of its range.
    """
    learner = checked_base("restarting", base)
    length, factor = checks.count("restarting", "first", first), checks.moderate("restarting", "growth", growth)
    if factor < 1.0:
        checks.refuse("restarting", "growth", growth, "must be >= 1: phases do not get shorter")
    return Learner("restarting", learner.domain, learner.decision_domain, Restart(learner.policy, length, factor))


class Restart(NamedTuple):
    """The policy ``base``, begun anew after ``first`` rounds, then after ``growth`` times as many, and so on."""

    base: Policy
    first: int
    growth: float


class RestartState(NamedTuple):
    """The base's first state; its present state and ledger; the number of the phase; what arrives in this round.

    ``schedule`` has the end of the phase and its length, which need not be whole numbers.
    """

    pristine: State
    base: State
    counts: Integers
    phase: Integers
    schedule: Vector
    aside: Aside


END, LENGTH = 0, 1
"""Places in ``schedule``."""


@interface.on(Restart)
def restart_interface(policy: Restart) -> Interface:
    """That of the base, with the number of the phase at the end of the memo."""
    return noting_interface(policy.base)


@begin.on(Restart)
def begin_restart(policy: Restart, initial: Vector) -> RestartState:
    return RestartState(
        begin(policy.base, initial),
        begin(policy.base, initial),
        no_counts(),
        np.zeros(1, dtype=np.int64),
        np.array([float(policy.first), float(policy.first)]),
        nothing_aside(interface(policy.base)),
    )


@full.on(Restart)
def restart_full(policy: Restart, state: RestartState, ledger: Ledger) -> bool:
    return aside_full(state.aside, state.counts)


@enlarged.on(Restart)
def enlarged_restart(policy: Restart, state: RestartState) -> RestartState:
    """Twice the room for arrivals."""
    return state._replace(aside=more_aside(state.aside))


@decision.on(Restart)
def restart_decision(policy: Restart, state: RestartState, out: Vector) -> None:
    decision(policy.base, state.base, out)


@play.on(Restart)
def play_restart(policy: Restart, state: RestartState, ledger: Ledger, desk: Desk) -> None:
    """Let the base play, and remember the phase."""
    play_noting(policy.base, state.base, state.counts, int(state.phase[0]), desk)


@receive.on(Restart)
def receive_restart(
    policy: Restart, state: RestartState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Put the feedback aside, unless it belongs to a phase that is over."""
    if noted(memo) == state.phase[0]:
        put_aside(state.aside, feedback, memo)


@forget.on(Restart)
def forget_restart(policy: Restart, state: RestartState, ledger: Ledger, memo: Vector) -> None:
    """If the round belongs to the present phase, the base does not wait for it any more."""
    if noted(memo) == state.phase[0]:
        count_given_up(state.counts, 1)


@oldest_wanted.on(Restart)
def restart_oldest_wanted(policy: Restart, state: RestartState, ledger: Ledger) -> int:
    """The first round of the present phase."""
    return ledger.round - read_ledger(state.counts).round + 1


@settle.on(Restart)
def settle_restart(policy: Restart, state: RestartState, ledger: Ledger) -> None:
    """Hand over what was put aside; or, if the next round is beyond the end of the phase, begin the next phase."""
    if ledger.round + 1 <= state.schedule[END]:
        own = count_arrivals(state.counts, int(state.aside.number[0]))
        hand_over(state.aside, policy.base, state.base, own)
        return
    overwrite(state.base, state.pristine)
    for i in range(state.counts.size):
        state.counts[i] = 0
    state.aside.number[0] = 0
    state.phase[0] += 1
    state.schedule[LENGTH] *= policy.growth
    state.schedule[END] += state.schedule[LENGTH]


def _example(domain: Domain) -> Learner:
    return restarting(dogd_sc(domain, strong_convexity=2.0), first=4)


CARD = Card(
    title="A learner that begins anew",
    losses="those of the base learner; for dynamic regret lipschitz ones",
    adversary="adaptive, if the base's is",
    known=("what the base must know", "for losses that drift: P, the path of the comparators, and rounds"),
    promise="the base's, summed over the phases; dynamic regret T R(H) / H + L H P with phases of H rounds",
    source="this library",
    certainty="derived here",
    time="the base's; live, twice that when much is in flight",
    memory="twice the base's, and O(n) for each feedback of the phase in flight",
    examples={"": _example},
)
