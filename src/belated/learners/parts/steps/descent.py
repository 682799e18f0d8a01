r"""The descent step: x_{t+1} = Pi_X(x_t - G / h_t), with G the gradient, or the sum of gradients, of the move.

The point before the projection, x'_{t+1}, and h_t stay in the state, so that tests can check the identity
``h_t (x_t - x'_{t+1}) = G``. Regret bounds alone are so loose that a step in the wrong direction may satisfy them.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.core.vectors import copy_into, subtract_scaled
from belated.domains.base import Domain, project
from belated.learners.verbs import Rate, begin, decision, inverse_rate, move


class Descent(NamedTuple):
    """Gradient descent on a domain, at a rate.

    Args:
        domain: The set that decisions are projected onto.
        rate: A rate: it registers ``inverse_rate``.
    """

    domain: Domain
    rate: Rate


class DescentState(NamedTuple):
    """x_t; x' and h of the last step, which are x_1 and 0 before the first step."""

    decision: Vector
    unprojected: Vector
    inverse_rate: Vector


@begin.on(Descent)
def begin_descent(step: Descent, initial: Vector) -> DescentState:
    """Start at ``initial``; there was no step yet."""
    return DescentState(initial.copy(), initial.copy(), np.zeros(1))


@decision.on(Descent)
def descent_decision(step: Descent, state: DescentState, out: Vector) -> None:
    copy_into(state.decision, out)


@move.on(Descent)
def move_descent(step: Descent, state: DescentState, ledger: Ledger, gradient: Vector) -> None:
    h = inverse_rate(step.rate, ledger)
    state.inverse_rate[0] = h
    subtract_scaled(state.decision, 1.0 / h, gradient, state.unprojected)
    project(step.domain, state.unprojected, state.decision)
