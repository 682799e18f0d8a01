"""What the losses of many rounds add up to, when each of them is a quadratic: one quadratic."""

from functools import reduce
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.losses.compensated import EPSILON, column_sums, two_sum
from belated.losses.forms import Form


class QuadraticSum(NamedTuple):
    """x -> 1/2 x'A x + h'x + constant: what the losses of some rounds add up to.

    h is ``linear`` + ``linear_rest``, the second being what does not fit into the digits of the first (by default,
    nothing). Linear terms of many rounds cancel, so that without it the sum of a few pieces could be worse than that of
    all rows at once.

    Sums are rounded, and a certificate must know by how much: the constant is off by at most ``roundings`` times the
    machine epsilon relatively, A_ij by as much of sqrt(A_ii A_jj), and the entries of h are off by at most
    ``linear_error`` (by default, relatively like the constant).
    """

    form: Form
    linear: Vector
    constant: float
    linear_error: Vector | None = None
    roundings: int = 4
    linear_rest: Vector | None = None

    @property
    def blur(self) -> Vector:
        """How far each entry of h may be off."""
        return self.roundings * EPSILON * np.abs(self.linear) if self.linear_error is None else self.linear_error

    @property
    def rest(self) -> Vector:
        """What does not fit into ``linear``."""
        return np.zeros(self.linear.size) if self.linear_rest is None else self.linear_rest

    def plus(self, other: "QuadraticSum") -> "QuadraticSum":
        """The sum over both sets of rounds."""
        linear, lost = two_sum(self.linear, other.linear)
        one, two = self.rest, other.rest
        # The rest is rounded twice, each time by half an epsilon of no more than these sizes; so is the bound itself.
        sizes = np.abs(one) + np.abs(two) + np.abs(lost)
        return QuadraticSum(
            self.form.plus(other.form),
            linear,
            self.constant + other.constant,
            (1.0 + 4.0 * EPSILON) * (self.blur + other.blur + 2.0 * EPSILON * sizes),
            max(self.roundings, other.roundings) + 1,
            one + two + lost,
        )

    def settled(self) -> "QuadraticSum":
        """The same sum with h in one vector, rounded to its digits."""
        if self.linear_rest is None:
            return self
        linear = self.linear + self.linear_rest
        return self._replace(linear=linear, linear_error=self.blur + EPSILON * np.abs(linear), linear_rest=None)


@runtime_checkable
class SumsToQuadratic(Protocol):
    """A loss whose sum over any rows is one quadratic, so that many rounds cost no more to look at than one."""

    def quadratic_sum(self, rows: Matrix) -> QuadraticSum:
        """The sum of the losses of these (valid) rows."""


class RunningSum:
    """The sum of a stream of pieces, added up in pairs, pairs of pairs and so on.

    ``roundings`` then grows with the logarithm of the number of pieces only, whatever their sizes are.
    """

    def __init__(self) -> None:
        self._levels: list[QuadraticSum | None] = []
        """At place k the sum of 2^k pieces, or none: the digits of the number of pieces, in base 2."""

    def add(self, piece: QuadraticSum) -> None:
        """Go on with the sum of the next rounds."""
        carried = piece
        for k, level in enumerate(self._levels):
            if level is None:
                self._levels[k] = carried
                return
            self._levels[k] = None
            carried = level.plus(carried)
        self._levels.append(carried)

    def total(self) -> QuadraticSum:
        """The sum of all pieces, of which there must be one at least."""
        return reduce(
            lambda later, earlier: earlier.plus(later), (level for level in self._levels if level is not None)
        )


def sum_of_linear_terms(form: Form, rows: Matrix) -> QuadraticSum:
    """``form`` and the sum of ``rows``, with its error."""
    total = column_sums(rows)
    return QuadraticSum(form, total.main, 0.0, total.error, linear_rest=total.rest)
