r"""Long sums to nearly twice the working precision, and a bound on what is still missing from them.

A plain sum of m terms may be off by m roundings of the largest partial sum, and a certificate that rests on it grows
loose with the length of the run. Here every addition also keeps what it has lost:

    s_k = fl(s_(k-1) + x_k),    e_k = s_(k-1) + x_k - s_k,    c = fl(e_1 + ... + e_m),

where :func:`two_sum` finds e_k without any error, so that x_1 + ... + x_m = s_m + e_1 + ... + e_m exactly. What remains
is the rounding of c, a plain sum of m terms: with u = 2^-53 it is off by at most

    m u (1 + u)^m E,    E = |e_1| + ... + |e_m|.

:func:`missing_at_most` gives twice that without the factor in the middle, which also covers the rounding of E: there
are never so many terms that (1 + u)^(2m) would come near 2. The sum s_m + c, rounded once, is thus off by one rounding
of itself and by a term of second order: since |e_k| <= u |s_k|, E is at most m u (1 + u)^m sum |x_k|.

Underflow adds nothing: sums of doubles are multiples of the smallest one, so a sum that is too small for all its digits
is exact, and a bound below the smallest one means zero. An overflow leaves ``inf`` or ``nan``, never a number that
looks sound.

All of this is lost if a compiler may reorder additions, so nothing here is to be compiled with "fast" arithmetic.

*When to compile.* Loading compiled code costs some tenths of a second in a new process, and compiling it a second. So
sums go through their first ``LONG`` numbers without, at a few microseconds a number in plain Python and a hundredth of
that in NumPy, and run as machine code from then on (:class:`Warming`). The bits are the same either way, as they are
where something cannot be compiled, so that nothing but the time depends on it.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector, frozen
from belated.core.compiling import compiled
from belated.core.errors import CannotCompile
from belated.core.verbs import compilable

Number = TypeVar("Number", float, Vector)
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

EPSILON = 2.0**-52

LONG = 2**14
"""How many numbers are gone through before code is compiled."""


class Warming(Generic[Kernel]):
    """A function that is plain at first, and machine code once it has gone through ``LONG`` numbers.

    ``to_compile`` must give the bits of ``plain``, and ``examples`` have the very types of all arguments to come:
    machine code does not look at them again.
    """

    def __init__(self, plain: Kernel, to_compile: Kernel, *examples: Any) -> None:
        self._function, self._to_compile, self._examples = plain, to_compile, examples
        self._numbers = 0

    def up_to(self, numbers: int) -> Kernel:
        """The function to go through so many more numbers with."""
        total = self._numbers + numbers
        if self._numbers < LONG <= total:
            with suppress(CannotCompile):
                self._function = compiled(self._to_compile, *self._examples)  # type: ignore[assignment]  # same calls
        self._numbers = total  # only now: who was interrupted compiles the next time
        return self._function


@compilable
def two_sum(first: Number, second: Number) -> tuple[Number, Number]:
    """``first`` + ``second`` rounded, and what rounding has taken from it, exactly (Knuth's TwoSum)."""
    total = first + second
    of_second = total - first
    return total, (first - (total - of_second)) + (second - of_second)


def missing_at_most(terms: int, lost: Number) -> Number:
    """How far s + c may be from the sum of so many terms, in which additions have lost ``lost``, E, altogether."""
    return terms * EPSILON * lost


def lost_at_most(terms: int, sizes: Number) -> Number:
    """How large E can be if the absolute values of the terms add up to ``sizes``."""
    return terms * EPSILON * sizes


class Total(NamedTuple):
    """A vector of sums, each to within its ``error``."""

    sums: Vector
    error: Vector


class ColumnSums:
    """The sum of each column of a table that comes in pieces, to within a bound."""

    def __init__(self, columns: int) -> None:
        self.rows = 0
        self._sums, self._missing, self._lost = np.zeros((3, columns))

    def add(self, rows: Matrix) -> None:
        """Go on with the next rows. Machine code would not notice if they had another width."""
        table = np.ascontiguousarray(rows, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != self._sums.size:
            checks.refuse("ColumnSums.add", "rows", rows, f"must have {self._sums.size} columns, got {table.shape}")
        _columns.up_to(table.size)(table, self._sums, self._missing, self._lost)
        self.rows += len(table)

    def total(self) -> Total:
        """The sums of all that was added so far, rounded once."""
        sums, rest = two_sum(self._sums, self._missing)
        return Total(sums, (1.0 + EPSILON) * (missing_at_most(self.rows, self._lost) + np.abs(rest)))


def add_columns(rows: Matrix, sums: Vector, missing: Vector, lost: Vector) -> None:
    """Add ``rows`` to the sums of columns, s; to what these are ``missing``, c; and to what has been ``lost``, E.

    NumPy accumulates from the first row to the last, so that this adds in the order of :func:`add_columns_one_by_one`.
    """
    partial = np.add.accumulate(np.concatenate([sums[np.newaxis], rows]))
    _, here = two_sum(partial[:-1], rows)
    sums[:] = partial[-1]
    for total, terms in ((missing, here), (lost, np.abs(here))):
        total[:] = np.add.accumulate(np.concatenate([total[np.newaxis], terms]))[-1]


def add_columns_one_by_one(rows: Matrix, sums: Vector, missing: Vector, lost: Vector) -> None:
    """:func:`add_columns`, as it is compiled: four rows at a time, since reading and writing sums takes longest."""
    whole = rows.shape[0] - rows.shape[0] % 4
    for t in range(0, whole, 4):
        for i in range(rows.shape[1]):
            sums[i], first = two_sum(float(sums[i]), float(rows[t, i]))
            sums[i], second = two_sum(float(sums[i]), float(rows[t + 1, i]))
            sums[i], third = two_sum(float(sums[i]), float(rows[t + 2, i]))
            sums[i], fourth = two_sum(float(sums[i]), float(rows[t + 3, i]))
            missing[i] = (((float(missing[i]) + first) + second) + third) + fourth
            lost[i] = (((float(lost[i]) + abs(first)) + abs(second)) + abs(third)) + abs(fourth)
    for t in range(whole, rows.shape[0]):
        for i in range(rows.shape[1]):
            sums[i], first = two_sum(float(sums[i]), float(rows[t, i]))
            missing[i] = float(missing[i]) + first
            lost[i] = float(lost[i]) + abs(first)


_vector = np.empty(1)
_columns = Warming(add_columns, add_columns_one_by_one, frozen([[0.0]]), _vector, _vector, _vector)
