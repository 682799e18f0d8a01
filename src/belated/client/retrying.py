"""When a call is repeated, and how long to wait before that. There is no I/O and no clock that was not given."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from belated.client.calls import Call
from belated.client.effects import Heard, Lost, Rest, Script, Send
from belated.client.problems import AGAIN, NOT_OURS, problem_of
from belated.core.errors import BelatedError, NotAllowed, ServiceAway, ServiceFailed
from belated.service.bodies import unpacked

T = TypeVar("T")

NO_KEY = 401
"""The status of calls whose key is missing or not known."""


class Retries(NamedTuple):
    """How often a call is tried, and how long to wait in between.

    A call is tried again if no reply came, or one with status 408, 429, 502, 503 or 504, and never if it was refused.
    The waits double, and each is made shorter at random by up to a half, so that clients do not come back all at once.
    If the service says how long to wait, the wait is at least that.

    Args:
        tries: How often a call is tried at most; 1 for no repetition.
        first: The longest first wait, in seconds.
        longest: The longest wait of all.
        budget: A call is not tried again when that would be later than so many seconds after its beginning.
    """

    tries: int = 50
    first: float = 0.1
    longest: float = 1.0
    budget: float = 10.0

    def wait(self, failures: int, jitter: float) -> float:
        """Seconds to wait after so many failures.

        Args:
            failures: How many there were, at least one.
            jitter: A number from 0 to 1; nobody waits less than with 0.

        Returns:
            The seconds.

        Example:
            >>> [Retries().wait(failures, jitter=1.0) for failures in (1, 2, 3, 10)]
            [0.1, 0.2, 0.4, 1.0]
        """
        whole = min(self.longest, self.first * 2.0 ** min(failures - 1, 60))
        return whole * (0.5 + 0.5 * jitter)


class Timing(NamedTuple):
    """Clocks, waiting and chance of a client, which tests replace.

    Args:
        clock: Seconds that never run back.
        wall: Seconds since 1970.
        sleep: Waits so many seconds; for an ``AsyncClient`` something to await. ``None`` for that of the machine.
        jitter: A random number from 0 to 1.
        new_id: An id that nobody else has.
    """

    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], Any] | None = None
    jitter: Callable[[], float] = random.random
    new_id: Callable[[], str] = lambda: str(uuid4())

    def now(self) -> int:
        """The time in microseconds since 1970."""
        return int(self.wall() * 1e6)


class Sender:
    """Repeats calls.

    Args:
        retries: When, if nothing else is said.
        timeout: How many seconds one try may take.
        timing: Clocks and chance.
        has_key: Whether calls are sent with a key.
    """

    def __init__(self, retries: Retries, timeout: float, timing: Timing, has_key: bool = True) -> None:
        self.retries, self.timeout, self.timing, self._has_key = retries, timeout, timing, has_key

    def exchange(self, call: Call[T], retries: Retries | None = None, within: float | None = None) -> Script[T]:
        """Send a call until it is answered or refused, or there is no time left.

        Args:
            call: The call.
            retries: When to repeat it; by default as for all calls.
            within: The seconds that all of it may take, in place of the budget.

        Returns:
            A script, which returns what the call reads from the reply.

        Raises:
            ServiceAway: No reply came in time.
            ServiceFailed: A reply is none to this call.
            NotAllowed: The service needs a key, and none was given.
            BelatedError: What the reply says, if that is a refusal.
        """
        policy = self.retries if retries is None else retries
        end = self.timing.clock() + (policy.budget if within is None else within)
        failures = 0
        while True:
            left = max(end - self.timing.clock(), 0.001)
            request = Send(call.method, call.path, call.content, min(self.timeout, left), within is not None)
            got: Heard | Lost = yield request
            if isinstance(got, Heard) and got.status not in AGAIN:
                return self._read(call, got)
            failures += 1
            pause = policy.wait(failures, self.timing.jitter())
            if isinstance(got, Heard):
                pause = max(pause, got.retry_after)
            if failures >= policy.tries or self.timing.clock() + pause >= end:
                raise _failure(call, got, failures)
            yield Rest(pause)

    def _read(self, call: Call[T], reply: Heard) -> T:
        problem = problem_of(reply)
        if isinstance(problem, NotAllowed) and reply.status == NO_KEY and not self._has_key:
            raise NotAllowed("no key was given, and the service needs one: Client(url, key)")
        if problem is not None:
            raise problem
        try:
            return call.read(unpacked(reply.content))
        except Exception as wrong:  # whatever it is that came, the caller need not expect more kinds of errors
            raise ServiceFailed(f"`{call.method} {call.path}`: the reply {NOT_OURS} ({wrong})") from wrong


def _failure(call: Call[Any], got: Heard | Lost, tries: int) -> BelatedError:
    """Why there is no answer, after so many tries."""
    if isinstance(got, Heard) and (problem := problem_of(got)) is not None:
        return problem
    reason = got.reason if isinstance(got, Lost) else ""
    return ServiceAway(f"`{call.method} {call.path}`: no reply, tried {tries} times: {reason}")
