"""What a player is between two asks, as one value: the next ask replaces it in one step."""

from typing import Any, NamedTuple

from belated.core.arrays import Vector
from belated.core.ledger import Ledger

NOT_TOLD = 0


class Told(NamedTuple):
    """Feedback that waits for the next ask; ``round`` and ``strong_convexity`` are 0 where it came without."""

    feedback: Vector
    round: int
    strong_convexity: float


class Moment(NamedTuple):
    """A player between two asks.

    ``told`` holds what waits for the next ask, under its round or, without one, under a negative number. ``applied``
    are the rounds that the last ask took in; they are crossed off the books at the next.
    """

    ledger: Ledger
    policy_state: Any
    random_state: Any
    told: dict[int, Told]
    applied: frozenset[int]
