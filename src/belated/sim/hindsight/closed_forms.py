"""Quadratics 1/2 x'A x + h'x whose minimiser over a set can be written down.

========================================  ==========================================================================
A                                         the minimiser
========================================  ==========================================================================
a multiple of the identity, any set       the projection of -h/a; for a = 0 the linear minimiser
a diagonal, a box                         each coordinate for itself
any, a ball                               c + y, where (A + m I) y = -(h + A c), c is the centre, and m is 0 or else
                                          the one number that makes y as long as the radius
any, any set that holds it                the minimiser over R^n
========================================  ==========================================================================
"""

from typing import NoReturn

import numpy as np
from scipy.optimize import brentq

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import Ball, Box, Euclidean
from belated.domains.base import Domain
from belated.losses.forms import Diagonal, Scaled
from belated.sim.hindsight.objectives import QuadraticTotal


def closed_form(where: str, objective: QuadraticTotal, domain: Domain) -> Vector | None:
    """The minimiser over ``domain``, or ``None`` where no formula is known; an error if there is no minimum."""
    form, linear = objective.total.form, objective.total.linear
    if isinstance(form, Scaled):
        return domain.project(-linear / form.factor) if form.factor > 0.0 else _linear_minimiser(where, linear, domain)
    if isinstance(form, Diagonal) and isinstance(domain, Box):
        return _on_box(form.entries, linear, domain)
    if isinstance(domain, Ball):
        return _on_ball(objective, domain)
    free = objective.bottom(linear)
    if free is None and isinstance(domain, Euclidean):
        _no_minimum(where, domain)
    return free if free is not None and domain.contains(free, slack=0.0) else None


def _linear_minimiser(where: str, linear: Vector, domain: Domain) -> Vector:
    try:
        return domain.minimise(linear)
    except InvalidArgument:
        _no_minimum(where, domain)


def _on_box(entries: Vector, linear: Vector, box: Box) -> Vector:
    curved = entries > 0.0
    bottom = np.divide(-linear, entries, out=box.minimise(linear), where=curved)
    return np.clip(bottom, box.lower, box.upper)


def _on_ball(objective: QuadraticTotal, ball: Ball) -> Vector:
    center = np.array(ball.center)
    slope = objective.gradient(center)
    step = objective.bottom(slope)
    if step is not None and np.linalg.norm(step) <= ball.radius:
        return center + step
    along = objective.along_axes(slope)
    sloping = along != 0.0

    def step_for(multiplier: float) -> Vector:
        return np.divide(-along, objective.curvatures + multiplier, out=np.zeros_like(along), where=sloping)

    def shortness(multiplier: float) -> float:
        """1/|y| - 1/radius, which unlike |y| is nearly straight in the multiplier and suits root finding."""
        if (objective.curvatures[sloping] + multiplier == 0.0).any():
            return -1.0 / ball.radius
        return float(1.0 / np.linalg.norm(step_for(multiplier)) - 1.0 / ball.radius)

    # |y| <= |slope| / multiplier, so that beyond this multiplier y is too short.
    most = float(np.linalg.norm(along)) / ball.radius
    if shortness(most) > 0.0:
        most = brentq(shortness, 0.0, most, xtol=1e-300, rtol=1e-15, maxiter=1000)
    return center + objective.from_axes(step_for(most))


def _no_minimum(where: str, domain: Domain) -> NoReturn:
    checks.refuse(where, "domain", domain, "the total loss has no minimum on this unbounded set")
