r"""Rates: how large a step is, as a function of the ledger's counts.

A rate gives h_t = 1/eta_t, so that eta_t = 1/h_t multiplies the gradients that arrived in round t. Symbols as in
:mod:`belated.core.ledger`; L bounds the norms of the gradients, Dm is the diameter of the domain, beta the strong
convexity.

====================  =======================================  =========================================================
part                  h_t                                      used by
====================  =======================================  =========================================================
``ConstantRate``      1 / eta                                  DOGD and DBGD as the paper runs them
``SquareRoot``        (L / Dm) sqrt(t)                         OGD
``PerRound``          beta t                                   OGD-SC
``PerFeedback``       (beta / 2) N_t                           DOGD-SC and its bandit variants
``CountAdaptive``     (L / Dm) sqrt(2 * arrival_weight)        DOGD that knows neither T nor D
``Doubling``          (L / Dm) sqrt(Q_t)                       DOGD with the doubling trick
====================  =======================================  =========================================================
"""

import math
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.ledger import Ledger, after_arrivals, after_play
from belated.domains.base import Domain
from belated.learners.verbs import inverse_rate


class ConstantRate(NamedTuple):
    """The same rate in every round."""

    inverse: float


class SquareRoot(NamedTuple):
    """Zinkevich's decreasing rate, with the scale that makes it right for any diameter and any gradient."""

    scale: float


class PerRound(NamedTuple):
    """1/eta grows by beta a round: the rate of Hazan, Agarwal and Kale for strongly convex losses."""

    strong_convexity: float


class PerFeedback(NamedTuple):
    """1/eta grows by beta/2 a *feedback*: the paper's rate. This round's arrivals count before the step."""

    strong_convexity: float


class CountAdaptive(NamedTuple):
    """Falls with what the delays have cost so far; never needs the number of rounds or the total delay."""

    scale: float


class Doubling(NamedTuple):
    """A constant rate for a guess Q of T + 2 D0; the guess doubles whenever ``play_weight`` outgrows it.

    Q_t is the least power of two that is >= V_t, so the rate is a function of the count and needs no memory of its
    epoch.
    """

    scale: float


Rate = ConstantRate | SquareRoot | PerRound | PerFeedback | CountAdaptive | Doubling


@inverse_rate.on(ConstantRate)
def constant_inverse_rate(rate: ConstantRate, ledger: Ledger) -> float:
    """1 / eta."""
    return rate.inverse


@inverse_rate.on(SquareRoot)
def square_root_inverse_rate(rate: SquareRoot, ledger: Ledger) -> float:
    """(L / Dm) sqrt(t)."""
    return rate.scale * math.sqrt(ledger.round)


@inverse_rate.on(PerRound)
def per_round_inverse_rate(rate: PerRound, ledger: Ledger) -> float:
    """Beta t."""
    return rate.strong_convexity * ledger.round


@inverse_rate.on(PerFeedback)
def per_feedback_inverse_rate(rate: PerFeedback, ledger: Ledger) -> float:
    """(beta / 2) N_t."""
    return 0.5 * (rate.strong_convexity * ledger.received)


@inverse_rate.on(CountAdaptive)
def count_adaptive_inverse_rate(rate: CountAdaptive, ledger: Ledger) -> float:
    """(L / Dm) sqrt(2 * arrival_weight), that is 2 (L / Dm) sqrt(W_t)."""
    return rate.scale * math.sqrt(2.0 * ledger.arrival_weight)


@inverse_rate.on(Doubling)
def doubling_inverse_rate(rate: Doubling, ledger: Ledger) -> float:
    """(L / Dm) sqrt(Q_t)."""
    guess = 1.0
    while guess < ledger.play_weight:
        guess *= 2.0
    return rate.scale * math.sqrt(guess)


def constant(rate: float) -> ConstantRate:
    """The same rate eta in every round."""
    return ConstantRate(1.0 / checks.moderate("constant", "rate", rate))


def count_adaptive(domain: Domain, lipschitz: float) -> CountAdaptive:
    """The rate Dm / (2 L sqrt(W_t)) for gradients of norm at most ``lipschitz`` on a bounded domain."""
    return CountAdaptive(scale("count_adaptive", domain, lipschitz))


def doubling(domain: Domain, lipschitz: float) -> Doubling:
    """The rate Dm / (L sqrt(Q_t)) for gradients of norm at most ``lipschitz`` on a bounded domain."""
    return Doubling(scale("doubling", domain, lipschitz))


def scale(where: str, domain: Domain, lipschitz: float) -> float:
    """L / Dm, checked; ``where`` names the caller in errors."""
    bound = checks.moderate(where, "lipschitz", lipschitz)
    if not math.isfinite(domain.diameter):
        checks.refuse(where, "domain", domain, "must be bounded: this rate uses its diameter")
    return bound / domain.diameter


def checked_rate(where: str, rate: Any) -> Any:
    """A rate as it is; a number as the constant rate that it names."""
    if inverse_rate.knows(rate):
        return _working(where, rate)
    if not isinstance(rate, (int, float, np.integer, np.floating)):
        checks.refuse(where, "rate", rate, "must be a number or a rate, such as count_adaptive(domain, lipschitz)")
    return ConstantRate(1.0 / checks.moderate(where, "rate", rate))


def _working(where: str, rate: Any) -> Any:
    """``rate`` if it gives a first step downhill; one with a wrong sign would climb without a word."""
    first = after_arrivals(after_play(Ledger()), 1)
    try:
        works = 0.0 < inverse_rate(rate, first) < math.inf
    except (ArithmeticError, TypeError, ValueError):
        works = False
    if not works:
        checks.refuse(where, "rate", rate, "must give a finite inverse rate > 0 when the first feedback arrives")
    return rate
