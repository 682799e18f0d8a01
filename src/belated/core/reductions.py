"""Sums over the entries of vectors, in four interleaved parts.

One sum after the other would wait for each addition to end before the next begins, some four times as long as the
additions themselves take. With four sums that do not wait for each other a processor is busy all the time, and adds
four entries at once where it can. The order is written out, so plain Python and compiled code give the same bits. Plain
Python runs the same loop over lists, whose entries it reads sooner than those of arrays.

==========================  ====================================================
``dot``                     sum_i x_i y_i
``squared_distance``        sum_i (x_i - y_i)^2
==========================  ====================================================
"""

from belated.core.arrays import Vector
from belated.core.verbs import compiled_as


def _products(x: Vector, y: Vector) -> float:
    """Do what :func:`dot` does, one entry at a time."""
    first = second = third = fourth = 0.0
    size = len(x)
    whole = size - size % 4
    for i in range(0, whole, 4):
        first += x[i] * y[i]
        second += x[i + 1] * y[i + 1]
        third += x[i + 2] * y[i + 2]
        fourth += x[i + 3] * y[i + 3]
    for i in range(whole, size):
        first += x[i] * y[i]
    return (first + second) + (third + fourth)


@compiled_as(_products)
def dot(x: Vector, y: Vector) -> float:
    """The inner product of two vectors of one size."""
    return _products(x.tolist(), y.tolist())


def _squared_gaps(x: Vector, y: Vector) -> float:
    """Do what :func:`squared_distance` does, one entry at a time."""
    first = second = third = fourth = 0.0
    size = len(x)
    whole = size - size % 4
    for i in range(0, whole, 4):
        gap = x[i] - y[i]
        first += gap * gap
        gap = x[i + 1] - y[i + 1]
        second += gap * gap
        gap = x[i + 2] - y[i + 2]
        third += gap * gap
        gap = x[i + 3] - y[i + 3]
        fourth += gap * gap
    for i in range(whole, size):
        gap = x[i] - y[i]
        first += gap * gap
    return (first + second) + (third + fourth)


@compiled_as(_squared_gaps)
def squared_distance(x: Vector, y: Vector) -> float:
    """The square of the distance."""
    return _squared_gaps(x.tolist(), y.tolist())
