r"""Laws of growth, read from a curve: local slopes, and one family in which the logarithm is a power.

The family is that of Box and Cox, y = a + b (x^p - 1) / p, which for p = 0 is y = a + b ln x. So "logarithm or power"
is a question about one number, p, whose interval over the seeds answers it. Unlike the slope of ln y against ln x, p is
not moved by the offset a, which a regret has from its first rounds.

The mean over the seeds is what has a law: a single run may have a regret below 0. So everything is computed from the
mean curve, and intervals are those of the jackknife, which leaves out one seed at a time: 95 %, Student's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector

CONFIDENCE = 0.95

TOLERANCE = 0.05
"""An exponent whose interval lies within so much of 0 is that of a logarithm."""

SMALLEST, LARGEST = -1.0, 2.0
"""Where the exponent p is looked for."""

LOGARITHM, POWER, SLOWER, UNDECIDED = "log", "power", "slower than log", "undecided"
"""The verdicts: the interval of p lies about 0, above, below, or says nothing."""


class Estimate(NamedTuple):
    """A number from the mean over seeds, with its 95 % interval; both ends ``nan`` for one seed."""

    value: float
    low: float
    high: float


def jackknifed(regrets: Matrix, statistic: Callable[[Vector], Any]) -> list[Estimate]:
    """The numbers that ``statistic`` makes of the mean curve, each with its interval.

    Args:
        regrets: A row for each seed.
        statistic: Makes a number, or a vector of them, of a curve.

    Returns:
        An estimate for each number.
    """
    from scipy.special import stdtrit  # quantiles of Student's t; scipy.stats has the same, and takes seconds to import

    seeds, whole = len(regrets), np.atleast_1d(statistic(regrets.mean(axis=0)))
    if seeds == 1:
        return [Estimate(value, math.nan, math.nan) for value in whole.tolist()]
    total = regrets.sum(axis=0)
    left_out = np.array([np.atleast_1d(statistic((total - row) / (seeds - 1))) for row in regrets])
    errors = np.sqrt((seeds - 1) / seeds * np.sum((left_out - left_out.mean(axis=0)) ** 2, axis=0))
    wide = stdtrit(seeds - 1, 0.5 + CONFIDENCE / 2) * errors
    return [
        Estimate(*numbers)
        for numbers in zip(whole.tolist(), (whole - wide).tolist(), (whole + wide).tolist(), strict=True)
    ]


def local_slopes(sizes: Vector, curve: Vector) -> Vector:
    """The slope of ln y against ln x between neighbouring sizes; ``nan`` where a value is not above 0."""
    with np.errstate(all="ignore"):
        heights = np.where(curve > 0.0, np.log(curve), math.nan)
    slopes: Vector = np.diff(heights) / np.diff(np.log(sizes))
    return slopes


def straightness(sizes: Vector, curve: Vector) -> float:
    """R^2 of the straight line through y against ln x."""
    across = np.log(sizes)
    line = np.polynomial.Polynomial.fit(across, curve, 1)(across)
    spread = float(np.sum((curve - curve.mean()) ** 2))
    return 1.0 - float(np.sum((curve - line) ** 2)) / spread if spread > 0.0 else math.nan


def exponent(sizes: Vector, curve: Vector) -> float:
    """The p of y = a + b (x^p - 1) / p with the least sum of squared relative errors.

    Args:
        sizes: x, at least four, growing.
        curve: y, above 0.

    Returns:
        p, within ``SMALLEST`` and ``LARGEST``.
    """
    from scipy.optimize import minimize_scalar  # here, because it takes a tenth of a second

    across, weights = np.log(sizes / math.sqrt(float(sizes[0]) * float(sizes[-1]))), 1.0 / np.abs(curve)

    def error(power: float) -> float:
        rising = across if abs(power) < 1e-9 else np.expm1(power * across) / power
        table = weights[:, np.newaxis] * np.column_stack((np.ones(sizes.size), rising))
        found, *_ = np.linalg.lstsq(table, weights * curve, rcond=None)
        return float(np.sum((table @ found - weights * curve) ** 2))

    grid = np.linspace(SMALLEST, LARGEST, 61)
    errors = [error(power) for power in grid.tolist()]
    best = int(np.argmin(errors))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
    return float(minimize_scalar(error, bounds=(low, high), method="bounded", options={"xatol": 1e-6}).x)


def open_ended(power: Estimate) -> Estimate:
    """The same estimate; where it lies at an end of what was looked through, its interval has no end on that side."""
    near = 0.01 * (LARGEST - SMALLEST)
    low = -math.inf if power.value < SMALLEST + near else power.low
    return power._replace(low=low, high=math.inf if power.value > LARGEST - near else power.high)


def verdict(power: Estimate) -> str:
    """Which law an exponent with its interval is the exponent of; without an interval, as for one seed, none."""
    if power.low >= -TOLERANCE and power.high <= TOLERANCE:
        return LOGARITHM
    if power.low > TOLERANCE:
        return POWER
    return SLOWER if power.high < -TOLERANCE else UNDECIDED
