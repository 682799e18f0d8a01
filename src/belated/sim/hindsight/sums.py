"""What the losses of many rounds add up to, when each of them is a quadratic: one quadratic."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.losses.forms import Form
from belated.sim.compensated import EPSILON, ColumnSums


class QuadraticSum(NamedTuple):
    """x -> 1/2 x'A x + h'x + constant: what the losses of some rounds add up to.

    Sums are rounded, and a certificate must know by how much: the constant is off by at most ``roundings`` times the
    machine epsilon relatively, A_ij by as much of sqrt(A_ii A_jj), and the entries of h are off by at most
    ``linear_error`` (by default, relatively like the constant).
    """

    form: Form
    linear: Vector
    constant: float
    linear_error: Vector | None = None
    roundings: int = 4

    @property
    def blur(self) -> Vector:
        """How far each entry of h may be off."""
        return self.roundings * EPSILON * np.abs(self.linear) if self.linear_error is None else self.linear_error


class RunningSum:
    """The sum of losses 1/2 x'A x + b'x, where ``form`` is A for every round, and the rows to come are b.

    Linear terms of many rounds cancel, so they are added up with what every addition loses.
    """

    def __init__(self, form: Form, dim: int) -> None:
        self._form = form
        self._linear = ColumnSums(dim)

    def add(self, rows: Matrix) -> "RunningSum":
        """Go on with the next rounds."""
        self._linear.add(rows)
        return self

    def total(self) -> QuadraticSum:
        """The sum of all rounds so far."""
        linear = self._linear.total()
        return QuadraticSum(self._form.times(self._linear.rows), linear.sums, 0.0, linear.error)


@runtime_checkable
class SumsToQuadratic(Protocol):
    """A loss 1/2 x'A x + b'x whose row is b, so that the sum over many rounds costs no more to look at than one."""

    @property
    def quadratic_form(self) -> Form:
        """A, the same in every round."""
