"""The few formulas that several domains share, so written that no finite point overflows or divides by zero.

That holds for domains within the limits that their constructors check (:mod:`belated.domains.limits`).

Entries are read as ``float(point[i])``. Compiled code does not notice; plain Python then computes with its own numbers,
which overflow to ``inf`` in silence, exactly as the compiled ones do, where NumPy's would warn.
"""

import math

from belated.core.arrays import Vector
from belated.core.verbs import compilable

EPSILON = 2.0**-52
"""The distance from 1.0 to the next larger number."""

COORDINATE_ROUNDING = 4.0 * EPSILON
"""Entry by entry, how far rounding may take an element off, relative to the size of the centre's entry.

An element is a centre plus an offset, a probe adds a second offset: two sums, each wrong by half an epsilon of the
result. This is twice as much. However small the set, its elements cannot be told from their neighbours more finely.
"""

TINIEST_SQUARES = 2.0**-900
"""A sum of squares below this may have lost some of its terms to underflow."""

BIG_STEP = 2.0**600
"""Multiplying or dividing by this, which is exact, brings any vector whose squares are out of range well within it."""

ROOM_FOR_SUMS = 2.0**-64
"""Multiplied by this, which is exact, as many numbers of any size as a vector can have are summed without overflow."""


@compilable
def rounding(size: int) -> float:
    """How far, relatively, a point of ``size`` entries that was just put on the boundary may seem to be off it.

    A sum of n terms is wrong by at most n half-epsilons, once when the point is made and once when it is looked at; the
    rest is for the few operations around the sums. Projections leave such points alone, bit for bit.
    """
    return (size + 8) * EPSILON


@compilable
def gap_beyond_rounding(entry: float, middle: float) -> float:
    """How far an entry is from the centre's, less what the rounding of numbers of the centre's size can explain."""
    gap = abs(entry - middle) - COORDINATE_ROUNDING * abs(middle)
    return 0.0 if gap < 0.0 else gap


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
