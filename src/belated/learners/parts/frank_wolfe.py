r"""The Frank-Wolfe step: towards the minimiser of a linear form, as far as it pays; nothing is ever projected.

.. math::

    F(y) = \langle Z, y \rangle + \frac{c}{2} \|y - x_1\|^2, \qquad
    v = \arg\min_{x \in X} \langle \nabla F(y), x \rangle, \qquad
    y \leftarrow y + s (v - y), \quad s = \arg\min_{[0, 1]} F(y + s (v - y))

==========  ======================  ==============================================================================
symbol      code                    meaning
==========  ======================  ==============================================================================
Z           ``linear``              the sum of the gradients received, each less ``brought`` (y - x_1), the slope of the
                                    bowl that it brings
c           ``held``, ``brought``   ``held`` + ``brought`` i in the i-th update
x_1         ``anchor``              the first decision
v           ``vertex``              where the linear form is least
==========  ======================  ==============================================================================

New decisions lie between elements, so they are elements. Rounding adds to an old decision's distance from the set at
most a few epsilons of its size a step: after a million steps there is still room in what ``domain.contains`` allows.
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import squared_distance
from belated.domains.arithmetic import copy_into
from belated.domains.base import Domain, minimise
from belated.learners.parts.rates import scale
from belated.learners.verbs import begin, decision, move


class FrankWolfe(NamedTuple):
    """One step on linear losses that are held at the first decision, and on bowls that each update brings."""

    domain: Domain
    held: float
    brought: float


class FrankWolfeState(NamedTuple):
    """y; Z; x_1; how many updates there were; the last gradient of F and v."""

    decision: Vector
    linear: Vector
    anchor: Vector
    updates: Integers
    slope: Vector
    vertex: Vector


def frank_wolfe_rate(domain: Domain, lipschitz: float, rounds: int) -> float:
    """The rate R / (L T^{3/4}) for gradients of norm at most ``lipschitz``, R the radius of the domain.

    >>> from belated.domains import Ball
    >>> frank_wolfe_rate(Ball(2, radius=4.0), lipschitz=0.5, rounds=16)
    1.0
    """
    where = "frank_wolfe_rate"
    radius_over_bound = domain.outer_radius / domain.diameter / scale(where, domain, lipschitz)
    return radius_over_bound / math.pow(checks.count(where, "rounds", rounds), 0.75)


@begin.on(FrankWolfe)
def begin_frank_wolfe(step: FrankWolfe, initial: Vector) -> FrankWolfeState:
    """Start at ``initial``, nothing received."""
    nothing = [np.zeros(initial.size) for _ in range(3)]
    count = np.zeros(1, dtype=np.int64)
    return FrankWolfeState(initial.copy(), nothing[0], initial.copy(), count, nothing[1], nothing[2])


@decision.on(FrankWolfe)
def frank_wolfe_decision(step: FrankWolfe, state: FrankWolfeState, out: Vector) -> None:
    """The latest y."""
    copy_into(state.decision, out)


@move.on(FrankWolfe)
def move_frank_wolfe(step: FrankWolfe, state: FrankWolfeState, ledger: Ledger, gradient: Vector) -> None:
    """One step on F, to which the gradient is added."""
    y, slope, vertex = state.decision, state.slope, state.vertex
    state.updates[0] += 1
    curvature = step.held + step.brought * state.updates[0]
    for i in range(gradient.size):
        offset = float(y[i]) - float(state.anchor[i])
        state.linear[i] += float(gradient[i]) - step.brought * offset
        slope[i] = float(state.linear[i]) + curvature * offset
    minimise(step.domain, slope, vertex)
    descent = 0.0
    for i in range(gradient.size):
        descent += float(slope[i]) * (float(y[i]) - float(vertex[i]))
    bend = curvature * squared_distance(vertex, y)
    if descent >= bend:  # the whole way; also if there is none to go
        for i in range(gradient.size):
            y[i] = vertex[i]
    elif descent > 0.0:
        share = descent / bend
        for i in range(gradient.size):
            y[i] += share * (float(vertex[i]) - float(y[i]))
