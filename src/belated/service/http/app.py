"""The application: every route of the table behind Starlette's router, and errors of its own in the one form."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as PathRoute

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


def app(service: Service) -> Starlette:
    """The application of a service.

    Args:
        service: Its learners and keys.

    Returns:
        An ASGI application. While it lives, decisions time out when their time has come.
    """
    by_path: dict[str, dict[str, Route]] = {}
    for route in described_routes():
        by_path.setdefault(route.path, {})[route.method] = route

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        ticking = asyncio.create_task(_tick(service))
        try:
            yield
        finally:
            ticking.cancel()
            with suppress(asyncio.CancelledError):
                await ticking

    found = Starlette(
        routes=[PathRoute(path, Endpoint(service, routes)) for path, routes in by_path.items()],
        exception_handlers={HTTPException: _refused},
        lifespan=living,
    )
    found.router.redirect_slashes = False
    return found


async def _tick(service: Service) -> None:
    """Let decisions time out, although nobody asks for anything."""
    while service.store.failed is None:
        await asyncio.sleep(TICK)
        with suppress(OSError):  # a store that has failed is seen by all who ask
            service.store.tick()


async def _refused(request: Request, error: Exception) -> Response:
    """What the router refuses: there is no such path."""
    found = Refused(404, "not_found", f"there is nothing at {request.url.path}")
    return Response(problem(found), found.status.code, media_type="application/json")
