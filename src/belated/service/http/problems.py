"""Errors as statuses and JSON: one table from the errors of the library, and one form for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import NamedTuple

from belated.core import errors
from belated.service.http.wire import ErrorBody, Problem, json

JSON = b"application/json"
ALWAYS = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)
"""Headers of every reply."""


class Status(NamedTuple):
    """How an error is answered."""

    code: int
    type: str


class Refused(Exception):
    """A request that is refused for a reason that only exists over HTTP.

    Args:
        code: The status.
        type: The type of the error.
        message: What is wrong, for people.
        headers: Headers of the reply.
    """

    def __init__(self, code: int, type: str, message: str, headers: tuple[tuple[bytes, bytes], ...] = ()) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = Status(code, type), message, headers


STATUSES: tuple[tuple[type[BaseException], Status], ...] = (
    (errors.UnknownDecision, Status(404, "unknown_decision")),
    (errors.UnknownKey, Status(404, "unknown_key")),
    (errors.NameTaken, Status(409, "name_taken")),
    (errors.Archived, Status(409, "archived")),
    (errors.AlreadyAnswered, Status(409, "already_answered")),
    (errors.StoreBusy, Status(503, "busy")),
    (errors.StoreFailed, Status(503, "store_failed")),
    (errors.StateMismatch, Status(503, "store_failed")),
    (errors.InvalidArgument, Status(422, "invalid_argument")),
    (errors.NumericalFailure, Status(422, "invalid_argument")),
    (errors.BelatedError, Status(422, "invalid_argument")),
)
"""The status of each error of the library; the first that fits counts."""

INTERNAL = Status(500, "internal")
RETRY = ((b"retry-after", b"1"),)
"""Tells clients to come again, where that helps."""


def status_of(error: BaseException) -> Status:
    """The status of an error.

    Args:
        error: The error.

    Returns:
        Its status, 500 for what nobody has foreseen.
    """
    if isinstance(error, Refused):
        return error.status
    return next((status for kind, status in STATUSES if isinstance(error, kind)), INTERNAL)


def headers_of(error: BaseException) -> tuple[tuple[bytes, bytes], ...]:
    """The headers that an error adds to the reply."""
    if isinstance(error, Refused):
        return error.headers
    return RETRY if isinstance(error, errors.StoreBusy) else ()


def body_of(error: BaseException) -> ErrorBody:
    """An error in the form in which it goes out. Of what nobody has foreseen nothing is said.

    Args:
        error: The error.

    Returns:
        Its type, its message, and the name of the argument that it is about.
    """
    status = status_of(error)
    if status is INTERNAL:
        return ErrorBody(status.type, "something went wrong in the service; its log has the reason", None)
    argument = error.argument if isinstance(error, errors.InvalidArgument) else None
    return ErrorBody(status.type, error.message if isinstance(error, Refused) else str(error), argument or None)


def problem(error: BaseException) -> bytes:
    """An error as the body of a reply."""
    return json(Problem(body_of(error)))


def whole_reply(error: BaseException, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """An error as all bytes of a reply, for what has never become a request; the connection is closed behind it.

    Args:
        error: The error.
        headers: Headers besides those of every reply.
    """
    code, body = status_of(error).code, problem(error)
    own = ((b"content-type", JSON), (b"content-length", b"%d" % len(body)), (b"connection", b"close"))
    lines = [b"%s: %s\r\n" % each for each in (*headers, *ALWAYS, *own)]
    return b"HTTP/1.1 %d %s\r\n%s\r\n%s" % (code, HTTPStatus(code).phrase.encode(), b"".join(lines), body)
