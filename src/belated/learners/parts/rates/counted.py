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
``Listed``,           1 / eta_t as the caller gives it         no named learner; see :mod:`~.rates.given`
``OfRound``
====================  =======================================  =========================================================
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.ledger import Ledger, after_arrivals, after_play
from belated.core.parts import is_part_class
from belated.domains.base import Domain, checked_domain
from belated.learners.parts.rates.given import Listed, checked_function, checked_list
from belated.learners.verbs import inverse_rate


class ConstantRate(NamedTuple):
    """The same rate in every round.

    Args:
        inverse: 1 / eta.
    """

    inverse: float


class SquareRoot(NamedTuple):
    """Zinkevich's decreasing rate, with the scale that makes it right for any diameter and any gradient.

    Args:
        scale: L / Dm, gradient bound by diameter.
    """

    scale: float


class PerRound(NamedTuple):
    """1/eta grows by beta per round: the rate of Hazan, Agarwal and Kale for strongly convex losses.

    Args:
        strong_convexity: beta.
    """

    strong_convexity: float


class PerFeedback(NamedTuple):
    """1/eta grows by beta/2 per *feedback*: the paper's rate. This round's arrivals count before the step.

    Args:
        strong_convexity: beta.
    """

    strong_convexity: float


class CountAdaptive(NamedTuple):
    """Falls with what the delays have cost so far; never needs the number of rounds or the total delay.

    Args:
        scale: L / Dm, gradient bound by diameter.
    """

    scale: float


class Doubling(NamedTuple):
    """A constant rate for a guess Q of T + 2 D0; the guess doubles whenever ``play_weight`` outgrows it.

    Q_t is the least power of two that is >= V_t, so the rate is a function of the count and needs no memory of its
    epoch.

    Args:
        scale: L / Dm, gradient bound by diameter.
    """

    scale: float


Rate = (
    ConstantRate
    | SquareRoot
    | PerRound
    | PerFeedback
    | CountAdaptive
    | Doubling
    | Listed
    | Sequence[float]
    | Vector
    | Callable[[int], float]
)
"""What learners take for a rate besides a number: a rate, a list with a number for each round, a function of it."""


@inverse_rate.on(ConstantRate)
def constant_inverse_rate(rate: ConstantRate, ledger: Ledger) -> float:
    """Return the same number, 1 / eta, in every round."""
    return rate.inverse


@inverse_rate.on(SquareRoot)
def square_root_inverse_rate(rate: SquareRoot, ledger: Ledger) -> float:
    """(L / Dm) sqrt(t), with t from the ledger."""
    return rate.scale * math.sqrt(ledger.round)


@inverse_rate.on(PerRound)
def per_round_inverse_rate(rate: PerRound, ledger: Ledger) -> float:
    return rate.strong_convexity * ledger.round


@inverse_rate.on(PerFeedback)
def per_feedback_inverse_rate(rate: PerFeedback, ledger: Ledger) -> float:
    return 0.5 * (rate.strong_convexity * ledger.received)


@inverse_rate.on(CountAdaptive)
def count_adaptive_inverse_rate(rate: CountAdaptive, ledger: Ledger) -> float:
    """(L / Dm) sqrt(2 * arrival_weight), that is 2 (L / Dm) sqrt(W_t)."""
    return rate.scale * math.sqrt(2.0 * ledger.arrival_weight)


@inverse_rate.on(Doubling)
def doubling_inverse_rate(rate: Doubling, ledger: Ledger) -> float:
    """(L / Dm) sqrt(Q_t), with Q_t found by doubling from 1."""
    guess = 1.0
    while guess < ledger.play_weight:
        guess *= 2.0
    return rate.scale * math.sqrt(guess)


def constant(rate: float) -> ConstantRate:
    """The same rate eta in every round.

    Args:
        rate: A number in [1e-50, 1e50]. A plain number in place of a rate means the same.

    Returns:
        A rate.

    Raises:
        InvalidArgument: ``rate`` is no such number.
    """
    return ConstantRate(1.0 / checks.moderate("constant", "rate", rate))


def count_adaptive(domain: Domain, lipschitz: float) -> CountAdaptive:
    """The rate Dm / (2 L sqrt(W_t)), which falls with what the delays have cost so far.

    Args:
        domain: A bounded one; Dm is its diameter.
        lipschitz: L, a bound on the norms of the gradients.

    Returns:
        A rate.

    Raises:
        InvalidArgument: The domain is unbounded or a single point, or ``lipschitz`` does not lie in [1e-50, 1e50].
    """
    return CountAdaptive(scale("count_adaptive", domain, lipschitz))


def doubling(domain: Domain, lipschitz: float) -> Doubling:
    """The rate Dm / (L sqrt(Q_t)), Q_t a guess of what the delays will cost that doubles when it is outgrown.

    Args:
        domain: A bounded one; Dm is its diameter.
        lipschitz: L, a bound on the norms of the gradients.

    Returns:
        A rate.

    Raises:
        InvalidArgument: The domain is unbounded or a single point, or ``lipschitz`` does not lie in [1e-50, 1e50].
    """
    return Doubling(scale("doubling", domain, lipschitz))


def scale(where: str, domain: Domain, lipschitz: float) -> float:
    """L / Dm, checked; ``where`` names the caller in errors."""
    bound = checks.moderate(where, "lipschitz", lipschitz)
    if not 0.0 < checked_domain(where, domain).diameter < math.inf:
        checks.refuse(
            where, "domain", domain, "must be bounded, with more than one element: this rate uses its diameter"
        )
    return bound / domain.diameter


def checked_rate(where: str, rate: Any) -> Any:
    """A rate as it is; a number as the constant rate that it names, a list or a function as the rates that it gives.

    Args:
        where: The name of the caller, for error messages.
        rate: A number, a list with a number for each round, a function of the round, or a part that has registered
            ``inverse_rate``. Numbers are eta, not 1 / eta.

    Returns:
        A part that has registered ``inverse_rate``.

    Raises:
        InvalidArgument: It is none of these, or its first inverse rate is not a finite number > 0.
    """
    if inverse_rate.knows(rate):
        return _working(where, rate)
    if isinstance(rate, list | np.ndarray) or type(rate) in (tuple, range):
        return checked_list(where, "rate", rate)
    if callable(rate):
        return checked_function(where, "rate", rate)
    if not isinstance(rate, (int, float, np.integer, np.floating)):
        wanted = (
            "must be a number, a list, a function of the round, or a rate, such as count_adaptive(domain, lipschitz)"
        )
        if is_part_class(type(rate)):
            name = type(rate).__name__
            wanted += f"; {name} is none yet: register its inverse rate with @inverse_rate.on({name})"
        checks.refuse(where, "rate", rate, wanted)
    return ConstantRate(1.0 / checks.moderate(where, "rate", rate))


def either(where: str, rate: Any, lipschitz: Any, recommended: Callable[[float], Any]) -> Any:
    """The rate that is given, or the recommended one if ``lipschitz`` is; an error if both are given or neither."""
    if rate is None and lipschitz is None:
        checks.refuse(where, "rate", rate, "must be given, or else lipschitz, for the recommended rate")
    if rate is not None and lipschitz is not None:
        checks.refuse(where, "rate", rate, "must not be given together with lipschitz, which stands for a rate itself")
    return recommended(lipschitz) if rate is None else checked_rate(where, rate)


def _working(where: str, rate: Any) -> Any:
    """``rate`` if its first step goes downhill: a rate with a wrong sign would go uphill without any error."""
    first = after_arrivals(after_play(Ledger()), 1)
    wanted = "must give a finite inverse rate > 0 when the first feedback arrives"
    try:
        given = inverse_rate(rate, first)
        works = 0.0 < given < math.inf
    except (ArithmeticError, TypeError, ValueError) as problem:
        checks.refuse(where, "rate", rate, f"{wanted}, but raises {problem!r}")
    if not works:
        checks.refuse(where, "rate", rate, f"{wanted}, but gives {checks.shown(given)}")
    return rate
