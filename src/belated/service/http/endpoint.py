"""What is done around every route, in this order: key, scope, learner, form, size, body, handler, commit, reply.

So a request without a key learns nothing, and no body is read of a request that may not be made. Nothing is said that
rests on the store, a refusal as little as an answer, before all of it is stored and the store is known to be still that
of this process.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Message, Receive, Scope, Send

from belated.core.errors import InvalidArgument
from belated.core.spelling import suggestion
from belated.service.desk import Desk
from belated.service.http.calls import ANYBODY, NOBODY, Call, Reply, Route
from belated.service.http.fields import explained
from belated.service.http.problems import ALWAYS, INTERNAL, JSON, Refused, headers_of, problem, status_of
from belated.service.http.service import Service, log
from belated.service.http.wire import json
from belated.service.keys import ApiKey

ONCE = frozenset({b"authorization", b"content-length", b"content-type", b"host", b"transfer-encoding"})
"""Headers of which a request may have one. Of two, a proxy before the service may believe the other one."""

CANNOT_NOW = 503
"""The status of replies which say that the store cannot be used, so that it need not be looked at."""

NO_KEY = ((b"www-authenticate", b"Bearer"),)


class Endpoint:
    """One path with its routes, as an ASGI application.

    Args:
        service: What all routes share.
        routes: The routes of this path, by method.
    """

    def __init__(self, service: Service, routes: Mapping[str, Route]) -> None:
        self._service, self._routes = service, routes
        self._decoders = {
            method: msgspec.json.Decoder(route.takes) for method, route in routes.items() if route.takes is not None
        }
        self._reading = asyncio.Semaphore(1)
        self._labels = {method: f"{method} {route.path}" for method, route in routes.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started, method = perf_counter(), scope["method"]
        known = "GET" if method == "HEAD" and "GET" in self._routes else method
        desk: Desk | None = None
        try:
            if known not in self._routes:
                allowed = ", ".join(self._routes).encode()
                raise Refused(405, "method_not_allowed", f"{method} is not for this path", ((b"allow", allowed),))
            route = self._routes[known]
            headers = dict(scope["headers"])
            if len(headers) < len(scope["headers"]):
                _check_once(scope["headers"])
            call = self._call(route, scope, headers)
            desk = call.desk
            if route.takes is not None:
                call.body = await self._body(route, known, headers, receive)
            found = await route.handler(call)
            reply = found if isinstance(found, Reply) else Reply(found, route.status)
        except Exception as error:
            reply = _refusal(error, scope)
        if reply.status != CANNOT_NOW and known in self._routes and self._routes[known].needs != NOBODY:
            try:
                if known == "GET":
                    await self._service.check_owner()
                else:
                    await self._service.commits.everything(desk)
            except Exception as error:
                reply = _refusal(error, scope)
        if known in self._labels:
            self._service.metrics.count(self._labels[known], reply.status, perf_counter() - started)
        if isinstance(reply.body, Iterator):
            await self._stream(reply, reply.body if method != "HEAD" else iter(()), receive, send)
        else:
            await _send(reply, send)

    async def _stream(self, reply: Reply, portions: Iterator[bytes], receive: Receive, send: Send) -> None:
        """Send a long body while it is read, a portion at a time of all such bodies, and no more to who has left.

        Threads that read compete with the event loop, and all together would leave it next to nothing.
        """
        fields = [(b"content-type", reply.media), *ALWAYS, *reply.headers]
        await send({"type": "http.response.start", "status": reply.status, "headers": fields})
        leaving = asyncio.ensure_future(_left(receive))
        try:
            while not leaving.done():
                async with self._reading:
                    portion = await asyncio.to_thread(next, portions, b"")
                await send({"type": "http.response.body", "body": portion, "more_body": bool(portion)})
                if not portion:
                    break
        finally:
            leaving.cancel()

    def _call(self, route: Route, scope: Scope, headers: Mapping[bytes, bytes]) -> Call:
        """The call, if the request may be made."""
        service, place = self._service, scope["path_params"]
        key, desk = None, None
        if route.needs != NOBODY:
            key = self._key(headers)
            if not key.allows(None if route.needs == ANYBODY else route.needs):
                raise Refused(403, "forbidden", f"this key has no scope {route.needs}")
            if route.has_learner:
                if not key.sees(place["name"]):
                    raise Refused(403, "forbidden", "this key is for other learners")
                desk = self._desk(place["name"])
        return Call(service, key, place, desk, None, _query(route, scope["query_string"]))

    def _desk(self, name: str) -> Desk:
        try:
            return self._service.store.desk(name)
        except KeyError:
            raise Refused(404, "unknown_learner", f"there is no learner {name!r}") from None

    def _key(self, headers: Mapping[bytes, bytes]) -> ApiKey:
        given = headers.get(b"authorization", b"")
        scheme, _, secret = given.partition(b" ")
        if not given:
            raise _unauthorized("a key is needed: Authorization: Bearer KEY")
        if scheme.lower() != b"bearer" or not secret.strip():
            raise _unauthorized("the header must have the form Authorization: Bearer KEY")
        found = self._service.keys.find(secret.strip())
        if found is None:
            raise _unauthorized("this key is not known here, or was removed")
        return found

    async def _body(self, route: Route, method: str, headers: Mapping[bytes, bytes], receive: Receive) -> Any:
        if _declared_length(headers) > route.largest:
            raise _too_large(route.largest)
        body = await _received(route.largest, receive)
        media = headers.get(b"content-type", b"")
        if body and media != JSON and media.partition(b";")[0].strip().lower() != JSON:
            raise Refused(415, "unsupported_media_type", "the body must be JSON: Content-Type: application/json")
        try:
            return self._decoders[method].decode(body or b"{}")
        except msgspec.ValidationError as error:
            raise explained(error, route.takes) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Refused(400, "malformed", f"the body is no JSON: {error}") from error


def _check_once(headers: Sequence[tuple[bytes, bytes]]) -> None:
    """Refuse a request with two headers of a name that only one can have."""
    count = Counter(name for name, _ in headers if name in ONCE)
    for name in (name for name, times in count.items() if times > 1):
        raise Refused(400, "malformed", f"the header {name.decode().title()} must not come twice")


def _refusal(error: Exception, scope: Scope) -> Reply:
    if status_of(error) is INTERNAL:
        log.exception("%s %s", scope["method"], scope["path"])
    return Reply(problem(error), status_of(error).code, headers=headers_of(error))


async def _received(largest: int, receive: Receive) -> bytes:
    """A whole body. Of one that was cut off nothing is used, also if what is there makes sense."""
    portions, size, more = [], 0, True
    while more:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "malformed", "the connection was closed before the body had come")
        portion = message.get("body", b"")
        size += len(portion)
        if size > largest:
            raise _too_large(largest)
        portions.append(portion)
        more = message.get("more_body", False)
    return portions[0] if len(portions) == 1 else b"".join(portions)


def _query(route: Route, text: bytes) -> dict[str, Any]:
    """The arguments in the address, checked."""
    if not text and not route.query:
        return {}
    given = dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True))
    found = {}
    for each in route.query:
        if each.name not in given:
            if each.default is ...:
                raise InvalidArgument(f"`{each.name}` must be given in the address", each.name)
            found[each.name] = each.default
            continue
        try:
            found[each.name] = each.read(given.pop(each.name))
        except ValueError as error:
            raise InvalidArgument(f"`{each.name}` must be {each.wanted}", each.name) from error
    for name in given:
        hint = suggestion(name, [each.name for each in route.query])
        raise InvalidArgument(f"`{name}`: there is no such argument here; {hint}", name)
    return found


def _declared_length(headers: Mapping[bytes, bytes]) -> int:
    """The length that a request says its body has; 0 if it says nothing."""
    try:
        return int(headers.get(b"content-length") or b"0")
    except ValueError as error:
        raise Refused(400, "malformed", "Content-Length is no whole number") from error


def _unauthorized(message: str) -> Refused:
    return Refused(401, "unauthorized", message, NO_KEY)


def _too_large(largest: int) -> Refused:
    return Refused(413, "too_large", f"the body may have at most {largest} bytes")


async def _send(reply: Reply, send: Send) -> None:
    body, fields = reply.body, [(b"content-type", reply.media), *ALWAYS, *reply.headers]
    whole = body if isinstance(body, bytes) else json(body)
    fields.append((b"content-length", str(len(whole)).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": fields})
    await send({"type": "http.response.body", "body": whole})


async def _left(receive: Receive) -> None:
    """Return when the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
