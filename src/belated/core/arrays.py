"""Names for the few kinds of array that travel through the house, and the one way to freeze one.

Descriptions (domains, losses, delay laws) own frozen arrays, so that an immutable part is immutable all the way down;
states own writable ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Integers = NDArray[np.int64]
Anything = NDArray[Any]


def frozen(values: ArrayLike) -> Vector:
    """A private, contiguous, read-only float64 copy of ``values``.

    Args:
        values: Any numbers.

    Returns:
        The copy.
    """
    copy = np.array(values, dtype=np.float64, order="C", copy=True)
    copy.flags.writeable = False
    return copy
