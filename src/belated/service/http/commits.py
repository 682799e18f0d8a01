"""Waiting for the journal in an event loop.

Handing events to the thread of the writer, and being woken by it, costs more than a decision. So all that happens
is handed over at once as soon as a turn of the loop brings no further request, and all who wait for the same commit are
woken by one call. Nothing waits for company that is not there: a loop with something to do does not pause between
turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import Future

from belated.core.errors import BelatedError
from belated.service.desk import Desk

TOGETHER = 64
"""So many requests are handed over without a look whether more are there."""

Waiting = asyncio.Future[None]
HandOver = Callable[[Iterable[Desk]], "Future[None]"]


class Commits:
    """What the requests of one event loop wait for.

    Args:
        hand_over: Hands everything that has happened at some desks to the writer.
    """

    def __init__(self, hand_over: HandOver) -> None:
        self._hand_over = hand_over
        self._desks: dict[Desk, None] = {}
        self._turn: list[Waiting] = []
        self._groups: dict[Future[None], list[Waiting]] = {}

    def everything(self, desk: Desk | None = None) -> Waiting:
        """Wait until everything is stored that was submitted, and all that has happened at a desk.

        If nothing has happened, it is asked whether the store is still that of this process: what is known here is true
        only if no other one has taken it over.

        Args:
            desk: The desk, or ``None``.

        Returns:
            A future of the loop. It has StoreFailed if something could not be stored, or the store was lost.
        """
        loop = asyncio.get_running_loop()
        waiting = loop.create_future()
        if not self._turn:
            loop.call_soon(self._end_turn, loop, 0)
        if desk is not None:
            self._desks[desk] = None
        self._turn.append(waiting)
        return waiting

    def _end_turn(self, loop: asyncio.AbstractEventLoop, before: int) -> None:
        """Hand over what has happened, unless further requests have come in this turn of the loop."""
        if before < len(self._turn) < TOGETHER:
            loop.call_soon(self._end_turn, loop, len(self._turn))
            return
        desks, self._desks = self._desks, {}
        group, self._turn = self._turn, []
        try:
            stored = self._hand_over(desks)
        except BelatedError as error:
            _release(group, error)
            return
        if stored in self._groups:
            self._groups[stored] += group
            return
        self._groups[stored] = group
        stored.add_done_callback(lambda done: loop.call_soon_threadsafe(self._end_commit, done))

    def _end_commit(self, stored: Future[None]) -> None:
        _release(self._groups.pop(stored), stored.exception())


def _release(group: list[Waiting], problem: BaseException | None) -> None:
    for waiting in group:
        if waiting.done():  # its request was cancelled
            continue
        if problem is None:
            waiting.set_result(None)
        else:
            waiting.set_exception(problem)
