"""What a loss needs to know of the set over which its constants are taken.

Losses do not import domains; any object with these members will do, and every domain has them.
"""

from typing import Any, Protocol

from belated.core import checks
from belated.core.arrays import Vector


class Region(Protocol):
    """A closed convex set in R^dim, known by a centre, the radius of a ball about it, and its linear minimiser."""

    @property
    def dim(self) -> int:
        """Dimension of the space in which the set lies."""

    @property
    def centre(self) -> Vector:
        """Centre of the inner and of the outer ball."""

    @property
    def outer_radius(self) -> float:
        """Radius of a ball about the centre that holds the set; ``inf`` if there is none."""

    def minimise(self, direction: Vector) -> Vector:
        """A point of the set at which the linear form ``direction`` is least."""


def check_region(where: str, region: Any, dim: int) -> None:
    """Refuse what is no such set, or one of another dimension than ``dim``; ``where`` is the call that was given it."""
    found = None if isinstance(region, type) else getattr(region, "dim", None)
    if found is None or not hasattr(region, "minimise"):
        checks.refuse(where, "domain", region, "must be a domain, such as Ball(10)")
    if found != dim:
        checks.refuse(where, "domain", region, f"must have dimension {dim}, got {found}")
