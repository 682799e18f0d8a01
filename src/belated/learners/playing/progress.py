"""How far a player has come: what an ask replaces, as a whole, in its last step."""

from typing import Any, NamedTuple

from belated.core.arrays import Vector
from belated.learners.playing.inbox import Inbox

Inputs = tuple[Any, ...]
"""The arguments of ``take_turn`` from ``arrived`` to ``forgotten``: what has come since the last ask."""


class Turn(NamedTuple):
    """What a turn was given, kept so that it can be repeated.

    ``memo`` has the context of the round in front. ``random_state`` is that of the generator before the turn.
    """

    inputs: Inputs
    memo: Vector
    random_state: Any


class Progress(NamedTuple):
    """A player between two asks.

    ``side`` is the side of the numbers that counts; ``asked`` and ``owed`` are its round and its feedbacks in flight.
    ``waiting`` is what has come since, and ``applied`` what the last ask took in. ``memo`` is that of the last round,
    and ``last`` its turn if the next ask is to repeat it.
    """

    side: int
    asked: int
    owed: int
    random_state: Any
    waiting: Inbox
    applied: Inbox
    memo: Vector | None = None
    last: Turn | None = None

    @property
    def in_flight(self) -> int:
        """The feedbacks that are owed, less those that have come or been given up since the last ask."""
        return self.owed - self.waiting.everything()
