r"""The leader of losses that bend along their gradients only: a quadratic form with a matrix, minimised on a domain.

.. math::

    x_t = \arg\min_{x \in X} Q(x), \qquad
    Q(x) = \sum_{k \text{ received}}
           \Bigl(\langle g_k, x \rangle + \frac{\gamma}{2} \langle g_k, x - x_k \rangle^2\Bigr)
           + \frac{a}{2} \|x - x_0\|^2
         = \langle Z, x - x_0 \rangle + \frac12 (x - x_0)' A (x - x_0) + \text{const}

==========  ======================  ==============================================================================
symbol      code                    meaning
==========  ======================  ==============================================================================
Z           ``linear``              the sum of (1 - gamma <g_k, x_k - x_0>) g_k
A           ``factor``              a I + gamma times the sum of g_k g_k', as :mod:`belated.learners.parts.cholesky`
gamma       ``bend``                how much a loss bends
a, x_0      ``weight``, ``anchor``  how strongly, and where, it is held; x_0 is the first decision
==========  ======================  ==============================================================================

If the lowest point of Q lies in the domain, x_t is that, in one go. Else x_t is found from x_{t-1} by spectral
projected gradient (Birgin, Martinez and Raydan 2000): the move d = Pi(x - s grad Q) - x is made as a whole unless that
may lead higher than each of the last ``MEMORY`` points, and else as far as it surely leads down. The sizes s are the
inverses of the curvature along the last move, d'd / d'Ad and d'Ad / d'AAd in turn. The descent along a move is at least
d'd / s, which holds for projections and, unlike a difference of values, has all its digits.

The search ends when d is at most ``PRECISE`` s times the trace of A times the diameter, which bounds differences of
gradients of Q: about what rounding allows. It ends after ``MOST_STEPS`` moves at the latest, and plays what it has
then; usual are some tens, if the largest eigenvalue of A is within 10^4 of a. A move is O(n^2) and a projection.
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.core.verbs import compilable
from belated.domains.arithmetic import copy_into
from belated.domains.base import Domain, contains, project
from belated.learners.parts.cholesky import add_outer, multiply, solve, trace
from belated.learners.verbs import Rng, Shape, begin, decision, play, receive, settle, shape

PRECISE = 1e-14
MOST_STEPS = 1000
MEMORY = 10


class QuadraticLeader(NamedTuple):
    """Follow the leader of gradients that are told late, each with the curvature ``bend`` along itself."""

    domain: Domain
    dim: int
    bend: float
    weight: float
    diameter: float


class QuadraticLeaderState(NamedTuple):
    """x_t; x_0; Z; A; and of the last search: gradient, move, U times the move, A times the move, the last values."""

    decision: Vector
    anchor: Vector
    linear: Vector
    factor: Matrix
    slope: Vector
    move: Vector
    half: Vector
    image: Vector
    values: Vector


@shape.on(QuadraticLeader)
def quadratic_leader_shape(policy: QuadraticLeader) -> Shape:
    """One point, its gradient; the point is remembered."""
    return Shape(1, "gradient", policy.dim, policy.dim, policy.dim)


@begin.on(QuadraticLeader)
def begin_quadratic_leader(policy: QuadraticLeader, initial: Vector) -> QuadraticLeaderState:
    """Nothing received: A = a I."""
    linear, slope, move, half, image = np.zeros((5, initial.size))
    factor = math.sqrt(policy.weight) * np.eye(initial.size)
    return QuadraticLeaderState(
        initial.copy(), initial.copy(), linear, factor, slope, move, half, image, np.zeros(MEMORY)
    )


@decision.on(QuadraticLeader)
def quadratic_leader_decision(policy: QuadraticLeader, state: QuadraticLeaderState, out: Vector) -> None:
    """x_t."""
    copy_into(state.decision, out)


@play.on(QuadraticLeader)
def play_quadratic_leader(
    policy: QuadraticLeader,
    state: QuadraticLeaderState,
    ledger: Ledger,
    rng: Rng,
    scratch: Vector,
    points: Matrix,
    memo: Vector,
) -> None:
    """The decision, which is remembered."""
    copy_into(state.decision, points[0])
    copy_into(state.decision, memo)


@receive.on(QuadraticLeader)
def receive_in_quadratic_leader(
    policy: QuadraticLeader,
    state: QuadraticLeaderState,
    ledger: Ledger,
    feedback: Vector,
    memo: Vector,
    scratch: Vector,
) -> None:
    """Add the surrogate of the round."""
    along = 0.0
    for i in range(policy.dim):
        along += float(feedback[i]) * (float(memo[i]) - float(state.anchor[i]))
    share, root = 1.0 - policy.bend * along, math.sqrt(policy.bend)
    for i in range(policy.dim):
        state.linear[i] += share * float(feedback[i])
        scratch[i] = root * float(feedback[i])
    add_outer(state.factor, scratch[: policy.dim])


@settle.on(QuadraticLeader)
def settle_quadratic_leader(policy: QuadraticLeader, state: QuadraticLeaderState, ledger: Ledger) -> None:
    """Follow: nothing moves unless something arrived."""
    if ledger.arrived == 0:
        return
    lowest = state.move
    copy_into(state.linear, lowest)
    solve(state.factor, lowest)
    for i in range(policy.dim):
        lowest[i] = float(state.anchor[i]) - float(lowest[i])
    if contains(policy.domain, lowest, 0.0):
        copy_into(lowest, state.decision)
    else:
        search(policy, state)


@compilable
def search(policy: QuadraticLeader, state: QuadraticLeaderState) -> None:
    """Spectral projected gradient from the last decision, whose value counts as zero."""
    x, slope, move, half, image, values = (
        state.decision,
        state.slope,
        state.move,
        state.half,
        state.image,
        state.values,
    )
    for i in range(policy.dim):
        move[i] = float(x[i]) - float(state.anchor[i])
    multiply(state.factor, move, half, slope)
    for i in range(policy.dim):
        slope[i] = float(state.linear[i]) + float(slope[i])
    for j in range(MEMORY):
        values[j] = 0.0
    value, steepest = 0.0, trace(state.factor)
    size = 1.0 / steepest
    reach = PRECISE * steepest * policy.diameter
    for count in range(MOST_STEPS):
        for i in range(policy.dim):
            move[i] = float(x[i]) - size * float(slope[i])
        project(policy.domain, move, move)
        for i in range(policy.dim):
            move[i] = float(move[i]) - float(x[i])
        multiply(state.factor, move, half, image)
        bend, squares = dot(half, half), dot(move, move)
        if not (math.sqrt(squares) > reach * size and bend > 0.0):
            break
        descent = squares / size
        highest = float(values[0])
        for j in range(1, MEMORY):
            highest = max(highest, float(values[j]))
        share = 1.0
        if value - descent + 0.5 * bend > highest:
            share = min(1.0, descent / bend)
        value += share * (0.5 * share * bend - descent)
        values[count % MEMORY] = value
        size = squares / bend if count % 2 == 0 else bend / dot(image, image)
        for i in range(policy.dim):
            x[i] += share * float(move[i])
            slope[i] += share * float(image[i])
    project(policy.domain, x, x)  # of elements up to rounding nothing is changed: it undoes the rounding of many moves
