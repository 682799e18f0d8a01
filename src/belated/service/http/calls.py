"""Routes and calls: what a route is, and what its handler is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from belated.service.http.service import Service
from belated.service.keys import ApiKey

NOBODY, ANYBODY = "nobody", "anybody"
"""Who may call a route, besides keys of a scope: those without a key, and those with any key."""

SINGLE, BATCH = 2**20, 16 * 2**20
"""The largest bodies of requests, in bytes."""


class Query(NamedTuple):
    """An argument in the address.

    Args:
        name: Its name.
        schema: What it may be, as a JSON Schema.
        wanted: The same in words.
        read: Makes a value of a text; ValueError if it cannot.
        default: What it is if it is not given; ``...`` if it must be.
    """

    name: str
    schema: Mapping[str, Any]
    wanted: str
    read: Callable[[str], Any]
    default: Any = ...


@dataclass(slots=True)
class Call:
    """One request, as its handler sees it.

    Args:
        service: What all routes share.
        key: Whose request it is; of routes for nobody it is ``None``.
        place: What stands in the path, by name.
        desk: The desk of the learner in the path, if there is one in it.
        body: What was sent, in the type that the route takes.
        query: The arguments in the address.
    """

    service: Service
    key: ApiKey | None
    place: Mapping[str, str]
    desk: Any = None
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)


class Reply(NamedTuple):
    """What goes out, where it is not simply JSON with the route's status.

    Args:
        body: JSON values, bytes, or an iterator of bytes.
        status: The status.
        media: What the body is.
        headers: Further headers.
    """

    body: Any
    status: int = 200
    media: bytes = b"application/json"
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True)
class Route:
    """One route.

    Args:
        method: ``GET``, ``POST`` or ``DELETE``.
        path: The path, with ``{name}`` for a learner.
        needs: Who may call it: a scope, :data:`ANYBODY` or :data:`NOBODY`.
        handler: What it does; returns JSON values or a :class:`Reply`.
        summary: What it does, in words.
        takes: The type of the body; ``None`` if there is none.
        returns: The type of the reply; ``None`` for what is not JSON.
        status: The status of a reply that is as it should be.
        query: The arguments in the address.
        largest: The largest body, in bytes.
        errors: Statuses of errors, besides those that every route has.
        media: What the reply is.
    """

    method: str
    path: str
    needs: str
    handler: Callable[[Call], Awaitable[Any]]
    summary: str
    takes: Any = None
    returns: Any = None
    status: int = 200
    query: tuple[Query, ...] = ()
    largest: int = SINGLE
    errors: tuple[int, ...] = ()
    media: str = "application/json"

    @cached_property
    def has_learner(self) -> bool:
        """Whether it is about one learner."""
        return "{name}" in self.path
