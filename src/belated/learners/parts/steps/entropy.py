r"""The entropic leader: shares of the corners of a simplex that fall exponentially with what each corner has lost.

.. math:: w_t = \arg\min_{w} \langle Z, w \rangle + \lambda_t \sum_i w_i \ln\frac{w_i}{p_i}, \qquad
          w_{t,i} = \frac{p_i e^{-Z_i / \lambda_t}}{\sum_j p_j e^{-Z_j / \lambda_t}}

==========  ======================  ==============================================================================
symbol      code                    meaning
==========  ======================  ==============================================================================
Z           ``linear``              the sum of the gradients received so far
p           ``prior``               the shares of the first decision
lambda_t    ``weight``              1 / eta_t, how strongly the prior holds: :mod:`belated.learners.parts.rates.weights`
==========  ======================  ==============================================================================

w are the shares of the n corners of a simplex. A simplex that splits ``total`` with a ``floor`` has the corners
floor + spare e_i, where spare = total - n floor, and the decision is their mean x = floor + spare w. Corner i loses
spare g_i, plus floor times the sum of g, which is the same for all corners. So this is the same algorithm on every
simplex, and its regret is spare times that on the simplex of total 1 and floor 0.

For lambda = 0 the limit is meant: the corners that have lost the least share everything in proportion to the prior, and
the others have no share. A corner whose prior is 0 never has a share.
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.ledger import Ledger, after_play
from belated.core.vectors import add_into, copy_into
from belated.core.verbs import compilable
from belated.domains.base import Domain
from belated.domains.simplex import Simplex, spare
from belated.learners.parts.rates.weights import OfRate, Weight, weigh
from belated.learners.verbs import begin, decision, move, rest


def checked_simplex(where: str, domain: Domain) -> Simplex:
    """``domain`` if it is a simplex; InvalidArgument otherwise."""
    if not isinstance(domain, Simplex):
        checks.refuse(where, "domain", domain, "must be a Simplex: what is learned are shares of its corners")
    return domain


def log_corners(simplex: Simplex) -> float:
    """Ln n for n corners, by which rates are tuned; ln 2 if there is one corner, where the rate does not matter."""
    return math.log(max(simplex.dim, 2))


def shares(simplex: Simplex, point: Vector) -> Vector:
    """The shares of the corners of which ``point`` is the mean; what rounding has put below the floor counts as 0."""
    above: Vector = np.maximum(point - simplex.floor, 0.0)
    return above / float(above.sum())


@compilable
def spread(simplex: Simplex, weights: Vector, out: Vector) -> None:
    """Write into ``out`` the mean of the corners with the shares ``weights``."""
    room = spare(simplex)
    for i in range(weights.size):
        out[i] = simplex.floor + room * weights[i]


@compilable
def soften(prior: Vector, losses: Vector, weight: float, out: Vector) -> tuple[float, float]:
    """Write the shares w ~ prior exp(-losses / weight), in [0, 1] and of sum 1 whatever the losses are.

    Returns the least loss of those with a prior, and the sum of prior exp(-(losses - least) / weight), which is at
    least the prior of one of them.
    """
    least = math.inf
    for i in range(prior.size):
        if prior[i] > 0.0 and losses[i] < least:
            least = float(losses[i])
    total = 0.0
    for i in range(prior.size):
        mass = float(prior[i])
        more = float(losses[i]) - least
        if mass > 0.0 and more > 0.0:
            mass = mass * math.exp(-more / weight) if weight > 0.0 else 0.0
        out[i] = mass
        total += mass
    for i in range(prior.size):
        out[i] /= total
    return least, total


@compilable
def excess(prior: Vector, losses: Vector, weight: float, least: float, total: float, weights: Vector) -> float:
    """How far shares are from the least <losses, w> + weight KL(w, prior); ``soften`` has returned the two numbers.

    That least value is ``least`` - weight ln ``total``. The result is weight KL(w, w*), w* the minimiser.
    """
    above = weight * math.log(total)
    for i in range(prior.size):
        share = float(weights[i])
        if share > 0.0:
            above += share * (float(losses[i]) - least) + weight * share * math.log(share / float(prior[i]))
    return above


class Entropic(NamedTuple):
    """Follow the leader on a simplex, held near the first decision by entropy."""

    domain: Simplex
    weight: Weight | OfRate


class EntropicState(NamedTuple):
    """x_t; the prior p; Z; the shares w_t; the last lambda_t, 0 before the first; what the weight remembers."""

    decision: Vector
    prior: Vector
    linear: Vector
    weights: Vector
    held: Vector
    spent: Vector


@begin.on(Entropic)
def begin_entropic(step: Entropic, initial: Vector) -> EntropicState:
    """Nothing is received yet; the weight is shown that the first round is played, because it may count rounds."""
    prior, spent = shares(step.domain, initial), np.zeros(1)
    weigh(step.weight, spent, after_play(Ledger()))
    return EntropicState(initial.copy(), prior, np.zeros(initial.size), prior.copy(), np.zeros(1), spent)


@decision.on(Entropic)
def entropic_decision(step: Entropic, state: EntropicState, out: Vector) -> None:
    copy_into(state.decision, out)


@move.on(Entropic)
def move_entropic(step: Entropic, state: EntropicState, ledger: Ledger, gradient: Vector) -> None:
    """Add the gradient to Z, and decide anew."""
    add_into(gradient, state.linear)
    rest(step, state, ledger)


@rest.on(Entropic)
def follow_entropic(step: Entropic, state: EntropicState, ledger: Ledger) -> None:
    """Make the decision of the next round; until something has arrived it is the first decision."""
    state.held[0] = weigh(step.weight, state.spent, after_play(ledger))
    if ledger.received > 0:
        soften(state.prior, state.linear, float(state.held[0]), state.weights)
        spread(step.domain, state.weights, state.decision)
