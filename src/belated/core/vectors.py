"""Small loops over the entries of vectors; plain Python has operations of NumPy in their place.

Every loop treats one entry at a time, in one or two operations that NumPy rounds in the same way. So the two come to
the same bits, and NumPy may warn where numbers leave the range of floating point.
"""

import math

import numpy as np

from belated.core.arrays import Vector
from belated.core.checks import LARGEST_ENTRY
from belated.core.reductions import dot
from belated.core.verbs import compilable, compiled_as

_FEW = 64
"""Up to so many numbers Python looks through a list sooner than NumPy through an array."""

_BY_SQUARES = 32
"""Up to so many numbers compiled code adds up squares sooner than it counts."""


def _copying(source: Vector, out: Vector) -> None:
    """Do what :func:`copy_into` does, one entry at a time."""
    for i in range(source.size):
        out[i] = source[i]


@compiled_as(_copying)
def copy_into(source: Vector, out: Vector) -> None:
    """Write the entries of ``source`` into the first entries of ``out``."""
    if out.size == source.size:
        out[...] = source  # which takes half as long
    else:
        out[: source.size] = source


def _filling(out: Vector, value: float) -> None:
    """Do what :func:`fill` does, one entry at a time."""
    for i in range(out.size):
        out[i] = value


@compiled_as(_filling)
def fill(out: Vector, value: float) -> None:
    """Write ``value`` into every entry of ``out``."""
    out.fill(value)


def _adding(source: Vector, out: Vector) -> None:
    """Do what :func:`add_into` does, one entry at a time."""
    for i in range(source.size):
        out[i] += source[i]


@compiled_as(_adding)
def add_into(source: Vector, out: Vector) -> None:
    """Add the entries of ``source`` to those of ``out``, which has the same size."""
    np.add(out, source, out)


def _beginning(source: Vector, out: Vector) -> None:
    """Do what :func:`begin_sum` does, one entry at a time."""
    for i in range(source.size):
        out[i] = 0.0 + source[i]


@compiled_as(_beginning)
def begin_sum(source: Vector, out: Vector) -> None:
    """Do what :func:`add_into` does if ``out`` is zero, whatever it is: 0.0 + -0.0 is 0.0."""
    np.add(source, 0.0, out)


@compilable
def add_onto(total: Vector, numbers: Vector, fresh: bool) -> None:
    """Add ``numbers`` to ``total``; if ``fresh``, begin it with them."""
    if fresh:
        begin_sum(numbers, total)
    else:
        add_into(numbers, total)


def _subtracting(start: Vector, factor: float, direction: Vector, out: Vector) -> None:
    """Do what :func:`subtract_scaled` does, one entry at a time."""
    for i in range(direction.size):
        out[i] = start[i] - factor * direction[i]


@compiled_as(_subtracting)
def subtract_scaled(start: Vector, factor: float, direction: Vector, out: Vector) -> None:
    """Write ``start - factor * direction`` into ``out``, which is neither of the two; all have the same size."""
    np.multiply(direction, factor, out)
    np.subtract(start, out, out)


def _counting_wrong(numbers: Vector) -> bool:
    """Entries that are not finite are counted, without a way out of the loop: that compiles to several at a time."""
    wrong = 0
    for i in range(numbers.size):
        wrong += not math.isfinite(numbers[i])
    return wrong == 0


@compiled_as(_counting_wrong)
def all_finite(numbers: Vector) -> bool:
    """Whether no entry is infinite or NaN. A sum is finite only if that is so."""
    if numbers.size <= _FEW and math.isfinite(sum(numbers.tolist())):
        return True
    return bool(np.isfinite(numbers).all())


@compilable
def within_limit(numbers: Vector) -> bool:
    """Whether every entry is at most ``LARGEST_ENTRY`` in size, which may be told; NaN is not. Counted as above.

    Of a few entries it is faster to add up the squares. A sum of squares is no less than each of them, also when it is
    rounded, so a small one leaves no entry that is too large; any other proves nothing.
    """
    if numbers.size <= _BY_SQUARES and dot(numbers, numbers) < LARGEST_ENTRY * LARGEST_ENTRY:
        return True
    wrong = 0
    for i in range(numbers.size):
        wrong += not abs(float(numbers[i])) <= LARGEST_ENTRY
    return wrong == 0
