"""Small loops over the entries of vectors, written out so that plain Python and compiled code do the same."""

import math

from belated.core.arrays import Vector
from belated.core.checks import LARGEST_ENTRY
from belated.core.verbs import compilable


@compilable
def copy_into(source: Vector, out: Vector) -> None:
    """Write the entries of ``source`` into the first entries of ``out``."""
    for i in range(source.size):
        out[i] = source[i]


@compilable
def fill(out: Vector, value: float) -> None:
    """Write ``value`` into every entry of ``out``."""
    for i in range(out.size):
        out[i] = value


@compilable
def all_finite(numbers: Vector) -> bool:
    """Whether no entry is infinite or NaN.

    Entries that are not finite are counted, without a way out of the loop, so that it compiles to several at a time.
    """
    wrong = 0
    for i in range(numbers.size):
        wrong += not math.isfinite(numbers[i])
    return wrong == 0


@compilable
def within_limit(numbers: Vector) -> bool:
    """Whether every entry is at most ``LARGEST_ENTRY`` in size, which may be told; NaN is not. Counted as above."""
    wrong = 0
    for i in range(numbers.size):
        wrong += not abs(float(numbers[i])) <= LARGEST_ENTRY
    return wrong == 0
