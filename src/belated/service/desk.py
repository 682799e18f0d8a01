"""A desk: the one place where the life of a learner is decided. Commands come in, events come out; there is no I/O.

A command is checked whole against the life so far (:mod:`belated.service.life`). Only what holds becomes an event. The
caller gives the time, in microseconds, stores what is in the outbox, and then gives the reply.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.errors import AlreadyAnswered, Archived, UnknownDecision
from belated.journal.events import Event, checked_text
from belated.learners.learner import Learner
from belated.models.model import Model
from belated.service.bodies import alike, stored
from belated.service.decisions import ANSWERED, ASKED, GIVEN_UP, NOTED, OPEN, OWN, TIMED_OUT, TOLD, Decision
from belated.service.descriptions import written
from belated.service.life import ARCHIVED, CONFIGURED, CREATED, NOTHING, PAUSED, RESUMED, Life
from belated.service.runs import Given
from belated.service.settings import checked_settings
from belated.service.units import outer_domain

ONLY = "1"
"""The key of an event of which there is one for each decision, such as its only report."""


class Outcome(NamedTuple):
    """What came of a command: the reply, and whether it was given before."""

    reply: dict[str, Any]
    duplicate: bool = False


class Desk:
    """The commands that a learner obeys.

    Args:
        name: The name of its stream.
        find: Reads the events about one decision from the journal.
    """

    def __init__(self, name: str, find: Callable[[str], Iterable[Event]]) -> None:
        self.life = Life(name, find)
        self.has_warned = False
        """Whether a program in this process was warned of a value outside of the declared range: once is enough."""

    def create(self, description: Learner | Model, start: Given, settings: Given, now: int) -> Outcome:
        """Begin the life of a learner.

        Args:
            description: The learner or model.
            start: How it starts: ``initial``, ``seed`` and ``units`` of a learner.
            settings: Its settings by name.
            now: The time.

        Returns:
            The outcome; the reply is empty.

        Raises:
            InvalidArgument: An argument is not what it must be.
        """
        checked_text("stream", self.life.name)
        wanted = checked_settings("create", settings, description, start)
        given = {"description": written(description), "start": start, "settings": wanted._asdict()}
        self.life.record(CREATED, None, None, given, now)
        return Outcome({})

    def ask(self, decision: str | None, given: Given, now: int) -> Outcome:
        """Make a decision.

        Args:
            decision: An id for it, or ``None`` for a new one. A decision of this id that was made before is returned.
            given: ``context`` for a learner that takes one, ``features`` for a model.
            now: The time.

        Returns:
            The outcome; the reply has ``decision``, its id, and ``points`` and ``round`` or ``value``.

        Raises:
            InvalidArgument: An argument is not what it must be, or the learner is archived.
            AlreadyAnswered: A decision of this id was made, with something else given.
        """
        self.life.check_whole()
        if decision is not None and (known := self.life.decisions.get(decision)) is not None:
            if not alike(known.given, stored(given)[0]):
                raise AlreadyAnswered(f"`ask(decision={decision!r})`: it was asked before, with something else given")
            return Outcome({"decision": decision, **known.result}, duplicate=True)
        self._check_alive("ask")
        if decision is not None and decision.startswith(OWN):
            checks.refuse("ask", "decision", decision, f"must not begin with {OWN}, as the ids do that are given here")
        self.pass_time(now, at_it=True)
        name = f"{OWN}{self.life.end.number + 1}" if decision is None else decision
        result = self.life.record(ASKED, name, ONLY, given, now)
        return Outcome({"decision": name, **(result or NOTHING)})

    def tell(self, decision: str, given: Given, now: int, key: str = ONLY) -> Outcome:
        """Report what came of a decision.

        Args:
            decision: The id of the decision.
            given: ``feedback`` for a learner, ``label`` and perhaps ``weight`` for a model.
            now: The time.
            key: An id of the report, for models that take several; by default there is one.

        Returns:
            The outcome; the reply has ``learned``, which is false if it came too late or the learner was paused. It has
            a ``warning``, in words, if a value was learned that is outside of the declared range.

        Raises:
            UnknownDecision: There is no such decision.
            AlreadyAnswered: It was answered otherwise, or given up.
            InvalidArgument: The feedback is not what it must be.
        """
        known = self._known("tell", decision)
        if key in known.outcomes:
            if not alike(known.outcomes[key], stored(given)[0]):
                which = "" if key == ONLY else f", in the report {key!r}"
                raise AlreadyAnswered(f"`tell`: {decision!r} was told something else before{which}")
            return Outcome(self._told(decision, self._is_learned(decision, known), given), duplicate=True)
        self.pass_time(now, at_it=False)
        if known.status in (ANSWERED, GIVEN_UP):
            raise AlreadyAnswered(f"`tell(decision={decision!r})`: it was {known.status.replace('_', ' ')} before")
        learned = self._is_learned(decision, known)
        self.life.record(TOLD if learned else NOTED, decision, key, given, now)
        return Outcome(self._told(decision, learned, given))

    def give_up(self, decision: str, now: int) -> Outcome:
        """Say that nothing will ever be told of a decision.

        Args:
            decision: The id of the decision.
            now: The time.

        Returns:
            The outcome.

        Raises:
            UnknownDecision: There is no such decision.
            AlreadyAnswered: It was answered.
        """
        known = self._known("give_up", decision)
        self.pass_time(now, at_it=False)
        if known.status in (GIVEN_UP, TIMED_OUT):
            return Outcome({"decision": decision}, duplicate=True)
        if known.status != OPEN:
            raise AlreadyAnswered(f"`give_up(decision={decision!r})`: it was answered before")
        self.life.record(GIVEN_UP, decision, ONLY, NOTHING, now)
        return Outcome({"decision": decision})

    def configure(self, settings: Given, now: int) -> Outcome:
        """Change settings; those that are not named stay as they are. Deadlines that are set stay, too."""
        self._check_alive("configure")
        changed = {**self.life.settings._asdict(), **settings}
        wanted = checked_settings("configure", changed, self._described, self.life.start)
        self.pass_time(now, at_it=True)
        self.life.record(CONFIGURED, None, None, {"settings": wanted._asdict()}, now)
        return Outcome({})

    def pause(self, fixed: Any, now: int) -> Outcome:
        """Let every ask have the same answer: ``fixed``, a point or a value, or else what was decided last."""
        self._check_alive("pause")
        self.pass_time(now, at_it=True)
        self.life.record(PAUSED, None, None, {"fixed": self._checked_fixed(fixed)}, now)
        return Outcome({"fixed": self.life.fixed})

    def resume(self, now: int) -> Outcome:
        """Let the learner decide again."""
        self._check_alive("resume")
        self.pass_time(now, at_it=True)
        if self.life.fixed is None:
            return Outcome({}, duplicate=True)
        self.life.record(RESUMED, None, None, NOTHING, now)
        return Outcome({})

    def archive(self, now: int) -> Outcome:
        """Make no further decisions. What comes of those that are open may still be told."""
        if self.life.archived:
            return Outcome({}, duplicate=True)
        self.pass_time(now, at_it=True)
        self.life.record(ARCHIVED, None, None, NOTHING, now)
        return Outcome({})

    def tick(self, now: int) -> Outcome:
        """Let decisions time out whose deadline is before now; at the deadline itself an answer still counts.

        Args:
            now: The time.

        Returns:
            The outcome; the reply is empty.
        """
        self.pass_time(now, at_it=False)
        return Outcome({})

    def pass_time(self, now: int, at_it: bool) -> None:
        """Let decisions time out whose deadline is before now, or is now."""
        due, at = self.life.due, max(now, self.life.end.at)
        while due and (due[0][0] < at or (at_it and due[0][0] == at)):
            decision = due[0][2]
            if decision in self.life.decisions.open:
                self.life.record(TIMED_OUT, decision, ONLY, NOTHING, now)
            heapq.heappop(due)

    def _known(self, call: str, decision: str) -> Decision:
        self.life.check_whole()
        known = self.life.decisions.get(decision)
        if known is None:
            raise UnknownDecision(f"`{call}(decision={decision!r})`: {self.life.name!r} has made no such decision")
        return known

    def _is_learned(self, decision: str, known: Decision) -> bool:
        """Whether what is told of a decision now is learned, and not only noted.

        Late feedback may have been accepted only since the decision has timed out, when its round was over.
        """
        if known.is_paused:
            return False
        if known.status != TIMED_OUT:
            return True
        accepted = isinstance(self._described, Model) or self.life.settings.late == "accept"
        return accepted and self.life.waits_for(decision)

    def _told(self, decision: str, learned: bool, given: Given) -> dict[str, Any]:
        """The reply to a report; a repeated one has the same warning, which follows from what is given and declared."""
        reply: dict[str, Any] = {"decision": decision, "learned": learned}
        units = self.life.units
        if units is not None and learned and (stray := units.stray(given.get("feedback", []))) is not None:
            reply["warning"] = units.warning(stray)
        return reply

    @property
    def _described(self) -> Learner | Model:
        assert self.life.description is not None  # noqa: S101  # the first event is `created`
        return self.life.description

    def _check_alive(self, call: str) -> None:
        if self.life.archived:
            raise Archived(f"`{call}`: {self.life.name!r} is archived, and makes no further decisions", "name")

    def _checked_fixed(self, fixed: Any) -> dict[str, Any]:
        """What is decided while the learner is paused, in the form of a result."""
        if isinstance(self._described, Model):
            return {"value": checks.number("pause", "fixed", fixed)}
        domain = outer_domain(self._described, self.life.start)
        point = self.life.last_point if fixed is None else fixed
        chosen = checks.moderate_vector("pause", "fixed", domain.centre if point is None else point, domain.dim)
        if fixed is not None and not domain.contains(chosen):
            checks.refuse("pause", "fixed", fixed, f"must lie in {domain!r}")
        return {"points": [chosen.tolist()]}
