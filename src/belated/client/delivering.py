"""Delivers what is in the outbox, in order. There is no I/O: what is here are scripts.

Reports to one learner that follow each other go in one request. One delivery is under way at a time. After a failure
nobody tries again for a while, unless told to, so that a loop which reports every second is not held up by a service
that is away.
"""

from __future__ import annotations

from functools import partial
from itertools import takewhile
from threading import Lock
from typing import Any

from belated.client import calls
from belated.client.effects import Rest, Script, Work
from belated.client.outbox import WITHDRAW, Outbox, Undelivered
from belated.client.problems import AWAY, FOR_GOOD
from belated.client.retrying import Retries, Sender
from belated.core.errors import BelatedError, NotAllowed, UnknownDecision, UnknownLearner

GRACE = 30_000_000
"""Microseconds after which a decision is taken back. Its request may have been on its way until then, and a decision
that was not there yet would be made afterwards, and wait for ever."""

TURN = 0.02
"""Seconds between two looks whether another delivery has ended."""

STOPS = (*AWAY, NotAllowed)
"""Errors after which everything goes on waiting, since they say nothing about a report."""


class Deliverer:
    """Empties an outbox.

    Args:
        sender: Sends calls.
        outbox: What waits.
    """

    def __init__(self, sender: Sender, outbox: Outbox) -> None:
        self._sender, self._outbox, self._turn = sender, outbox, Lock()
        self._once = sender.retries._replace(tries=1)
        self._failures, self._rests_until = 0, -float("inf")

    @property
    def rests(self) -> bool:
        """Whether the service has failed a short time ago, so that it is not worth trying."""
        return self._sender.timing.clock() < self._rests_until

    def failed(self) -> None:
        """Rest for a while: longer after each failure."""
        self._failures += 1
        timing = self._sender.timing
        self._rests_until = timing.clock() + self._sender.retries.wait(self._failures, timing.jitter())

    def worked(self) -> None:
        """Rest no more: the service has answered."""
        self._failures, self._rests_until = 0, -float("inf")

    def some(self, requests: int | None, within: float | None = None, grace: int = GRACE) -> Script[bool]:
        """Deliver what waits, unless it rests or somebody else is at it, and try once.

        Args:
            requests: How many requests may be sent; ``None`` for as many as are needed.
            within: The seconds that all of it may take.
            grace: Decisions are taken back if they have waited for so many microseconds.

        Returns:
            A script, which returns whether no report waits any more.
        """
        if self._outbox.pending and not self.rests and self._turn.acquire(blocking=False):
            try:
                yield from self._deliver(requests, self._once, within, self._sender.timing.now() - grace)
            except STOPS:
                self.failed()
            else:
                self.worked()
            finally:
                self._turn.release()
        return not self._outbox.waiting

    def everything(self) -> Script[None]:
        """Deliver all that waits, except decisions that are to be taken back and may yet come.

        Raises:
            ServiceAway: The service cannot be reached; what was not delivered goes on waiting.
            NotAllowed: The key is not good for it.
        """
        while not self._turn.acquire(blocking=False):
            yield Rest(TURN)
        try:
            yield from self._deliver(None, self._sender.retries, None, self._sender.timing.now())
        finally:
            self._turn.release()
        self.worked()

    def _deliver(self, requests: int | None, retries: Retries, within: float | None, before: int) -> Script[None]:
        """Send what waits, in so many requests, with decisions that were to be taken back before some moment."""
        clock, seen, sent = self._sender.timing.clock, 0, 0
        end = None if within is None else clock() + within
        while requests is None or sent < requests:
            found: list[Undelivered] = yield Work(partial(self._outbox.after, seen, calls.MOST_AT_ONCE, before))
            left = None if end is None else end - clock()
            if not found or (left is not None and left <= 0.0):
                return
            batch = _together(found)
            outcomes = yield from self._send(batch, retries, left)
            stop = yield from self._settle(batch, outcomes)
            if stop is not None:
                raise stop
            seen, sent = batch[-1].number, sent + 1

    def _send(self, batch: list[Undelivered], retries: Retries, within: float | None) -> Script[list[Any]]:
        """What came of each report of a batch: an error in its place, or anything else if the service has it."""
        learner, verb = batch[0].learner, batch[0].verb
        if len(batch) > 1:
            call = calls.said_at_once(learner, verb, [each.body for each in batch], calls.itself)
            try:
                return (yield from self._sender.exchange(call, retries, within))
            except UnknownLearner as problem:
                return [problem] * len(batch)
            except FOR_GOOD:  # of the request as a whole, so each must be looked at alone
                pass
        outcomes: list[Any] = []
        for each in batch:
            single = calls.said(learner, calls.GIVE_UP if verb == WITHDRAW else verb, each.body, calls.itself)
            try:
                outcomes.append((yield from self._sender.exchange(single, retries, within)))
            except BelatedError as problem:
                outcomes.append(problem)
                if isinstance(problem, STOPS):
                    break
        return outcomes

    def _settle(self, batch: list[Undelivered], outcomes: list[Any]) -> Script[BelatedError | None]:
        """Take out what is settled; the error that stops the delivery, if there is one."""
        delivered, refused = [], []
        stop = None
        for each, outcome in zip(batch, outcomes, strict=False):  # those behind a stop have no outcome
            if isinstance(outcome, STOPS):
                stop = stop or outcome
            elif each.verb == WITHDRAW:
                if not isinstance(outcome, UnknownDecision) or self._sender.timing.now() - each.at >= GRACE:
                    delivered.append(each.number)  # it is there no more, or never was
            elif isinstance(outcome, BelatedError):
                refused.append((each.number, f"{type(outcome).__name__}: {outcome}"))
            else:
                delivered.append(each.number)
        yield Work(partial(self._outbox.settle, delivered, refused))
        return stop


def _together(found: list[Undelivered]) -> list[Undelivered]:
    """The first of them that go into one request: tells to the same learner, or one of anything else."""
    first = found[0]
    if first.verb != calls.TELL:
        return [first]
    run = list(takewhile(lambda each: (each.learner, each.verb) == (first.learner, calls.TELL), found))
    return run[: len(next(calls.cut(each.body for each in run)))]
