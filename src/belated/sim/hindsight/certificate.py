r"""How far F(x) can lie above the minimum of F over X, proved from the gradient g at x alone.

Convexity says F(y) >= F(x) + g'(y - x) + (beta/2)|y - x|^2 for every y in X, with beta >= 0 the strong convexity. The
least that the right side becomes is a lower bound of the minimum. Three ways to find one, and the best counts:

* drop the square: the least is at y = argmin g'y over X. This is the Frank-Wolfe gap; it needs a bounded X.
* keep it: the least is at y = the projection of x - g/beta to X. Works on any X if beta > 0.
* forget X: F falls by at most ``objective.drop(g)`` on all of R^n.

Without a bound on X and without strong convexity nothing can be said and the gap is ``inf``, except where the gradient
vanishes.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from belated.core.errors import NumericalFailure
from belated.domains.base import Domain, minimise
from belated.sim.hindsight.objectives import EPSILON, Objective


class Gap(NamedTuple):
    """A bound on F(x) - min F, and the part of it that is an allowance for rounding in computing the bound."""

    bound: float
    rounding: float


def certify(objective: Objective, domain: Domain, point: Vector, slope: Vector) -> Gap:
    """The smallest bound on F(point) - min F over ``domain`` that ``slope``, the gradient at ``point``, proves."""
    if not np.isfinite(slope).all():
        raise NumericalFailure(f"the gradient of the total loss is not finite at {point}")
    bounds = [Gap(objective.drop(slope), 0.0)]
    corner = np.empty(point.size)
    minimise(domain, slope, corner)
    if np.isfinite(corner).all():
        bounds.append(_with_rounding(float(slope @ (point - corner)), slope, point, corner))
    beta = objective.strong_convexity
    if beta > 0.0:
        target = point - slope / beta
        if np.isfinite(target).all():
            nearest = domain.project(target)
            move = nearest - point
            fall = -float(slope @ move) - 0.5 * beta * float(move @ move)
            bounds.append(_with_rounding(fall, slope, point, nearest))
    return min(bounds)


def _with_rounding(fall: float, slope: Vector, point: Vector, other: Vector) -> Gap:
    allowance = 4.0 * EPSILON * float(np.abs(slope) @ (np.abs(point) + np.abs(other)))
    return Gap(max(fall, 0.0) + allowance, allowance)
