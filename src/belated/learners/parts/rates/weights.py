r"""Weights: how strongly a leader is held near its anchor, as a function of the ledger's counts.

A leader plays the minimiser of what it has received plus (a_t / 2) \|x - x_0\|^2. A weight gives a_t for the round that
is about to be played, whose own sigma_t counts. Symbols as in :mod:`belated.core.ledger`; L bounds the norms of the
gradients, P is half the square of the domain's radius about its centre: max \|u - x_0\|^2 / 2 for a start there.

==================  ================================================  ==========================================
part                a_t                                               used by
==================  ================================================  ==========================================
``Unweighted``      0                                                 FTDL
``ConstantWeight``  1 / eta, or lambda                                D-FTBL, ODAFTRL
``PlayWeight``      (L / sqrt(P)) sqrt(V_t)                           DDA
``Noisy``           sqrt(A_t / P)                                     one-point DDA
``Balanced``        what solves a P = A_{t-1} + c_t / (mu t + a)      composite FTRL, curvature FTRL
``OfRate``          1 / eta_t of any rate                             Hedge, if a rate is given
==================  ================================================  ==========================================

``Noisy`` is for estimates of size up to G whose expectations are bounded by L. It charges round t with
c_t = G^2 + 2 L (G sqrt(sigma_t) + L sigma_t), and A_t is the sum of the c_i: noise that is missing adds up like a root.

``Balanced`` charges round t with c_t = ``own`` + ``late`` sigma_t, mu being the curvature that a round brings for
certain. Its a_t makes what the regulariser has cost, a_t P, equal to what the rounds have cost, A_t = sum of
c_i / (mu i + a_i). The sum of the two is at most twice that of the best constant a. A is remembered from
round to round.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.ledger import Ledger, after_arrivals, after_play
from belated.core.verbs import compilable, verb
from belated.learners.verbs import inverse_rate


class Unweighted(NamedTuple):
    """Weight zero: nothing holds the leader near its anchor."""


class ConstantWeight(NamedTuple):
    """The same in every round.

    Args:
        weight: How strongly the leader is held, a_t or lambda.
    """

    weight: float


class PlayWeight(NamedTuple):
    """A weight that grows with the square root of what the delays have cost so far.

    Args:
        scale: L / sqrt(P).
    """

    scale: float


class Noisy(NamedTuple):
    """A weight that grows with what random estimates cost, and with how many of them are missing.

    Args:
        reach: P, half the square of the domain's radius about its centre.
        noise: G, a bound on the size of an estimate.
        lipschitz: L, a bound on the size of its expectation.
    """

    reach: float
    noise: float
    lipschitz: float


class Balanced(NamedTuple):
    """The weight whose own cost, a_t P, equals what the rounds have cost so far.

    Args:
        curvature: mu, the curvature that a round brings for certain.
        reach: P, half the square of the domain's radius about its centre.
        own: What a round costs by itself.
        late: What a round costs for each feedback that is missing when it is played.
    """

    curvature: float
    reach: float
    own: float
    late: float


class OfRate(NamedTuple):
    """The inverse of a rate as a weight. It is computed when round t is played; steps compute theirs when it ends.

    Args:
        rate: Any part that has registered ``inverse_rate``.
    """

    rate: Any


Weight = Unweighted | ConstantWeight | PlayWeight | Noisy | Balanced


@verb
def weigh(weight: Any, spent: Vector, ledger: Ledger) -> float:  # type: ignore[empty-body]  # declarations have no body
    """a_t for the round that the ledger counts as played; called once per round.

    ``spent`` is one number that is remembered from round to round; the weight may change it.
    """


def checked_weight(where: str, name: str, weight: Any, spent: float = 0.0) -> Any:
    """``weight`` if it gives a number >= 0 once the first feedback has come: with a negative one, losses would grow.

    ``spent`` is what it has to remember then: tunings divide that by a number of theirs.
    """
    second = after_play(after_arrivals(after_play(Ledger()), 1))
    try:
        works = 0.0 <= weigh(weight, np.full(3, spent), second) < math.inf
    except (ArithmeticError, IndexError, TypeError, ValueError):
        works = False
    if not works:
        checks.refuse(where, name, weight, "must give a finite weight >= 0 when the first feedback has arrived")
    return weight


@weigh.on(Unweighted)
def no_weight(weight: Unweighted, spent: Vector, ledger: Ledger) -> float:
    """Return zero: nothing holds the leader."""
    return 0.0


@weigh.on(ConstantWeight)
def constant_weight(weight: ConstantWeight, spent: Vector, ledger: Ledger) -> float:
    """The same number, 1 / eta, in every round."""
    return weight.weight


@weigh.on(PlayWeight)
def play_weight(weight: PlayWeight, spent: Vector, ledger: Ledger) -> float:
    """(L / sqrt(P)) sqrt(V_t), with V_t from the ledger."""
    return weight.scale * math.sqrt(ledger.play_weight)


@weigh.on(Noisy)
def noisy_weight(weight: Noisy, spent: Vector, ledger: Ledger) -> float:
    """Add the cost of the round to A, then return sqrt(A_t / P)."""
    missing = ledger.outstanding
    late = weight.noise * math.sqrt(missing) + weight.lipschitz * missing
    spent[0] += weight.noise * weight.noise + 2.0 * weight.lipschitz * late
    return math.sqrt(float(spent[0]) / weight.reach)


@compilable
def balance(reach: float, certain: float, charge: float, before: float) -> float:
    """The positive root a of P a^2 + (P mu t - A) a - (A mu t + c) = 0, in the form that does not cancel.

    ``reach`` is P, ``certain`` mu t, ``charge`` c and ``before`` A.
    """
    half = 0.5 * (reach * certain - before)
    product = reach * (before * certain + charge)
    root = math.sqrt(half * half + product)
    return product / (half + root) / reach if half > 0.0 else (root - half) / reach


@weigh.on(Balanced)
def balanced_weight(weight: Balanced, spent: Vector, ledger: Ledger) -> float:
    """Solve for a_t, and add what the round costs at this weight to A."""
    certain = weight.curvature * ledger.round
    charge = weight.own + weight.late * ledger.outstanding
    before = float(spent[0])
    held = balance(weight.reach, certain, charge, before)
    spent[0] = before + charge / (certain + held)
    return held


@weigh.on(OfRate)
def inverse_of_rate(weight: OfRate, spent: Vector, ledger: Ledger) -> float:
    """1 / eta_t; before the first feedback nothing is weighed, and rates need not have a value."""
    return inverse_rate(weight.rate, ledger) if ledger.received > 0 else 0.0
