"""How a feedback is copied into a row of a table and checked at once, in machine code and as plain Python.

Both look for entries that are too large or not finite, and may say no to a vector that is well: then somebody looks
again, slowly, and knows what to say.
"""

import math
from collections.abc import Callable

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.checks import LARGEST_ENTRY
from belated.core.vectors import copy_into, within_limit

Put = Callable[[Matrix, int, Vector], bool]
"""Copies a vector into a row of a table, and returns whether no entry is too large or not finite."""

_FEW = 64
"""Up to so many entries Python is faster than NumPy."""


def put_row(table: Matrix, row: int, vector: Vector) -> bool:
    """Copy a vector into a row and look at the copy; to be compiled."""
    copy_into(vector, table[row])
    return within_limit(table[row])


def put_plainly(table: Matrix, row: int, vector: Vector) -> bool:
    """The same in plain Python. A vector of a length far below the limit has no entry beyond it."""
    kept = table[row]
    kept[...] = vector
    if kept.size <= _FEW:
        return math.hypot(*kept.tolist()) <= LARGEST_ENTRY / 2
    return bool(np.abs(kept).max() <= LARGEST_ENTRY)
