"""What is sent, and how a reply is read: each call of the service as a value. There is no I/O.

Every call may be sent again. Decisions have ids that the caller has given, or else the client, so the service knows a
repeated one; a report counts once by its decision, its id and what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec
import numpy as np

from belated.client.problems import error_of
from belated.client.results import Receipt
from belated.core.errors import SomeRefused
from belated.service.bodies import packed

T = TypeVar("T")

MOST_AT_ONCE = 1000
"""The service takes so many asks or tells in one request."""

MOST_BYTES = 2**19
"""A request of many has at most so many bytes, unless one of them alone has more."""

LEARNERS = "/v1/learners"

FIRST_REPORT = "1"
"""The id of a report that was given none."""


class Call(NamedTuple, Generic[T]):
    """One request: its method, its path, its body, and the function that reads a reply's values."""

    method: str
    path: str
    content: bytes
    read: Callable[[Any], T]


def itself(values: Any) -> Any:
    """What was read, as it is."""
    return values


def path_of(name: str, verb: str = "") -> str:
    """The path of a learner, or of one of its verbs.

    Example:
        >>> path_of("summer sale/2", "ask")
        '/v1/learners/summer%20sale%2F2/ask'
    """
    return f"{LEARNERS}/{quote(name, safe='')}" + (f"/{verb}" if verb else "")


def listed() -> Call[list[str]]:
    """Ask for the names of all learners."""
    return Call("GET", LEARNERS, b"", lambda values: sorted(each["name"] for each in values["learners"]))


def described(name: str, read: Callable[[Any], T]) -> Call[T]:
    """Ask for everything that is known of a learner."""
    return Call("GET", path_of(name), b"", read)


def created(values: dict[str, Any], read: Callable[[Any], T]) -> Call[T]:
    """Ask for a new learner, or for one that is there and equal."""
    return Call("POST", LEARNERS, packed(values), read)


def said(name: str, verb: str, content: bytes, read: Callable[[Any], T]) -> Call[T]:
    """Say one thing to a learner."""
    return Call("POST", path_of(name, verb), content, read)


def ordered(name: str, verb: str, values: dict[str, Any]) -> Call[dict[str, Any]]:
    """Give a learner an order, as an operator does."""
    return said(name, verb, packed(values), itself)


def said_at_once(name: str, verb: str, contents: Sequence[bytes], read: Callable[[Any], T]) -> Call[list[Any]]:
    """Say many things to a learner. What is read is a list of results, with errors in the places of what is refused."""

    def each(reply: Any) -> Any:
        return error_of(reply["error"]) if "error" in reply else read(reply)

    def read_all(values: Any) -> list[Any]:
        replies = [each(reply) for reply in values["replies"]]
        if len(replies) != len(contents):
            raise ValueError(f"{len(replies)} replies to {len(contents)} calls")
        return replies

    body = packed({f"{verb}s": [msgspec.Raw(content) for content in contents]})
    return Call("POST", path_of(name, f"{verb}-many"), body, read_all)


def receipt(values: Any) -> Receipt:
    """What became of a report."""
    return Receipt.REPEATED if values["duplicate"] else Receipt.NEW


def cut(contents: Iterable[bytes], most: int = MOST_AT_ONCE) -> Iterator[list[bytes]]:
    """Cut a long list into pieces that fit into one request each."""
    piece: list[bytes] = []
    size = 0
    for content in contents:
        if piece and (len(piece) == most or size + len(content) > MOST_BYTES):
            yield piece
            piece, size = [], 0
        piece.append(content)
        size += len(content)
    if piece:
        yield piece


def all_or_some(replies: list[Any]) -> list[Any]:
    """The results of many calls.

    Raises:
        SomeRefused: Some of them are errors.
    """
    refused = [reply for reply in replies if isinstance(reply, Exception)]
    if refused:
        raise SomeRefused(f"{len(refused)} of {len(replies)} calls were refused, the first one: {refused[0]}", replies)
    return replies


def plain(value: Any) -> Any:
    """Arrays as lists, and anything else as it is."""
    return value.tolist() if isinstance(value, np.ndarray) else value
