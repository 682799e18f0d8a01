"""Accelerated projected gradients (FISTA) with backtracking and restarts, stopped by the certificate.

It asks of a domain only its projection and its linear minimiser, and of F only gradients: near the minimum, differences
of values drown in rounding long before differences of gradients do. The point of extrapolation is projected too, so F
is never evaluated outside the domain, where a logarithm may not exist.
"""

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from belated.core.errors import NumericalFailure
from belated.domains import Box
from belated.domains.base import Domain
from belated.sim.hindsight.certificate import Gap, certify, length, nearest, step
from belated.sim.hindsight.objectives import Objective
from belated.sim.hindsight.quadratics import Bowl

STEPS = 20_000
"""Steps after which the search gives up and reports the gap that it has."""

PATIENCE = 1_000
"""Steps without progress after which it does so earlier: rounding allows no more."""

RELAXATION = 0.9
"""The step size may grow again by this factor at each step, since curvature may be milder further on."""


class Best(NamedTuple):
    """A point of the domain, F there, and a bound on how far that lies above the minimum of F over the domain."""

    point: Vector
    value: float
    gap: float


class _Candidate(NamedTuple):
    point: Vector
    value: float
    gap: Gap
    stationarity: float
    """The length of the projected gradient: what progress is measured by where no gap can be had, and 0 elsewhere."""

    @property
    def merit(self) -> tuple[bool, float]:
        """The smaller, the better; any gap is better than none."""
        unknown = math.isinf(self.gap.bound)
        return unknown, self.stationarity if unknown else self.gap.bound


def _candidate(objective: Objective, domain: Domain, point: Vector, slope: Vector) -> _Candidate:
    gap, stationarity = certify(objective, domain, point, slope), 0.0
    if math.isinf(gap.bound):
        stiffness = objective.smoothness if objective.smoothness > 0.0 else 1.0
        stationarity = stiffness * length(step(domain, point, slope, stiffness) - point)
    return _Candidate(point, objective.value(point), gap, stationarity)


def descend(objective: Objective, domain: Domain, start: Vector, tolerance: float) -> Best:
    """Minimise ``objective`` over ``domain`` from ``start``, which is returned at once if it is good enough already.

    Good enough is a gap of at most ``tolerance`` times the scale of F, |F(c)| + |F(c) - F(x)| with c the centre of the
    domain. Where no gap can be had (see :mod:`~belated.sim.hindsight.certificate`), it stops when the projected
    gradient has shrunk to ``tolerance`` times the gradient at the centre, and the gap is ``inf``. If neither is
    reached, the best point found is returned with the gap that it has.
    """
    goal = _Goal(objective, domain, tolerance)
    last = nearest(domain, start)
    slope = objective.gradient(last)
    units, ceiling = _units(objective, domain)
    curvature = ceiling
    best = _candidate(objective, domain, last, slope)
    lead, momentum, waited = last, 1.0, 0
    for _ in range(STEPS if ceiling > 0.0 else 0):
        if waited == 0 and goal.reached(best):
            break
        while True:
            new = step(domain, lead, slope, curvature * units)
            move = new - lead
            new_slope = objective.gradient(new)
            if curvature >= ceiling or (new_slope - slope) @ move <= curvature * (units * move @ move):
                break
            curvature = min(2.0 * curvature, ceiling)
        found = _candidate(objective, domain, new, new_slope)
        best, waited = (found, 0) if found.merit < best.merit else (best, waited + 1)
        if waited > PATIENCE:
            break
        if (units * (lead - new)) @ (new - last) > 0.0:
            # The momentum points uphill: drop it.
            lead, slope, momentum = new, new_slope, 1.0
        else:
            next_momentum = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum))
            lead = domain.project(new + (momentum - 1.0) / next_momentum * (new - last))
            slope, momentum = objective.gradient(lead), next_momentum
        last = new
        curvature *= RELAXATION
    return _best(best.point, best.value, best.gap)


def _units(objective: Objective, domain: Domain) -> tuple[float | Vector, float]:
    """What to divide the coordinates of a step by, and the smoothness in these units.

    In a box each coordinate may have its own units, since the nearest point is the same in all of them. There the
    search does not care how badly a quadratic is scaled.
    """
    if isinstance(domain, Box) and isinstance(objective, Bowl):
        return objective.units, objective.smoothness_in_units
    return 1.0, objective.smoothness


def measured(objective: Objective, domain: Domain, point: Vector) -> Best:
    """``point`` with its value and the gap that can be proved there."""
    return _best(point, objective.value(point), certify(objective, domain, point, objective.gradient(point)))


def _best(point: Vector, value: float, gap: Gap) -> Best:
    if not math.isfinite(value):
        raise NumericalFailure(f"the total loss is not finite at {point}: a sum overflows")
    return Best(point, value, gap.bound)


class _Goal:
    """When a candidate is good enough."""

    def __init__(self, objective: Objective, domain: Domain, tolerance: float) -> None:
        self._objective, self._tolerance, self._centre = objective, tolerance, np.array(domain.centre)
        self._value_at_centre = objective.value(self._centre)

    @cached_property
    def _slope_at_centre(self) -> float:
        return length(self._objective.gradient(self._centre))

    def reached(self, candidate: _Candidate) -> bool:
        if math.isinf(candidate.gap.bound):
            return candidate.stationarity <= self._tolerance * self._slope_at_centre
        gained = abs(self._value_at_centre - candidate.value)
        allowed = self._tolerance * (abs(self._value_at_centre) + gained)
        return candidate.gap.bound <= allowed + 1.1 * candidate.gap.rounding
