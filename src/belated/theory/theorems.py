r"""The theorems of the paper, for DOGD-SC and its two bandit variants.

================  ==================================================================================================
function          promise
================  ==================================================================================================
``theorem_1``     DOGD-SC: (4 beta R L + 5 L^2)(d / beta)(1 + ln(T / \|F_s\|))
``theorem_2``     BDOGD-SC, average over the points played: Theorem 1 with L + sqrt(n) alpha delta / 2 for L, plus
                  (sqrt(n) alpha R + L R / r + L) delta T
``theorem_3``     the two-query variant, in expectation: Theorem 1 with 2 L + n L for L, plus (3 L + R L / r) delta T
================  ==================================================================================================

Symbols: beta strong convexity, alpha smoothness, R the radius of the domain about its centre
(``domain.outer_radius``), r its inner radius about the same centre, L a bound on the norms of all gradients, n the
dimension, d the largest delay, s the first round in which something arrives, delta the probe radius, in the paper
c ln T / T, so that delta T = c ln T.

These are the constants that the paper prints. Theorem 3 holds with n L for 2 L + n L and with L for 3 L, too
(``docs/errata.md``). Its last term is printed without c; here it has the c, as in the proof.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from belated.core import checks
from belated.theory.counts import checked_probe, positive
from belated.theory.descent_curves import logarithmic
from belated.theory.prefixes import whole


def theorem_1(delays: ArrayLike, *, strong_convexity: float, radius: float, lipschitz: float) -> float:
    """The bound of Theorem 1 on the regret of DOGD-SC.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        strong_convexity: beta, as it was told to the learner; the losses must be at least so strongly convex.
        radius: R, the radius of the domain, or half its diameter.
        lipschitz: L, a bound on the norms of the gradients that were told.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> delays = [2, 3, 2, 1, 4, 1, 3] * 100
        >>> round(theorem_1(delays, strong_convexity=2.0, radius=1.0, lipschitz=2 + 10**0.5), 1)
        2636.0
    """
    beta, outer, bound = positive("theorem_1", strong_convexity=strong_convexity, radius=radius, lipschitz=lipschitz)
    return float(logarithmic(whole("theorem_1", delays), beta, outer, bound)[0])


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
    probe_radius: float | None = None,
) -> float:
    """The bound of Theorem 2 on the average regret of BDOGD-SC over the points played.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        strong_convexity: beta, as it was told to the learner; the losses must be at least so strongly convex.
        radius: R, the radius of the domain about its centre, ``domain.outer_radius``.
        inner_radius: r, the radius of a ball about the same centre inside the domain, ``domain.inner_radius``.
        lipschitz: L: losses change by at most L times the distance.
        smoothness: alpha: gradients change by at most alpha times the distance.
        dim: n, the number of directions that are probed, ``domain.hull_dim``.
        scale: c in the paper's probe radius c ln T / T, where T is the number of delays.
        probe_radius: delta, if the learner has another one than c ln T / T, such as that of a run of another length.
            ``scale`` must then not be given.

    Returns:
        The largest average regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, a constant is not positive and moderate, the probe
            radius does not fit into the domain, there is a single round and no ``probe_radius``, or there are both
            ``scale`` and ``probe_radius``.

    Example:
        >>> known = {"strong_convexity": 1.0, "radius": 1.0, "inner_radius": 1.0, "lipschitz": 1.0}
        >>> theorem_2([1], smoothness=1.0, dim=4, probe_radius=0.5, **known)        # L~ = 1.5: 17.25 + 4 / 2
        19.25
    """
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
    root, seen = math.sqrt(checks.count(where, "dim", dim)), whole(where, delays)
    probed, delta = _probing(where, delays, seen.ends.size, inner, c, probe_radius)
    estimated = float(logarithmic(seen, beta, outer, bound + root * alpha * delta / 2.0)[0])
    return estimated + (root * alpha * outer + bound * outer / inner + bound) * probed


def theorem_3(
    delays: ArrayLike,
    *,
    strong_convexity: float,
    radius: float,
    inner_radius: float,
    lipschitz: float,
    dim: int,
    scale: float = 1.0,
    probe_radius: float | None = None,
) -> float:
    """The bound of Theorem 3 on the expected average regret of two-query BDOGD-SC over the points played.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1. Losses must not react to the
            directions drawn.
        strong_convexity: beta, as it was told to the learner; the losses must be at least so strongly convex.
        radius: R, the radius of the domain about its centre, ``domain.outer_radius``.
        inner_radius: r, the radius of a ball about the same centre inside the domain, ``domain.inner_radius``.
        lipschitz: L: losses change by at most L times the distance.
        dim: n, the dimension of the directions that are drawn, ``domain.hull_dim``.
        scale: c in the paper's probe radius c ln T / T, where T is the number of delays.
        probe_radius: delta, if the learner has another one than c ln T / T, such as that of a run of another length.
            ``scale`` must then not be given.

    Returns:
        The largest expected average regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, a constant is not positive and moderate, the probe
            radius does not fit into the domain, there is a single round and no ``probe_radius``, or there are both
            ``scale`` and ``probe_radius``.

    Example:
        >>> known = {"strong_convexity": 1.0, "radius": 1.0, "inner_radius": 1.0, "lipschitz": 1.0}
        >>> theorem_3([1], dim=2, probe_radius=0.5, **known)                        # L~ = 4: 96 + 4 / 2
        98.0
    """
    where = "theorem_3"
    beta, outer, inner, bound, c = positive(
        where,
        strong_convexity=strong_convexity,
        radius=radius,
        inner_radius=inner_radius,
        lipschitz=lipschitz,
        scale=scale,
    )
    number, seen = checks.count(where, "dim", dim), whole(where, delays)
    probed, _ = _probing(where, delays, seen.ends.size, inner, c, probe_radius)
    estimated = float(logarithmic(seen, beta, outer, 2.0 * bound + number * bound)[0])
    return estimated + (3.0 * bound + outer * bound / inner) * probed


def _probing(
    where: str, delays: ArrayLike, rounds: int, inner_radius: float, scale: float, probe_radius: float | None
) -> tuple[float, float]:
    """The numbers delta T and delta, delta being c ln T / T if none is given, once probes fit into the domain."""
    if probe_radius is not None:
        (delta,) = positive(where, probe_radius=probe_radius)
        checked_probe(where, delta, inner_radius)
        if scale != 1.0:
            checks.refuse(where, "scale", scale, "must not be given along with probe_radius")
        return delta * rounds, delta
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
