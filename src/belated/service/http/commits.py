"""Waiting for the journal in an event loop.

Requests that are stored together share one future of the writer's thread. Here they share one future of the loop as
well, so that a commit wakes the loop once, however many requests wait for it.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future


class Commits:
    """What the requests of one event loop wait for."""

    def __init__(self) -> None:
        self._waiting: dict[Future[None], asyncio.Future[None]] = {}

    async def wait(self, stored: Future[None]) -> None:
        """Return when something is stored.

        Args:
            stored: The writer's future.

        Raises:
            StoreFailed: It could not be stored.
        """
        if stored.done():
            stored.result()
            return
        shared = self._waiting.get(stored)
        if shared is None:
            loop = asyncio.get_running_loop()
            shared = self._waiting[stored] = loop.create_future()
            stored.add_done_callback(lambda done: loop.call_soon_threadsafe(self._release, done))
        await asyncio.shield(shared)  # a request that is cancelled must not cancel the others

    def _release(self, stored: Future[None]) -> None:
        shared, problem = self._waiting.pop(stored), stored.exception()
        if problem is None:
            shared.set_result(None)
        else:
            shared.set_exception(problem)
            shared.exception()  # so that nobody is told of an error that had no reader left
