r"""The arithmetic of the bounds on gradient descent, for all prefixes of a run at once.

Each function takes the counts of a run (:mod:`~belated.theory.prefixes`) and constants that have been checked, and
returns a number for each prefix. Everything that reports one of these bounds, as a number or as a curve, calls them.

=====================  =============================================================================================
function               number
=====================  =============================================================================================
``logarithmic``        (4 beta R L + 5 L^2)(d / beta)(1 + ln(T / \|F_s\|)), the term that all three theorems have
``counted_drift``      sum_t (\|F_t\| / h_t)[(beta R L + L^2) o_t + L^2 \|F_t\| / 2], (C) of the derivation of DOGD-SC
``squared_drift``      sum_t (\|F_t\| / h_t) L^2 [o_t + \|F_t\| / 2] + (beta / 2) sum_k min(Dm, L H_k)^2, its (C')
``constant_rate``      Dm^2 / (2 eta) + eta L^2 V_T / 2
``falling_rate``       Dm^2 h_T / 2 + L^2 sum_t w_t / h_t, w_t = \|F_t\| (\|F_t\| / 2 + o_t): (A) of that of DOGD
=====================  =============================================================================================
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from belated.core.arrays import Vector
from belated.theory.prefixes import Prefixes


def logarithmic(seen: Prefixes, beta: float, radius: float, bound: float) -> Vector:
    r"""(4 beta R L + 5 L^2)(d / beta)(1 + ln(T / \|F_s\|)) for each prefix."""
    logarithm = 1.0 + np.log(seen.rounds / seen.first_arrivals)
    curve: Vector = (4.0 * beta * radius * bound + 5.0 * bound * bound) * seen.longest / beta * logarithm
    return curve


def counted_drift(seen: Prefixes, beta: float, radius: float, bound: float) -> Vector:
    """The certificate (C) of DOGD-SC for each prefix; beta is what the learner was told."""
    drift = (beta * radius * bound + bound * bound) * seen.in_flight
    return _over_steps(seen, beta, drift + bound * bound * seen.arrived / 2.0, bound)


def squared_drift(seen: Prefixes, beta: float, diameter: float, bound: float) -> Vector:
    """The certificate (C') of DOGD-SC for each prefix, in which the radius is not in the leading term."""
    first = _over_steps(seen, beta, bound * bound * (seen.in_flight + seen.arrived / 2.0), bound)
    path = np.concatenate((np.zeros(1), np.cumsum(_steps(seen, beta))))
    return first + beta / 2.0 * (
        _squares_of_answered(seen, path, diameter, bound) + _squares_in_flight(seen, path, diameter, bound)
    )


def constant_rate(seen: Prefixes, rate: float, across: float, bound: float) -> Vector:
    """Dm^2 / (2 eta) + eta L^2 (T / 2 + D0) for each prefix."""
    weight: Vector = seen.play_weight.astype(np.float64)
    curve: Vector = across * across / (2.0 * rate) + rate * bound * bound * weight / 2.0
    return curve


def falling_rate(seen: Prefixes, inverse_rates: Vector, last: Vector, across: float, bound: float) -> Vector:
    """(A) for each prefix, for rates that never grow.

    Args:
        seen: The counts.
        inverse_rates: h_t in each round of the whole run; it may be 0 in rounds in which nothing arrives.
        last: For each prefix its h_T, by which all that is missing is applied at its end.
        across: Dm, the diameter of the domain.
        bound: L, a bound on the norms of the gradients.

    Returns:
        The bound for each prefix.
    """
    weights = seen.arrived * (seen.arrived / 2.0 + seen.in_flight)
    terms = np.divide(weights, inverse_rates, out=np.zeros(weights.size), where=seen.arrived > 0)
    late = seen.last_arrivals
    curve: Vector = across * across * last / 2.0 + bound * bound * (seen.before(terms) + late * late / 2.0 / last)
    return curve


def _steps(seen: Prefixes, beta: float) -> Vector:
    r"""\|F_t\| / h_t with h_t = (beta / 2) N_t, and 0 in rounds in which nothing arrives."""
    steps = np.zeros(seen.arrived.size)
    np.divide(seen.arrived, beta / 2.0 * seen.received, out=steps, where=seen.arrived > 0)
    return steps


def _over_steps(seen: Prefixes, beta: float, costs: Any, bound: float) -> Vector:
    r"""The sum of (\|F_t\| / h_t) costs_t over each prefix; at its end all the rest arrives, and nothing drifts."""
    late = seen.last_arrivals
    last = late / (beta / 2.0 * seen.rounds) * (bound * bound * late / 2.0)
    curve: Vector = seen.before(_steps(seen, beta) * costs) + last
    return curve


def _squares_of_answered(seen: Prefixes, path: Vector, diameter: float, bound: float) -> Vector:
    """The sum of min(Dm, L H_k)^2 over the feedbacks that have come by the end of each prefix."""
    came = seen.ends <= seen.ends.size
    ends, plays = seen.ends[came], seen.every_round[came]
    squares = np.minimum(diameter, bound * (path[ends - 1] - path[plays - 1])) ** 2
    return seen.through(np.bincount(ends, squares, minlength=seen.ends.size + 1)[1:])


def _squares_in_flight(seen: Prefixes, path: Vector, diameter: float, bound: float) -> Vector:
    """The sum of min(Dm, L H_k)^2 over the feedbacks in flight after each prefix, H_k being cut off at its end.

    As ``path`` never falls, such a term is L^2 (path_p - path_k)^2 from its round on until Dm is reached, and Dm^2 from
    then on. So the sums over all k follow from sums of 1, path_k and path_k^2 over those that have not reached Dm.
    """
    size, plays = seen.ends.size + 2, seen.every_round
    start = path[plays - 1]
    reached = np.searchsorted(path, start + (diameter / bound if bound > 0.0 else math.inf), side="left") + 1
    until = np.minimum(seen.ends, reached)

    def open_sum(values: Vector) -> Vector:
        """The sum of the values of those rounds that are in flight after p and have not reached Dm."""
        change = np.bincount(plays, values, minlength=size) - np.bincount(until, values, minlength=size)
        return seen.through(change[1:-1])

    now, full = path[seen.rounds - 1], np.ones(plays.size)
    far = seen.through((np.bincount(until, minlength=size) - np.bincount(seen.ends, minlength=size))[1:-1])
    moved = open_sum(full) * now * now - 2.0 * now * open_sum(start) + open_sum(start * start)
    squares: Vector = bound * bound * np.maximum(moved, 0.0) + diameter * diameter * far
    return squares
