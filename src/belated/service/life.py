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
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.errors import BelatedError, StateMismatch, StoreFailed
from belated.journal.events import FIRST_AT, LAST_AT, START, Event, checked_text, digest, is_chained
from belated.journal.store import End
from belated.learners.learner import Learner
from belated.learners.playing.player import Player
from belated.models.model import Model
from belated.service.bodies import EMPTY, NULL, joined, packed, parts, same, stored, unpacked
from belated.service.decisions import ANSWERED, ASKED, GIVEN_UP, NOTED, TIMED_OUT, TOLD, Decision, Decisions
from belated.service.descriptions import read_back
from belated.service.figures import Figures
from belated.service.judging import Judge, judge_of
from belated.service.runs import SECOND, DurableRun, Given, started, waits
from belated.service.settings import Settings, railed
from belated.service.units import Units, units_of_values

CREATED, CONFIGURED, PAUSED, RESUMED, ARCHIVED = "created", "configured", "paused", "resumed", "archived"
"""The kinds of events that are about the learner as a whole."""

NOTHING: Mapping[str, Any] = {}

_made = tuple.__new__
"""Makes a NamedTuple of all its fields, in less time than the class does."""


class Result(NamedTuple):
    """What came of something that happened, as plain values and as bytes."""

    values: dict[str, Any]
    body: bytes


Do = Callable[[str, str, Given, bytes, int], Result | None]
"""Does what happens: the decision and the report that it is about, or empty texts, what is given, plain and as bytes,
and when."""


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
        self.units: Units | None = None
        """The units of a learner that is told values whose range was declared, else ``None``."""
        self.fixed: Any = None
        """What is decided while the learner is paused, or ``None``."""
        self.archived = False
        self.decisions = Decisions(find, self.outbox)
        self._run: DurableRun | None = None
        self._waits: Callable[[int], float] = lambda at: math.inf
        self.due: list[tuple[float, int, str]] = []
        """A heap of deadlines, each with the number of the event and the id of the decision."""
        self.last_point: list[float] | None = None
        """The point that was played last."""
        self.figures = Figures()
        self.began: tuple[bytes, int] = b"", 0
        """What was given when it was created, and when that was."""
        self.kept = 0
        """The number of the last event that is in a snapshot."""
        self._interrupted = False
        self._takes_several = self._has_rails = False
        self._judge: Judge | None = None
        self._do: dict[str, Do] = {
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

    def record(self, kind: str, decision: str | None, key: str | None, given: Given, now: int) -> dict[str, Any] | None:
        """Let something happen, and put an event of it into the outbox. If it is refused, nothing has changed.

        Whatever else ends it in the middle, such as Ctrl-C, leaves a state that no event speaks of. Then nothing may
        happen any more: the next decision would not come out like that in a replay.

        Args:
            kind: The kind of event.
            decision: The decision that it is about, or ``None``.
            key: Which report on it, or ``None``.
            given: What the kind of event needs.
            now: The time; a clock that has run back is held at the last event.

        Returns:
            What came of it, if anything did.

        Raises:
            InvalidArgument: What is given cannot be stored, or the learner refuses it.
            BelatedError: The learner refuses it for another reason.
            StoreFailed: Something was interrupted before; open the store anew.
        """
        self.check_whole()
        number, chain, before = self.end
        if type(now) is not int or not FIRST_AT <= now <= LAST_AT:
            now = checks.count(kind, "now", now, FIRST_AT, LAST_AT)
        at = max(now, before)
        decision = decision if decision is None else checked_text("decision", decision)
        key = key if key is None else checked_text("key", key)
        raw, plain = stored(given)
        self._interrupted = True
        try:
            result = self._do[kind](decision or "", key or "", plain, raw, at)
        except BelatedError:
            self._interrupted = False
            raise
        body = joined(raw, None if result is None else result.body)
        chain = digest(chain, self.name, number + 1, kind, decision, key, at, body)
        self.end = _made(End, (number + 1, chain, at))
        self.outbox.append(_made(Event, (self.name, number + 1, kind, decision, key, at, body, chain)))
        self._interrupted = False
        return None if result is None else result.values

    def check_whole(self) -> None:
        """Refuse everything, also what seems to be known, if a call was interrupted: no event may speak of it.

        Raises:
            StoreFailed: A call was interrupted; open the store anew.
        """
        if self._interrupted:
            raise StoreFailed(f"{self.name!r} was interrupted in the middle of a call. Open the store anew.")

    def replay(self, event: Event) -> None:
        """Do again what an event says.

        Args:
            event: The event that follows the last one.

        Raises:
            StateMismatch: It is not the next event, or doing it again comes out otherwise than the event says.
        """
        number, before, last = self.end
        stream, found_number, kind, decision, key, at, body, chain = event
        if stream != self.name or found_number != number + 1 or not is_chained(before, event) or at < last:
            raise StateMismatch(
                f"event {found_number} of {self.name!r} does not follow event {number}: the store is damaged. "
                "`belated store check` names the first wrong event; restore a back-up"
            )
        do = self._do.get(kind)
        if do is None:
            raise StateMismatch(
                f"event {found_number} of {self.name!r} is of the kind {kind!r}, which this version does not know"
            )
        try:
            raw, recorded = parts(body)
            result = do(decision or "", key or "", NOTHING if raw is EMPTY else unpacked(raw), raw, at)
            again = NULL if result is None else result.body
            differs = again != recorded and not same(again, recorded)
        except Exception as problem:  # what was done once can be done again, unless something has changed
            raise StateMismatch(
                f"event {found_number} of {self.name!r} ({kind}) cannot be done again: {problem}"
            ) from problem
        if differs:
            raise StateMismatch(
                f"event {found_number} of {self.name!r} ({kind}) comes out otherwise than it was recorded: this "
                "version of belated decides differently, or the event was changed"
            )
        self.end = _made(End, (number + 1, chain, at))

    def compile(self) -> None:
        """Compile the arithmetic now, which takes seconds, or load it if it was compiled before. No bit changes."""
        if self._run is not None:
            self._run.compile()

    @property
    def player(self) -> Player | None:
        """The player of a learner, to be looked at only; a model has none."""
        return None if self._run is None else self._run.player

    def waits_for(self, decision: str) -> bool:
        """Whether a decision that has timed out can still be told."""
        return self._working.waits_for(decision)

    @property
    def is_interrupted(self) -> bool:
        """Whether a call was interrupted, so that nothing may happen any more."""
        return self._interrupted

    @property
    def is_whole(self) -> bool:
        """Whether it has begun, and what it has done is what its events say, all of which have been handed over."""
        return self.description is not None and not self._interrupted and not self.outbox

    def contents(self) -> dict[str, Any]:
        """All of it, as plain values and arrays; settled decisions are left to the journal.

        Returns:
            What :meth:`go_on` takes. Nothing in it changes when the life goes on.

        Raises:
            NumericalFailure: A number of a model is not finite any more, so that nobody could go on from it.
        """
        return {
            "end": list(self.end),
            "began": list(self.began),
            "settings": self.settings._asdict(),
            "fixed": self.fixed,
            "archived": self.archived,
            "last_point": self.last_point,
            "decisions": self.decisions.contents(),
            "run": self._working.contents(),
            "figures": self.figures.contents(),
        }

    def go_on(self, contents: Mapping[str, Any]) -> None:
        """Go on from what :meth:`contents` returned; this life must not have begun.

        Args:
            contents: The contents. If they are not what they were, anything may be raised.
        """
        raw, at = contents["began"]
        self._created("", "", unpacked(raw), raw, at)
        self._set(contents["settings"])
        self.fixed, self.archived, self.last_point = contents["fixed"], contents["archived"], contents["last_point"]
        self.decisions.go_on(contents["decisions"])
        # Of deadlines at the same moment the older decision comes first; later ones have larger numbers than these.
        waiting = enumerate(self.decisions.open.items())
        self.due = [(each.deadline, place, name) for place, (name, each) in waiting if each.deadline < math.inf]
        heapq.heapify(self.due)
        self._working.go_on(contents["run"])
        self.figures.go_on(contents["figures"])
        self.end = End(*contents["end"])

    def _created(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> None:
        description = read_back(given["description"])
        self.start = given["start"]
        self._run = started(description, self.start)
        self.description = description
        self.units = None if isinstance(description, Model) else units_of_values(description, self.start)
        self._set(given["settings"])
        self._waits = waits(description)
        self._takes_several = isinstance(description, Model) and description.waiting.outcomes != "first"
        self._judge = judge_of(description)
        self.began = raw, at

    def _set(self, settings: Mapping[str, Any]) -> None:
        self.settings = Settings(**settings)
        self._has_rails = self.settings.has_rails

    def _configured(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> None:
        self._set(given["settings"])

    def _paused(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> None:
        self.fixed = given["fixed"]

    def _resumed(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> None:
        self.fixed = None

    def _archived(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> None:
        self.archived = True

    def _asked(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> Result:
        if self.fixed is not None:
            values = {"paused": True, **self.fixed}
        else:
            values = self._working.ask(decision, given, at)
            if self._has_rails:
                (point,) = values["points"]
                values["points"] = [railed(self.settings, point, self.last_point)]
            self.last_point = values["points"][0] if "points" in values else None
        result = _made(Result, (values, packed(values)))
        seconds = self.settings.timeout
        deadline = self._waits(at) if seconds is None else at + seconds * SECOND
        self.decisions.begin(decision, Decision(raw, result.body, at, deadline, self.fixed is not None))
        if deadline < math.inf:
            heapq.heappush(self.due, (deadline, self.end.number + 1, decision))
        self.figures.ask(at)
        return result

    def _told(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> None:
        self._working.tell(decision, given, at)
        known = self.decisions.note(decision, key, raw)
        self.figures.answer(at, at - known.at)
        if self._judge is not None:
            self.figures.losses.add(at, self._judge(known.result, given))
        if self.units is not None and (stray := self.units.stray(given["feedback"])) is not None:
            self.figures.stray(at, stray)
        if not self._takes_several:
            self.decisions.settle(decision, ANSWERED)

    def _noted(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> None:
        known = self.decisions.note(decision, key, raw)
        self.figures.note(at - known.at)
        if decision in self.decisions.open:  # and not one that has timed out, which may be told several times
            self.decisions.settle(decision, ANSWERED)

    def _timed_out(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> None:
        known = self.decisions.open[decision]
        if isinstance(self.description, Learner) and not known.is_paused:
            if self.settings.outcome is not None:
                self._working.tell(decision, {"feedback": self.settings.outcome}, at)
            elif self.settings.late == "ignore":
                self._working.give_up(decision)
        self.decisions.settle(decision, TIMED_OUT)
        self.figures.timed_out += 1

    def _given_up(self, decision: str, key: str, given: Given, raw: bytes, at: int) -> None:
        if not self.decisions.open[decision].is_paused:
            self._working.give_up(decision)
        self.decisions.settle(decision, GIVEN_UP)
        self.figures.given_up += 1

    @property
    def _working(self) -> DurableRun:
        assert self._run is not None  # noqa: S101  # the first event is `created`
        return self._run
