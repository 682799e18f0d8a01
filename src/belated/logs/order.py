"""The order of events: the one in which the world learnt them.

By time; at the same time answers before questions, but none before its own question; then by place in the file. Written
as a key to sort by, where t is the event's time and p the row's number:

==============================================  =============
event                                           sorted by
==============================================  =============
answer to a question of an earlier time         (t, 0, p)
question                                        (t, 1, p, 0)
answer at or before the time of its question    (t, 1, p, 1)
==============================================  =============

In the last line, t and p are those of the question. In the first, p is the place of the row that has the answer. The
functions here merge sorted tables into this order and hold only what is owed: answers that are still to come, and keys.
"""

import heapq
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import pairwise

from belated.core.checks import shown
from belated.logs.counts import Tally
from belated.logs.events import Asked, Event, Told
from belated.logs.known import Known
from belated.logs.records import AnswerRow, QuestionRow, Record, Rows


def sorted_by_time(records: Generator[Record, None, None], tally: Tally) -> Generator[Record, None, None]:
    """Read all records, then yield them by time, those of one time in the order of the file; count steps back."""
    with closing(records):
        found = list(records)
    tally.steps_back += sum(after.time < before.time for before, after in pairwise(found))
    found.sort(key=lambda record: record.time)
    found.reverse()
    while found:
        yield found.pop()


class Sorted:
    """A check that times never step back; it remembers the latest time."""

    def __init__(self, rows: Rows, column: str) -> None:
        self._rows = rows
        self._column = column
        self._latest: AnswerRow | QuestionRow | None = None

    def accepts(self, record: AnswerRow | QuestionRow) -> bool:
        """Whether a record is not before the one that was accepted last; otherwise it is a bad row."""
        if self._latest is not None and record.time < self._latest.time:
            self._rows.tally.steps_back += 1
            allowed = f"must not be before {shown(self._latest.cell)}, which stands above it; sort=True sorts the log"
            self._rows.bad(record.line, "order", self._column, record.cell, allowed)
            return False
        self._latest = record
        return True


def one_table(questions: Iterator[QuestionRow], rows: Rows, order: Sorted, known: Known) -> Iterator[Event]:
    """Yield the events of a table whose rows have both question and answer.

    Args:
        questions: The rows in the order of time, duplicates included.
        rows: The table that they come from, for bad rows.
        order: The check of their times.
        known: The keys that are remembered, none yet.

    Yields:
        The events in their order.
    """
    tally, owed = rows.tally, list[tuple[int, int, AnswerRow]]()
    for question in questions:
        if not known.is_new(question, rows) or not order.accepts(question):
            continue
        while owed and owed[0][0] <= question.time:
            yield _told(heapq.heappop(owed)[2], known)
        answer = question.answer
        known.ask(question)
        yield _asked(question)
        if answer is None:
            known.close(question.key)
        elif answer.time <= question.time:
            tally.answers_before_question += answer.time < question.time
            yield _told(answer._replace(time=question.time), known)
        else:
            heapq.heappush(owed, (answer.time, answer.place, answer))
    while owed:
        yield _told(heapq.heappop(owed)[2], known)


def two_tables(
    questions: Iterator[QuestionRow],
    answers: Iterator[AnswerRow],
    tables: tuple[Rows, Rows],
    orders: tuple[Sorted, Sorted],
    known: Known,
) -> Iterator[Event]:
    """Yield the events of a table of questions and one of answers.

    Args:
        questions: The rows of the first table in the order of time, duplicates included.
        answers: The rows of the second table in the order of time, duplicates included.
        tables: The two tables, for bad rows.
        orders: The checks of their times.
        known: The keys that are remembered, none yet.

    Yields:
        The events in their order.
    """
    asking, telling = tables
    coming = (answer for answer in answers if orders[1].accepts(answer))
    answer = next(coming, None)
    for question in questions:
        if not known.is_new(question, asking) or not orders[0].accepts(question):
            continue
        while answer is not None and answer.time <= question.time:
            if known.is_due(answer, telling):
                yield _told(answer, known)
            answer = next(coming, None)
        known.ask(question)
        yield _asked(question)
        early = known.early(question.key)
        if early is not None:
            asking.tally.answers_before_question += early.time < question.time
            yield _told(early._replace(time=question.time), known)
    while answer is not None:
        if known.is_due(answer, telling):
            yield _told(answer, known)
        answer = next(coming, None)
    known.refuse_strangers(telling)


def _asked(question: QuestionRow) -> Asked:
    return Asked(question.time, question.key, question.example, question.weight, question.deadline)


def _told(answer: AnswerRow, known: Known) -> Told:
    return Told(answer.time, known.answer(answer), answer.label)


def counted(events: Iterator[Event], tally: Tally) -> Iterator[Event]:
    """Count events and ties, each before it is yielded."""
    latest: int | None = None
    for event in events:
        tally.ties += event.time == latest
        latest = event.time
        if isinstance(event, Asked):
            tally.asked += 1
        else:
            tally.told += 1
        yield event
