"""Arrival rules: what to do when several gradients arrive in one round.

``Batch`` adds them up and takes one step; ``Sequential`` takes one step for each, in order of arrival. The two make
different decisions where a projection changes the result of a step, or where the rate depends on how many arrived.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.core.vectors import add_into, fill
from belated.learners.verbs import (
    State,
    Step,
    absorb,
    adds_up,
    begin,
    decision,
    move,
    rest,
    settle,
    settle_sum,
)


class Batch(NamedTuple):
    """One step per round, by the sum of what arrived; none if nothing did.

    Args:
        step: The step that gradients move.
    """

    step: Step


class BatchState(NamedTuple):
    """The sum of the gradients that this round has brought so far, zero between rounds; and the step's state."""

    total: Vector
    step: State


class Sequential(NamedTuple):
    """One step for each gradient, in order of arrival.

    Args:
        step: The step that gradients move.
    """

    step: Step


class SequentialState(NamedTuple):
    """Nothing but the step's state."""

    step: State


def _require_step(step: Step) -> None:
    """Raise MissingVerb for a step that lacks a verb, when the learner is made and not at the first feedback."""
    decision.require(step)
    move.require(step)


@begin.on(Batch)
def begin_batch(rule: Batch, initial: Vector) -> BatchState:
    _require_step(rule.step)
    return BatchState(np.zeros(initial.size), begin(rule.step, initial))


@decision.on(Batch)
def batch_decision(rule: Batch, state: BatchState, out: Vector) -> None:
    decision(rule.step, state.step, out)


@absorb.on(Batch)
def absorb_batch(rule: Batch, state: BatchState, ledger: Ledger, gradient: Vector) -> None:
    add_into(gradient, state.total)


@settle.on(Batch)
def settle_batch(rule: Batch, state: BatchState, ledger: Ledger) -> None:
    settle_sum(rule, state, ledger, state.total)
    if ledger.arrived > 0:
        fill(state.total, 0.0)


@adds_up.on(Batch)
def batch_adds_up(rule: Batch) -> bool:
    """True: that is all that it does with gradients."""
    return True


@settle_sum.on(Batch)
def settle_batch_sum(rule: Batch, state: BatchState, ledger: Ledger, total: Vector) -> None:
    """Move once by the sum; if nothing has arrived, tell the step that the round is over."""
    if ledger.arrived > 0:
        move(rule.step, state.step, ledger, total)
    else:
        rest(rule.step, state.step, ledger)


@begin.on(Sequential)
def begin_sequential(rule: Sequential, initial: Vector) -> SequentialState:
    _require_step(rule.step)
    return SequentialState(begin(rule.step, initial))


@decision.on(Sequential)
def sequential_decision(rule: Sequential, state: SequentialState, out: Vector) -> None:
    decision(rule.step, state.step, out)


@absorb.on(Sequential)
def absorb_sequential(rule: Sequential, state: SequentialState, ledger: Ledger, gradient: Vector) -> None:
    move(rule.step, state.step, ledger, gradient)


@settle.on(Sequential)
def settle_sequential(rule: Sequential, state: SequentialState, ledger: Ledger) -> None:
    """Do nothing: every gradient was used when it arrived."""
