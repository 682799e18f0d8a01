"""Rows from uniform numbers: as many for each round as it needs, so that chunks change nothing.

Long tables are drawn in lanes (:mod:`belated.sim.problems.pcg64`), by machine code that gives NumPy's bits in a quarter
of NumPy's time. A process loads it when it has drawn ``MANY`` numbers, on which NumPy has then spent about as long as
loading takes, and only if it has compiled something else: loading the compiler takes longer than drawing most tables.
"""

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from belated.core import numba_door
from belated.core.arrays import Matrix, Vector
from belated.core.compiling import compiled, in_use
from belated.core.errors import CannotCompile
from belated.sim.problems import pcg64

MANY = 2**20
"""Numbers that a process draws by NumPy before it loads faster code."""

FEW = 2**11
"""Numbers up to which NumPy is as fast, because it need not be asked for its state."""

_NUMBERS_AT_ONCE = 2**14
"""Numbers that NumPy draws and scales together: few enough to stay in the processor's cache meanwhile."""


class Choice:
    """How a process draws: as NumPy does, until it has drawn so much that machine code pays."""

    def __init__(self) -> None:
        self._drawn = 0
        self._code: pcg64.Fill | None = None
        self._settled = False

    def code(self, numbers: int) -> pcg64.Fill | None:
        """The machine code to draw so many more numbers with; ``None`` for NumPy."""
        if not self._settled:
            self._drawn += numbers
            if self._drawn > MANY and in_use():
                self._code = _checked_code()
                self._settled = True  # only now: who was interrupted compiles the next time
        return self._code if numbers > FEW else None


def _checked_code() -> pcg64.Fill | None:
    """The machine code, if there is some that draws NumPy's bits, and that is faster on this processor."""
    with suppress(CannotCompile):
        if numba_door.has_wide_vectors():
            code = compiled(pcg64.fill, *pcg64.arguments(np.empty(1), 0, 1, 0.0))
            return code if pcg64.is_right(code) else None
    return None


_choice = Choice()


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
        self._draw(chunk.reshape(-1))
        return chunk

    def _draw(self, numbers: Vector) -> None:
        bits, code = pcg64.bits_of(self._rng), _choice.code(numbers.size)
        if bits is not None and code is not None:
            pcg64.draw(code, bits, numbers, self._low)
        else:
            self._draw_by_numpy(numbers)

    def _draw_by_numpy(self, numbers: Vector) -> None:
        for start in range(0, numbers.size, _NUMBERS_AT_ONCE):
            few = numbers[start : start + _NUMBERS_AT_ONCE]
            self._rng.random(out=few)
            few *= 1.0 - self._low  # low + (1 - low) u, which is what `uniform` does
            few += self._low


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
