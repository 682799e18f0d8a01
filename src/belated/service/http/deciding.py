"""Asks, tells and give-ups. A batch is one command: its events are stored together, and one reply has all replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET

from belated.core.errors import BelatedError, StoreFailed
from belated.service.desk import ONLY, Desk, Outcome
from belated.service.http.calls import Call
from belated.service.http.problems import Refused, body_of
from belated.service.http.wire import Ask, Tell
from belated.service.names import checked_name
from belated.service.runs import numbers_of

MOST_NUMBERS = 2_000_000
"""The points of all decisions of a batch have at most so many numbers, so that their events can be stored together."""

MOST_FEATURES = 100_000
"""The examples of a batch have at most so many features, each of which takes some microseconds of everybody's time."""


async def ask(call: Call) -> Any:
    wanted: Ask = call.body
    desk = call.desk
    return _shown(call.service.do(desk, lambda now: _ask(desk, wanted, now)))


async def ask_many(call: Call) -> Any:
    desk, asks = call.desk, call.body.asks
    if len(asks) * numbers_of(desk.life.description) > MOST_NUMBERS:
        wanted = f"the points of {len(asks)} decisions have more than {MOST_NUMBERS} numbers; ask for fewer at once"
        raise Refused(413, "too_large", wanted)
    if sum(len(each.features) for each in asks if each.features is not UNSET) > MOST_FEATURES:
        wanted = f"the examples of a batch have at most {MOST_FEATURES} features together; ask for fewer at once"
        raise Refused(413, "too_large", wanted)
    return await _many(call, desk, asks, _ask)


async def tell(call: Call) -> Any:
    report: Tell = call.body
    desk = call.desk
    return _shown(call.service.do(desk, lambda now: _tell(desk, report, now)))


async def tell_many(call: Call) -> Any:
    return await _many(call, call.desk, call.body.tells, _tell)


async def give_up(call: Call) -> Any:
    desk, name = call.desk, checked_name("give_up", "decision", call.body.decision)
    return _shown(call.service.do(desk, lambda now: desk.give_up(name, now)))


async def _many(call: Call, desk: Desk, items: Sequence[Any], do: Callable[[Desk, Any, int], Outcome]) -> Any:
    """Do one thing after the other. What is refused does not keep the others from being done."""
    replies: list[Any] = []

    def all_of_them(now: int) -> Outcome:
        for item in items:
            try:
                replies.append(_shown(do(desk, item, now)))
            except StoreFailed:
                raise
            except BelatedError as error:
                replies.append({"error": body_of(error)})
        return Outcome({})

    call.service.do(desk, all_of_them)
    return {"replies": replies}


def _ask(desk: Desk, wanted: Ask, now: int) -> Outcome:
    decision = None if wanted.decision is None else checked_name("ask", "decision", wanted.decision)
    return desk.ask(decision, _given(wanted, ("context", "features")), now)


def _tell(desk: Desk, report: Tell, now: int) -> Outcome:
    decision = checked_name("tell", "decision", report.decision)
    key = checked_name("tell", "report", report.report)
    outcome = desk.tell(decision, _given(report, ("feedback", "label", "weight")), now, key)
    return outcome if key == ONLY else outcome._replace(reply={**outcome.reply, "report": key})


def _given(item: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """What was sent under these names."""
    return {name: value for name in names if (value := getattr(item, name)) is not UNSET}


def _shown(outcome: Outcome) -> dict[str, Any]:
    return {**outcome.reply, "duplicate": outcome.duplicate}
