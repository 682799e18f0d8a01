"""A log whose delays are all multiplied by one factor, as if labels came faster or more slowly.

Questions stay where they are. An answer that came a delay d after its question comes c d after it, rounded to a whole
microsecond or tick, halves up. The order is that of all logs (:mod:`belated.logs.order`): by time; at the same time
answers before questions, but none before its own question, and a delay of 0 is right after it. Answers of one time are
in the order in which the log has them.

A deadline is the delay of the answer that nothing came, and is multiplied, too. An answer that came after its deadline
stays behind it. So every question has the same label whatever the factor is, and only the time of the label changes.

For this the log is in memory, once for all factors.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from typing import NamedTuple

from belated.logs.events import Asked, Event, Key, Label, Told
from belated.logs.log import Log


class Answer(NamedTuple):
    """An answer of a log in memory: its time, its place among all answers, and its label."""

    time: int
    place: int
    label: Label


class Held(NamedTuple):
    """A log in memory. Questions are in order, and the key of each is its number, counted from 1."""

    questions: list[Asked]
    answers: list[Answer | None]
    """For each question its answer, or None."""

    @property
    def events(self) -> int:
        """How many events the log has."""
        return len(self.questions) + sum(answer is not None for answer in self.answers)


def held(log: Log, labels: str | None = None) -> Held:
    """Read a log whole, in one pass; ``labels`` are as for ``Log.events``."""
    found, told = Held([], []), 0
    numbers: dict[Key, int] = {}
    with closing(log.events(labels)) as events:
        for event in events:
            if isinstance(event, Asked):
                found.questions.append(event._replace(key=len(found.questions) + 1))
                found.answers.append(None)
                numbers[event.key] = len(found.questions)
            else:
                told += 1
                found.answers[numbers.pop(event.key) - 1] = Answer(event.time, told, event.label)
    return found


def stretched(log: Held, factor: float) -> Iterator[Event]:
    """Yield the events of a log whose delays are multiplied.

    Args:
        log: The log in memory, which stays as it is.
        factor: What every delay is multiplied by, 0 or more. With 1 the events are those of the log.

    Yields:
        The events in their order.
    """
    top, bottom = Fraction(factor).as_integer_ratio()
    owed: list[tuple[int, int, Told]] = []
    for question, answer in zip(log.questions, log.answers, strict=True):
        asked = question.time
        while owed and owed[0][0] <= asked:
            yield heapq.heappop(owed)[2]
        last = None if question.deadline is None else max(question.deadline, asked)
        deadline = None if last is None else asked + _times(last - asked, top, bottom)
        yield question._replace(deadline=deadline)
        if answer is None:
            continue
        time = asked + _times(answer.time - asked, top, bottom)
        if last is not None and deadline is not None and answer.time > last:
            time = max(time, deadline + 1)
        told = Told(time, question.key, answer.label)
        if time == asked:
            yield told
        else:
            heapq.heappush(owed, (time, answer.place, told))
    while owed:
        yield heapq.heappop(owed)[2]


def _times(delay: int, top: int, bottom: int) -> int:
    """Return a delay times top / bottom, rounded to the nearest whole number, halves up, without an error."""
    return (2 * delay * top + bottom) // (2 * bottom)
