"""The few formulas that several domains share, so written that no finite input overflows or divides by zero.

Entries are read as ``float(point[i])``. Compiled code does not notice; plain Python then computes with its own numbers,
which overflow to ``inf`` in silence, exactly as the compiled ones do, where NumPy's would warn.
"""

import math

from belated.core.arrays import Vector
from belated.core.verbs import compilable

EPSILON = 2.0**-52
"""The distance from 1.0 to the next larger number."""

TINIEST_SQUARES = 2.0**-900
"""A sum of squares below this may have lost some of its terms to underflow."""

BIG_STEP = 2.0**600
"""Multiplying or dividing by this, which is exact, brings any vector whose squares are out of range well within it."""


@compilable
def rounding(size: int) -> float:
    """How far, relatively, a point of ``size`` entries that was just put on the boundary may seem to be off it.

    A sum of n terms is wrong by at most n half-epsilons, once when the point is made and once when it is looked at; the
    rest is for the few operations around the sums. Projections leave such points alone, bit for bit.
    """
    return (size + 8) * EPSILON


@compilable
def stretched_distance(point: Vector, center: Vector) -> tuple[float, float]:
    r"""``(s, d)`` with s a power of two and \|point - center\| = d / s; s is 1 unless the squares leave the range."""
    squares = 0.0
    for i in range(point.size):
        gap = float(point[i]) - float(center[i])
        squares += gap * gap
    if TINIEST_SQUARES < squares < math.inf:
        return 1.0, math.sqrt(squares)
    stretch = BIG_STEP if squares <= TINIEST_SQUARES else 1.0 / BIG_STEP
    squares = 0.0
    for i in range(point.size):
        gap = (float(point[i]) - float(center[i])) * stretch
        squares += gap * gap
    return stretch, math.sqrt(squares)


@compilable
def stretched_length(vector: Vector) -> tuple[float, float]:
    r"""``(s, d)`` with s a power of two and \|vector\| = d / s; s is 1 unless the squares leave the range."""
    squares = 0.0
    for i in range(vector.size):
        squares += float(vector[i]) * float(vector[i])
    if TINIEST_SQUARES < squares < math.inf:
        return 1.0, math.sqrt(squares)
    stretch = BIG_STEP if squares <= TINIEST_SQUARES else 1.0 / BIG_STEP
    squares = 0.0
    for i in range(vector.size):
        entry = float(vector[i]) * stretch
        squares += entry * entry
    return stretch, math.sqrt(squares)


@compilable
def water_level(heights: Vector, amount: float) -> tuple[float, float]:
    """``(top, level)`` such that max((height - top) - level, 0), summed over all heights, is ``amount`` > 0.

    This is the threshold in the projections onto the simplex and the l1 ball, found by Newton's method on a convex,
    piecewise linear, decreasing function of the level, from the left: the level only rises, heights only drop below
    it, and when a pass drops none the answer is exact. Only heights within ``amount`` of the top can stay, and measured
    from the top no sum can cancel, however large they are. In every pass the excess or the number of heights is at
    least halved, so there are at most O(log n) passes until rounding ends them: O(n log n) without sorting or scratch
    space, O(n) in practice.
    """
    top = float(heights[0])
    for i in range(heights.size):
        top = max(top, float(heights[i]))
    level = -amount
    above = heights.size + 1
    while True:
        total = 0.0
        count = 0
        for i in range(heights.size):
            height = float(heights[i]) - top
            if height >= level:
                total += height
                count += 1
        if count >= above or count == 0:
            return top, level
        above = count
        level = (total - amount) / count


@compilable
def copy_into(source: Vector, out: Vector) -> None:
    """Write ``source`` into ``out``."""
    for i in range(source.size):
        out[i] = source[i]


@compilable
def fill(out: Vector, value: float) -> None:
    """Write ``value`` into every entry of ``out``."""
    for i in range(out.size):
        out[i] = value
