"""What the service refuses, as the errors that are raised in process.

A refusal has a status, a type, which is a short word, a message, and the name of an argument or ``null``. A reply that
is not exactly so does not come from a service of belated: something between the two has answered, or the address is
wrong. Nothing that it says counts for good.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from belated.client.effects import Heard
from belated.core.errors import (
    AlreadyAnswered,
    Archived,
    BelatedError,
    InvalidArgument,
    NameTaken,
    NotAllowed,
    ServiceAway,
    ServiceFailed,
    StoreBusy,
    StoreFailed,
    UnknownDecision,
    UnknownLearner,
)
from belated.service.bodies import unpacked

AGAIN = frozenset({408, 429, 502, 503, 504})
"""Statuses after which a call is worth repeating."""

AWAY = (ServiceAway, ServiceFailed, StoreBusy, StoreFailed)
"""Errors that are not about the call: the same call may be answered later."""

FOR_GOOD = (InvalidArgument, AlreadyAnswered, UnknownDecision, UnknownLearner)
"""Errors that the same call will meet again."""

Making = Callable[[str, str | None], BelatedError]


def _plain(error: type[BelatedError]) -> Making:
    return lambda message, argument: error(message)


class Refusal(msgspec.Struct):
    """What stands under ``error`` in a reply. ``argument`` is there in any case."""

    type: str
    message: str
    argument: str | None


TYPES: dict[str, tuple[int, Making]] = {
    "malformed": (400, _plain(ServiceFailed)),
    "unauthorized": (401, _plain(NotAllowed)),
    "forbidden": (403, _plain(NotAllowed)),
    "not_found": (404, _plain(ServiceFailed)),
    "unknown_learner": (404, _plain(UnknownLearner)),
    "unknown_decision": (404, _plain(UnknownDecision)),
    "unknown_key": (404, InvalidArgument),
    "method_not_allowed": (405, _plain(ServiceFailed)),
    "timeout": (408, _plain(ServiceAway)),
    "already_answered": (409, _plain(AlreadyAnswered)),
    "name_taken": (409, NameTaken),
    "archived": (409, Archived),
    "too_large": (413, InvalidArgument),
    "unsupported_media_type": (415, _plain(ServiceFailed)),
    "invalid_argument": (422, InvalidArgument),
    "busy": (503, _plain(StoreBusy)),
    "store_failed": (503, _plain(StoreFailed)),
    "internal": (500, _plain(ServiceFailed)),
}
"""Types of refusals with their statuses. What only a faulty client could meet is a failure of the whole service."""

NOT_OURS = "does not come from a service of belated, or is about something else; is the address right?"
"""What is said of replies that are not as they must be."""


def error_of(given: Any, status: int | None = None) -> BelatedError:
    """The error of a refusal.

    Args:
        given: What stands under ``error`` in a reply.
        status: The status of the reply; ``None`` for one of the replies to many calls.

    Returns:
        The error; ServiceFailed if it is none that the service gives with this status.
    """
    try:
        refusal = msgspec.convert(given, Refusal)
        wanted, make = TYPES[refusal.type]
    except (ValueError, KeyError) as wrong:
        return ServiceFailed(f"a reply with an error {NOT_OURS} ({wrong})")
    if status not in (None, wanted):
        return ServiceFailed(f"a reply with status {status} and the error {refusal.type!r} {NOT_OURS}")
    return make(refusal.message, refusal.argument)


def problem_of(reply: Heard) -> BelatedError | None:
    """The error that a reply stands for, or ``None`` if it is an answer."""
    if reply.status in (200, 201):
        return None
    try:
        values = unpacked(reply.content)
    except (ValueError, RecursionError):  # no JSON, or nested deeper than anything that is meant
        values = None
    if isinstance(values, dict) and "error" in values:
        return error_of(values["error"], reply.status)
    kind = ServiceAway if reply.status in AGAIN else ServiceFailed
    return kind(f"the reply with status {reply.status} {NOT_OURS}")
