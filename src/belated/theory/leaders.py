r"""Bounds on the regret of delayed leaders, from counts.

==================  ================================================================================================
function            promise
==================  ================================================================================================
``dda``             sqrt(2) R L sqrt(V_T)
``hedge``           (1 + b^2 / 4) sqrt(ln n V_T)
``skipping``        around DDA: sqrt(2) R L sqrt(V_T) + \|S\| L Dm
``one_point_dda``   in expectation: 2 sqrt(P A_T) + delta T (L + L R / r)
``ftdl``            sum_t c_t / (beta t)
``curvature_ftrl``  2 a_T P
``composite_ftrl``  2 a_T P
==================  ================================================================================================

Symbols: L a bound on the norms of the gradients, R and r the outer and inner radius of the domain about its centre, Dm
its diameter, sigma_t what is missing when x_t is chosen, V_T = T + 2 D0 the sum of 1 + 2 sigma_t, D0 the sum of
d_t - 1. Each of the other symbols belongs to one function, whose docstring explains it.

The arithmetic is in :mod:`~belated.theory.leader_curves`.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from belated.core import checks
from belated.learners.parts.rates.weights import Balanced, Noisy
from belated.theory.counts import checked_probe, positive
from belated.theory.leader_curves import averaging, balanced, charged, given_up, noisy
from belated.theory.prefixes import whole


def dda(delays: ArrayLike, *, radius: float, lipschitz: float) -> float:
    """The bound sqrt(2) R L sqrt(V_T) on the regret of ``dda(domain, L)``, started at the centre.

    For a start at a distance r_0 from the centre it is (1 + ((R + r_0) / R)^2) / 2 times as large. Proved in
    ``docs/derivations/dda.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        radius: R, the radius of the domain about its centre, ``domain.outer_radius``.
        lipschitz: L, as it was told to the learner: a bound on the norms of the gradients.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> dda([3, 1, 1, 1], radius=2.0, lipschitz=1.0)                    # V = 4 + 2 * 2
        8.0
    """
    outer, bound = positive("dda", radius=radius, lipschitz=lipschitz)
    return float(averaging(whole("dda", delays).play_weight, outer, bound)[0])


def hedge(delays: ArrayLike, *, dim: int, spread: float) -> float:
    """The bound (1 + b^2 / 4) sqrt(ln n V_T) on the regret of ``hedge(Simplex(n))``, started at equal shares.

    b, ``spread``, bounds how far the n losses of a round lie apart. It is 2 for losses in [-1, 1], for which the rate
    is made; the bound is then 2 sqrt(ln n V_T). It is 1 for losses in [0, 1], for which the factor is 5/4 in place of
    2. On a simplex with a floor and a total the bound is (total - n floor) times as large. Proved in
    ``docs/derivations/hedge.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        dim: n, the number of corners, at least 2.
        spread: b, a bound on the difference between the largest and the least loss of a round.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> round(hedge([3, 1, 1, 1], dim=2, spread=2.0) / math.log(2.0)**0.5, 6)   # 2 sqrt(8)
        5.656854
    """
    number, (apart,) = checks.count("hedge", "dim", dim, least=2), positive("hedge", spread=spread)
    return (1.0 + apart * apart / 4.0) * math.sqrt(math.log(number) * int(whole("hedge", delays).play_weight[0]))


def skipping(delays: ArrayLike, *, radius: float, diameter: float, lipschitz: float) -> float:
    r"""The bound sqrt(2) R L sqrt(V_T) + \|S\| L Dm on the regret of ``skipping(dda(domain, L))``.

    S is the set of rounds given up before round T is played, and the sigma_t in V_T count the rounds that are missing
    and not given up. The start must be the centre. Proved in ``docs/derivations/skipping.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        radius: R, the radius of the domain about its centre, ``domain.outer_radius``.
        diameter: Dm, the diameter of the domain, ``domain.diameter``.
        lipschitz: L, as it was told to the learner: a bound on the norms of the gradients.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> lost = [2**62] + [1] * 19                       # the first feedback is given up after seven rounds
        >>> known = {"radius": 1.0, "lipschitz": 1.0}
        >>> round(skipping(lost, diameter=2.0, **known), 2), round(dda(lost, **known), 2)
        (10.25, 10.77)
    """
    where = "skipping"
    outer, across, bound = positive(where, radius=radius, diameter=diameter, lipschitz=lipschitz)
    waited, lost = given_up(whole(where, delays))
    return float(averaging(waited, outer, bound)[0]) + int(lost[0]) * bound * across


def one_point_dda(
    delays: ArrayLike,
    *,
    radius: float,
    inner_radius: float,
    lipschitz: float,
    bound: float,
    dim: int,
    probe_radius: float,
) -> float:
    r"""The bound 2 sqrt(P A_T) + delta T (L + L R / r) on the expected regret of ``one_point_dda``.

    It holds for the regret of the points that are tried and for that of the decisions. P = (1 - delta / r)^2 R^2 / 2,
    and A_T is the sum of G^2 + 2 L (G sqrt(sigma_t) + L sigma_t), G = n M / delta. The start must be the centre, and
    losses and delays must not react to the directions drawn. Proved in ``docs/derivations/one_point_dda.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        radius: R, the radius of the domain about its centre, ``domain.outer_radius``.
        inner_radius: r, the radius of a ball about the same centre inside the domain, ``domain.inner_radius``.
        lipschitz: L, as it was told to the learner: losses change by at most L times the distance.
        bound: M, as it was told to the learner: no value is larger in size.
        dim: n, the dimension of the directions that are drawn, ``domain.hull_dim``.
        probe_radius: delta, as it was told to the learner, below r.

    Returns:
        The largest expected regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, a constant is not positive and moderate, or the
            probe radius does not fit into the domain.

    Example:
        >>> known = {"radius": 1.0, "inner_radius": 1.0, "lipschitz": 1.0, "bound": 1.0, "dim": 1}
        >>> one_point_dda([1] * 8, probe_radius=0.5, **known)               # G = 2, P = 1/8
        12.0
    """
    where = "one_point_dda"
    outer, inner, slope, most, delta = positive(
        where,
        radius=radius,
        inner_radius=inner_radius,
        lipschitz=lipschitz,
        bound=bound,
        probe_radius=probe_radius,
    )
    number, seen = checks.count(where, "dim", dim), whole(where, delays)
    checked_probe(where, delta, inner)
    reach = 0.5 * ((1.0 - delta / inner) * outer) ** 2
    spent = float(noisy(seen, Noisy(reach, noise=number * most / delta, lipschitz=slope))[0])
    return 2.0 * math.sqrt(reach * spent) + delta * seen.ends.size * slope * (1.0 + outer / inner)


def ftdl(delays: ArrayLike, *, strong_convexity: float, diameter: float, lipschitz: float) -> float:
    """The bound sum_t c_t / (beta t) on the regret of ``ftdl(domain, beta)``, from any start.

    c_t = L (L + (L + beta Dm) sigma_t). Proved in ``docs/derivations/curvature_ftrl.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        strong_convexity: beta, as it was told to the learner; the losses must be at least so strongly convex.
        diameter: Dm, the diameter of the domain, ``domain.diameter``.
        lipschitz: L, a bound on the norms of the gradients that were told.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> ftdl([2, 1], strong_convexity=1.0, diameter=2.0, lipschitz=1.0)         # 1 / 1 + (1 + 3) / 2
        3.0
    """
    where = "ftdl"
    beta, across, bound = positive(where, strong_convexity=strong_convexity, diameter=diameter, lipschitz=lipschitz)
    seen = whole(where, delays)
    return float(charged(seen, bound * (bound + (bound + beta * across) * seen.outstanding), beta)[0])


def curvature_ftrl(
    delays: ArrayLike, *, strong_convexity: float, radius: float, diameter: float, lipschitz: float
) -> float:
    """The bound 2 a_T P on the regret of ``curvature_ftrl(domain, beta, L)``, started at the centre.

    a_T is the weight that the learner has in its last round; a_T P is the sum of c_t / (beta t + a_t) with
    c_t = L (L + (L + beta Dm) sigma_t), and P = R^2 / 2. For a start at a distance r_0 from the centre the bound is
    (1 + ((R + r_0) / R)^2) / 2 times as large. Proved in ``docs/derivations/curvature_ftrl.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        strong_convexity: beta, as it was told to the learner; the losses must be at least so strongly convex.
        radius: R, the radius of the domain about its centre, ``domain.outer_radius``.
        diameter: Dm, the diameter of the domain, ``domain.diameter``.
        lipschitz: L, as it was told to the learner: a bound on the norms of the gradients.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> known = {"strong_convexity": 1.0, "radius": 2.0, "diameter": 4.0, "lipschitz": 2.0}
        >>> curvature_ftrl([1], **known)                                    # a (1 + a) = c / P = 2
        4.0
    """
    where = "curvature_ftrl"
    beta, outer, across, bound = positive(
        where, strong_convexity=strong_convexity, radius=radius, diameter=diameter, lipschitz=lipschitz
    )
    weight = Balanced(beta, 0.5 * outer * outer, own=bound * bound, late=bound * (bound + beta * across))
    return 2.0 * float(balanced(whole(where, delays), weight)[0])


def composite_ftrl(delays: ArrayLike, *, regulariser: float, largest_norm: float, lipschitz: float) -> float:
    """The bound 2 a_T P on the regret of ``composite_ftrl(domain, lambda, L)``, for caution 1, its default.

    a_T is the weight that the learner has in its last round; a_T P is the sum of c_t / (lambda t + a_t) with
    c_t = L^2 / 2 + (L + lambda R) L sigma_t, and P = R^2 / 2. Proved in ``docs/derivations/composite_ftrl.md``.

    **The start must be the element of the domain nearest to the origin**, ``domain.project(np.zeros(dim))``, which the
    centre need not be.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        regulariser: lambda, as it was told to the learner.
        largest_norm: R, here about the origin: the norm of the domain's centre plus its outer radius.
        lipschitz: L, as it was told to the learner: a bound on the gradients without the regulariser's part.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> composite_ftrl([1], regulariser=3.0, largest_norm=1.0, lipschitz=2.0)   # a (3 + a) = c / P = 4
        1.0
    """
    where = "composite_ftrl"
    mu, outer, bound = positive(where, regulariser=regulariser, largest_norm=largest_norm, lipschitz=lipschitz)
    weight = Balanced(mu, 0.5 * outer * outer, own=0.5 * bound * bound, late=(bound + mu * outer) * bound)
    return 2.0 * float(balanced(whole(where, delays), weight)[0])
