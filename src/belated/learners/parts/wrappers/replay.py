"""Replay: a policy that is shown what arrives as if it had never been late.

The base policy lives in a run without delay, in which round s is the s-th feedback to arrive; its ledger counts that
run. Until the next feedback arrives, every round of the real run plays the base's present round again.
"""

from typing import NamedTuple

from belated.core.arrays import Integers, Vector
from belated.core.ledger import Ledger, after_play, read_ledger, write_ledger
from belated.learners.parts.wrappers.base import count_arrivals, no_counts
from belated.learners.verbs import Desk, Interface, Policy, State, begin, decision, interface, play, receive, settle


class Replay(NamedTuple):
    """The policy ``base``, for which every feedback is a round of its own."""

    base: Policy


class ReplayState(NamedTuple):
    """The base's state, and its ledger, in which the present round counts as played."""

    base: State
    counts: Integers


@interface.on(Replay)
def replay_interface(policy: Replay) -> Interface:
    return interface(policy.base)


@begin.on(Replay)
def begin_replay(policy: Replay, initial: Vector) -> ReplayState:
    """The base begins, and its first round counts as played."""
    state = ReplayState(begin(policy.base, initial), no_counts())
    write_ledger(after_play(Ledger()), state.counts)
    return state


@decision.on(Replay)
def replay_decision(policy: Replay, state: ReplayState, out: Vector) -> None:
    decision(policy.base, state.base, out)


@play.on(Replay)
def play_replay(policy: Replay, state: ReplayState, ledger: Ledger, desk: Desk) -> None:
    """Let the base play its present round, perhaps not for the first time."""
    play(policy.base, state.base, read_ledger(state.counts), desk)


@receive.on(Replay)
def receive_replay(
    policy: Replay, state: ReplayState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """End the base's present round with this feedback, and begin its next one."""
    own = count_arrivals(state.counts, 1)
    receive(policy.base, state.base, own, feedback, memo, scratch)
    settle(policy.base, state.base, own)
    write_ledger(after_play(own), state.counts)


@settle.on(Replay)
def settle_replay(policy: Replay, state: ReplayState, ledger: Ledger) -> None:
    """Do nothing: the base has ended a round at every arrival."""
