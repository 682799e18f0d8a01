r"""ONS: the online Newton step with late gradients, as the leader of surrogates that are curved along their gradients.

.. math::

    x_t = \arg\min_{x \in X} \sum_{k \text{ received}}
          \Bigl(\langle g_k, x \rangle + \frac{\gamma}{2} \langle g_k, x - x_k \rangle^2\Bigr)
          + \frac{a}{2} \|x - x_1\|^2, \qquad
    \gamma = \frac12 \min\Bigl(\frac{1}{4 L D}, \alpha\Bigr) \text{ by default}

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_k     ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
x_1     ``start(initial)``      the first decision; by default the centre
L       ``lipschitz``           bound on the norms of the gradients
alpha   ``exp_concavity``       exp(-alpha f_t) is concave for every loss f_t
D       ``diameter``            of the domain
a       ``weight``              by default 1 / (gamma D^2), which costs at most 1 / (2 gamma)
gamma   ``gamma``               in place of L and alpha
======  ======================  ====================================================================

Source: Hazan, Agarwal and Kale 2007 without delay; with delays derived in ``docs/derivations``. With
A_t = a I + gamma sum over k <= t of g_k g_k', and U_t the rounds missing when x_t is played, regret at most

.. math::

    \frac{a}{2} \max_u \|u - x_1\|^2 + \sum_t \|g_t\|_{A_t^{-1}}
    \sum_{k \in U_t \cup \{t\}} (1 + \gamma |\langle g_k, x_t - x_k \rangle|) \|g_k\|_{A_t^{-1}}

so O(d n log T), d the largest delay. Qiu, Esposito and Zhang 2025 state O(min(d n log T, sqrt(D_0))), D_0 the sum of
d_t - 1, for a rate of their own. Losses and delays may be chosen by an adversary who sees everything.

Must be known: L and alpha, or gamma; a bounded domain, and which round a feedback belongs to. Not T or the delays.

Pitfalls: memory is O(n^2), and so is the time per feedback; on the boundary of the domain each round with arrivals
solves a small problem. With the default weight and gradients within L the condition number of A is at most 1 + N / 64
after N feedbacks, so that is quick; gradients far beyond L make it slow. gamma is often tiny, and then so is the gain
over :mod:`~.algorithms.dda`. A larger gamma has no promise, but is often better.

How it is computed: the sum above is Q(x) = <Z, x - x_1> + (x - x_1)' A (x - x_1) / 2 plus a constant, where Z is the
sum of (1 - gamma <g_k, x_k - x_1>) g_k, and A is kept as its Cholesky factor (:mod:`belated.learners.parts.cholesky`).
If the lowest point of Q lies in the domain, it is x_t. Otherwise x_t is found from x_{t-1} by spectral projected
gradient (Birgin, Martinez and Raydan 2000): the move d = Pi(x - s grad Q) - x is made as a whole unless that may lead
higher than each of the last ``MEMORY`` points, and else as far as it surely leads down. The sizes s are the inverses of
the curvature along the last move, d'd / d'Ad and d'Ad / d'AAd in turn. The descent along a move is at least d'd / s,
which holds for projections and, unlike a difference of values, has all its digits. The search ends when d is at most
``PRECISE`` s times the trace of A times the diameter, which bounds differences of gradients of Q: about what rounding
allows. It ends after ``MOST_STEPS`` moves at the latest, and plays what it has then; some tens are usual if the largest
eigenvalue of A is within 10^4 of a. A move is O(n^2) and a projection.

>>> from belated.domains import Ball
>>> player = ons(Ball(2, radius=0.25), lipschitz=1.0, exp_concavity=0.5, weight=7.75).start()
>>> play = player.ask()
>>> player.tell([1.0, 0.0], round=play.round)       # gamma = 1/4: A = diag(8, 7.75)
>>> player.ask().point
array([-0.125,  0.   ])
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.core.vectors import copy_into
from belated.core.verbs import compilable
from belated.domains.base import Domain, contains, project
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, bounded_domain
from belated.learners.parts.cholesky import add_outer, multiply, solve, trace
from belated.learners.verbs import Desk, Interface, begin, decision, interface, play, receive, settle


def ons(
    domain: Domain,
    lipschitz: float | None = None,
    exp_concavity: float | None = None,
    weight: float | None = None,
    *,
    gamma: float | None = None,
) -> Learner:
    """The online Newton step on delayed surrogates (after Hazan, Agarwal and Kale 2007).

    Args:
        domain: Where decisions are taken from; it must be bounded.
        lipschitz: L, a bound on the norms of the gradients.
        exp_concavity: alpha, such that exp(-alpha f) is concave for every loss f.
        weight: How strongly decisions are held near the first one. The default costs at most 1 / (2 gamma).
        gamma: The curvature of the surrogates, in place of ``lipschitz`` and ``exp_concavity``, which are used for
            nothing but its default.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: The domain is unbounded, an argument is out of range, or there is neither ``gamma`` nor both
            of the others, or more than that.

    Example:
        >>> from belated import Ball
        >>> player = ons(Ball(10), gamma=0.1).start()
    """
    diameter = bounded_domain("ons", domain).diameter
    bend = (
        _default_gamma(diameter, lipschitz, exp_concavity) if gamma is None else checks.moderate("ons", "gamma", gamma)
    )
    if gamma is not None and not lipschitz is exp_concavity is None:
        checks.refuse("ons", "gamma", gamma, "must not be given together with lipschitz or exp_concavity")
    held = 1.0 / (bend * diameter**2) if weight is None else checks.moderate("ons", "weight", weight)
    return Learner("ons", domain, domain, QuadraticLeader(domain, domain.dim, bend, held, diameter))


def _default_gamma(diameter: float, lipschitz: float | None, exp_concavity: float | None) -> float:
    for name, value in (("lipschitz", lipschitz), ("exp_concavity", exp_concavity)):
        if value is None:
            checks.refuse("ons", name, value, "must be given, or gamma in place of lipschitz and exp_concavity")
    bound = checks.moderate("ons", "lipschitz", lipschitz)
    return 0.5 * min(1.0 / (4.0 * bound * diameter), checks.moderate("ons", "exp_concavity", exp_concavity))


PRECISE, MOST_STEPS, MEMORY = 1e-14, 1000, 10
"""When the search ends, after how many moves at the latest, and with how many last values a move is compared."""


class QuadraticLeader(NamedTuple):
    """Follow the leader of late gradients, each with the curvature ``bend``, gamma, along itself; ``weight`` is a."""

    domain: Domain
    dim: int
    bend: float
    weight: float
    diameter: float


class QuadraticLeaderState(NamedTuple):
    """x_t; x_1; Z; U with A = U'U; of the last search the gradient, the move, U and A times it, and the last values."""

    decision: Vector
    anchor: Vector
    linear: Vector
    factor: Matrix
    slope: Vector
    move: Vector
    half: Vector
    image: Vector
    values: Vector


@interface.on(QuadraticLeader)
def quadratic_leader_interface(policy: QuadraticLeader) -> Interface:
    """One point is played, its gradient told, and the point remembered."""
    return Interface(1, "gradient", policy.dim, policy.dim, policy.dim)


@begin.on(QuadraticLeader)
def begin_quadratic_leader(policy: QuadraticLeader, initial: Vector) -> QuadraticLeaderState:
    """Nothing is received yet, so that A = a I."""
    linear, slope, move, half, image = np.zeros((5, initial.size))
    factor = math.sqrt(policy.weight) * np.eye(initial.size)
    return QuadraticLeaderState(
        initial.copy(), initial.copy(), linear, factor, slope, move, half, image, np.zeros(MEMORY)
    )


@decision.on(QuadraticLeader)
def quadratic_leader_decision(policy: QuadraticLeader, state: QuadraticLeaderState, out: Vector) -> None:
    """Write the decision x_t, which the state keeps."""
    copy_into(state.decision, out)


@play.on(QuadraticLeader)
def play_quadratic_leader(policy: QuadraticLeader, state: QuadraticLeaderState, ledger: Ledger, desk: Desk) -> None:
    """Play the decision, and remember it."""
    copy_into(state.decision, desk.points[0])
    copy_into(state.decision, desk.memo)


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
    """If something has arrived, find the new decision: the lowest point of Q, or the result of the search."""
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
    project(policy.domain, x, x)  # many moves may have left the domain by rounding; this leads back


def _tuned(domain: Domain, facts: Facts) -> dict[str, float]:
    """Strongly convex losses are exp-concave with beta / L^2; for others the facts have no exp-concavity."""
    beta = facts.strong_convexity
    curved = {"exp_concavity": beta / facts.lipschitz**2} if beta > 0.0 else {}
    return {"lipschitz": facts.lipschitz, **curved}


CARD = Card(
    title="Online Newton step with late gradients",
    losses="exp-concave",
    adversary="adaptive",
    known=("gradient bound", "exp-concavity", "a bounded domain"),
    promise="O(d n log T)",
    source="derived here, after Hazan, Agarwal and Kale 2007",
    certainty="bound derived here; the undelayed algorithm remembered",
    time="O(n^2) for each feedback, and a small problem to solve on the boundary",
    memory="O(n^2), and O(n) per round in flight",
    domains="bounded",
    examples={"": lambda domain: ons(domain, lipschitz=2.0, exp_concavity=0.5)},
    tuned=_tuned,
    beside=("lipschitz", "exp_concavity", "weight"),
)
