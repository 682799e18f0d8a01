r"""The theorems of the paper, for DOGD-SC and its two bandit variants.

================  ==================================================================================================
function          promise
================  ==================================================================================================
``theorem_1``     DOGD-SC: (4 beta R L + 5 L^2)(d / beta)(1 + ln(T / \|F_s\|))
``theorem_2``     BDOGD-SC, average over the points played, delta = c ln T / T: Theorem 1 with
                  L + sqrt(n) alpha delta / 2 for L, plus (sqrt(n) alpha R + L R / r + L) c ln T
``theorem_3``     the two-query variant, in expectation: Theorem 1 with 2 L + n L for L, plus (3 L + R L / r) c ln T
================  ==================================================================================================

Symbols: beta strong convexity, alpha smoothness, R the radius of the domain about its centre
(``domain.outer_radius``), r its inner radius about the same centre, L a bound on the norms of all gradients, n the
dimension, d the largest delay, s the first round in which something arrives.

Theorem 3 is printed in the paper without c in its last term; it is written here as its proof has it.
"""

import math

from numpy.typing import ArrayLike

from belated.core import checks
from belated.theory.counts import Counts, counted, positive


def theorem_1(delays: ArrayLike, *, strong_convexity: float, radius: float, lipschitz: float) -> float:
    """The bound of Theorem 1 on the regret of DOGD-SC.

    >>> delays = [2, 3, 2, 1, 4, 1, 3] * 100
    >>> round(theorem_1(delays, strong_convexity=2.0, radius=1.0, lipschitz=2 + 10**0.5), 1)
    2636.0
    """
    beta, outer, bound = positive("theorem_1", strong_convexity=strong_convexity, radius=radius, lipschitz=lipschitz)
    return _descent(counted("theorem_1", delays), beta, outer, bound)


def theorem_2(
    delays: ArrayLike,
    *,
    strong_convexity: float,
    radius: float,
    inner_radius: float,
    lipschitz: float,
    smoothness: float,
    dim: int,
    scale: float = 1.0,
) -> float:
    """The bound of Theorem 2 on the average regret of BDOGD-SC with probe radius ``scale`` * ln T / T."""
    where = "theorem_2"
    beta, outer, inner, bound, alpha, c = positive(
        where,
        strong_convexity=strong_convexity,
        radius=radius,
        inner_radius=inner_radius,
        lipschitz=lipschitz,
        smoothness=smoothness,
        scale=scale,
    )
    root, seen = math.sqrt(checks.count(where, "dim", dim)), counted(where, delays)
    c_log_rounds, delta = _probing(where, delays, seen.rounds, inner, c)
    estimated = _descent(seen, beta, outer, bound + root * alpha * delta / 2.0)
    return estimated + (root * alpha * outer + bound * outer / inner + bound) * c_log_rounds


def theorem_3(
    delays: ArrayLike,
    *,
    strong_convexity: float,
    radius: float,
    inner_radius: float,
    lipschitz: float,
    dim: int,
    scale: float = 1.0,
) -> float:
    """The bound of Theorem 3 on the expected average regret of two-query BDOGD-SC with radius ``scale`` * ln T / T."""
    where = "theorem_3"
    beta, outer, inner, bound, c = positive(
        where,
        strong_convexity=strong_convexity,
        radius=radius,
        inner_radius=inner_radius,
        lipschitz=lipschitz,
        scale=scale,
    )
    number, seen = checks.count(where, "dim", dim), counted(where, delays)
    c_log_rounds, _ = _probing(where, delays, seen.rounds, inner, c)
    estimated = _descent(seen, beta, outer, 2.0 * bound + number * bound)
    return estimated + (3.0 * bound + outer * bound / inner) * c_log_rounds


def _descent(seen: Counts, beta: float, radius: float, bound: float) -> float:
    """(4 beta R L + 5 L^2)(d / beta)(1 + ln(T / |F_s|)), on which all three theorems stand."""
    logarithm = 1.0 + math.log(seen.rounds / seen.first_arrivals)
    return (4.0 * beta * radius * bound + 5.0 * bound * bound) * seen.longest / beta * logarithm


def _probing(where: str, delays: ArrayLike, rounds: int, inner_radius: float, scale: float) -> tuple[float, float]:
    """The products c ln T and delta = c ln T / T, if probes of that size exist and fit into the domain."""
    if rounds == 1:
        checks.refuse(
            where, "delays", delays, "must be of >= 2 rounds: ln T / T is 0 at T = 1, and nothing can be probed"
        )
    c_log_rounds = scale * math.log(rounds)
    delta = c_log_rounds / rounds
    if delta >= inner_radius:
        checks.refuse(
            where, "scale", scale, f"must make scale * ln T / T = {delta:g} < the inner radius {inner_radius:g}"
        )
    return c_log_rounds, delta
