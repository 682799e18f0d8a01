"""What the losses of many rounds add up to, when each of them is a quadratic: one quadratic."""

import math
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.losses.forms import Form

EPSILON = 2.0**-52


class QuadraticSum(NamedTuple):
    """x -> 1/2 x'A x + linear'x + constant: what the losses of some rounds add up to.

    Sums are rounded, and a certificate must know by how much: the constant is off by at most ``roundings`` times the
    machine epsilon relatively, A_ij by as much of sqrt(A_ii A_jj), and the entries of ``linear`` are off by at most
    ``linear_error`` (by default, relatively like the constant).
    """

    form: Form
    linear: Vector
    constant: float
    linear_error: Vector | None = None
    roundings: int = 4

    @property
    def blur(self) -> Vector:
        """How far each entry of ``linear`` may be off."""
        return self.roundings * EPSILON * np.abs(self.linear) if self.linear_error is None else self.linear_error

    def plus(self, other: "QuadraticSum") -> "QuadraticSum":
        """The sum over both sets of rounds."""
        linear = self.linear + other.linear
        return QuadraticSum(
            self.form.plus(other.form),
            linear,
            self.constant + other.constant,
            self.blur + other.blur + EPSILON * np.abs(linear),
            max(self.roundings, other.roundings) + 1,
        )


@runtime_checkable
class SumsToQuadratic(Protocol):
    """A loss whose sum over any rows is one quadratic, so that many rounds cost no more to look at than one."""

    def quadratic_sum(self, rows: Matrix) -> QuadraticSum:
        """The sum of the losses of these (valid) rows."""


def sum_of_linear_terms(form: Form, rows: Matrix) -> QuadraticSum:
    """``form`` and the sum of ``rows``, with its error: the distance from the sum rounded only once."""
    linear = rows.sum(axis=0)
    try:
        once = np.array([math.fsum(column) for column in rows.T])
    except OverflowError:
        once = np.full(linear.size, np.inf)
    return QuadraticSum(form, linear, 0.0, 2.0 * np.abs(linear - once) + EPSILON * np.abs(once))
