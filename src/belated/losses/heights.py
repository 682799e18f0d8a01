"""The height and the slope of a quadratic x -> 1/2 x'A x + b'x, for each form A, in one pass over x and b.

==============  ========================  ====================================================
form            cost of ``height``        cost of ``slope``, which also gives the height
==============  ========================  ====================================================
``Scaled``      O(n)                      O(n)
``Diagonal``    O(n)                      O(n)
``DenseForm``   O(n^2)                    O(n^2), and the same products A x serve for both
==============  ========================  ====================================================

``height`` and ``slope`` return the same height, bit for bit.
"""

from typing import Any

from belated.core.arrays import Vector
from belated.core.reductions import dot
from belated.core.verbs import compilable, verb
from belated.losses.forms import DenseForm, Diagonal, Scaled


@verb
def height(form: Any, linear: Vector, point: Vector) -> float:  # type: ignore[empty-body]  # declarations have no body
    """1/2 ``point``' A ``point`` + ``linear``' ``point``."""


@verb
def slope(form: Any, linear: Vector, point: Vector, out: Vector) -> float:  # type: ignore[empty-body]
    """Write A ``point`` + ``linear`` into ``out``, which must be another array, and return the height."""


@compilable
def term(curvature: float, linear: float, x: float) -> float:
    """What one coordinate adds to the height."""
    return (0.5 * curvature * x + linear) * x


@height.on(Scaled)
def height_of_scaled(form: Scaled, linear: Vector, point: Vector) -> float:
    """Four interleaved sums, which do not wait for each other: see :mod:`belated.core.reductions`."""
    first = second = third = fourth = 0.0
    whole = point.size - point.size % 4
    for i in range(0, whole, 4):
        first += term(form.factor, float(linear[i]), float(point[i]))
        second += term(form.factor, float(linear[i + 1]), float(point[i + 1]))
        third += term(form.factor, float(linear[i + 2]), float(point[i + 2]))
        fourth += term(form.factor, float(linear[i + 3]), float(point[i + 3]))
    for i in range(whole, point.size):
        first += term(form.factor, float(linear[i]), float(point[i]))
    return (first + second) + (third + fourth)


@slope.on(Scaled)
def slope_of_scaled(form: Scaled, linear: Vector, point: Vector, out: Vector) -> float:
    """The same four sums. Four entries are read before any is written, so that the processor can load them together."""
    first = second = third = fourth = 0.0
    factor = form.factor
    whole = point.size - point.size % 4
    for i in range(0, whole, 4):
        x, y, z, w = float(point[i]), float(point[i + 1]), float(point[i + 2]), float(point[i + 3])
        a, b, c, d = float(linear[i]), float(linear[i + 1]), float(linear[i + 2]), float(linear[i + 3])
        out[i] = factor * x + a
        out[i + 1] = factor * y + b
        out[i + 2] = factor * z + c
        out[i + 3] = factor * w + d
        first += term(factor, a, x)
        second += term(factor, b, y)
        third += term(factor, c, z)
        fourth += term(factor, d, w)
    for i in range(whole, point.size):
        out[i] = factor * float(point[i]) + float(linear[i])
        first += term(factor, float(linear[i]), float(point[i]))
    return (first + second) + (third + fourth)


@height.on(Diagonal)
def height_of_diagonal(form: Diagonal, linear: Vector, point: Vector) -> float:
    total = 0.0
    for i in range(point.size):
        total += term(float(form.entries[i]), float(linear[i]), float(point[i]))
    return total


@slope.on(Diagonal)
def slope_of_diagonal(form: Diagonal, linear: Vector, point: Vector, out: Vector) -> float:
    """Each coordinate times its entry."""
    total = 0.0
    for i in range(point.size):
        out[i] = float(form.entries[i]) * float(point[i]) + float(linear[i])
        total += term(float(form.entries[i]), float(linear[i]), float(point[i]))
    return total


@height.on(DenseForm)
def height_of_dense(form: DenseForm, linear: Vector, point: Vector) -> float:
    """Row by row, without storing the product A x."""
    total = 0.0
    for i in range(point.size):
        line = dot(form.matrix[i], point)
        total += (0.5 * line + float(linear[i])) * float(point[i])
    return total


@slope.on(DenseForm)
def slope_of_dense(form: DenseForm, linear: Vector, point: Vector, out: Vector) -> float:
    total = 0.0
    for i in range(point.size):
        line = dot(form.matrix[i], point)
        out[i] = line + float(linear[i])
        total += (0.5 * line + float(linear[i])) * float(point[i])
    return total
