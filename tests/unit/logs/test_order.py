"""The order of events is that of a plain sort, whatever the times; broken copies of the code are noticed."""

from itertools import pairwise

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from belated.core.errors import BadRow
from belated.logs import Asked, Told, known, log, order, read_log, records
from support import plain_log
from support.plain_log import break_code

TIMES = st.integers(0, 6)
LABELS = st.sampled_from([0.0, 1.0])
ROWS = st.lists(st.tuples(TIMES, st.none() | TIMES, st.none() | LABELS), max_size=12)
SEARCH = settings(phases=[Phase.generate], report_multiple_bugs=False, max_examples=400)


def wide(rows, **more):
    source = [{"at": at, "x": i, "known": known, "y": y} for i, (at, known, y) in enumerate(rows, start=1)]
    return read_log(source, decided_at="at", answered_at="known", label="y", **more)


@SEARCH
@given(ROWS)
def one_table_is_a_sort(rows):
    rows = sorted(rows, key=lambda row: row[0])
    read = wide(rows)
    expected = plain_log.one_table(rows)
    assert list(read) == expected
    counts = read.counts
    assert (counts.rows, counts.asked, counts.told) == (len(rows), len(rows), len(expected) - len(rows))
    assert counts.missing_labels == sum(y is None for _, _, y in rows)
    assert counts.missing_answer_times == sum(t is None and y is not None for _, t, y in rows)
    assert counts.answers_before_question == sum(None not in row and row[1] < row[0] for row in rows)
    assert counts.ties == sum(one.time == other.time for one, other in pairwise(expected))


@SEARCH
@given(ROWS)
def sorting_keeps_the_places(rows):
    read = wide(rows, sort=True)
    assert list(read) == plain_log.one_table(rows)
    assert read.counts.steps_back == sum(b[0] < a[0] for a, b in pairwise(rows))


@st.composite
def two_lists(draw):
    questions = sorted(draw(st.lists(TIMES, min_size=1, max_size=10)))
    keys = draw(st.permutations([f"k{i}" for i in range(len(questions))]))
    answered = draw(st.lists(st.sampled_from(keys), unique=True))
    answers = sorted(((key, draw(TIMES), draw(LABELS)) for key in answered), key=lambda answer: answer[1])
    return list(zip(keys, questions, strict=True)), answers


@SEARCH
@given(two_lists())
def two_tables_are_a_sort(tables):
    questions, answers = tables
    source = [{"id": key, "at": time, "x": i} for i, (key, time) in enumerate(questions, start=1)]
    second = [{"of": key, "known": time, "y": label} for key, time, label in answers]
    read = read_log(source, decided_at="at", key="id", answers=second, answers_key="of", answered_at="known", label="y")
    assert list(read) == plain_log.two_tables(questions, answers)
    asked = dict(questions)
    assert read.counts.answers_before_question == sum(time < asked[key] for key, time, _ in answers)
    assert (read.counts.rows, read.counts.answer_rows) == (len(questions), len(answers))


@pytest.mark.parametrize("check", [one_table_is_a_sort, two_tables_are_a_sort, sorting_keeps_the_places])
def test_the_order_is_that_of_a_plain_sort(check):
    check()


MUTANTS = [
    (one_table_is_a_sort, order, "owed[0][0] <= question.time", "owed[0][0] < question.time"),
    (
        one_table_is_a_sort,
        order,
        "answer.time <= question.time:\n            tally",
        "answer.time < 0:\n            tally",
    ),
    (one_table_is_a_sort, order, "(answer.time, answer.place, answer)", "(answer.time, -answer.place, answer)"),
    (one_table_is_a_sort, order, "    while owed:\n", "    while owed and False:\n"),
    (one_table_is_a_sort, order, "+= answer.time < question.time", "+= answer.time <= question.time"),
    (
        one_table_is_a_sort,
        order,
        "_told(answer._replace(time=question.time), known)\n        else",
        "_told(answer, known)\n        else",
    ),
    (one_table_is_a_sort, order, "tally.ties += event.time == latest", "tally.ties += event.time != latest"),
    (one_table_is_a_sort, records, "    if answered is None:\n", "    if answered == 0:\n"),
    (
        two_tables_are_a_sort,
        order,
        "answer.time <= question.time:\n            if",
        "answer.time < question.time:\n            if",
    ),
    (two_tables_are_a_sort, order, "        if early is not None:", "        if early is not None and False:"),
    (two_tables_are_a_sort, order, "early._replace(time=question.time)", "early"),
    (two_tables_are_a_sort, order, "    while answer is not None:\n", "    while answer is not None and False:\n"),
    (two_tables_are_a_sort, known, "        if name in self._open:\n", "        if name not in self._open:\n"),
    (
        sorting_keeps_the_places,
        order,
        "    found.reverse()\n",
        "    found.sort(key=lambda record: (-record.time, record.place))\n",
    ),
    (
        sorting_keeps_the_places,
        log,
        "        if recipe.sort:\n            first",
        "        if not recipe.sort:\n            first",
    ),
]


@pytest.mark.parametrize("mutant", range(len(MUTANTS)))
def test_a_broken_order_is_noticed(mutant, monkeypatch):
    check, module, old, new = MUTANTS[mutant]
    break_code(monkeypatch, module, old, new)
    with pytest.raises((AssertionError, LookupError, TypeError, BadRow)):
        check()


def test_a_mutant_that_changes_nothing_is_not_noticed(monkeypatch):
    break_code(monkeypatch, order, "    while owed:\n", "    while bool(owed):\n")
    one_table_is_a_sort()


def test_one_moment_with_everything():
    rows = [(1, 5, 1.0), (2, 5, 0.0), (5, 5, 1.0), (5, 3, 0.0), (5, None, None), (6, 6, 1.0)]
    told = [(type(event).__name__, event.key, event.time) for event in wide(rows)]
    assert told == [
        ("Asked", 1, 1),
        ("Asked", 2, 2),
        ("Told", 1, 5),
        ("Told", 2, 5),
        ("Asked", 3, 5),
        ("Told", 3, 5),
        ("Asked", 4, 5),
        ("Told", 4, 5),
        ("Asked", 5, 5),
        ("Asked", 6, 6),
        ("Told", 6, 6),
    ]


def test_without_a_column_of_times_labels_are_known_at_once():
    read = read_log([{"at": 1, "y": 1}, {"at": 1, "y": 0}], decided_at="at", label="y")
    assert list(read) == [Asked(1, 1, {}), Told(1, 1, 1.0), Asked(1, 2, {}), Told(1, 2, 0.0)]
    assert read.counts.answers_before_question == 0


@given(two_lists(), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=5))
def test_repeated_rows_and_answers_change_nothing(tables, copies):
    """A copy of a row may stand anywhere below it, also of an answer whose question comes later."""
    questions, answers = tables
    source = [{"id": key, "at": time, "x": i} for i, (key, time) in enumerate(questions, start=1)]
    second = [{"id": key, "known": time, "y": label} for key, time, label in answers]
    columns = {"decided_at": "at", "key": "id", "answered_at": "known", "label": "y"}
    expected = list(read_log(source, answers=second, **columns))
    for place, later in copies:
        source.insert(place % len(source) + 1 + later % 3, source[place % len(source)])
        if second:
            first = place % len(second)
            second.insert(first + 1 + later % 3, {**second[first], "known": 99})
    second.sort(key=lambda row: row["known"])
    log = read_log(source, answers=second, **columns)
    assert list(log) == expected
    assert log.counts.duplicate_rows == len(copies)
    assert log.counts.duplicate_answers == (len(copies) if second else 0)
