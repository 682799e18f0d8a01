"""Joins a ``Client`` with an app in the same process: an event loop of its own, in a thread of its own."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import Any

import httpx


class Joined(httpx.BaseTransport):
    """A transport for event loops, used without one.

    Args:
        transport: Such as ``httpx.ASGITransport(app)``.
    """

    def __init__(self, transport: Any) -> None:
        self._transport, self._loop = transport, asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="belated-joined", daemon=True)
        self._thread.start()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Hand a request to the app, and return its whole response."""
        future = asyncio.run_coroutine_threadsafe(self._handle(request), self._loop)
        try:
            return future.result(request.extensions.get("timeout", {}).get("read"))
        except TimeoutError as late:
            future.cancel()
            raise httpx.ReadTimeout("the app has not answered", request=request) from late

    def close(self) -> None:
        """End the thread, and what the app is doing there."""
        asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _handle(self, request: httpx.Request) -> httpx.Response:
        found = await self._transport.handle_async_request(request)
        content = await found.aread()
        return httpx.Response(found.status_code, headers=found.headers, content=content, request=request)


async def _cancel_others() -> None:
    """Let nobody wait for a response that will not come."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
