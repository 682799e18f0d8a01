r"""Steps with a rate for each coordinate: eta_i = a / sqrt(S_i), S_i the sum of g_i^2 over the gradients that came.

=====================  ===============================================================  =============
part                   step, every coordinate for itself                                used by
=====================  ===============================================================  =============
``DiagonalDescent``    x <- Pi_X(x - eta g)                                             AdaGrad
``Proximal``           x <- Pi_X(-eta T(Z)), Z the sum of g - (1/eta - 1/eta_before) x  FTRL-Proximal
=====================  ===============================================================  =============

S has the gradient of the step in it, and starts at ``offset``, so that nothing is divided by zero. T brings a number
nearer to zero by ``l1``, and not past it. With ``beta`` and ``l2`` the eta in front of T is a / (sqrt(S) + c), where
c = beta + a l2; beta holds the first decision as an offset does, l2 pulls towards zero.

Neither step looks at the ledger. ``Proximal`` is the minimiser of what has come, of the penalties, and of a bowl about
each decision at which something came; on a domain that is a product of intervals that is a projection, and so is the
step of ``DiagonalDescent`` in the norm that the rates make.
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.core.vectors import copy_into
from belated.domains.base import Domain, project
from belated.learners.verbs import begin, decision, move


class DiagonalDescent(NamedTuple):
    """Descent with a rate for each coordinate."""

    domain: Domain
    scale: float
    offset: float


class Proximal(NamedTuple):
    """The leader that is held near all of its decisions, with a rate for each coordinate, and penalties."""

    domain: Domain
    scale: float
    offset: float
    beta: float = 0.0
    l1: float = 0.0
    l2: float = 0.0


class DiagonalDescentState(NamedTuple):
    """x; the last step before its projection; S."""

    decision: Vector
    unprojected: Vector
    squares: Vector


class ProximalState(NamedTuple):
    """The decision x, the sum Z and the sums of squares S, as in the module."""

    decision: Vector
    linear: Vector
    squares: Vector


@begin.on(DiagonalDescent)
def begin_diagonal_descent(step: DiagonalDescent, initial: Vector) -> DiagonalDescentState:
    """Start at ``initial``, nothing learned yet."""
    return DiagonalDescentState(initial.copy(), initial.copy(), np.full(initial.size, step.offset))


@begin.on(Proximal)
def begin_proximal(step: Proximal, initial: Vector) -> ProximalState:
    """Held at ``initial`` as strongly as the offset and beta say."""
    held = -(math.sqrt(step.offset) + step.beta) / step.scale * initial
    return ProximalState(initial.copy(), held, np.full(initial.size, step.offset))


@decision.on(DiagonalDescent, Proximal)
def diagonal_decision(
    step: DiagonalDescent | Proximal, state: DiagonalDescentState | ProximalState, out: Vector
) -> None:
    copy_into(state.decision, out)


@move.on(DiagonalDescent)
def move_diagonal_descent(step: DiagonalDescent, state: DiagonalDescentState, ledger: Ledger, gradient: Vector) -> None:
    for i in range(gradient.size):
        state.squares[i] += gradient[i] * gradient[i]
        rate = step.scale / math.sqrt(float(state.squares[i]))
        state.unprojected[i] = state.decision[i] - rate * gradient[i]
    project(step.domain, state.unprojected, state.decision)


@move.on(Proximal)
def move_proximal(step: Proximal, state: ProximalState, ledger: Ledger, gradient: Vector) -> None:
    """Add a bowl about the decision, and follow."""
    for i in range(gradient.size):
        before = math.sqrt(float(state.squares[i]))
        state.squares[i] += gradient[i] * gradient[i]
        after = math.sqrt(float(state.squares[i]))
        state.linear[i] += gradient[i] - (after - before) / step.scale * state.decision[i]
        size = max(abs(float(state.linear[i])) - step.l1, 0.0)
        pull = after + (step.beta + step.scale * step.l2)
        state.decision[i] = -step.scale / pull * math.copysign(size, float(state.linear[i]))
    project(step.domain, state.decision, state.decision)
