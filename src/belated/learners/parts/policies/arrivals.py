"""Arrival rules: what to do when several gradients arrive in one round.

``Batch`` adds them up and takes one step; ``Sequential`` takes a step for each, in order of arrival. The two differ
when a projection is active or the rate depends on how many arrived.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.learners.verbs import State, Step, absorb, begin, decision, move, rest, settle


class Batch(NamedTuple):
    """One step per round, by the sum of what arrived; none if nothing did.

    Args:
        step: The step that gradients move.
    """

    step: Step


class BatchState(NamedTuple):
    """The sum so far in this round (zero between rounds) and the step's state."""

    total: Vector
    step: State


class Sequential(NamedTuple):
    """A step for each gradient, in order of arrival.

    Args:
        step: The step that gradients move.
    """

    step: Step


class SequentialState(NamedTuple):
    """Nothing but the step's state."""

    step: State


@begin.on(Batch)
def begin_batch(rule: Batch, initial: Vector) -> BatchState:
    return BatchState(np.zeros(initial.size), begin(rule.step, initial))


@decision.on(Batch)
def batch_decision(rule: Batch, state: BatchState, out: Vector) -> None:
    decision(rule.step, state.step, out)


@absorb.on(Batch)
def absorb_batch(rule: Batch, state: BatchState, ledger: Ledger, gradient: Vector) -> None:
    for i in range(gradient.size):
        state.total[i] += gradient[i]


@settle.on(Batch)
def settle_batch(rule: Batch, state: BatchState, ledger: Ledger) -> None:
    """Move once by the sum, if there is one."""
    if ledger.arrived > 0:
        move(rule.step, state.step, ledger, state.total)
        for i in range(state.total.size):
            state.total[i] = 0.0
    else:
        rest(rule.step, state.step, ledger)


@begin.on(Sequential)
def begin_sequential(rule: Sequential, initial: Vector) -> SequentialState:
    return SequentialState(begin(rule.step, initial))


@decision.on(Sequential)
def sequential_decision(rule: Sequential, state: SequentialState, out: Vector) -> None:
    decision(rule.step, state.step, out)


@absorb.on(Sequential)
def absorb_sequential(rule: Sequential, state: SequentialState, ledger: Ledger, gradient: Vector) -> None:
    move(rule.step, state.step, ledger, gradient)


@settle.on(Sequential)
def settle_sequential(rule: Sequential, state: SequentialState, ledger: Ledger) -> None:
    """Everything has been done on arrival."""
