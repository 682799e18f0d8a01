"""What is known of one decision: what was decided, until when it waits, and what came of it.

Decisions that wait are in memory. Of those that are settled, the last ones are; all others are read from the journal
when somebody asks for them, so that memory does not grow with the number of decisions.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import chain, islice
from typing import Any

from belated.journal.events import Event
from belated.service.bodies import parts, unpacked
from belated.service.seen import Seen

ASKED, TOLD, NOTED, TIMED_OUT, GIVEN_UP = "asked", "told", "noted", "timed_out", "given_up"
"""The kinds of events that are about a decision. What is noted came too late, or while the learner was paused: it was
recorded, and not learned."""

OPEN, ANSWERED = "open", "answered"
"""What a decision can be besides timed out and given up."""

OWN = "#"
"""How ids begin that a desk has given itself; nobody else may."""

RECENT = 10_000
"""So many settled decisions are kept in memory."""


class Decision:
    """One decision.

    Args:
        given: What was given when it was asked for, as bytes.
        body: What was decided, as bytes too: many decisions may be in memory.
        at: When, in microseconds.
        deadline: When it times out; infinity for never.
        is_paused: Whether it was made while the learner was paused, so that nothing is learned from it.
    """

    __slots__ = ("at", "body", "deadline", "given", "is_paused", "outcomes", "status")

    def __init__(self, given: bytes, body: bytes, at: int, deadline: float, is_paused: bool) -> None:
        self.given, self.body, self.at, self.deadline, self.is_paused = given, body, at, deadline, is_paused
        self.status = OPEN
        self.outcomes: dict[str, bytes] = {}
        """What was told, by key."""

    @property
    def result(self) -> dict[str, Any]:
        """What was decided, as plain values."""
        values: dict[str, Any] = unpacked(self.body)
        return values


class Decisions:
    """The decisions of one learner.

    Args:
        find: Reads the events about a decision from the journal.
        unstored: Events that the journal does not have yet; what they are about stays in memory.
    """

    def __init__(self, find: Callable[[str], Iterable[Event]], unstored: Sequence[Event] = ()) -> None:
        self._seen, self._unstored = Seen(), unstored
        self.open: dict[str, Decision] = {}
        self._settled: OrderedDict[str, Decision] = OrderedDict()
        self._told: dict[str, None] = {}
        """Open decisions of which something was told already, as may be told of several times."""
        self._find = find

    def get(self, name: str) -> Decision | None:
        """The decision of that id, wherever it is; ``None`` if there is none."""
        found = self.open.get(name) or self._settled.get(name)
        if found is None and (name.startswith(OWN) or self._seen.may_have(name)):
            return decision_of(self._find(name))
        return found

    def begin(self, name: str, decision: Decision) -> None:
        """Say that a decision was made, which waits from now on."""
        self.open[name] = decision
        if not name.startswith(OWN):
            self._seen.add(name)

    def newest(self, most: int, only_open: bool) -> list[tuple[str, Decision]]:
        """The newest decisions that are in memory, with their ids. Open ones are in order, so few are looked at.

        Args:
            most: How many there are at most.
            only_open: Whether those are left out that are settled, of which the last ones are in memory.

        Returns:
            The decisions, the newest first.
        """
        settled = () if only_open else self._settled.items()
        found = chain(islice(reversed(self.open.items()), most), settled)
        return nlargest(most, found, key=lambda item: item[1].at)

    def note(self, name: str, key: str, told: bytes) -> Decision:
        """Note what was told of a decision, and return it.

        If it is read from the journal the next time, that may not have the report yet, so it is kept.
        """
        known = self.open.get(name)
        if known is None:
            known = self.get(name)
            assert known is not None  # noqa: S101  # it was asked for, and events about it follow that
            self.remember(name, known)
        else:
            self._told[name] = None
        known.outcomes[key] = told
        return known

    def settle(self, name: str, status: str) -> None:
        """Say that a decision waits no more, or that one which had timed out is answered."""
        self._told.pop(name, None)
        decision = self.open.pop(name, None)
        if decision is None:
            self._settled[name].status = status  # and it was remembered just now
            return
        decision.status = status
        self._keep(name, decision)

    def contents(self) -> dict[str, Any]:
        """The ids of open decisions, oldest first, the decisions, what was told of them, and which ids were seen.

        It takes a moment also if there are many: of a decision that is in it, all but the outcomes stays as it is, and
        these are copies.
        """
        told = {name: dict(self.open[name].outcomes) for name in self._told}
        open_ones = {"names": list(self.open), "open": list(self.open.values())}
        return {**open_ones, "told": told, "seen": self._seen.contents()}

    def go_on(self, contents: Mapping[str, Any]) -> None:
        """Go on from what :meth:`contents` returned; settled decisions are in the journal."""
        self.open = dict(zip(contents["names"], contents["open"], strict=True))
        for name, outcomes in contents["told"].items():
            self.open[name].outcomes.update(outcomes)
            self._told[name] = None
        self._seen.go_on(contents["seen"])

    def remember(self, name: str, decision: Decision) -> None:
        """Keep a settled decision in memory, for as long as it is among the last ones that something happened to."""
        self._settled.pop(name, None)
        self._keep(name, decision)

    def _keep(self, name: str, decision: Decision) -> None:
        """Put a decision behind all settled ones, of which it is none yet.

        If many had to stay because they were not stored, as when all time out at once, two leave for each that comes.
        """
        settled = self._settled
        settled[name] = decision
        if len(settled) > RECENT:
            for _ in range(min(2, len(settled) - RECENT - len(self._unstored))):
                settled.popitem(last=False)


def decision_of(events: Iterable[Event]) -> Decision | None:
    """A decision that is settled, from the events about it; ``None`` if there are none."""
    found = None
    for event in sorted(events, key=lambda event: event.number):
        given, result = parts(event.body)
        if event.kind == ASKED:
            found = Decision(given, result, event.at, math.inf, "paused" in unpacked(result))
        elif found is not None and event.kind in (TOLD, NOTED):
            found.outcomes[event.key or ""] = given
            found.status = ANSWERED if event.kind == TOLD or found.status == OPEN else found.status
        elif found is not None:
            found.status = event.kind
    return found
