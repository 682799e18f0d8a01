"""A log: a description of where the events stand. Each pass over it reads them anew."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING

from belated.core.checks import refuse
from belated.logs.columns import Columns
from belated.logs.counts import Counts, Tally
from belated.logs.events import Event
from belated.logs.known import Known
from belated.logs.order import Sorted, counted, one_table, sorted_by_time, two_tables
from belated.logs.records import Rows, answers, feature_names, questions
from belated.logs.tables import Table
from belated.logs.times import CALENDAR, Times
from belated.models.labels import TAKEN

if TYPE_CHECKING:
    from belated.logs.summary import LogSummary

REMEMBER = 100_000
"""How many keys are remembered by default that no longer wait for an answer."""


@dataclass(frozen=True)
class Recipe:
    """All that a pass needs: the tables, their columns, and the rules that can be chosen."""

    columns: Columns
    questions: Table
    answers: Table | None = None
    unit: str | None = None
    zone: tzinfo = UTC
    sort: bool = False
    skip: bool = False
    remember: int = REMEMBER
    distinct: bool = False
    """Whether the table vouches for its keys, so that none need be remembered."""


class Log:
    """Questions and answers of the past, in the order in which the world learnt them; made by :func:`read_log`.

    A log holds no rows. Each pass opens its files anew, reads them piece by piece and closes them, also if the pass is
    abandoned. In memory are one piece and what is owed: answers that are still to come, and the keys of their
    questions. Only ``sort=True`` reads the log whole. Iterating over a log is the same as :meth:`events`.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._tally = Tally()
        self._times = Times(recipe.unit, recipe.zone, self._tally)

    def events(self, labels: str | None = None) -> Generator[Event, None, None]:
        """Begin a pass over the log.

        The order of events: by time; at the same time answers before questions, but none before its own question; then
        by place in the file.

        Args:
            labels: The kind of labels that can be used, as models call it: ``"0/1"``, ``"-1/1"``, ``"number"`` or
                ``"count"``. A row with another label cannot be used then. By default all numbers and texts can.

        Returns:
            A generator of :class:`Asked` and :class:`Told`. Its method ``close`` ends the pass and closes the files.

        Raises:
            InvalidArgument: There is no such kind of labels.
            UsedUp: The rows came from an iterator, and a pass over them has begun before.
            BadRow: By the generator, at a row that cannot be used, unless bad rows are skipped. The events before it
                have been yielded.
            OSError: By the generator, if a file cannot be read any more.

        Example:
            >>> from belated.logs import read_log
            >>> rows = [{"at": 1, "x": 0.5, "known": 3, "y": 1}, {"at": 2, "x": 0.25, "known": 2, "y": 0}]
            >>> for event in read_log(rows, decided_at="at", answered_at="known", label="y").events():
            ...     print(event)
            Asked(time=1, key=1, example={'x': 0.5}, weight=1.0, deadline=None)
            Asked(time=2, key=2, example={'x': 0.25}, weight=1.0, deadline=None)
            Told(time=2, key=2, label=0.0)
            Told(time=3, key=1, label=1.0)
        """
        if labels is not None and labels not in TAKEN:
            refuse("Log.events", "labels", labels, f"must be one of {', '.join(map(repr, TAKEN))}")
        recipe, tally = self._recipe, Tally(self._recipe.skip)
        times = Times(recipe.unit, recipe.zone, tally)
        asking = Rows(recipe.questions, times, tally, labels)
        telling = None if recipe.answers is None else Rows(recipe.answers, times, tally, labels)
        self._tally, self._times = tally, times
        return _pass(recipe, asking, telling)

    def __iter__(self) -> Iterator[Event]:
        return self.events()

    @property
    def counts(self) -> Counts:
        """How often each rule was applied in the latest pass so far; all zero before the first pass."""
        return self._tally.counts()

    @property
    def clock(self) -> str | None:
        """``"calendar"`` if times are microseconds since 1970 UTC, ``"ticks"`` if they are numbers without a unit.

        None before the first time has been read, unless the unit was given.
        """
        return CALENDAR if self._recipe.unit is not None else self._times.clock

    @property
    def name(self) -> str:
        """The path of the file of questions, or the kind of the object that holds them."""
        return self._recipe.questions.name

    @property
    def features(self) -> tuple[str, ...] | None:
        """The columns that examples consist of, or None if each row has its own, as in JSON lines."""
        return feature_names(self._recipe.columns, self._recipe.questions)

    def describe(self, labels: str | None = None) -> "LogSummary":
        """Summarise the log in one pass: how late answers are, how many never come, and whether early ones mislead.

        The pass keeps about 32 bytes for each question, because quantiles are exact.

        Args:
            labels: The kind of labels that can be used, as for :meth:`events`.

        Returns:
            A :class:`LogSummary` of plain numbers and arrays, which belong to the caller.

        Raises:
            InvalidArgument: There is no such kind of labels.
            BadRow: A row cannot be used, and bad rows are not skipped.
            UsedUp: The rows came from an iterator, and a pass over them has begun before.
        """
        from belated.logs.describe import summary_of  # needs SciPy, which a pass over the events does not

        return summary_of(self, labels)

    def __repr__(self) -> str:
        answers = "" if self._recipe.answers is None else f", answers={self._recipe.answers.name!r}"
        return f"Log({self.name!r}{answers})"


def _pass(recipe: Recipe, asking: Rows, telling: Rows | None) -> Generator[Event, None, None]:
    """Yield the events of one pass; every generator that has a file open is closed with this one."""
    columns, tally = recipe.columns, asking.tally
    with ExitStack() as stack:
        first = stack.enter_context(closing(questions(asking, columns, telling is None, _compared(recipe))))
        if recipe.sort:
            first = stack.enter_context(closing(sorted_by_time(first, tally)))
        order = Sorted(asking, columns.decided_at)
        answers_key = columns.answers_key or columns.key
        known = Known(columns.key if _compared(recipe) else None, answers_key, columns.label, recipe.remember)
        if telling is None:
            yield from counted(one_table(first, asking, order, known), tally)
            return
        second = stack.enter_context(closing(answers(telling, columns)))
        if recipe.sort:
            second = stack.enter_context(closing(sorted_by_time(second, tally)))
        orders = (order, Sorted(telling, columns.answered_at or ""))
        yield from counted(two_tables(first, second, (asking, telling), orders, known), tally)


def _compared(recipe: Recipe) -> bool:
    """Whether rows of one key must be compared: not if the row's number is the key, or no key is there twice."""
    return recipe.columns.key is not None and not recipe.distinct
