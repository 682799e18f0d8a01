r"""The regret bounds of the paper, as numbers for given delays.

================  ==================================================================================================
function          promise
================  ==================================================================================================
``theorem_1``     DOGD-SC: (4 beta R L + 5 L^2)(d / beta)(1 + ln(T / \|F_s\|))
``theorem_2``     BDOGD-SC, average over the points played, delta = c ln T / T: Theorem 1 with
                  L + sqrt(n) alpha delta / 2 for L, plus (sqrt(n) alpha R + L R / r + L) c ln T
``theorem_3``     the two-query variant, in expectation: Theorem 1 with 2 L + n L for L, plus (3 L + R L / r) c ln T
``certificate``   DOGD-SC after the fact: sum_t (\|F_t\| / h_t) [(beta R L + L^2) o_t + L^2 \|F_t\| / 2]
================  ==================================================================================================

Symbols: beta strong convexity, alpha smoothness, R the radius of the domain about its centre
(``domain.outer_radius``), r its inner radius about the same centre, L a bound on the norms of all gradients, n the
dimension, d the largest delay, s the first round in which something arrives, o_t what is still in flight after round
t, h_t = (beta / 2)(\|F_1\| + ... + \|F_t\|).

Feedback that comes after the last round, or never, changes no decision; a delay that ends after T therefore counts as
one that ends at T, which can only make a bound smaller. Theorem 3 is printed in the paper without c in its last term;
it is written here as its proof has it.

``certificate`` is sharper than Theorem 1: it bounds how far decisions drift while feedback is in flight by counting,
round by round, the feedbacks that wait, where the paper charges every one of them twice the largest delay.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Integers
from belated.delays.base import whole_delays


class Counts(NamedTuple):
    """What the bounds need of the delays: those that end within the run, arrivals and feedback in flight by round."""

    longest: int
    arrived: Integers
    in_flight: Integers

    @property
    def rounds(self) -> int:
        """T."""
        return self.arrived.size

    @property
    def first_arrivals(self) -> int:
        """|F_s|: how many arrive in the first round in which anything does."""
        return int(self.arrived[np.argmax(self.arrived > 0)])


def counts(delays: ArrayLike) -> Counts:
    """The counts of a run with these delays, each cut off at the last round.

    >>> counts([3, 1, 1, 7])      # the last would come in round 10
    Counts(longest=3, arrived=array([0, 1, 2, 1]), in_flight=array([1, 1, 0, 0]))
    """
    return _counts("counts", delays)


def theorem_1(delays: ArrayLike, *, strong_convexity: float, radius: float, lipschitz: float) -> float:
    """The bound of Theorem 1 on the regret of DOGD-SC.

    >>> delays = [2, 3, 2, 1, 4, 1, 3] * 100
    >>> round(theorem_1(delays, strong_convexity=2.0, radius=1.0, lipschitz=2 + 10**0.5), 1)
    2636.0
    """
    beta, outer, bound = _positive("theorem_1", strong_convexity=strong_convexity, radius=radius, lipschitz=lipschitz)
    return _descent(_counts("theorem_1", delays), beta, outer, bound)


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
    beta, outer, inner, bound, alpha, c = _positive(
        where,
        strong_convexity=strong_convexity,
        radius=radius,
        inner_radius=inner_radius,
        lipschitz=lipschitz,
        smoothness=smoothness,
        scale=scale,
    )
    root, seen = math.sqrt(checks.count(where, "dim", dim)), _counts(where, delays)
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
    beta, outer, inner, bound, c = _positive(
        where,
        strong_convexity=strong_convexity,
        radius=radius,
        inner_radius=inner_radius,
        lipschitz=lipschitz,
        scale=scale,
    )
    number, seen = checks.count(where, "dim", dim), _counts(where, delays)
    c_log_rounds, _ = _probing(where, delays, seen.rounds, inner, c)
    estimated = _descent(seen, beta, outer, 2.0 * bound + number * bound)
    return estimated + (3.0 * bound + outer * bound / inner) * c_log_rounds


def certificate(delays: ArrayLike, *, strong_convexity: float, radius: float, lipschitz: float) -> float:
    """A bound on the regret of DOGD-SC from the counts of its run; at most Theorem 1's, usually far below."""
    beta, outer, bound = _positive("certificate", strong_convexity=strong_convexity, radius=radius, lipschitz=lipschitz)
    seen = _counts("certificate", delays)
    some = seen.arrived > 0
    arrived, in_flight, h = seen.arrived[some], seen.in_flight[some], beta / 2.0 * seen.arrived.cumsum()[some]
    drift = (beta * outer * bound + bound * bound) * in_flight
    return float(np.sum(arrived / h * (drift + bound * bound * arrived / 2.0)))


def _counts(where: str, delays: ArrayLike) -> Counts:
    given = whole_delays(where, "delays", delays)
    rounds = given.size
    labels = getattr(delays, "coords", {}).get("round")
    if labels is not None and not np.array_equal(labels, np.arange(1, rounds + 1)):
        wanted = 'must have every round of the run: simulate with record="all"'
        checks.refuse(where, "delays", delays, wanted)
    effective = np.minimum(given, np.arange(rounds, 0, -1))
    arrived = np.bincount(np.arange(rounds) + effective - 1, minlength=rounds)
    return Counts(int(effective.max()), arrived, np.arange(1, rounds + 1) - arrived.cumsum())


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


def _positive(where: str, **values: float) -> tuple[float, ...]:
    return tuple(checks.moderate(where, name, value) for name, value in values.items())
