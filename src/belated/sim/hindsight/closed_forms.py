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

A formula gives a place to start from, and no more: what it is worth, the certificate says. So ``None`` is a fair answer
where one overflows.
"""

from typing import NoReturn

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import Ball, Box, Euclidean
from belated.domains.base import Domain
from belated.losses.forms import Diagonal, Scaled
from belated.sim.hindsight.certificate import step
from belated.sim.hindsight.quadratics import Bowl, QuadraticTotal


def closed_form(where: str, objective: Bowl, domain: Domain) -> Vector | None:
    """The minimiser over ``domain``, or ``None`` where no formula is known; an error if there is no minimum."""
    with np.errstate(all="ignore"):
        point = _point(where, objective, domain)
    return point if point is not None and np.isfinite(point).all() else None


def _point(where: str, objective: Bowl, domain: Domain) -> Vector | None:
    if isinstance(objective, QuadraticTotal):
        form, linear = objective.total.form, objective.total.linear
        if isinstance(form, Scaled) and form.factor > 0.0:
            return step(domain, np.zeros(linear.size), linear, form.factor)
        if isinstance(form, Scaled):
            return linear_minimiser(where, linear, domain)
        if isinstance(form, Diagonal) and isinstance(domain, Box):
            return _on_box(where, form.entries, linear, domain)
    if isinstance(domain, Ball):
        return _on_ball(objective, domain)
    move = objective.bottom(np.array(domain.centre))
    if move is None and isinstance(domain, Euclidean):
        _no_minimum(where, domain)
    free = None if move is None else domain.centre + move
    return free if free is not None and np.isfinite(free).all() and domain.contains(free, slack=0.0) else None


def linear_minimiser(where: str, linear: Vector, domain: Domain) -> Vector:
    """The point of ``domain`` at which linear'x is least, or an error if there is none."""
    try:
        return domain.minimise(linear)
    except InvalidArgument:
        _no_minimum(where, domain)


def _on_box(where: str, entries: Vector, linear: Vector, box: Box) -> Vector:
    curved = entries > 0.0
    straight = linear_minimiser(where, np.where(curved, 0.0, linear), box)
    bottom = np.divide(-linear, entries, out=straight, where=curved)
    return np.clip(bottom, box.lower, box.upper)


def _on_ball(objective: Bowl, ball: Ball) -> Vector:
    centre = np.array(ball.centre)
    move = objective.bottom(centre)
    if move is not None and ball.contains(centre + move, slack=0.0):
        return centre + move
    along = objective.along_axes(objective.gradient(centre))
    largest = float(np.abs(along).max())
    if largest == 0.0:
        return centre
    # In these units the radius is 1, and so is the largest slope: no square overflows.
    slopes = along / largest
    sloping = slopes != 0.0
    curvatures = objective.curvatures * (ball.radius / largest)

    def move_for(multiplier: float) -> Vector:
        return np.divide(-slopes, curvatures + multiplier, out=np.zeros_like(slopes), where=sloping)

    def shortness(multiplier: float) -> float:
        """1/|y| - 1, which unlike |y| is nearly straight in the multiplier and suits root finding."""
        return float(1.0 / np.linalg.norm(move_for(multiplier))) - 1.0

    # |y| <= |slopes| / multiplier, so that beyond this multiplier y is too short.
    most = float(np.linalg.norm(slopes))
    if shortness(0.0) < 0.0 < shortness(most):
        from scipy.optimize import brentq  # takes half a second to import, and few searches come here

        most = brentq(shortness, 0.0, most, xtol=1e-300, rtol=1e-15, maxiter=1000)
    return centre + ball.radius * objective.from_axes(move_for(most))


def _no_minimum(where: str, domain: Domain) -> NoReturn:
    checks.refuse(
        where, "domain", domain, "the total loss has no minimum on this unbounded set, as far as rounding tells"
    )
