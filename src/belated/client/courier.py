"""Asking and telling: with ids, fallbacks and the outbox. There is no I/O: what is here are scripts.

An ask that was not answered may have been heard. If nobody else knows its id, or a fallback was given in its place, the
decision is taken back later, so that it does not wait for ever.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from belated.client import calls
from belated.client.delivering import Deliverer
from belated.client.effects import Script, Work
from belated.client.outbox import WITHDRAW, Outbox
from belated.client.problems import AWAY, FOR_GOOD
from belated.client.results import Receipt
from belated.client.retrying import Sender
from belated.core import checks
from belated.core.errors import NotAllowed, OutsideRange
from belated.service.bodies import in_order, packed
from belated.service.names import checked_name

ON_THE_WAY = 4
"""A call may send so many requests besides its own, with reports that wait."""

T = TypeVar("T")

Making = Callable[[dict[str, Any], bool], T]
"""Makes a result of a reply, and of whether that is a fallback."""


class Courier:
    """Carries calls between a client and the service.

    Args:
        sender: Sends calls.
        outbox: Keeps what could not be delivered.
        keeps: Whether reports are kept there, and not only decisions that must be taken back.
    """

    def __init__(self, sender: Sender, outbox: Outbox, keeps: bool) -> None:
        self.sender, self.outbox, self._keeps = sender, outbox, keeps
        self.deliverer = Deliverer(sender, outbox)
        self._once = sender.retries._replace(tries=1)
        self._warnings: dict[str, str] = {}
        """The first warning of each learner, empty when it was given."""

    def simple(self, call: calls.Call[Any]) -> Script[Any]:
        """A call that needs nothing but its answer."""
        found = yield from self.sender.exchange(call)
        yield from self.deliverer.some(ON_THE_WAY)
        return found

    def decide(
        self,
        name: str,
        given: dict[str, Any],
        key: str | None,
        fallback: dict[str, Any] | None,
        within: float | None,
        make: Making[T],
    ) -> Script[T]:
        """Ask for a decision, and make something of what was decided or of the fallback."""
        if within is not None:
            checks.positive("ask", "within", within)
        decision = self._id(key)
        known = None if key is None else (yield from self._fallback(name, key))
        if known is not None:
            return make({"decision": decision, "duplicate": True, **known}, True)
        new = {"duplicate": False} if key is None else {}  # nobody has asked with this id before, except for a retry
        body = in_order({"decision": decision, **given})
        call = calls.said(name, calls.ASK, body, lambda reply: make({**reply, **new}, False))
        clock = self.sender.timing.clock
        start = clock()
        with self._withdrawing(name, [decision] if key is None else []):
            try:
                found = yield from self.sender.exchange(call, within=within)
            except AWAY:
                self.deliverer.failed()
                if fallback is None:
                    raise
                at = self.sender.timing.now()
                yield Work(partial(self.outbox.fall_back, name, decision, fallback, at))
                return make({"decision": decision, "duplicate": False, **fallback}, True)
            self.deliverer.worked()
            left = None if within is None else within - (clock() - start)
            if left is None or left > 0.0:
                yield from self.deliverer.some(ON_THE_WAY, left)
        return found

    def decide_at_once(
        self, name: str, given: Sequence[dict[str, Any]], keys: Sequence[str] | None, make: Making[T]
    ) -> Script[list[Any]]:
        """Ask for many decisions; what is made of them, with errors in the places of what was refused."""
        if keys is not None and len(keys) != len(given):
            checks.refuse("ask_many", "keys", len(keys), f"there must be {len(given)}, one for each decision")
        ids = [self._id(None if keys is None else keys[place]) for place in range(len(given))]
        new = {"duplicate": False} if keys is None else {}
        bodies = [in_order({"decision": each, **one}) for each, one in zip(ids, given, strict=True)]
        found: list[Any] = []
        asked: list[str] = []
        with self._withdrawing(name, asked, found):
            for piece in calls.cut(bodies):
                if keys is None:
                    asked += ids[len(found) : len(found) + len(piece)]
                call = calls.said_at_once(name, calls.ASK, piece, lambda reply: make({**reply, **new}, False))
                found += yield from self.sender.exchange(call)
            yield from self.deliverer.some(ON_THE_WAY)
        return found

    def report(self, name: str, verb: str, values: dict[str, Any]) -> Script[Receipt]:
        """Tell what came of a decision, or give it up; if the service is away and there is a spool, later."""
        if (yield from self._fallback(name, values["decision"])) is not None:
            return Receipt.IGNORED
        body = packed(values)
        call = calls.said(name, verb, body, lambda reply: [self._receipt(name, reply)])
        (found,) = yield from self._reported(name, verb, [body], call)
        self._warn(name)
        return found  # type: ignore[no-any-return]  # errors are raised if it is one report

    def report_at_once(self, name: str, tells: Sequence[dict[str, Any]]) -> Script[list[Any]]:
        """Tell what came of many decisions; receipts, with errors in the places of what was refused."""
        receipts: list[Any] = []
        sent = []
        for values in tells:
            ignored = yield from self._fallback(name, values["decision"])
            receipts.append(None if ignored is None else Receipt.IGNORED)
            if ignored is None:
                sent.append(packed(values))
        found: list[Any] = []
        for piece in calls.cut(sent):
            call = calls.said_at_once(name, calls.TELL, piece, partial(self._receipt, name))
            found += yield from self._reported(name, calls.TELL, piece, call)
        self._warn(name)
        rest = iter(found)
        return [next(rest) if each is None else each for each in receipts]

    def _receipt(self, name: str, reply: Any) -> Receipt:
        """What became of a report. A warning waits until all reports of the call are settled: it may be an error."""
        if "warning" in reply and name not in self._warnings:
            self._warnings[name] = str(reply["warning"])
        return calls.receipt(reply)

    def _warn(self, name: str) -> None:
        """Warn of a learner's first value outside of its declared range."""
        text = self._warnings.get(name)
        if text:
            self._warnings[name] = ""
            warnings.warn(f"{name!r}: {text}", OutsideRange, stacklevel=2)

    def _reported(self, name: str, verb: str, bodies: list[bytes], call: calls.Call[list[Any]]) -> Script[list[Any]]:
        """Send reports behind all that wait, or let them wait, too."""
        if not self._keeps:
            found = yield from self.sender.exchange(call)
            yield from self.deliverer.some(ON_THE_WAY)
            return found
        found = [Receipt.SPOOLED] * len(bodies)
        if (yield from self.deliverer.some(ON_THE_WAY)) and not self.deliverer.rests:
            try:
                found = yield from self.sender.exchange(call, self._once)
                self.deliverer.worked()
            except AWAY:
                self.deliverer.failed()
        found = [Receipt.SPOOLED if isinstance(each, AWAY) else each for each in found]
        kept = [body for body, each in zip(bodies, found, strict=True) if each is Receipt.SPOOLED]
        if kept:
            yield Work(partial(self.outbox.add, name, verb, kept, self.sender.timing.now()))
        return found

    def _id(self, key: str | None) -> str:
        """The id of a decision: the one that was given, or a new one, so that the call can be repeated."""
        return self.sender.timing.new_id() if key is None else checked_name("ask", "key", key)

    def _fallback(self, name: str, decision: str) -> Script[dict[str, Any] | None]:
        """The fallback that was given for a decision, or ``None``."""
        if not self.outbox.fallbacks:  # which saves most clients the look
            return None
        return (yield Work(partial(self.outbox.fallback, name, decision)))  # type: ignore[no-any-return]  # work has no type

    @contextmanager
    def _withdrawing(self, name: str, decisions: list[str], made: Sized = ()) -> Iterator[None]:
        """Take decisions back whose ids nobody will know, if a call ends without a result, however it ends.

        Of a call that was refused, only the first ones are there: as many as were made before.
        """
        try:
            yield
        except (*FOR_GOOD, NotAllowed):
            self._withdraw(name, decisions[: len(made)])
            raise
        except BaseException:
            self._withdraw(name, decisions)
            raise

    def _withdraw(self, name: str, decisions: list[str]) -> None:
        if decisions:
            bodies = [packed({"decision": decision}) for decision in decisions]
            self.outbox.add(name, WITHDRAW, bodies, self.sender.timing.now())
