r"""How far F(x) can lie above the minimum of F over X, proved from the gradient g at x alone.

Convexity says F(y) >= F(x) + g'(y - x) + 1/2 sum_i b_i (y_i - x_i)^2 for every y in X, with b_i bounds on the curvature
along the axes. The least that the right side becomes is a lower bound of the minimum. Ways to find one, of which the
best counts:

* forget X: the least over R^n is sum_i g_i^2 / (2 b_i) below F(x), if every b_i > 0.
* drop the squares: the least is at y = argmin g'y over X. This is the Frank-Wolfe gap; it needs a bounded X, for on an
  unbounded one a slope that seems to have a minimum has it only up to rounding.
* keep them, with b_i >= beta > 0: the least is about at the projection z of x - g/beta to X. How far the least lies
  below z is, again, a Frank-Wolfe gap, so that nothing rests on how exact a projection is; only on an unbounded X is it
  taken to be exact up to rounding.
* a sum that cannot be below a ``floor`` is above its minimum by no more than what it is above that.

F(x) and g are computed, and may be off by what ``objective.rounding`` says. An error of e_i in g_i shifts the right
side by at most e_i |y_i - x_i|, and a y with F(y) <= F(x) is no further away than the diameter of X, nor than the
curvature lets it be. All of that is added to the gap. With neither a bound on X nor curvature nothing can be said: the
gap is ``inf``.
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from belated.core.errors import NumericalFailure
from belated.domains.base import Domain, minimise, project
from belated.sim.compensated import EPSILON
from belated.sim.hindsight.objectives import Objective


class Gap(NamedTuple):
    """A bound on F(x) - min F, and the part of it that is an allowance for rounding."""

    bound: float
    rounding: float

    def plus(self, allowance: float) -> "Gap":
        """This bound with more allowance for rounding."""
        return Gap(self.bound + allowance, self.rounding + allowance)


def certify(objective: Objective, domain: Domain, point: Vector, slope: Vector) -> Gap:
    """The smallest bound on F(point) - min F over ``domain`` that ``slope``, the gradient at ``point``, proves."""
    if not np.isfinite(slope).all():
        raise NumericalFailure(f"the gradient of the total loss is not finite at {point}: a sum overflows")
    with np.errstate(all="ignore"):
        value_error, slope_error = objective.rounding(point)
        floors = objective.curvature_floors
        floors = floors - 16.0 * EPSILON * np.abs(floors)
        if np.shape(floors) != slope.shape:
            floors = np.broadcast_to(floors, slope.shape)
        bounds = [_unconstrained(slope, slope_error, floors)]
        if objective.floor > -math.inf:
            bounds.append(Gap(objective.value(point) - objective.floor, 0.0))
        shift = _shift(slope, slope_error, floors, domain)
        if math.isfinite(domain.diameter):
            bounds.append(_frank_wolfe(domain, point, slope).plus(shift))
        beta = float(floors.min())
        if beta > 0.0:
            bounds.append(_curved(domain, point, slope, beta).plus(shift))
        # A bound that overflowed on the way proves nothing.
        sound = [gap for gap in (bound.plus(value_error) for bound in bounds) if not math.isnan(sum(gap))]
    return min(sound, default=Gap(math.inf, 0.0))


def length(vector: Vector) -> float:
    """Its norm, also where the squares of its entries overflow."""
    return math.hypot(*vector.tolist())


def nearest(domain: Domain, point: Vector) -> Vector:
    """The projection of a point, which is known to be finite and of the right size."""
    found = point.copy()
    project(domain, found, found)
    return found if np.isfinite(found).all() else domain.project(point)  # which says what is wrong


def step(domain: Domain, point: Vector, slope: Vector, curvature: float | Vector) -> Vector:
    """The projection of ``point`` - ``slope`` / ``curvature``; in a bounded set, its limit if that overflows."""
    with np.errstate(all="ignore"):
        target = point - slope / curvature
    if np.isfinite(target).all():
        return nearest(domain, target)
    if math.isfinite(domain.diameter) and np.isfinite(slope).all():
        return domain.minimise(slope)
    raise NumericalFailure(f"a step from {point} against the gradient of the total loss overflows")


def _unconstrained(slope: Vector, slope_error: Vector, floors: Vector) -> Gap:
    steepness = np.abs(slope) + slope_error
    sloping = steepness > 0.0
    if not (floors[sloping] > 0.0).all():
        return Gap(math.inf, 0.0)
    with_error, without = (
        float((0.5 * steep[sloping] * (steep[sloping] / floors[sloping])).sum()) for steep in (steepness, np.abs(slope))
    )
    return Gap((1.0 + (slope.size + 8) * EPSILON) * with_error, with_error - without)


def _shift(slope: Vector, slope_error: Vector, floors: Vector, domain: Domain) -> float:
    """What errors of the gradient and curvature below zero, which rounding may leave in a form, can amount to."""
    size = 1.001 * domain.diameter
    reach = np.full(slope.size, size)
    if (floors > 0.0).all():
        # From sum_i b_i (|d_i| - s_i / b_i)^2 <= sum_i s_i^2 / b_i, where s are the steepnesses and d = y - x.
        steepness = np.abs(slope) + slope_error
        total = float((steepness * (steepness / floors)).sum())
        reach = np.fmin(reach, 1.001 * (steepness / floors + np.sqrt(total / floors)))
    wrong = slope_error > 0.0
    hollow = max(0.0, -float(floors.min()))
    return float(slope_error[wrong] @ reach[wrong]) + (0.5 * hollow * size * size if hollow > 0.0 else 0.0)


def _frank_wolfe(domain: Domain, point: Vector, slope: Vector) -> Gap:
    """The most that slope'(point - y) can be for a y in the domain, which is bounded."""
    corner = np.empty(point.size)
    minimise(domain, slope, corner)
    sizes = np.abs(point) + np.abs(corner) + np.abs(domain.centre)
    terms = float(np.abs(slope) @ sizes) + length(slope) * domain.diameter
    allowance = 4.0 * (point.size + 8) * EPSILON * terms
    return Gap(max(float(slope @ (point - corner)), 0.0) + allowance, allowance)


def _curved(domain: Domain, point: Vector, slope: Vector, beta: float) -> Gap:
    """The most that slope'(point - y) - beta/2 |y - point|^2 can be for a y in the domain."""
    target = point - slope / beta
    if not np.isfinite(target).all():
        return Gap(math.inf, 0.0)
    end = nearest(domain, target)
    move = end - point
    terms = float(np.abs(slope) @ (np.abs(point) + np.abs(end)))
    fall = -float(slope @ move) - 0.5 * beta * float(move @ move)
    left = slope + beta * move
    rounding = (point.size + 8) * EPSILON
    if math.isfinite(domain.diameter):
        # left is rounded itself, by no more than this times the size of its terms.
        blur = 4.0 * EPSILON * length(np.abs(slope) + beta * (np.abs(end) + np.abs(point)))
        further = _frank_wolfe(domain, end, left).plus(blur * domain.diameter)
    else:
        sizes = length(target) + length(end) + length(domain.centre)
        strayed = 16.0 * rounding * sizes
        off = beta * length(end - target) * strayed + beta * strayed * strayed
        further = Gap(off, off)
    if not math.isfinite(fall):
        return Gap(math.inf, 0.0)
    return Gap(max(fall, 0.0) + further.bound, further.rounding).plus(4.0 * rounding * terms)
