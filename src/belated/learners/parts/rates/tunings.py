r"""Tunings: weights lambda_t of an entropic leader that are computed from the feedback that has come.

They are weights (:mod:`~.rates.weights`) that also look at every feedback, with what they have marked
of its round. Let Z_j be the sum of the first j gradients in order of arrival, the j-th one being g_k of round k. Round
k was played as the leader of its aim, Z + h_k at that time, held by lambda_k. Its error e = aim_k - Z_j is how far the
hint has been from what arrived since, the round's own gradient included. Norms are largest absolute entries.

============================  ========================================================================================
part                          lambda_t
============================  ========================================================================================
``ConstantWeight``            a constant
``DelayedUpperBound`` (DUB)   (2 max_i A_i + sqrt(sum of a_i^2 + 2 alpha b_i)) / alpha, over what has arrived, with
                              a = 2 min(\|e\|, \|g\|), b = \|e\|^2 / 2 - max(0, \|e\| - \|g\|)^2 / 2,
                              A_i = the sum of the a that came after round i was played and before its own
``AdaHedgeD``                 (sum of the delta_i that have arrived) / alpha, with
                              delta = max(0, min(delta_1, delta_2, delta_3)), F_j(w) = <Z_j, w> + lambda KL(w, p),
                              delta_1 = F_j(w_k) - min F_j, delta_2 = <g_k, w_k - argmin F_j> and
                              delta_3 = F_j(v) - min F_j + <g_k, w_k - v>, where v minimises F_j + <s e, .> with
                              s = min(1, \|g\| / \|e\|), or 1 if e = 0
============================  ========================================================================================

alpha = ln n. With one delay for all rounds these are the formulas of Flaspohler and others 2021 (those of DUB and
delta_3 are remembered). For any delays, in short: with lambda'_j not falling in j and F_j taken with lambda'_j,

    <g_k, w_k> <= delta + min F_j - min F_{j-1}    for delta any of the three,

since <g_k, v> = F_j(v) - F_{j-1}(v) for every v. min F_{j-1} only grows with lambda' as KL >= 0, so the sum telescopes:
regret against u is at most lambda'_J KL(u, p) + sum of delta, and with AdaHedgeD at most (KL(u, p) / alpha + 1) times
the sum of delta. Here lambda'_j is the largest lambda_k so far, which is lambda_k itself if feedback comes in the order
of play. In that order delta <= min(a, b / lambda_k), which is remembered and was tried out on random numbers. As long
as the sum s of the delta is at most alpha lambda whenever a round is played, s_j^2 = sum of delta_i (delta_i +
2 s_{i-1}) <= sum of (a_i^2 + 2 alpha b_i) + 2 s_j max A_i. So s_j <= 2 max A_i + sqrt(sum of a_i^2 + 2 alpha b_i), and
with DUB that is alpha lambda again.
"""

import math
from typing import Any, NamedTuple

from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.core.vectors import copy_into
from belated.core.verbs import compilable, verb
from belated.domains.base import Domain
from belated.learners.parts.rates.weights import ConstantWeight, weigh
from belated.learners.parts.steps.entropy import checked_simplex, excess, log_corners, soften

__all__ = [
    "AdaHedgeD",
    "ConstantWeight",
    "DelayedUpperBound",
    "ada_hedge_d",
    "dub",
]

REMEMBERED = 3
"""How many numbers a tuning may remember from round to round."""


class DelayedUpperBound(NamedTuple):
    """Remembers the sum of the a, the largest A, and the sum of a^2 + 2 alpha b.

    Args:
        alpha: ln n, for n corners.
    """

    alpha: float


class AdaHedgeD(NamedTuple):
    """Remembers the sum of the delta and the largest lambda of rounds that have been answered.

    Args:
        alpha: ln n, for n corners.
    """

    alpha: float


Tuning = ConstantWeight | DelayedUpperBound | AdaHedgeD


def dub(domain: Domain) -> DelayedUpperBound:
    """The delayed upper bound tuning for a simplex.

    Args:
        domain: A simplex.

    Returns:
        The tuning, for ``bl.odaftrl``.

    Raises:
        InvalidArgument: ``domain`` is no simplex.
    """
    return DelayedUpperBound(log_corners(checked_simplex("dub", domain)))


def ada_hedge_d(domain: Domain) -> AdaHedgeD:
    """The AdaHedgeD tuning for a simplex.

    Args:
        domain: A simplex.

    Returns:
        The tuning, for ``bl.odaftrl``.

    Raises:
        InvalidArgument: ``domain`` is no simplex.
    """
    return AdaHedgeD(log_corners(checked_simplex("ada_hedge_d", domain)))


@verb
def mark_size(tuning: Any, dim: int) -> int:  # type: ignore[empty-body]  # declarations have no body
    """How many numbers a tuning remembers of each round. If there are none, feedback is anonymous."""


@verb
def mark(tuning: Any, spent: Vector, aim: Vector, weight: float, out: Vector) -> None:
    """Write into ``out`` what the tuning must know of the round that is played when its feedback comes."""


@verb
def learn(
    tuning: Any, spent: Vector, prior: Vector, linear: Vector, gradient: Vector, marked: Vector, scratch: Vector
) -> None:
    """Look at a feedback, which ``linear`` (Z_j) already includes. ``scratch`` has room for four vectors."""


@mark_size.otherwise
def nothing_marked(tuning: Any, dim: int) -> int:
    """None: a weight that follows from counts is told nothing about single rounds."""
    return 0


@mark.otherwise
def mark_nothing(tuning: Any, spent: Vector, aim: Vector, weight: float, out: Vector) -> None:
    """Write nothing: weights that follow from counts look at no feedback."""


@learn.otherwise
def learn_nothing(
    tuning: Any, spent: Vector, prior: Vector, linear: Vector, gradient: Vector, marked: Vector, scratch: Vector
) -> None:
    """Leave ``spent`` unchanged: weights that follow from counts do not learn."""


@mark_size.on(DelayedUpperBound, AdaHedgeD)
def aim_and_a_number(tuning: DelayedUpperBound | AdaHedgeD, dim: int) -> int:
    """The aim, of ``dim`` numbers, and one number more."""
    return dim + 1


@compilable
def largest(numbers: Vector) -> float:
    """The norm in which gradients are measured on a simplex."""
    most = 0.0
    for i in range(numbers.size):
        most = max(most, abs(float(numbers[i])))
    return most


@mark.on(DelayedUpperBound)
def mark_sum(tuning: DelayedUpperBound, spent: Vector, aim: Vector, weight: float, out: Vector) -> None:
    """Write the aim, and the sum of the a so far."""
    copy_into(aim, out)
    out[aim.size] = spent[0]


@weigh.on(DelayedUpperBound)
def dub_weight(tuning: DelayedUpperBound, spent: Vector, ledger: Ledger) -> float:
    """Return (2 max A + sqrt(sum of a^2 + 2 alpha b)) / alpha."""
    return (2.0 * float(spent[1]) + math.sqrt(float(spent[2]))) / tuning.alpha


@learn.on(DelayedUpperBound)
def learn_bounds(
    tuning: DelayedUpperBound,
    spent: Vector,
    prior: Vector,
    linear: Vector,
    gradient: Vector,
    marked: Vector,
    scratch: Vector,
) -> None:
    """Add the a and b of the round to what is remembered."""
    n = prior.size
    for i in range(n):
        scratch[i] = marked[i] - linear[i]
    error = largest(scratch[:n])
    size = largest(gradient)
    a = 2.0 * min(error, size)
    # e^2 / 2 - max(0, e - g)^2 / 2, without the difference of large numbers
    b = 0.5 * error * error if error <= size else size * (error - 0.5 * size)
    spent[1] = max(float(spent[1]), float(spent[0]) - float(marked[n]))
    spent[0] += a
    spent[2] += a * a + 2.0 * tuning.alpha * b


@mark.on(AdaHedgeD)
def mark_weight(tuning: AdaHedgeD, spent: Vector, aim: Vector, weight: float, out: Vector) -> None:
    """Write the aim and lambda, from which the decision can be computed again."""
    copy_into(aim, out)
    out[aim.size] = weight


@weigh.on(AdaHedgeD)
def ada_hedge_d_weight(tuning: AdaHedgeD, spent: Vector, ledger: Ledger) -> float:
    """Return the sum of the delta divided by alpha."""
    return float(spent[0]) / tuning.alpha


@learn.on(AdaHedgeD)
def learn_excess(
    tuning: AdaHedgeD, spent: Vector, prior: Vector, linear: Vector, gradient: Vector, marked: Vector, scratch: Vector
) -> None:
    """Add the least of the three delta to the sum, if it is positive."""
    n = prior.size
    played, shares, tilted = scratch[:n], scratch[n : 2 * n], scratch[2 * n : 3 * n]
    soften(prior, marked[:n], float(marked[n]), played)
    weight = max(float(spent[1]), float(marked[n]))
    spent[1] = weight
    least, total = soften(prior, linear, weight, shares)
    suffered = dot(gradient, played)
    delta = min(excess(prior, linear, weight, least, total, played), suffered - dot(gradient, shares))
    for i in range(n):
        tilted[i] = marked[i] - linear[i]
    error = largest(tilted)
    size = largest(gradient)
    part = size / error if error > size else 1.0
    for i in range(n):
        tilted[i] = linear[i] + part * tilted[i]
    soften(prior, tilted, weight, shares)
    third = excess(prior, linear, weight, least, total, shares) + (suffered - dot(gradient, shares))
    spent[0] += max(0.0, min(delta, third))
