"""The life of a learner: its state as a fold over events. There is no clock and no I/O.

Each kind of event has one method that does it, and that method is called in two ways. :meth:`Life.record` does what a
command wants, and makes an event of what was done. :meth:`Life.replay` takes an event, does it again, and compares what
comes out with what the event says, bit for bit. So both give the same state, and a version of the library that would
decide otherwise is noticed at the first event.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from belated.core.errors import BelatedError, InvalidArgument, StateMismatch, StoreFailed
from belated.journal.events import START, Event, chained
from belated.journal.store import End
from belated.learners.learner import Learner
from belated.models.model import Model
from belated.service.bodies import packed, stored, unpacked
from belated.service.decisions import ANSWERED, ASKED, GIVEN_UP, NOTED, TIMED_OUT, TOLD, Decision, Decisions
from belated.service.descriptions import read_back
from belated.service.runs import SECOND, DurableRun, Given, started, waits
from belated.service.settings import Settings, railed

CREATED, CONFIGURED, PAUSED, RESUMED, ARCHIVED = "created", "configured", "paused", "resumed", "archived"
"""The kinds of events that are about the learner as a whole."""

NOTHING: Mapping[str, Any] = {}


class Life:
    """One learner, its decisions, and the end of its stream.

    Args:
        name: The name of the stream.
        find: Reads the events about one decision from the journal.
    """

    def __init__(self, name: str, find: Callable[[str], Iterable[Event]]) -> None:
        self.name, self.end = name, End(0, START, 0)
        self.outbox: list[Event] = []
        """Events that have happened and are not stored yet. A command that fails may have let time pass: look here
        after each, however it ended, and store them before the reply is given."""
        self.settings = Settings()
        self.description: Learner | Model | None = None
        self.start: Given = NOTHING
        """How the learner started: its seed, its first decision and its units."""
        self.fixed: Any = None
        """What is decided while the learner is paused, or ``None``."""
        self.archived = False
        self.decisions = Decisions(find)
        self._run: DurableRun | None = None
        self._waits: Callable[[int], float] = lambda at: math.inf
        self.due: list[tuple[float, int, str]] = []
        """A heap of deadlines, each with the number of the event and the id of the decision."""
        self.last_point: list[float] | None = None
        """The point that was played last."""
        self._interrupted = False
        self._do: dict[str, Callable[[str, str, Given, int], Any]] = {
            CREATED: self._created,
            CONFIGURED: self._configured,
            PAUSED: self._paused,
            RESUMED: self._resumed,
            ARCHIVED: self._archived,
            ASKED: self._asked,
            TOLD: self._told,
            NOTED: self._noted,
            TIMED_OUT: self._timed_out,
            GIVEN_UP: self._given_up,
        }

    def record(self, kind: str, decision: str | None, key: str | None, given: Given, now: int) -> None:
        """Let something happen, and put an event of it into the outbox. If it is refused, nothing has changed.

        Whatever else ends it in the middle, such as Ctrl-C, leaves a state that no event speaks of. Then nothing may
        happen any more: the next decision would not come out like that in a replay.

        Args:
            kind: The kind of event.
            decision: The decision that it is about, or ``None``.
            key: Which report on it, or ``None``.
            given: What the kind of event needs.
            now: The time; a clock that has run back is held at the last event.

        Raises:
            InvalidArgument: What is given cannot be stored, or the learner refuses it.
            BelatedError: The learner refuses it for another reason.
            StoreFailed: Something was interrupted before; open the store anew.
        """
        if self._interrupted:
            raise StoreFailed(f"{self.name!r} was interrupted in the middle of a call. Open the store anew.")
        at, plain = max(now, self.end.at), stored(given)
        self._interrupted = True
        try:
            result = self._do[kind](decision or "", key or "", plain, at)
        except BelatedError:
            self._interrupted = False
            raise
        body = packed({"given": plain} if result is None else {"given": plain, "result": result})
        event = chained(self.end.chain, self.name, self.end.number + 1, kind, decision, key, at, body)
        self.end = End(event.number, event.chain, at)
        self.outbox.append(event)
        self._interrupted = False

    def replay(self, event: Event) -> None:
        """Do again what an event says.

        Args:
            event: The event that follows the last one.

        Raises:
            StateMismatch: It is not the next event, or doing it again comes out otherwise than the event says.
        """
        try:
            wanted = chained(self.end.chain, self.name, self.end.number + 1, *event[2:7])
        except InvalidArgument:  # a damaged file may have anything in the place of a text or of bytes
            wanted = None
        if event != wanted or event.at < self.end.at:
            raise StateMismatch(f"event {event.number} of {self.name!r} does not follow event {self.end.number}")
        if event.kind not in self._do:
            raise StateMismatch(
                f"event {event.number} of {self.name!r} is of the kind {event.kind!r}, which this version does not know"
            )
        try:
            body = unpacked(event.body)
            found = self._do[event.kind](event.decision or "", event.key or "", body["given"], event.at)
        except Exception as problem:  # what was done once can be done again, unless something has changed
            raise StateMismatch(
                f"event {event.number} of {self.name!r} ({event.kind}) cannot be done again: {problem}"
            ) from problem
        if packed(found) != packed(body.get("result")):
            raise StateMismatch(
                f"event {event.number} of {self.name!r} ({event.kind}) comes out otherwise than it was recorded: this "
                "version of belated decides differently, or the event was changed"
            )
        self.end = End(event.number, event.chain, event.at)

    def _created(self, decision: str, key: str, given: Given, at: int) -> None:
        description = read_back(given["description"])
        self._run = started(description, given["start"])
        self.settings, self.description = Settings(**given["settings"]), description
        self._waits, self.start = waits(description), given["start"]

    def _configured(self, decision: str, key: str, given: Given, at: int) -> None:
        self.settings = Settings(**given["settings"])

    def _paused(self, decision: str, key: str, given: Given, at: int) -> None:
        self.fixed = given["fixed"]

    def _resumed(self, decision: str, key: str, given: Given, at: int) -> None:
        self.fixed = None

    def _archived(self, decision: str, key: str, given: Given, at: int) -> None:
        self.archived = True

    def _asked(self, decision: str, key: str, given: Given, at: int) -> dict[str, Any]:
        if self.fixed is not None:
            result = {"paused": True, **self.fixed}
        else:
            result = self._working.ask(decision, given, at)
            if self.settings.has_rails:
                (point,) = result["points"]
                result["points"] = [railed(self.settings, point, self.last_point)]
            self.last_point = result["points"][0] if "points" in result else None
        seconds = self.settings.timeout
        deadline = self._waits(at) if seconds is None else at + seconds * SECOND
        self.decisions.open[decision] = Decision(packed(given), result, at, deadline)
        if deadline < math.inf:
            heapq.heappush(self.due, (deadline, self.end.number + 1, decision))
        return result

    def _told(self, decision: str, key: str, given: Given, at: int) -> None:
        self._working.tell(decision, given, at)
        self._note(decision, key, given)
        if not self._takes_several:
            self.decisions.settle(decision, ANSWERED)

    def _noted(self, decision: str, key: str, given: Given, at: int) -> None:
        self._note(decision, key, given)
        if decision in self.decisions.open:  # and not one that has timed out, which may be told several times
            self.decisions.settle(decision, ANSWERED)

    def _timed_out(self, decision: str, key: str, given: Given, at: int) -> None:
        known = self.decisions.open[decision]
        if isinstance(self.description, Learner) and not known.is_paused:
            if self.settings.outcome is not None:
                self._working.tell(decision, {"feedback": self.settings.outcome}, at)
            elif self.settings.late == "ignore":
                self._working.give_up(decision)
        self.decisions.settle(decision, TIMED_OUT)

    def _given_up(self, decision: str, key: str, given: Given, at: int) -> None:
        if not self.decisions.open[decision].is_paused:
            self._working.give_up(decision)
        self.decisions.settle(decision, GIVEN_UP)

    def _note(self, decision: str, key: str, given: Given) -> None:
        """Note what was told. If it is read from the journal the next time, that may not have it yet, so it is kept."""
        known = self.decisions.get(decision)
        assert known is not None  # noqa: S101  # it was asked for, and events about it follow that
        known.outcomes[key] = packed(given)
        if decision not in self.decisions.open:
            self.decisions.remember(decision, known)

    @property
    def _takes_several(self) -> bool:
        """Whether a decision stays open for further reports until its deadline."""
        return isinstance(self.description, Model) and self.description.waiting.outcomes != "first"

    @property
    def _working(self) -> DurableRun:
        assert self._run is not None  # noqa: S101  # the first event is `created`
        return self._run
