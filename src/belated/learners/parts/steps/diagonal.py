r"""Steps with a rate for each coordinate: eta_i = a / sqrt(S_i), S_i the sum of g_i^2 over the gradients received.

=====================  ===============================================================  =============
part                   step, for each coordinate by itself                              used by
=====================  ===============================================================  =============
``DiagonalDescent``    x <- Pi_X(x - eta g)                                             AdaGrad
``Proximal``           x <- Pi_X(-eta T(Z)), Z the sum of g - (1/eta - 1/eta_before) x  FTRL-Proximal
=====================  ===============================================================  =============

a is ``scale``. S includes the gradient of the present step, and starts at ``offset``, so that nothing is divided by
zero; eta_before is the eta without that gradient. T moves a number towards zero by ``l1``, and not past zero. With
``beta`` and ``l2`` the eta in front of T is a / (sqrt(S) + c), where c = beta + a l2: beta holds the first decision, as
the offset does, and l2 pulls decisions towards zero.

Neither step looks at the ledger. ``Proximal`` minimises the sum of three things: the gradients received as linear
losses, the penalties, and one bowl about each decision at which a gradient arrived. On a product of intervals that
minimiser is the clipped one in the table. On such a domain the step of ``DiagonalDescent`` is a projection in the norm
that the rates define.
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
    """Descent with a rate for each coordinate; symbols as in the module."""

    domain: Domain
    scale: float
    offset: float


class Proximal(NamedTuple):
    """The leader that is held near all of its decisions, with penalties; symbols as in the module."""

    domain: Domain
    scale: float
    offset: float
    beta: float = 0.0
    l1: float = 0.0
    l2: float = 0.0


class DiagonalDescentState(NamedTuple):
    """The decision x; the same before the projection of the last step; the sums of squares S."""

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
    """Start at ``initial``; no gradient was received yet."""
    return DiagonalDescentState(initial.copy(), initial.copy(), np.full(initial.size, step.offset))


@begin.on(Proximal)
def begin_proximal(step: Proximal, initial: Vector) -> ProximalState:
    """Start at ``initial``, held there as strongly as the offset and beta say."""
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
    """Add the gradient, and a bowl about the present decision; the new decision is the minimiser."""
    for i in range(gradient.size):
        before = math.sqrt(float(state.squares[i]))
        state.squares[i] += gradient[i] * gradient[i]
        after = math.sqrt(float(state.squares[i]))
        state.linear[i] += gradient[i] - (after - before) / step.scale * state.decision[i]
        size = max(abs(float(state.linear[i])) - step.l1, 0.0)
        pull = after + (step.beta + step.scale * step.l2)
        state.decision[i] = -step.scale / pull * math.copysign(size, float(state.linear[i]))
    project(step.domain, state.decision, state.decision)
