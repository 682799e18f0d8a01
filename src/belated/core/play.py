"""What a player hands out for a round."""

from typing import NamedTuple

from belated.core.arrays import Matrix, Vector


class Play(NamedTuple):
    """One round: its number, the points to try, and the decision that they are spread around.

    A learner that sees gradients tries one point, its decision. One that sees only function values tries several; the
    loss is wanted at every row of ``points``, in that order.
    """

    round: int
    points: Matrix
    decision: Vector

    @property
    def point(self) -> Vector:
        """The first of the points."""
        row: Vector = self.points[0]
        return row
