r"""Bounds on the regret of delayed gradient descent, from counts.

===================  ===============================================================================================
function             promise
===================  ===============================================================================================
``dogd``             DOGD at a constant rate eta: Dm^2 / (2 eta) + eta L^2 (T / 2 + D0)
``sequential_dogd``  the same bound, for one step per feedback in the order of arrival
``dbgd``             DBGD, average over the points played: that bound with G for L, plus what probing costs
``flaxman``          Flaxman's one-point descent, in expectation: that bound with n M / delta for L, plus L + L R / r
                     times delta T
``dogd_adaptive``    DOGD at the rate ``count_adaptive``: sqrt(2) Dm L sqrt(T + 2 D0)
``certificate``      DOGD-SC after the fact: sum_t (\|F_t\| / h_t) [(beta R L + L^2) o_t + L^2 \|F_t\| / 2]
===================  ===============================================================================================

Symbols: L a bound on the norms of the gradients, Dm the diameter of the domain, D0 the sum of d_t - 1; beta strong
convexity, R the radius of the domain about its centre, \|F_t\| arrivals and o_t what is still in flight after round t,
h_t = (beta / 2)(\|F_1\| + ... + \|F_t\|). The first decision may be any, except for ``dbgd``.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from belated.core import checks
from belated.theory.counts import checked_probe, positive
from belated.theory.descent_curves import constant_rate, counted_drift
from belated.theory.prefixes import whole


def dogd(delays: ArrayLike, *, rate: float, diameter: float, lipschitz: float) -> float:
    """The bound Dm^2 / (2 eta) + eta L^2 (T / 2 + D0) on the regret of ``dogd(domain, rate=eta)``.

    It is least, Dm L sqrt(T + 2 D0), at eta = Dm / (L sqrt(T + 2 D0)). Proved in ``docs/derivations/dogd.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        rate: The constant rate eta, as the learner has it.
        diameter: Dm, the diameter of the domain. The bound only uses that no element of the domain is farther from the
            first decision, so for a start at the centre the radius may be given.
        lipschitz: L, a bound on the norms of the gradients that were told.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> dogd([3, 1, 1, 1], rate=0.25, diameter=2.0, lipschitz=1.0)      # 4 / (2 / 4) + (4 / 2 + 2) / 4
        9.0
    """
    eta, across, bound = positive("dogd", rate=rate, diameter=diameter, lipschitz=lipschitz)
    return float(constant_rate(whole("dogd", delays), eta, across, bound)[0])


def sequential_dogd(delays: ArrayLike, *, rate: float, diameter: float, lipschitz: float) -> float:
    """The bound Dm^2 / (2 eta) + eta L^2 (T / 2 + D0) for descent that makes one step per feedback.

    It bounds the regret of ``solid(dogd(domain, rate=eta))`` and, on the losses <g_t, x>, that of each expert of
    ``mild_ogd``. The number is that of ``dogd``, but the proof is another one. Proved in ``docs/derivations/dogd.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1. The order of steps within a
            round does not matter.
        rate: The constant rate eta of every step.
        diameter: Dm, the diameter of the domain; the radius for a start at the centre.
        lipschitz: L, a bound on the norms of the gradients that were told.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> sequential_dogd([3, 1, 1, 1], rate=0.25, diameter=2.0, lipschitz=1.0)
        9.0
    """
    where = "sequential_dogd"
    eta, across, bound = positive(where, rate=rate, diameter=diameter, lipschitz=lipschitz)
    return float(constant_rate(whole(where, delays), eta, across, bound)[0])


def dbgd(
    delays: ArrayLike,
    *,
    rate: float,
    radius: float,
    inner_radius: float,
    lipschitz: float,
    smoothness: float,
    dim: int,
    probe_radius: float,
) -> float:
    """The bound on the average regret of ``dbgd(domain, eta, delta)`` over the points played, started at the centre.

    It is R^2 / (2 eta) + eta G^2 (T / 2 + D0) + delta T (sqrt(n) alpha R + L + L R / r), with R replaced by
    (1 - delta / r) R in its first term and G = min(sqrt(n) L, L + sqrt(n) alpha delta / 2), which bounds the estimates.
    Losses must be smooth: without that regret may grow like T. Proved in ``docs/derivations/dogd.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        rate: The constant rate eta, as the learner has it.
        radius: R, the radius of the domain about its centre, ``domain.outer_radius``.
        inner_radius: r, the radius of a ball about the same centre inside the domain, ``domain.inner_radius``.
        lipschitz: L: losses change by at most L times the distance.
        smoothness: alpha: gradients change by at most alpha times the distance.
        dim: n, the number of directions that are probed, ``domain.hull_dim``.
        probe_radius: delta, as the learner has it, below r.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, a constant is not positive and moderate, or the
            probe radius does not fit into the domain.

    Example:
        >>> known = {"radius": 1.0, "inner_radius": 1.0, "lipschitz": 1.0, "smoothness": 1.0, "dim": 1}
        >>> dbgd([1] * 8, rate=0.125, probe_radius=0.5, **known)            # 1 / 4 / (2 / 8) + 4 / 8 + 4 * 3
        13.5
    """
    where = "dbgd"
    eta, outer, inner, bound, alpha, delta = positive(
        where,
        rate=rate,
        radius=radius,
        inner_radius=inner_radius,
        lipschitz=lipschitz,
        smoothness=smoothness,
        probe_radius=probe_radius,
    )
    root, seen = math.sqrt(checks.count(where, "dim", dim)), whole(where, delays)
    checked_probe(where, delta, inner)
    estimates = min(root * bound, bound + root * alpha * delta / 2.0)
    probing = delta * seen.ends.size * (root * alpha * outer + bound + bound * outer / inner)
    return float(constant_rate(seen, eta, (1.0 - delta / inner) * outer, estimates)[0]) + probing


def flaxman(
    delays: ArrayLike,
    *,
    rate: float,
    radius: float,
    inner_radius: float,
    lipschitz: float,
    bound: float,
    dim: int,
    probe_radius: float,
) -> float:
    r"""The bound on the expected regret of ``flaxman(domain, eta, delta, baseline)``, started at the centre.

    It is R^2 / (2 eta) + eta (n M / delta)^2 (T / 2 + D0) + delta T (L + L R / r), with R replaced by (1 - delta / r) R
    in its first term, and holds for the points that are tried. Losses and delays must not react to the directions
    drawn. Proved in ``docs/derivations/without_delay.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        rate: The constant rate eta, as the learner has it.
        radius: R, the radius of the domain about its centre, ``domain.outer_radius``.
        inner_radius: r, the radius of a ball about the same centre inside the domain, ``domain.inner_radius``.
        lipschitz: L: losses change by at most L times the distance.
        bound: M: no value, less the baseline, is larger in size.
        dim: n, the dimension of the directions that are drawn, ``domain.hull_dim``.
        probe_radius: delta, as the learner has it, below r.

    Returns:
        The largest expected regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, a constant is not positive and moderate, or the
            probe radius does not fit into the domain.

    Example:
        >>> known = {"radius": 1.0, "inner_radius": 1.0, "lipschitz": 1.0, "bound": 1.0, "dim": 1}
        >>> flaxman([1] * 8, rate=0.125, probe_radius=0.5, **known)         # 1 / 4 / (2 / 8) + 4 * 4 / 8 + 4 * 2
        11.0
    """
    where = "flaxman"
    eta, outer, inner, slope, most, delta = positive(
        where,
        rate=rate,
        radius=radius,
        inner_radius=inner_radius,
        lipschitz=lipschitz,
        bound=bound,
        probe_radius=probe_radius,
    )
    noise, seen = checks.count(where, "dim", dim) * most / delta, whole(where, delays)
    checked_probe(where, delta, inner)
    probing = delta * seen.ends.size * (slope + slope * outer / inner)
    return float(constant_rate(seen, eta, (1.0 - delta / inner) * outer, noise)[0]) + probing


def dogd_adaptive(delays: ArrayLike, *, diameter: float, lipschitz: float) -> float:
    """The bound sqrt(2) Dm L sqrt(T + 2 D0) on the regret of ``dogd(domain, count_adaptive(domain, L))``.

    Within sqrt(2) of the best constant rate, which has to know T and D0. Proved in ``docs/derivations/dogd.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        diameter: Dm, as it was told to the rate. Here it cannot be replaced by the radius.
        lipschitz: L, as it was told to the rate.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> dogd_adaptive([3, 1, 1, 1], diameter=2.0, lipschitz=1.0)        # T + 2 D0 = 8
        8.0
    """
    across, bound = positive("dogd_adaptive", diameter=diameter, lipschitz=lipschitz)
    return across * bound * math.sqrt(2.0 * int(whole("dogd_adaptive", delays).play_weight[0]))


def certificate(delays: ArrayLike, *, strong_convexity: float, radius: float, lipschitz: float) -> float:
    """A bound on the regret of DOGD-SC from the counts of its run; at most Theorem 1's, usually far below.

    It bounds how far decisions drift while feedback is in flight by counting, round by round, the feedbacks that wait,
    where the paper charges every one of them twice the largest delay. Proved in ``docs/derivations/dogd_sc.md``.
    It is a number. What :func:`belated.certify` returns is called a certificate, too: it is about the steps of a run.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        strong_convexity: beta, as it was told to the learner; the losses must be at least so strongly convex.
        radius: R, the radius of the domain. Half the diameter may be given, which is all that the proof uses.
        lipschitz: L, a bound on the norms of the gradients that were told.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> certificate([1, 1], strong_convexity=2.0, radius=1.0, lipschitz=2.0)     # (L^2 / beta) (1 + 1 / 2)
        3.0
    """
    beta, outer, bound = positive("certificate", strong_convexity=strong_convexity, radius=radius, lipschitz=lipschitz)
    return float(counted_drift(whole("certificate", delays), beta, outer, bound)[0])
