r"""GOLD: gradient-free learning from one late value per round, the oldest estimate first.

.. math::

    \hat x_t = X_t + \delta_t \Bigl(Z_t - \frac{X_t - p}{r}\Bigr), \qquad
    X_{t+1} = \Pi_X(X_t - \gamma_t \tilde g_q), \qquad \tilde g_k = \frac{n}{\delta_k} f_k(\hat x_k) Z_k

q is the earliest round whose estimate has arrived and was not used before; without one X_{t+1} = X_t.

=======  ======================  =================================================================================
symbol   code                    meaning
=======  ======================  =================================================================================
x^_t     ``play.point``          where round t is played; always an element, so that the domain is not shrunk
f_k      ``tell(value, round)``  the loss of round k at x^_k
Z_t      drawn by ``ask``        uniform on the unit sphere (of the directions in the domain's hull)
n        ``hull_dim``            the number of these directions: the dimension for a set with interior
p, r     ``centre``,             of the domain
         ``inner_radius``
delta_t  ``probe_radius``        delta_1 t^-b, b = min(1/4, 1/3 - a/3); an estimate is divided by delta of its round
gamma_t  ``rate``                gamma_1 t^-c, c = max(3/4, 2/3 + a/3), t the round in which the step is made
a        ``delay_growth``        delays are O(t^a); 0 for bounded ones
=======  ======================  =================================================================================

Source: Heliou, Mertikopoulos and Zhou 2020: expected regret O~(T^(3/4) + T^(2/3 + a/3)), as quoted by Wan, Tu and
Zhang. That unused estimates are kept, and that the oldest is used first, is as its abstract describes. The exponents
are *only remembered*, and no constant is claimed; at a = 1/4 the other term of b, of c and of the regret takes over.

Must be known: a, a bounded domain, and the *round* of each feedback. Losses and delays must not react to the directions
drawn.

Pitfalls: one estimate is used per round. When many arrive at once the others wait, those of late rounds longest. The
rate is that of the round in which an estimate is used, however old that is. :mod:`~.algorithms.one_point_dda` uses all
of them, and needs no a.

How it is computed: estimates lie in the rows of a table. ``places`` is a permutation of the rows: its first ``pooled``
entries are a binary heap by round, the earliest round on top, and the others are free. The table grows (``full``,
``enlarged``), so that it always has room for all that is in flight.

>>> from belated.domains import Box
>>> player = gold(Box([-1.0], [1.0]), rate=0.25, probe_radius=0.5).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([0.0], round=2)
>>> player.tell([1.0], round=1)                     # the older one, and the only one that is used: 2 Z_1
>>> step = (player.ask().decision - first.decision) / (2 * first.point / 0.5)
>>> bool(abs(step[0] + 0.25 * 2**-0.75) < 1e-15)
True
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers, Matrix, Vector, frozen
from belated.core.ledger import Ledger
from belated.core.verbs import compilable
from belated.domains.base import Domain
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, bounded_domain, checked_probe_radius
from belated.learners.parts.estimators import draw_direction, typical_probe_radius
from belated.learners.parts.steps.descent import Descent
from belated.learners.verbs import (
    Desk,
    Interface,
    State,
    Step,
    begin,
    decision,
    enlarged,
    full,
    interface,
    inverse_rate,
    move,
    play,
    receive,
    settle,
)


def gold(domain: Domain, rate: float, probe_radius: float, delay_growth: float = 0.0) -> Learner:
    """Descent by the oldest unused one-point estimate, one per round (Heliou, Mertikopoulos and Zhou 2020).

    Args:
        domain: The set that decisions come from; it must be bounded.
        rate: gamma_1 > 0, the step size of the first round; it falls with the rounds.
        probe_radius: How far from the decision the loss is looked at, delta; smaller than the inner radius of the
            domain. It is that of the first round, and falls.
        delay_growth: a with delays of order t^a, from 0 (bounded delays) to below 1.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    delta = checked_probe_radius("gold", bounded_domain("gold", domain), probe_radius)
    growth = checks.not_negative("gold", "delay_growth", delay_growth)
    if growth >= 1.0:
        checks.refuse(
            "gold", "delay_growth", delay_growth, "must be < 1: nothing is learned if delays grow like rounds"
        )
    power = PowerLaw(checks.moderate("gold", "rate", rate), exponent=max(3 / 4, (2 + growth) / 3))
    step, p = Descent(domain, power), frozen(domain.centre)
    shrinking = min(1 / 4, (1 - growth) / 3)
    policy = OldestFirst(step, domain, domain.dim, domain.hull_dim, p, domain.inner_radius, delta, shrinking)
    return Learner("gold", domain, domain, policy)


FIRST_ROOM = 16
"""How many rows a new table has."""


class PowerLaw(NamedTuple):
    """A rate: h_t = t^exponent / scale."""

    scale: float
    exponent: float


class OldestFirst(NamedTuple):
    """A step that is moved by the oldest estimate of a pool; delta_t = ``probe_radius`` t^-``probe_exponent``."""

    step: Step
    domain: Domain
    dim: int
    hull_dim: int
    centre: Vector
    inner_radius: float
    probe_radius: float
    probe_exponent: float


class PoolState(NamedTuple):
    """The step's state, and the pool: how many wait, the permutation, and each row's round and estimate."""

    step: State
    pooled: Integers
    places: Integers
    rounds: Integers
    estimates: Matrix


@inverse_rate.on(PowerLaw)
def power_law_inverse_rate(rate: PowerLaw, ledger: Ledger) -> float:
    return math.pow(ledger.round, rate.exponent) / rate.scale


@compilable
def add(state: PoolState, number: int) -> int:
    """Enter a round into the heap, and return its row, into which the caller writes the estimate."""
    places, rounds = state.places, state.rounds
    at = int(state.pooled[0])
    row = int(places[at])
    while at > 0 and rounds[places[(at - 1) // 2]] > number:
        places[at] = places[(at - 1) // 2]
        at = (at - 1) // 2
    places[at] = row
    rounds[row] = number
    state.pooled[0] += 1
    return row


@compilable
def take_oldest(state: PoolState) -> int:
    """Remove the earliest round from the heap, and return its row, which is free now but still has the estimate."""
    places, rounds = state.places, state.rounds
    state.pooled[0] -= 1
    last = int(state.pooled[0])
    oldest, moving = int(places[0]), int(places[last])
    at, child = 0, 1
    while child < last:
        if child + 1 < last and rounds[places[child + 1]] < rounds[places[child]]:
            child += 1
        if rounds[places[child]] > rounds[moving]:
            break
        places[at] = places[child]
        at, child = child, 2 * child + 1
    places[at] = moving
    places[last] = oldest
    return oldest


@interface.on(OldestFirst)
def pool_interface(policy: OldestFirst) -> Interface:
    """One point is played, its value told; direction, delta_k and round, exact below 2^53, are remembered."""
    return Interface(1, "values", 1, policy.dim + 2, policy.dim, draws=True)


@begin.on(OldestFirst)
def begin_pool(policy: OldestFirst, initial: Vector) -> PoolState:
    whole = np.int64
    return PoolState(
        begin(policy.step, initial),
        np.zeros(1, whole),
        np.arange(FIRST_ROOM, dtype=whole),
        np.zeros(FIRST_ROOM, whole),
        np.zeros((FIRST_ROOM, policy.dim)),
    )


@full.on(OldestFirst)
def pool_full(policy: OldestFirst, state: PoolState, ledger: Ledger) -> bool:
    """Whether the table could overflow: all that is in flight, and the next round, may arrive before the next call."""
    return int(state.pooled[0]) + ledger.in_flight >= state.rounds.size


@enlarged.on(OldestFirst)
def enlarged_pool(policy: OldestFirst, state: PoolState) -> PoolState:
    """Twice the rows; the new ones are free."""
    room = state.rounds.size
    return state._replace(
        places=np.concatenate([state.places, np.arange(room, 2 * room, dtype=np.int64)]),
        rounds=np.concatenate([state.rounds, np.zeros(room, np.int64)]),
        estimates=np.concatenate([state.estimates, np.zeros((room, policy.dim))]),
    )


@decision.on(OldestFirst)
def pool_decision(policy: OldestFirst, state: PoolState, out: Vector) -> None:
    decision(policy.step, state.step, out)


@play.on(OldestFirst)
def play_pool(policy: OldestFirst, state: PoolState, ledger: Ledger, desk: Desk) -> None:
    """Draw a direction Z_t, and play a point on the way from the decision to p + r Z_t."""
    direction = desk.memo[: policy.dim]
    # Whoever draws has a generator, which the type of a desk leaves open.
    draw_direction(policy.domain, policy.hull_dim, desk.rng, desk.scratch, direction)  # type: ignore[arg-type]
    delta = policy.probe_radius * math.pow(ledger.round, -policy.probe_exponent)
    decision(policy.step, state.step, desk.scratch[: policy.dim])
    for i in range(policy.dim):
        inwards = (desk.scratch[i] - policy.centre[i]) / policy.inner_radius
        desk.points[0, i] = desk.scratch[i] + delta * (desk.memo[i] - inwards)
    desk.memo[policy.dim] = delta
    desk.memo[policy.dim + 1] = ledger.round


@receive.on(OldestFirst)
def receive_pool(
    policy: OldestFirst, state: PoolState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    row = add(state, int(memo[policy.dim + 1]))
    slope = policy.hull_dim / memo[policy.dim] * feedback[0]
    for i in range(policy.dim):
        state.estimates[row, i] = slope * memo[i]


@settle.on(OldestFirst)
def settle_pool(policy: OldestFirst, state: PoolState, ledger: Ledger) -> None:
    """Move by the oldest estimate, if there is one."""
    if state.pooled[0] > 0:
        move(policy.step, state.step, ledger, state.estimates[take_oldest(state)])


def _tuned(domain: Domain, facts: Facts) -> dict[str, float]:
    """A first probe radius of half the inner radius, and a first step of at most the domain's radius."""
    delta = domain.inner_radius / 2.0
    return {"rate": domain.outer_radius * delta / (domain.hull_dim * facts.bound), "probe_radius": delta}


CARD = Card(
    title="GOLD, gradient-free online learning with delays",
    losses="convex",
    adversary="oblivious",
    known=("how fast delays grow",),
    promise="O~(T^(3/4) + T^(2/3 + a/3)) in expectation, for delays O(t^a)",
    source="Heliou, Mertikopoulos and Zhou 2020",
    certainty="structure from the abstract; regret second-hand; exponents remembered",
    time="O(n + log pooled)",
    memory="O(n), and O(n) per round in flight or in the pool",
    examples={"": lambda domain: gold(domain, rate=0.001, probe_radius=typical_probe_radius(domain))},
    domains="bounded",
    tuned=_tuned,
)
