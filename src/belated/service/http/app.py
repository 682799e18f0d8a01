"""The application: every route of the table behind Starlette's router, and errors of its own in the one form."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.responses import Response
from starlette.routing import Route as PathRoute
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send

from belated.service.http.calls import ANYBODY, Call, Route
from belated.service.http.endpoint import Endpoint
from belated.service.http.openapi import description
from belated.service.http.problems import Refused, problem
from belated.service.http.routes import ROUTES
from belated.service.http.service import Service

TICK = 1.0
"""So many seconds pass between two looks at the deadlines of decisions."""


def described_routes() -> tuple[Route, ...]:
    """All routes, with the one that describes them."""

    async def describe(call: Call) -> object:
        return shown

    own = Route("GET", "/openapi.json", ANYBODY, describe, "This description", returns=dict[str, Any])
    every = (*ROUTES, own)
    shown = description(every)
    return every


def app(service: Service) -> ASGIApp:
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
        ticking = asyncio.create_task(_tick(service))
        try:
            yield
        finally:
            ticking.cancel()
            with suppress(asyncio.CancelledError):
                await ticking

    paths = [PathRoute(path, Endpoint(service, routes)) for path, routes in by_path.items()]
    return Router(paths, redirect_slashes=False, default=_nothing, lifespan=living)


async def _tick(service: Service) -> None:
    """Let decisions time out, although nobody asks for anything."""
    while service.store.failed is None:
        await asyncio.sleep(TICK)
        with suppress(OSError):  # a store that has failed is seen by all who ask
            service.store.tick()


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    """The answer where there is no such path."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close"})
        return
    found = Refused(404, "not_found", f"there is nothing at {scope['path']}")
    await Response(problem(found), found.status.code, media_type="application/json")(scope, receive, send)
