"""Rows from uniform numbers: as many for each round as it needs, so that chunks change nothing."""

from collections.abc import Callable

import numpy as np

from belated.core.arrays import Matrix, Vector

_NUMBERS_AT_ONCE = 2**14
"""Numbers that are drawn and scaled together: few enough to stay in the processor's cache meanwhile."""


class Uniform:
    """``rng.uniform(low, 1, (rounds, columns))``; NumPy draws one number after the other, so chunks change nothing.

    Chunks lie in the same place, one after the other: to get new memory for each takes a tenth of the time of a run.
    """

    valid = True

    def __init__(self, rng: np.random.Generator, columns: int, low: float = -1.0) -> None:
        self._rng = rng
        self._low = low
        self._place = np.empty((0, columns))

    def take(self, rounds: int) -> Matrix:
        """The numbers of the next ``rounds`` rounds; whoever takes them may change them."""
        if rounds > len(self._place):
            self._place = np.empty((rounds, self._place.shape[1]))
        chunk = self._place[:rounds]
        numbers = chunk.reshape(-1)
        for start in range(0, numbers.size, _NUMBERS_AT_ONCE):
            few = numbers[start : start + _NUMBERS_AT_ONCE]
            self._rng.random(out=few)
            few *= 1.0 - self._low  # low + (1 - low) u, which is what `uniform` does
            few += self._low
        return chunk


class Made:
    """Rows that are ``make(rounds, numbers)``: of the numbers t of the rounds, and of uniform numbers for each.

    What ``make`` does to one round must not depend on which others there are, to the last bit: products of matrices
    add up in an order that depends on their shape, sums along rows do not.
    """

    valid = True

    def __init__(self, numbers: Uniform, make: Callable[[Vector, Matrix], Matrix]) -> None:
        self._numbers = numbers
        self._make = make
        self._taken = 0

    def take(self, rounds: int) -> Matrix:
        """The rows of the next ``rounds`` rounds."""
        before, self._taken = self._taken, self._taken + rounds
        return self._make(np.arange(before + 1.0, self._taken + 1.0), self._numbers.take(rounds))
