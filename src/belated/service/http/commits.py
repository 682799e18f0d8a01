"""Waiting for the journal in an event loop.

Handing events to the thread of the writer, and being woken by it, costs more than a decision. So all that happens
in one turn of the loop is handed over at once, and all who wait for the same commit are woken by one call. Nothing
waits for company: the next turn comes as soon as this one has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import Future

from belated.core.errors import BelatedError
from belated.service.desk import Desk

HandOver = Callable[[Iterable[Desk]], "Future[None]"]


class Commits:
    """What the requests of one event loop wait for.

    Args:
        hand_over: Hands everything that has happened at some desks to the writer.
    """

    def __init__(self, hand_over: HandOver) -> None:
        self._hand_over = hand_over
        self._desks: dict[Desk, None] = {}
        self._turn: asyncio.Future[None] | None = None
        self._waiting: dict[Future[None], list[asyncio.Future[None]]] = {}

    async def everything(self, desk: Desk) -> None:
        """Return when everything is stored that has happened at a desk.

        Args:
            desk: The desk.

        Raises:
            StoreFailed: It could not be stored.
        """
        self._desks[desk] = None
        turn = self._turn
        if turn is None:
            loop = asyncio.get_running_loop()
            turn = self._turn = loop.create_future()
            loop.call_soon(self._end_of_turn, turn)
        await asyncio.shield(turn)  # a request that is cancelled must not cancel the others

    async def wait(self, stored: Future[None]) -> None:
        """Return when something is stored that was handed over already.

        Args:
            stored: The writer's future.

        Raises:
            StoreFailed: It could not be stored.
        """
        waiting = asyncio.get_running_loop().create_future()
        self._wake(waiting, stored)
        await waiting

    def _end_of_turn(self, turn: asyncio.Future[None]) -> None:
        desks, self._desks, self._turn = self._desks, {}, None
        try:
            self._wake(turn, self._hand_over(desks))
        except BelatedError as error:
            _fail(turn, error)

    def _wake(self, waiting: asyncio.Future[None], stored: Future[None]) -> None:
        """Let a future of the loop be done when one of the writer is."""
        if stored in self._waiting:
            self._waiting[stored].append(waiting)
            return
        self._waiting[stored] = [waiting]
        loop = asyncio.get_running_loop()
        stored.add_done_callback(lambda done: loop.call_soon_threadsafe(self._release, done))

    def _release(self, stored: Future[None]) -> None:
        problem = stored.exception()
        for waiting in self._waiting.pop(stored):
            if waiting.done():  # its request was cancelled
                continue
            if problem is None:
                waiting.set_result(None)
            else:
                _fail(waiting, problem)


def _fail(waiting: asyncio.Future[None], problem: BaseException) -> None:
    waiting.set_exception(problem)
    waiting.exception()  # so that nobody is told of an error that had no reader left
