"""Sums over the entries of vectors, in four interleaved parts.

One sum after the other would wait for each addition to end before the next begins, some four times as long as the
additions themselves take. With four sums that do not wait for each other a processor is busy all the time, and adds
four entries at once where it can. The order is written out, so plain Python and compiled code give the same bits.

==========================  ====================================================
``dot``                     sum_i x_i y_i
``squared_distance``        sum_i (x_i - y_i)^2
==========================  ====================================================
"""

from belated.core.arrays import Vector
from belated.core.verbs import compilable


@compilable
def dot(x: Vector, y: Vector) -> float:
    """The inner product of two vectors of one size."""
    first = second = third = fourth = 0.0
    size = x.size
    whole = size - size % 4
    for i in range(0, whole, 4):
        first += float(x[i]) * float(y[i])
        second += float(x[i + 1]) * float(y[i + 1])
        third += float(x[i + 2]) * float(y[i + 2])
        fourth += float(x[i + 3]) * float(y[i + 3])
    for i in range(whole, size):
        first += float(x[i]) * float(y[i])
    return (first + second) + (third + fourth)


@compilable
def squared_distance(x: Vector, y: Vector) -> float:
    """The square of the distance."""
    first = second = third = fourth = 0.0
    size = x.size
    whole = size - size % 4
    for i in range(0, whole, 4):
        gap = float(x[i]) - float(y[i])
        first += gap * gap
        gap = float(x[i + 1]) - float(y[i + 1])
        second += gap * gap
        gap = float(x[i + 2]) - float(y[i + 2])
        third += gap * gap
        gap = float(x[i + 3]) - float(y[i + 3])
        fourth += gap * gap
    for i in range(whole, size):
        gap = float(x[i]) - float(y[i])
        first += gap * gap
    return (first + second) + (third + fourth)
