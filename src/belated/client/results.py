"""What the calls of a client return: decisions, predictions, and what became of a report."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

from belated.core.arrays import Matrix, Vector


class RemotePlay(NamedTuple):
    """A decision: its key, its points, one for each row, whether it had been made before, and whether it is a fallback.

    A fallback was given by the caller, because the service made no decision in time. Nothing is learned from it.
    """

    key: str
    points: Matrix
    repeated: bool
    fallback: bool = False

    @property
    def point(self) -> Vector:
        """The first point, which is the only one for most learners."""
        first: Vector = self.points[0]
        return first


class RemotePrediction(NamedTuple):
    """A prediction: its key, its value, whether it had been made before, and whether it is a fallback."""

    key: str
    value: float
    repeated: bool
    fallback: bool = False


class Receipt(IntEnum):
    """What became of a report. It is true if the report is new, as in process: delivered now, or kept to be delivered.

    ============  ======  ======================================================================
    ``NEW``       true    the service has stored it
    ``REPEATED``  false   the service had it already; it counts once
    ``SPOOLED``   true    it is in the spool, and will be delivered when the service is back
    ``IGNORED``   false   it is about a fallback of this client, from which nothing is learned
    ============  ======  ======================================================================
    """

    NEW = 1
    REPEATED = 0
    SPOOLED = 2
    IGNORED = -1

    def __bool__(self) -> bool:
        """Whether the report is new."""
        return self > 0

    def __str__(self) -> str:
        return self.name.lower()


class Refused(NamedTuple):
    """A report out of the spool that the service has refused for good.

    ``verb`` is ``"tell"`` or ``"give-up"``, ``values`` is what was sent, ``at`` when it was put into the spool, in
    microseconds, and ``error`` why it was refused.
    """

    learner: str
    verb: str
    values: dict[str, Any]
    at: int
    error: str
