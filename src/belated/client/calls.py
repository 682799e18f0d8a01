"""What is sent, and how a reply is read: each call of the service as a value. There is no I/O.

Every call may be sent again. Decisions have ids that the caller has given, or else the client, so the service knows a
repeated one; a report counts once by its decision, its id and what it says.

Anything may answer in the place of the service: a sign-in page, another program at the same port, or the service itself
with the reply to another call. So a reply is read only if it has the form of a reply to this call, and names the
decision, the report or the learner that the call is about. It may have fields that are not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar
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

ASK, TELL, GIVE_UP = "ask", "tell", "give-up"
"""What is said about a decision, as it stands in paths."""

FIRST_REPORT = "1"
"""The id of a report that was given none."""


class Call(NamedTuple, Generic[T]):
    """One request: its method, its path, its body, and the function that reads a reply's values.

    The function raises an error if they are no reply to this call.
    """

    method: str
    path: str
    content: bytes
    read: Callable[[Any], T]


class Named(msgspec.Struct, kw_only=True):
    """The names of a report, in what is sent and in its receipt. An ask and a give-up have the decision only."""

    decision: str
    report: str = FIRST_REPORT


class Decided(Named, kw_only=True):
    """What every reply to an ask has; points and values are read by whoever asks for them."""

    duplicate: bool


class Told(Named, kw_only=True):
    """A receipt of a tell."""

    duplicate: bool
    learned: bool


class GivenUp(Named, kw_only=True):
    """A receipt of a give-up, which has nothing of what replies to an ask or a tell have."""

    duplicate: bool
    learned: None = None
    points: None = None
    value: None = None


class Summary(msgspec.Struct):
    """What every reply about a learner has."""

    name: str
    kind: Literal["learner", "model"]
    algorithm: str
    paused: bool
    archived: bool


class Detail(Summary):
    """What the reply to a look at one learner has besides."""

    settings: dict[str, Any]


class Ordered(Summary):
    """What the reply to an order has besides."""

    duplicate: bool


class Learners(msgspec.Struct):
    """The reply to a look at all learners."""

    learners: list[Summary]


class Replies(msgspec.Struct):
    """The reply to many asks or tells."""

    replies: list[dict[str, Any]]


FORMS: dict[str, type[Decided | Told | GivenUp]] = {ASK: Decided, TELL: Told, GIVE_UP: GivenUp}
"""The forms of replies, by what was said."""

_names = msgspec.json.Decoder(Named).decode


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


def answer(verb: str, content: bytes, reply: Any) -> dict[str, Any]:
    """A reply, if it is one to this ask, tell or give-up.

    Args:
        verb: What was said.
        content: The body that was sent, or its place in the body of many.
        reply: What came back.

    Returns:
        The reply, as it is.

    Raises:
        ValueError: It is something else, or about another decision or another report.
    """
    sent, got = _names(content), msgspec.convert(reply, FORMS[verb])
    if (got.decision, got.report) != (sent.decision, sent.report):
        raise ValueError(
            f"it is about {got.decision!r:.60}, report {got.report!r:.60}, and not about {sent.decision!r:.60}, "
            f"report {sent.report!r:.60}"
        )
    return reply  # type: ignore[no-any-return]  # it has that form


def about(name: str, form: type[Summary], values: Any) -> dict[str, Any]:
    """What is said of a learner, if it is of this one; ValueError if not."""
    got = msgspec.convert(values, form)
    if got.name != name:
        raise ValueError(f"it is about the learner {got.name!r:.60}, and not about {name!r:.60}")
    return values  # type: ignore[no-any-return]  # it has that form


def listed() -> Call[list[str]]:
    """Ask for the names of all learners."""
    return Call(
        "GET", LEARNERS, b"", lambda values: sorted(each.name for each in msgspec.convert(values, Learners).learners)
    )


def described(name: str, read: Callable[[Any], T]) -> Call[T]:
    """Ask for everything that is known of a learner."""
    return Call("GET", path_of(name), b"", lambda values: read(about(name, Detail, values)))


def created(values: dict[str, Any], read: Callable[[Any], T]) -> Call[T]:
    """Ask for a new learner, or for one that is there and equal."""
    return Call("POST", LEARNERS, packed(values), lambda found: read(about(values["name"], Summary, found)))


def said(name: str, verb: str, content: bytes, read: Callable[[Any], T]) -> Call[T]:
    """Say one thing to a learner: ask, tell, or give up."""
    return Call("POST", path_of(name, verb), content, lambda reply: read(answer(verb, content, reply)))


def ordered(name: str, verb: str, values: dict[str, Any]) -> Call[dict[str, Any]]:
    """Give a learner an order, as an operator does."""
    return Call("POST", path_of(name, verb), packed(values), lambda found: about(name, Ordered, found))


def said_at_once(name: str, verb: str, contents: Sequence[bytes], read: Callable[[Any], T]) -> Call[list[Any]]:
    """Say many things to a learner. What is read is a list of results, with errors in the places of what is refused."""

    def each(content: bytes, reply: dict[str, Any]) -> Any:
        return error_of(reply["error"]) if "error" in reply else read(answer(verb, content, reply))

    def read_all(values: Any) -> list[Any]:
        replies = msgspec.convert(values, Replies).replies
        if len(replies) != len(contents):
            raise ValueError(f"it has {len(replies)} replies to {len(contents)} calls")
        return [each(content, reply) for content, reply in zip(contents, replies, strict=True)]

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
