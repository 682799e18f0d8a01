"""What the routes of one service share: learners, keys, the clock, and the rule that a reply follows the commit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from belated.core.errors import BelatedError, StoreBusy
from belated.service.desk import Desk, Outcome
from belated.service.door import DurableStore
from belated.service.http.commits import Commits
from belated.service.http.metrics import Metrics
from belated.service.keys import STREAM, Keys

log = logging.getLogger("belated.service")

PATIENCE = 5.0
"""So many seconds a request that only reads waits for the store. It changes nothing, so it can be made again."""


class Service:
    """The state behind the routes. It belongs to one event loop.

    Args:
        store: The learners.

    Raises:
        StateMismatch: The keys of the store are damaged.
    """

    def __init__(self, store: DurableStore) -> None:
        self.store, self.clock, self.commits = store, store.clock, Commits(store.hand_over)
        self.keys = Keys(store.journal.read(STREAM))
        self.metrics = Metrics(store)
        self._renewing: set[asyncio.Task[None]] = set()

    def check_room(self) -> None:
        """Refuse what would write, if the queue of the writer is full.

        Raises:
            StoreBusy: Too many events wait to be stored.
        """
        if self.store.busy:
            raise StoreBusy("too many events wait to be stored; nothing was accepted, come again in a moment")

    async def check_owner(self) -> None:
        """Wait until everything is stored that was submitted, but not for ever: for those who only read.

        Raises:
            StoreBusy: The store has not answered in time.
            StoreFailed: Something could not be stored, or another process has taken the store over.
        """
        try:
            async with asyncio.timeout(PATIENCE):
                await self.commits.everything()
        except TimeoutError:
            raise StoreBusy(f"the store has not answered for {PATIENCE:.0f} s; come again in a moment") from None

    def do(self, desk: Desk, command: Callable[[int], Outcome]) -> Outcome:
        """Let a desk obey a command in memory. The endpoint replies when everything that happened is stored.

        Args:
            desk: The desk.
            command: The command, a function of the time.

        Returns:
            What came of it.

        Raises:
            BelatedError: The command was refused.
        """
        self.check_room()
        try:
            return self.store.decide(desk, command)
        except BelatedError:
            raise
        except Exception:
            self._renew(desk)
            raise

    def _renew(self, desk: Desk) -> None:
        """Let a learner begin again from its journal, beside the loop, after an error that nobody has foreseen."""

        async def renewed() -> None:
            try:
                await asyncio.to_thread(self.store.renew, desk.life.name)
            except Exception:
                log.exception("%r cannot go on; start the service anew", desk.life.name)

        task = asyncio.create_task(renewed())
        self._renewing.add(task)
        task.add_done_callback(self._renewing.discard)

    def make_first_key(self) -> str | None:
        """Make a key of an admin if there is none, and store it.

        Returns:
            The key, to be shown once; ``None`` if there was one.
        """
        if self.keys.has_admin:
            return None
        event, secret = self.keys.make("first", ("admin",), None, self.clock())
        self.store.submit([event]).result()
        return secret
