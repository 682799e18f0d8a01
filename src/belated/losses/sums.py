"""What the losses of many rounds add up to, when each of them is a quadratic: one quadratic."""

from typing import NamedTuple, Protocol, runtime_checkable

from belated.core.arrays import Matrix, Vector
from belated.losses.forms import Form


class QuadraticSum(NamedTuple):
    """x -> 1/2 x'A x + linear'x + constant: what the losses of some rounds add up to."""

    form: Form
    linear: Vector
    constant: float

    def plus(self, other: "QuadraticSum") -> "QuadraticSum":
        """The sum over both sets of rounds."""
        return QuadraticSum(self.form.plus(other.form), self.linear + other.linear, self.constant + other.constant)


@runtime_checkable
class SumsToQuadratic(Protocol):
    """A loss whose sum over any rows is one quadratic, so that many rounds cost no more to look at than one."""

    def quadratic_sum(self, rows: Matrix) -> QuadraticSum:
        """The sum of the losses of these (valid) rows."""
