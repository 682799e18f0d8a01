r"""Delayed online Frank-Wolfe: for sets on which linear forms are cheap to minimise and projections are expensive.

Every gradient that arrives is followed by one step, in order of arrival, and every round plays the latest y:

.. math::

    v = \arg\min_{x \in X} \langle \nabla F_i(y_i), x \rangle, \qquad
    y_{i+1} = y_i + s (v - y_i), \quad s = \arg\min_{[0, 1]} F_i(y_i + s (v - y_i))

where for convex and for strongly convex losses, after i arrivals,

.. math::

    F_i(y) = \eta \sum_{j \le i} \langle g_j, y \rangle + \|y - x_1\|^2 \qquad \text{and} \qquad
    F_i(y) = \sum_{j \le i} \Bigl(\langle g_j, y \rangle + \frac{\beta}{2} \|y - y_j\|^2\Bigr)

======  ======================  ======================================================================================
symbol  code                    meaning
======  ======================  ======================================================================================
g_j     ``tell(gradient)``      the j-th gradient to arrive, at the decision of its own round
x_1     ``start(initial)``      the first decision, y_1; by default the centre
eta     ``rate``                :func:`frank_wolfe_rate` gives R / (L T^{3/4})
beta    ``strong_convexity``    every loss is at least this strongly convex
======  ======================  ======================================================================================

Source: Wan, Tu and Zhang, "Online Frank-Wolfe with Arbitrary Delays", 2022: regret O(T^{3/4} + d T^{1/4}), for strongly
convex losses O(T^{2/3} + d log T), d the largest delay. The orders are read there; the algorithm and the order of the
rate are remembered. What is least certain is the place of the bowls: here they stand about y_j, the iterate *before the
j-th update*, and not about the decision that was played in the round of g_j. Losses and delays may be chosen by an
adversary.

Must be known: a bounded domain, and eta (so T and L) or beta. Not the delays; feedback is anonymous.

Pitfalls: every *arrival* costs a minimisation, so that a burst of m costs m of them. Where projections are cheap,
:mod:`~.algorithms.dda` has the better promise.

How it is computed: both forms of F_i are <Z, y> + (c / 2) \|y - x_1\|^2 with c = ``held`` + ``brought`` i, where Z is
the sum of the gradients received, each less ``brought`` (y_j - x_1): the slope at x_1 of the bowl that it brings. New
decisions lie between elements of the domain, so they are elements. Rounding adds to the distance from the set at most a
few epsilons of the decision's size per step: after a million steps there is still room in what ``domain.contains``
allows.

>>> from belated.domains import Box
>>> player = delayed_frank_wolfe(Box([-1.0, -1.0], [1.0, 1.0]), rate=0.5).start()
>>> play = player.ask()
>>> player.tell([1.0, 0.0])                         # v = (-1, -1), F(s v) = -s / 2 + 2 s^2
>>> player.ask().point
array([-0.125, -0.125])
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import squared_distance
from belated.core.vectors import copy_into
from belated.domains.base import Domain, minimise
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, bounded_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.rates import scale
from belated.learners.verbs import begin, decision, move


def delayed_frank_wolfe(domain: Domain, rate: float | None = None, strong_convexity: float | None = None) -> Learner:
    """A Frank-Wolfe step for each arrival, at a rate or for strongly convex losses (Wan, Tu and Zhang 2022).

    Args:
        domain: The set that decisions come from; it must be bounded.
        rate: eta > 0 for convex losses; ``bl.frank_wolfe_rate`` gives that of the theory.
        strong_convexity: Every loss is at least this strongly convex, beta > 0. Give this or ``rate``, not both.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    where = "delayed_frank_wolfe"
    if (rate is None) == (strong_convexity is None):
        checks.refuse(where, "rate", rate, "give a rate or a strong convexity, and not both")
    if strong_convexity is None:  # F / eta has the same minimisers, and no rate before the gradients
        step = FrankWolfe(bounded_domain(where, domain), held=2.0 / checks.moderate(where, "rate", rate), brought=0.0)
    else:
        beta = checks.moderate(where, "strong_convexity", strong_convexity)
        step = FrankWolfe(bounded_domain(where, domain), held=0.0, brought=beta)
    return from_arrivals(where, domain, Sequential(step))


class FrankWolfe(NamedTuple):
    """One step on F. The bowl about x_1 has the curvature ``held``, and that of each update ``brought``."""

    domain: Domain
    held: float
    brought: float


class FrankWolfeState(NamedTuple):
    """y; Z; x_1; the number of updates; the last gradient of F; the last v."""

    decision: Vector
    linear: Vector
    anchor: Vector
    updates: Integers
    slope: Vector
    vertex: Vector


def frank_wolfe_rate(domain: Domain, lipschitz: float, rounds: int) -> float:
    """The rate R / (L T^{3/4}) for gradients of norm at most ``lipschitz``, R the radius of the domain.

    Args:
        domain: The set that decisions come from; it must be bounded.
        lipschitz: Bound L > 0 on the norms of all gradients.
        rounds: T.

    Returns:
        The rate eta.

    Raises:
        InvalidArgument: A number is out of its range, or the domain is unbounded.

    Example:
        >>> from belated.domains import Ball
        >>> frank_wolfe_rate(Ball(2, radius=4.0), lipschitz=0.5, rounds=16)
        1.0
    """
    where = "frank_wolfe_rate"
    steepness = scale(where, domain, lipschitz)
    horizon = checks.count(where, "rounds", rounds)
    return domain.outer_radius / domain.diameter / steepness / math.pow(horizon, 0.75)


@begin.on(FrankWolfe)
def begin_frank_wolfe(step: FrankWolfe, initial: Vector) -> FrankWolfeState:
    """Start at ``initial``, with nothing received."""
    nothing = [np.zeros(initial.size) for _ in range(3)]
    count = np.zeros(1, dtype=np.int64)
    return FrankWolfeState(initial.copy(), nothing[0], initial.copy(), count, nothing[1], nothing[2])


@decision.on(FrankWolfe)
def frank_wolfe_decision(step: FrankWolfe, state: FrankWolfeState, out: Vector) -> None:
    copy_into(state.decision, out)


@move.on(FrankWolfe)
def move_frank_wolfe(step: FrankWolfe, state: FrankWolfeState, ledger: Ledger, gradient: Vector) -> None:
    """Add the gradient to F, and make one step on it."""
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
    if descent >= bend:  # the whole way to the vertex; both are 0 if y is there
        for i in range(gradient.size):
            y[i] = vertex[i]
    elif descent > 0.0:
        share = descent / bend
        for i in range(gradient.size):
            y[i] += share * (float(vertex[i]) - float(y[i]))


def _tuned(domain: Domain, facts: Facts) -> dict[str, float]:
    if facts.strong_convexity > 0.0:
        return {"strong_convexity": facts.strong_convexity}
    return {"rate": frank_wolfe_rate(domain, facts.lipschitz, facts.rounds)}


CARD = Card(
    title="Delayed online Frank-Wolfe",
    losses="convex or strongly convex",
    adversary="adaptive",
    known=("rounds and gradient bound, or strong convexity",),
    promise="O(T^(3/4) + d T^(1/4)), or O(T^(2/3) + d log T)",
    source="Wan, Tu and Zhang 2022",
    certainty="orders from the abstract; the algorithm and its rate remembered",
    time="O(n) and a linear minimisation for each arrival",
    memory="O(n)",
    domains="bounded",
    examples={
        "": lambda domain: delayed_frank_wolfe(domain, rate=0.2),
        "strongly convex": lambda domain: delayed_frank_wolfe(domain, strong_convexity=2.0),
    },
    tuned=_tuned,
)
