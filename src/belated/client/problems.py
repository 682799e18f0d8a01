"""What the service refuses, as the errors that are raised in process.

A refusal has a type, which is a short word, a message, and perhaps the name of an argument. A reply without them does
not come from a service of belated: something between the two has answered, or the address is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


TYPES: dict[str, Making] = {
    "malformed": _plain(ServiceFailed),
    "unauthorized": _plain(NotAllowed),
    "forbidden": _plain(NotAllowed),
    "not_found": _plain(ServiceFailed),
    "unknown_learner": _plain(UnknownLearner),
    "unknown_decision": _plain(UnknownDecision),
    "unknown_key": InvalidArgument,
    "method_not_allowed": _plain(ServiceFailed),
    "timeout": _plain(ServiceAway),
    "already_answered": _plain(AlreadyAnswered),
    "name_taken": NameTaken,
    "archived": Archived,
    "too_large": InvalidArgument,
    "unsupported_media_type": _plain(ServiceFailed),
    "invalid_argument": InvalidArgument,
    "busy": _plain(StoreBusy),
    "store_failed": _plain(StoreFailed),
    "internal": _plain(ServiceFailed),
}
"""Every type of refusal. What only a faulty client could meet is a failure of the service as a whole."""


def error_of(refusal: Any) -> BelatedError:
    """The error of a refusal.

    Args:
        refusal: What stands under ``error`` in a reply.

    Returns:
        The error; ServiceFailed if it cannot be understood.
    """
    if not isinstance(refusal, dict) or str(refusal.get("type")) not in TYPES:
        return ServiceFailed(f"the service has refused a call for a reason that is not known here: {refusal!r:.200}")
    argument = refusal.get("argument")
    return TYPES[refusal["type"]](str(refusal.get("message")), None if argument is None else str(argument))


def values_of(reply: Heard) -> Any:
    """The values in the body of a reply, or ``None`` if there are none."""
    try:
        return unpacked(reply.content)
    except (ValueError, RecursionError):  # no JSON, or nested deeper than anything that is meant
        return None


def problem_of(reply: Heard) -> BelatedError | None:
    """The error that a reply stands for, or ``None`` if it is an answer."""
    if reply.status in (200, 201):
        return None
    values = values_of(reply)
    if isinstance(values, dict) and "error" in values:
        return error_of(values["error"])
    kind = ServiceAway if reply.status in AGAIN else ServiceFailed
    return kind(f"the reply with status {reply.status} does not come from a service of belated; is the address right?")
