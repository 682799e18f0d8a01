r"""The leader step: the minimiser of the sum of all losses received, held near an anchor.

.. math:: x_t = \arg\min_{x \in X} \langle Z, x \rangle + \tfrac{\mu m_t}{2} \|x\|^2 + \tfrac{a_t}{2} \|x - x_0\|^2
              = \Pi_X\Bigl(\frac{a_t x_0 - Z}{\mu m_t + a_t}\Bigr)

==========  ======================  ==============================================================================
symbol      code                    meaning
==========  ======================  ==============================================================================
Z           ``linear``              the sum of the gradients (or of the slopes of surrogates) received so far
mu m_t      ``curvature``, count    m_t counts the losses that have the curvature mu: every round up to t (``Known``),
                                    those received (``Received``), or none (``Flat``)
a_t, x_0    ``weight``, ``anchor``  how strongly, and where, it is held: :mod:`belated.learners.parts.rates.weights`
==========  ======================  ==============================================================================

The minimiser of a quadratic form with the same curvature in all directions is a projection, so that every domain has
this step. The decision changes also in rounds in which nothing arrives, because a_t and m_t change. Until something has
arrived the first decision is played.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector, frozen
from belated.core.ledger import Ledger, after_play
from belated.core.vectors import add_into, copy_into
from belated.core.verbs import verb
from belated.domains.base import Domain, project
from belated.learners.parts.rates.weights import Weight, weigh
from belated.learners.verbs import begin, decision, move, rest


class Flat(NamedTuple):
    """The losses have no curvature, as linear losses have none."""


class Known(NamedTuple):
    """Every round has a regulariser (mu / 2) |x|^2, which is known without any feedback; mu is ``curvature``."""

    curvature: float


class Received(NamedTuple):
    """Every feedback brings (mu / 2) |x - x_k|^2; the slope of that at the origin is part of Z. mu is ``curvature``."""

    curvature: float


Bowl = Flat | Known | Received


@verb
def bend(bowl: Bowl, ledger: Ledger) -> float:  # type: ignore[empty-body]  # declarations have no body
    """Mu m_t, the sum of the curvatures at round t, which the ledger counts as played."""


@bend.on(Flat)
def bend_flat(bowl: Flat, ledger: Ledger) -> float:
    return 0.0


@bend.on(Known)
def bend_known(bowl: Known, ledger: Ledger) -> float:
    """Every round counts, the present one included."""
    return bowl.curvature * ledger.round


@bend.on(Received)
def bend_received(bowl: Received, ledger: Ledger) -> float:
    return bowl.curvature * ledger.received


class Leader(NamedTuple):
    """Follow the regularised leader on a domain. ``origin`` is the anchor; if it is empty, the first decision is."""

    domain: Domain
    bowl: Bowl
    weight: Weight
    origin: Vector


def leader(domain: Domain, bowl: Bowl, weight: Weight, origin: Vector | None = None) -> Leader:
    """A leader that is held at ``origin`` or, without one, at its first decision."""
    return Leader(domain, bowl, weight, frozen(np.empty(0) if origin is None else origin))


class LeaderState(NamedTuple):
    """x_t; Z; the anchor x_0; the last a_t and mu m_t, 0 before the first; what the weight remembers."""

    decision: Vector
    linear: Vector
    anchor: Vector
    held: Vector
    spent: Vector


@begin.on(Leader)
def begin_leader(step: Leader, initial: Vector) -> LeaderState:
    """Nothing is received yet; the weight is shown that the first round is played, because it may count rounds."""
    spent = np.zeros(1)
    anchor = step.origin if step.origin.size else initial
    weigh(step.weight, spent, after_play(Ledger()))
    return LeaderState(initial.copy(), np.zeros(initial.size), anchor.copy(), np.zeros(2), spent)


@decision.on(Leader)
def leader_decision(step: Leader, state: LeaderState, out: Vector) -> None:
    copy_into(state.decision, out)


@move.on(Leader)
def move_leader(step: Leader, state: LeaderState, ledger: Ledger, gradient: Vector) -> None:
    """Add the gradient to Z, and decide anew."""
    add_into(gradient, state.linear)
    rest(step, state, ledger)


@rest.on(Leader)
def follow(step: Leader, state: LeaderState, ledger: Ledger) -> None:
    """Make the decision of the next round; until something has arrived it is the first decision."""
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
