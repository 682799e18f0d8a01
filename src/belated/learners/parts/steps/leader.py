r"""The leader step: the minimiser of all that has been received, held near an anchor.

.. math:: x_t = \arg\min_{x \in X} \langle Z, x \rangle + \tfrac{\mu m_t}{2} \|x\|^2 + \tfrac{a_t}{2} \|x - x_0\|^2
              = \Pi_X\Bigl(\frac{a_t x_0 - Z}{\mu m_t + a_t}\Bigr)

==========  ======================  ==============================================================================
symbol      code                    meaning
==========  ======================  ==============================================================================
Z           ``linear``              the sum of the gradients (or of the slopes of surrogates) received so far
mu m_t      ``curvature``, count    what has curvature: every round up to t (``Known``), those received (``Received``),
                                    or none (``Flat``)
a_t, x_0    ``weight``, ``anchor``  how strongly, and where, it is held: :mod:`belated.learners.parts.rates.weights`
==========  ======================  ==============================================================================

The minimiser of a form with one curvature in all directions is a projection, so every domain has this step. It moves
also when nothing arrives, since a_t and m_t do. Until something arrives it plays the first decision.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector, frozen
from belated.core.ledger import Ledger, after_play
from belated.core.vectors import copy_into
from belated.core.verbs import verb
from belated.domains.base import Domain, project
from belated.learners.parts.rates.weights import Weight, weigh
from belated.learners.verbs import begin, decision, move, rest


class Flat(NamedTuple):
    """What is received has no curvature, as linear losses have none."""


class Known(NamedTuple):
    """A regulariser (mu / 2) |x|^2 that every round has and nobody needs to be told."""

    curvature: float


class Received(NamedTuple):
    """Every feedback brings (mu / 2) |x - x_k|^2; its slope at the origin is in what is received."""

    curvature: float


Bowl = Flat | Known | Received


@verb
def bend(bowl: Bowl, ledger: Ledger) -> float:  # type: ignore[empty-body]  # declarations have no body
    """Mu m_t, the curvature at round t, which the ledger counts as played."""


@bend.on(Flat)
def bend_flat(bowl: Flat, ledger: Ledger) -> float:
    return 0.0


@bend.on(Known)
def bend_known(bowl: Known, ledger: Ledger) -> float:
    """Every round, the present one as well."""
    return bowl.curvature * ledger.round


@bend.on(Received)
def bend_received(bowl: Received, ledger: Ledger) -> float:
    return bowl.curvature * ledger.received


class Leader(NamedTuple):
    """Follow the regularised leader on a domain. ``origin`` is the anchor, or the first decision if it is empty."""

    domain: Domain
    bowl: Bowl
    weight: Weight
    origin: Vector


def leader(domain: Domain, bowl: Bowl, weight: Weight, origin: Vector | None = None) -> Leader:
    """A leader that is held at ``origin`` or, without one, at its first decision."""
    return Leader(domain, bowl, weight, frozen(np.empty(0) if origin is None else origin))


class LeaderState(NamedTuple):
    """x_t; Z; the anchor x_0; the last a_t and mu m_t (0 before the first); what the weight remembers."""

    decision: Vector
    linear: Vector
    anchor: Vector
    held: Vector
    spent: Vector


@begin.on(Leader)
def begin_leader(step: Leader, initial: Vector) -> LeaderState:
    """Nothing received; the first round counts for the weight."""
    spent = np.zeros(1)
    anchor = step.origin if step.origin.size else initial
    weigh(step.weight, spent, after_play(Ledger()))
    return LeaderState(initial.copy(), np.zeros(initial.size), anchor.copy(), np.zeros(2), spent)


@decision.on(Leader)
def leader_decision(step: Leader, state: LeaderState, out: Vector) -> None:
    copy_into(state.decision, out)


@move.on(Leader)
def move_leader(step: Leader, state: LeaderState, ledger: Ledger, gradient: Vector) -> None:
    """Add to what is received, and follow."""
    for i in range(gradient.size):
        state.linear[i] += gradient[i]
    rest(step, state, ledger)


@rest.on(Leader)
def follow(step: Leader, state: LeaderState, ledger: Ledger) -> None:
    """The decision of the next round."""
    upcoming = after_play(ledger)
    weight = weigh(step.weight, state.spent, upcoming)
    curvature = bend(step.bowl, upcoming)
    state.held[0] = weight
    state.held[1] = curvature
    if ledger.received == 0:
        return
    total = weight + curvature
    for i in range(state.decision.size):
        state.decision[i] = (weight * state.anchor[i] - state.linear[i]) / total
    project(step.domain, state.decision, state.decision)
