r"""Estimators: where to look, and how the values told become a gradient.

===============  ==========================  ==========================================================  ===============
part             points of a round           gradient                                                    needs the round
===============  ==========================  ==========================================================  ===============
``Coordinates``  x, x + delta e_i (i <= m)   sum_i (f(x + delta e_i) - f(x)) / delta e_i                 no
``TwoPoint``     x + delta u, x - delta u    m / (2 delta) (f(x + delta u) - f(x - delta u)) u           yes, for u
``OnePoint``     x + delta u                 (m / delta) (f(x + delta u) - b) u                          yes, for u
===============  ==========================  ==========================================================  ===============

delta is ``probe_radius``. b is ``baseline``, a constant: what is chosen before u leaves the estimate unbiased. The e_i
are an orthonormal basis of the directions in the affine hull of the domain and m is its dimension: the axes and n for a
set with interior. u is uniform on the unit sphere of these directions. A learner behind one of them keeps its decision
in ``domain.shrink(probe_radius)``, so that every point lies in the domain.

Values must come from the *same* loss and without noise: noise of size xi in each value becomes noise of size
sqrt(m) xi / delta in the gradient, and delta is small.
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.vectors import copy_into, fill
from belated.core.verbs import compilable, compiled_as
from belated.domains.base import Domain, embed
from belated.learners.verbs import Interface, Rng, estimate, interface, probe


class Coordinates(NamedTuple):
    """Differences of values along a basis: m + 1 points, deterministic, anonymous."""

    domain: Domain
    dim: int
    hull_dim: int
    probe_radius: float


class TwoPoint(NamedTuple):
    """A symmetric difference along one random direction."""

    domain: Domain
    dim: int
    hull_dim: int
    probe_radius: float


class OnePoint(NamedTuple):
    """A single value, less a baseline, in a random direction."""

    domain: Domain
    dim: int
    hull_dim: int
    probe_radius: float
    baseline: float


Prober = Coordinates | TwoPoint | OnePoint


def coordinates(domain: Domain, probe_radius: float) -> Coordinates:
    """The (m + 1)-point estimator of a domain."""
    return Coordinates(domain, domain.dim, _hull_dim(domain), probe_radius)


def two_point(domain: Domain, probe_radius: float) -> TwoPoint:
    """The two-point estimator of a domain."""
    return TwoPoint(domain, domain.dim, _hull_dim(domain), probe_radius)


def one_point(domain: Domain, probe_radius: float, baseline: float = 0.0) -> OnePoint:
    """The one-point estimator of a domain."""
    return OnePoint(domain, domain.dim, _hull_dim(domain), probe_radius, baseline)


def _hull_dim(domain: Domain) -> int:
    """The number of directions of the domain, which must be able to say what they are if they are not those of R^n."""
    if domain.hull_dim < domain.dim:
        embed.require(domain)
    return domain.hull_dim


def log_probe_radius(rounds: int, scale: float = 1.0) -> float:
    """The radius c ln T / T, with which the bandit variants of DOGD-SC keep its O(d log T) regret; c is ``scale``.

    Args:
        rounds: T, at least 2.
        scale: c > 0.

    Returns:
        The radius.

    Raises:
        InvalidArgument: A number is out of its range.

    Example:
        >>> round(log_probe_radius(1000), 6)
        0.006908
    """
    if checks.count("log_probe_radius", "rounds", rounds) == 1:
        checks.refuse(
            "log_probe_radius", "rounds", rounds, "must be >= 2: ln T / T is 0 at T = 1, and nothing can be probed"
        )
    return checks.moderate("log_probe_radius", "scale", scale) * math.log(rounds) / rounds


def fitting_log_probe_radius(domain: Domain, rounds: int) -> float:
    """The radius c ln T / T with the largest c <= 1 for which it fits into ``domain``, however short the run."""
    return log_probe_radius(rounds, min(1.0, domain.inner_radius))


def typical_probe_radius(domain: Domain) -> float:
    """A small radius that fits into ``domain``, for the examples of learners that probe."""
    return min(0.05, domain.inner_radius / 4)


@compilable
def draw_direction(domain: Domain, hull_dim: int, rng: np.random.Generator, scratch: Vector, out: Vector) -> None:
    """Write into ``out`` a direction uniform on the unit sphere of the hull: a Gaussian one, scaled to length one."""
    length = 0.0
    while length == 0.0:
        squares = 0.0
        for j in range(hull_dim):
            scratch[j] = rng.standard_normal()
            squares += scratch[j] * scratch[j]
        length = math.sqrt(squares)
    for j in range(hull_dim):
        scratch[j] /= length
    embed(domain, scratch[:hull_dim], out)


def _moving(start: Vector, direction: Vector, distance: float, out: Vector) -> None:
    """Do what :func:`move_along` does, one entry at a time."""
    for i in range(start.size):
        out[i] = start[i] + distance * direction[i]


@compiled_as(_moving)
def move_along(start: Vector, direction: Vector, distance: float, out: Vector) -> None:
    """Write into ``out`` the point at ``distance`` from ``start``; ``out`` may be ``direction`` itself."""
    np.multiply(direction, distance, out)
    np.add(start, out, out)


@interface.on(Coordinates)
def coordinates_interface(estimator: Coordinates) -> Interface:
    """The decision and a point along each direction; the probe radius never changes, so nothing to remember."""
    return Interface(estimator.hull_dim + 1, "values", estimator.hull_dim + 1, 0, estimator.hull_dim)


@interface.on(TwoPoint)
def two_point_interface(estimator: TwoPoint) -> Interface:
    """A point on each side; the direction is remembered."""
    return Interface(2, "values", 2, estimator.dim, estimator.hull_dim, draws=True)


@interface.on(OnePoint)
def one_point_interface(estimator: OnePoint) -> Interface:
    """One point, not the decision; the direction is remembered."""
    return Interface(1, "values", 1, estimator.dim, estimator.hull_dim, draws=True)


@probe.on(Coordinates)
def probe_coordinates(
    estimator: Coordinates, centre: Vector, rng: Rng, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """The decision, then a point along each direction of the basis."""
    copy_into(centre, points[0])
    fill(scratch[: estimator.hull_dim], 0.0)
    for j in range(estimator.hull_dim):
        scratch[j] = 1.0
        embed(estimator.domain, scratch, points[j + 1])
        scratch[j] = 0.0
        move_along(centre, points[j + 1], estimator.probe_radius, points[j + 1])


@probe.on(TwoPoint)
def probe_two_point(
    estimator: TwoPoint, centre: Vector, rng: np.random.Generator, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """A point on each side along a fresh direction."""
    draw_direction(estimator.domain, estimator.hull_dim, rng, scratch, memo)
    move_along(centre, memo, estimator.probe_radius, points[0])
    move_along(centre, memo, -estimator.probe_radius, points[1])


@probe.on(OnePoint)
def probe_one_point(
    estimator: OnePoint, centre: Vector, rng: np.random.Generator, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """A point along a fresh direction."""
    draw_direction(estimator.domain, estimator.hull_dim, rng, scratch, memo)
    move_along(centre, memo, estimator.probe_radius, points[0])


@estimate.on(Coordinates)
def estimate_coordinates(estimator: Coordinates, feedback: Vector, memo: Vector, scratch: Vector, out: Vector) -> None:
    """The differences to the value at the decision are the coordinates of the gradient within the hull."""
    for j in range(estimator.hull_dim):
        scratch[j] = (feedback[j + 1] - feedback[0]) / estimator.probe_radius
    embed(estimator.domain, scratch, out)


@estimate.on(TwoPoint)
def estimate_two_point(estimator: TwoPoint, feedback: Vector, memo: Vector, scratch: Vector, out: Vector) -> None:
    """The difference of the two values, along the remembered direction."""
    slope = estimator.hull_dim / (2.0 * estimator.probe_radius) * (feedback[0] - feedback[1])
    for i in range(out.size):
        out[i] = slope * memo[i]


@estimate.on(OnePoint)
def estimate_one_point(estimator: OnePoint, feedback: Vector, memo: Vector, scratch: Vector, out: Vector) -> None:
    """The value, along the remembered direction."""
    slope = estimator.hull_dim / estimator.probe_radius * (feedback[0] - estimator.baseline)
    for i in range(out.size):
        out[i] = slope * memo[i]
