"""Problems: a loss and the rows that make it a stream.

A problem draws its rows from ``numpy.random.default_rng(seed)`` in a documented order, so that anybody can regenerate
the same losses without this library.
"""

from dataclasses import dataclass
from typing import Protocol

from numpy.typing import ArrayLike

from belated.core import checks, streams
from belated.core.arrays import Matrix, frozen
from belated.core.region import Region
from belated.losses import Quadratic
from belated.losses.base import Constants, Loss


class Problem(Protocol):
    """Anything with a loss and, for every seed, its rows."""

    @property
    def loss(self) -> Loss:
        """What all rounds share."""

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The rows of rounds 1..``rounds``, a row each."""


@dataclass(frozen=True)
class RandomQuadratic:
    """The problem of the paper's experiments: f_t(x) = |x|^2 + b_t.x with b_t uniform on [-1, 1]^dim.

    ``b = numpy.random.default_rng(seed).uniform(-1, 1, (rounds, dim))``.
    """

    dim: int

    def __post_init__(self) -> None:
        checks.count("RandomQuadratic", "dim", self.dim)

    @property
    def loss(self) -> Quadratic:
        """|x|^2 + b.x, which is 2-strongly convex and 2-smooth."""
        return Quadratic(self.dim, curvature=2.0)

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The linear terms b_t."""
        return streams.losses(seed).uniform(-1.0, 1.0, (rounds, self.dim))

    def constants(self, domain: Region) -> Constants:
        """L, beta and alpha over a domain, whatever is drawn: the largest b_t has norm sqrt(dim).

        >>> from belated.domains import Ball
        >>> RandomQuadratic(dim=10).constants(Ball(10)).lipschitz      # 2 + sqrt(10)
        5.16227766016838
        """
        if domain.dim != self.dim:
            checks.refuse("RandomQuadratic.constants", "domain", domain, f"must have dimension {self.dim}")
        at_center = 2.0 * float((domain.center**2).sum()) ** 0.5
        return Constants(at_center + self.dim**0.5 + 2.0 * domain.outer_radius, 2.0, 2.0)


class Recorded:
    """A loss with rows that are given: the same stream for every seed."""

    def __init__(self, loss: Loss, rows: ArrayLike) -> None:
        if not isinstance(loss, Loss):
            checks.refuse("Recorded", "loss", loss, "must be a loss, such as Quadratic(10)")
        self.loss = loss
        self._rows = frozen(loss.check_rows("Recorded", rows))

    def constants(self, domain: Region) -> Constants:
        """L, beta and alpha over a domain that hold for every row recorded."""
        return self.loss.constants(self._rows, domain)

    def __repr__(self) -> str:
        return f"Recorded({self.loss!r}, {len(self._rows)} rows)"

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The first ``rounds`` of the rows given."""
        if rounds > len(self._rows):
            checks.refuse("simulate", "rounds", rounds, f"must be <= {len(self._rows)}, the rows that were recorded")
        first: Matrix = self._rows[:rounds]
        return first
