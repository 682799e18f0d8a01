"""The application: every route of the table behind Starlette's router, and errors of its own in the one form."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.responses import Response
from starlette.routing import Route as PathRoute
from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from belated.core.errors import StoreFailed
from belated.service.http.calls import ANYBODY, Call, Route
from belated.service.http.endpoint import Endpoint
from belated.service.http.openapi import description
from belated.service.http.problems import Refused, problem
from belated.service.http.routes import ROUTES
from belated.service.http.service import Service, log

TICK = 1.0
"""So many seconds pass between two looks at the deadlines of decisions."""


VERBS, LEARNERS = "/v1/learners/{name}/", ["v1", "learners"]
"""How paths about one learner begin, and their first words."""


def described_routes() -> tuple[Route, ...]:
    """All routes, with the one that describes them."""

    async def describe(call: Call) -> object:
        return shown

    own = Route("GET", "/openapi.json", ANYBODY, describe, "This description", returns=dict[str, Any])
    every = (*ROUTES, own)
    shown = description(every)
    return every


def app(service: Service) -> Application:
    """The application of a service.

    It is a router alone. The layers that Starlette puts around one catch errors, and every endpoint does that itself.

    Args:
        service: Its learners and keys.

    Returns:
        An ASGI application. While it lives, decisions time out when their time has come.
    """
    by_path: dict[str, dict[str, Route]] = {}
    for route in described_routes():
        by_path.setdefault(route.path, {})[route.method] = route

    @asynccontextmanager
    async def living(_: object) -> AsyncIterator[None]:
        with suppress(StoreFailed):
            _let_time_pass(service)  # what was due while nobody served may be much, and nobody waits for an answer yet
        ticking = asyncio.create_task(_tick(service))
        try:
            yield
        finally:
            ticking.cancel()
            with suppress(asyncio.CancelledError):
                await ticking

    endpoints = {path: Endpoint(service, routes) for path, routes in by_path.items()}
    paths = [PathRoute(path, endpoint) for path, endpoint in endpoints.items()]
    return Application(endpoints, Router(paths, redirect_slashes=False, default=_nothing, lifespan=living))


class Application:
    """Leads requests about one learner to their endpoints, and all others to the router.

    The router tries one pattern after the other, which takes longer than to learn a report.

    Args:
        endpoints: The endpoint of each path.
        router: Knows all of them.
    """

    def __init__(self, endpoints: Mapping[str, Endpoint], router: Router) -> None:
        self._router = router
        self._verbs = {
            path.removeprefix(VERBS): endpoint for path, endpoint in endpoints.items() if path.startswith(VERBS)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, as ASGI wants it."""
        await self.answer(scope, receive, send)

    def answer(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """The same without a coroutine of its own, which every request would pay for."""
        parts = scope["path"].split("/") if scope["type"] == "http" else []
        if len(parts) == 5 and parts[1:3] == LEARNERS and parts[3] and parts[4] in self._verbs:
            scope["path_params"] = {"name": parts[3]}
            return self._verbs[parts[4]](scope, receive, send)
        return self._router(scope, receive, send)


async def _tick(service: Service) -> None:
    """Let decisions time out, although nobody asks for anything, and keep snapshots of those that have lived long.

    The store is looked at, too: a service that has lost it ends, also while nobody asks for anything.
    """
    with suppress(StoreFailed):  # all who ask are told, and the process ends
        while service.store.failed is None:
            await asyncio.sleep(TICK)
            _let_time_pass(service)


def _let_time_pass(service: Service) -> None:
    try:
        service.store.tick()
        service.store.keep_snapshots()
        service.store.check_owner()
    except StoreFailed:
        raise
    except Exception:
        log.exception("the clock of decisions")


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    """The answer where there is no such path."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close"})
        return
    found = Refused(404, "not_found", f"there is nothing at {scope['path']}")
    await Response(problem(found), found.status.code, media_type="application/json")(scope, receive, send)
