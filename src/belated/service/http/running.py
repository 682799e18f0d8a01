"""Learners and models are made, configured, paused and looked at."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from belated.core.errors import UnknownDecision
from belated.journal.lines import line_of
from belated.service.bodies import unpacked
from belated.service.decisions import Decision, decision_of
from belated.service.desk import Outcome
from belated.service.http.calls import Call, Reply
from belated.service.looking import detail, summary
from belated.service.making import ordered
from belated.service.names import checked_learner_name, checked_name
from belated.service.schemas import catalogue

LINES = 1000
"""So many lines of an export are sent at once."""


async def learners(call: Call) -> Any:
    service, key, now = call.service, call.key, call.service.clock()
    names = [name for name in service.store if key is None or key.sees(name)]
    return {"learners": [summary(service.store.desk(name).life, now) for name in names]}


async def create(call: Call) -> Any:
    """Make a learner. This may take seconds of compiling, so it is done beside the event loop."""
    service, body = call.service, call.body
    service.check_room()
    name = checked_learner_name("create", "name", body.name)
    order = await asyncio.to_thread(ordered, msgspec.to_builtins(body))
    found, _ = await asyncio.to_thread(
        service.store.begin_creation, name, order.description, order.start, body.settings
    )
    shown = _summary(call, name)
    return Reply({**shown, "duplicate": True}, 200) if found.duplicate else Reply(shown, 201)


async def look(call: Call) -> Any:
    return detail(call.desk.life, call.service.clock())


async def configure(call: Call) -> Any:
    desk, settings = call.desk, call.body.settings
    return await _changed(call, lambda now: desk.configure(settings, now))


async def pause(call: Call) -> Any:
    desk, fixed = call.desk, call.body.fixed
    return await _changed(call, lambda now: desk.pause(fixed, now))


async def resume(call: Call) -> Any:
    return await _changed(call, call.desk.resume)


async def archive(call: Call) -> Any:
    return await _changed(call, call.desk.archive)


async def decisions(call: Call) -> Any:
    newest = call.desk.life.decisions.newest(call.query["limit"], call.query["status"] == "open")
    return {"decisions": [_decision(name, each) for name, each in newest]}


async def decision(call: Call) -> Any:
    name, service = call.place["name"], call.service
    wanted = checked_name("decision", "id", call.query["id"])  # not every store can be asked for other texts
    await service.commits.everything(call.desk)  # what was done a moment ago is in the journal then
    events = await asyncio.to_thread(service.store.journal.find, name, wanted)
    in_memory = call.desk.life.decisions.get(wanted) if events else None
    known = in_memory or decision_of(events)
    if known is None:
        raise UnknownDecision(f"{name!r} has made no decision {wanted!r}")
    life = [
        {"number": each.number, "kind": each.kind, "key": each.key, "at": each.at, "body": unpacked(each.body)}
        for each in sorted(events, key=lambda event: event.number)
    ]
    return {"decision": wanted, "status": known.status, "events": life}


async def journal(call: Call) -> Any:
    """Every event of a learner as a line, read while it is sent."""
    events = call.service.store.journal.read(call.place["name"], call.query["after"])

    def portions() -> Iterator[bytes]:
        while lines := [line_of(event) for event in islice(events, LINES)]:
            yield ("\n".join(lines) + "\n").encode()

    return Reply(portions(), media=b"application/x-ndjson")


async def everything_makeable(call: Call) -> Any:
    return catalogue()


async def _changed(call: Call, command: Any) -> Any:
    outcome: Outcome = call.service.do(call.desk, command)
    return {**_summary(call, call.place["name"]), "duplicate": outcome.duplicate}


def _summary(call: Call, name: str) -> dict[str, Any]:
    return summary(call.service.store.desk(name).life, call.service.clock())


def _decision(name: str, known: Decision) -> dict[str, Any]:
    deadline = None if known.deadline == math.inf else int(known.deadline)
    return {"decision": name, "status": known.status, "at": known.at, "deadline": deadline, "result": known.result}
