"""Every rule of a log is applied as it is stated, and counted."""

import json
import tracemalloc
from datetime import timedelta

import pytest

from belated.core.errors import BadRow, BelatedError, InvalidArgument, UsedUp
from belated.logs import Asked, Counts, Told, columns, known, order, read_log
from support.plain_log import break_code

WIDE = {"decided_at": "at", "answered_at": "known", "label": "y"}
KEYED = {**WIDE, "key": "id"}


def row(at, known=None, y=None, **more):
    return {"at": at, "known": known, "y": y, **more}


def joined(questions, answers, **more):
    rows = [{"id": key, "at": at} for key, at in questions]
    told = [{"id": key, "known": at, "y": y} for key, at, y in answers]
    return read_log(rows, answers=told, **KEYED, **more)


def kinds(log):
    return [(type(event).__name__[0], event.key, event.time) for event in log]


def test_a_row_that_steps_back_stops_the_pass():
    log = read_log([row(5), row(4)], **WIDE)
    events = log.events()
    assert next(events) == Asked(5, 1, {})
    with pytest.raises(BadRow, match="must not be before 5, which stands above it; sort=True sorts the log") as caught:
        next(events)
    error = caught.value
    assert isinstance(error, BelatedError)
    assert isinstance(error, ValueError)
    assert (error.source, error.line, error.column, error.value) == ("<list>", 2, "at", 4)
    assert str(error).startswith("`read_log('<list>')`: row 2, column 'at': 4 must not")
    assert log.counts.steps_back == 1


def test_a_row_that_steps_back_may_be_skipped():
    log = read_log([row(5), row(4), row(4), row(6)], **WIDE, on_bad_rows="skip")
    assert kinds(log) == [("A", 1, 5), ("A", 4, 6)]
    assert log.counts.bad_by_reason == {"order": 2}
    assert log.counts.steps_back == 2


def test_answers_that_step_back_are_bad_rows_of_their_table():
    log = joined([("a", 1), ("b", 1)], [("a", 5, 1), ("b", 4, 1)])
    with pytest.raises(BadRow, match="row 2, column 'known': 4 must not"):
        list(log)
    assert kinds(joined([("a", 1), ("b", 1)], [("a", 5, 1), ("b", 4, 1)], sort=True))[2:] == [
        ("T", "b", 4),
        ("T", "a", 5),
    ]


def repeated_rows_are_dropped():
    log = read_log([row(1, 9, 1, id="a"), row(2, id="b"), row(1, 9, 1, id="a"), row(2, id="b")], **KEYED)
    assert kinds(log) == [("A", "a", 1), ("A", "b", 2), ("T", "a", 9)]
    assert (log.counts.duplicate_rows, log.counts.bad_rows, log.counts.steps_back) == (2, 0, 0)


def other_content_under_a_key_is_bad():
    for changed in (row(3, 9, 1, id="a"), row(1, 9, 0, id="a"), row(1, 8, 1, id="a"), row(1, 9, 1, id="a", x=1)):
        log = read_log([row(1, 9, 1, id="a"), changed, row(4, id="b")], **KEYED, on_bad_rows="skip")
        assert kinds(log) == [("A", "a", 1), ("A", "b", 4), ("T", "a", 9)]
        assert log.counts.bad_by_reason == {"duplicate": 1}


def repeated_answers_are_dropped_and_others_are_bad():
    answers = [("b", 0, 1), ("b", 0, 1), ("a", 2, 1), ("a", 3, 1), ("a", 4, 0), ("b", 4, 0), ("c", 5, 1)]
    log = joined([("a", 1), ("b", 1)], answers, on_bad_rows="skip")
    assert kinds(log) == [("A", "a", 1), ("A", "b", 1), ("T", "b", 1), ("T", "a", 2)]
    counts = log.counts
    assert (counts.duplicate_answers, counts.answers_before_question) == (2, 1)
    assert counts.bad_by_reason == {"answer": 2, "unknown key": 1}


def an_answer_to_nothing_is_bad_at_the_end():
    log = joined([("a", 1)], [("z", 0, 1), ("a", 2, 1)])
    events = log.events()
    assert [next(events).key, next(events).key] == ["a", "a"]
    with pytest.raises(BadRow, match="row 1, column 'id': 'z' must be the key of a question"):
        next(events)


def what_is_remembered_is_bounded():
    rows = [row(1, id="a"), row(1, id="b"), row(1, id="c"), row(1, id="b"), row(1, id="a")]
    log = read_log(rows, **KEYED, remember=2)  # when a comes again, b and c are remembered
    assert [key for _, key, _ in kinds(log)] == ["a", "b", "c", "a"]
    assert log.counts.duplicate_rows == 1
    waiting = [row(1, 9, 1, id="a"), *(row(1, id=str(i)) for i in range(9)), row(1, 9, 1, id="a")]
    log = read_log(waiting, **KEYED, remember=2)  # the answer to a is still to come
    assert log.counts == Counts()
    assert len([event for event in log if event.key == "a"]) == 2
    assert log.counts.duplicate_rows == 1


def early_answers_that_are_kept_are_bounded():
    log = joined(
        [("x", 9), ("a", 9), ("c", 9)], [("a", 1, 1), ("b", 1, 1), ("c", 1, 1)], remember=2, on_bad_rows="skip"
    )
    assert [event.key for event in log if isinstance(event, Told)] == ["c"]
    assert log.counts.bad_by_reason == {"unknown key": 2}


CHECKS = [
    repeated_rows_are_dropped,
    other_content_under_a_key_is_bad,
    repeated_answers_are_dropped_and_others_are_bad,
    an_answer_to_nothing_is_bad_at_the_end,
    what_is_remembered_is_bounded,
    early_answers_that_are_kept_are_bounded,
]


@pytest.mark.parametrize("check", CHECKS)
def test_rules_of_keys(check):
    check()


MUTANTS = [
    (repeated_rows_are_dropped, known, "            rows.tally.duplicate_rows += 1\n", "            return True\n"),
    (repeated_rows_are_dropped, known, "self._open.get(name) or self._closed.get(name)", "self._closed.get(name)"),
    (
        repeated_rows_are_dropped,
        order,
        "if not known.is_new(question, rows) or not order.accepts(question)",
        "if not order.accepts(question) or not known.is_new(question, rows)",
    ),
    (other_content_under_a_key_is_bad, known, "entry.content == question.content", "True"),
    (repeated_answers_are_dropped_and_others_are_bad, known, "before.label == answer.label", "True"),
    (repeated_answers_are_dropped_and_others_are_bad, known, "self._closed.get(name) or self._early", "self._early"),
    (an_answer_to_nothing_is_bad_at_the_end, order, "    known.refuse_strangers(telling)\n", ""),
    (what_is_remembered_is_bounded, known, "len(self._closed) > self._remember", "False"),
    (what_is_remembered_is_bounded, known, "len(self._closed) > self._remember", "len(self._closed) >= self._remember"),
    (early_answers_that_are_kept_are_bounded, known, "len(self._early) > self._remember", "False"),
]


@pytest.mark.parametrize("mutant", range(len(MUTANTS)))
def test_a_broken_rule_is_noticed(mutant, monkeypatch):
    check, module, old, new = MUTANTS[mutant]
    break_code(monkeypatch, module, old, new)
    with pytest.raises((AssertionError, BelatedError, StopIteration, pytest.fail.Exception)):
        check()


def test_keys_of_texts_and_whole_numbers_join():
    rows = [{"id": 17, "at": 1}, {"id": 18.0, "at": 1}]
    log = read_log(rows, answers=[{"id": "17", "known": 2, "y": 1}, {"id": 18, "known": 3, "y": 0}], **KEYED)
    assert list(log)[2:] == [Told(2, 17, 1.0), Told(3, 18, 0.0)]


@pytest.mark.parametrize(
    ("bad", "reason", "words"),
    [
        (row("noon", id=1), "time", "column 'at': 'noon' must be an ISO 8601 time"),
        (row(None, id=1), "time", "column 'at': None must not be missing"),
        ({"id": 1}, "time", "column 'at': None must not be missing; this row has 'id'"),
        ({f"x{n}": 1 for n in range(13)} | {"id": 1}, "time", "'x10', 'x11', ..."),
        (row(1, "noon", 1, id=1), "time", "column 'known': 'noon' must be"),
        (row(1, 2, [1], id=1), "label", r"column 'y': \[1\] must be a number, a text or a gap"),
        (row(1, 2, float("inf"), id=1), "label", "must be finite"),
        (row(1, 2, 10**400, id=1), "label", "must be finite"),
        (row(1, id=None), "key", "column 'id': None must be a text or a whole number"),
        (row(1, id=10**100), "key", "must be a text or a whole number below 1e100"),
        ({**row(1, id=1), 7: 7}, "row", r"\[7.* must be texts, as names of columns are"),
        (row(1, id=1.5), "key", "must be a text or a whole number"),
        (row(1, id=True), "key", "must be a text or a whole number"),
        (row(1, id=1, w=-1), "weight", "column 'w': -1 must be a number >= 0"),
        (row(1, id=1, w=None), "weight", "must be a number >= 0"),
        (row(1, id=1, x={}), "feature", "column 'x': {} must be a number, a text or a gap"),
        (row(1, id=1, until=0), "deadline", "column 'until': 0 must not be before the question"),
        (17, "row", "17 must be a mapping"),
    ],
)
def test_bad_rows(bad, reason, words):
    if isinstance(bad, dict) and "w" not in bad:
        bad = {**bad, "w": 1}
    arguments = {**KEYED, "weight": "w", "deadline": "until"}
    with pytest.raises(BadRow, match=words):
        list(read_log([bad], **arguments))
    good = {"at": 0, "id": "good", "w": 2, "until": 9}
    log = read_log([good, bad, {**good, "id": "more"}], **arguments, on_bad_rows="skip")
    assert [(event.key, event.weight, event.deadline) for event in log] == [("good", 2.0, 9), ("more", 2.0, 9)]
    counts = log.counts
    assert (counts.rows, counts.bad_rows, counts.bad_by_reason) == (3, 1, {reason: 1})
    assert counts.first_bad_rows[0].startswith("`read_log('<list>')`: row 2")


def test_a_bad_row_counts_nothing_else():
    log = read_log([row("2024-01-01", "2024-01-02", [])], **WIDE, on_bad_rows="skip")
    assert list(log) == []
    assert (log.counts.naive_times, log.counts.bad_rows) == (0, 1)


def test_only_the_first_bad_rows_are_kept():
    log = read_log([row(i) for i in range(9, 0, -1)], **WIDE, on_bad_rows="skip")
    assert log.counts == Counts()
    list(log)
    assert log.counts.bad_rows == 8
    assert len(log.counts.first_bad_rows) == 5
    assert json.loads(json.dumps(log.counts.to_dict()))["bad_by_reason"] == {"order": 8}


def test_counts_cannot_be_changed_and_do_not_change():
    log = read_log([row(1), row(2)], **WIDE)
    events = log.events()
    next(events)
    early = log.counts
    assert early.asked == 1
    list(events)
    assert (early.asked, log.counts.asked) == (1, 2)
    with pytest.raises(AttributeError):
        early.asked = 7
    with pytest.raises(TypeError):
        early.bad_by_reason["order"] = 7


def test_deadlines_are_a_column_or_a_time_to_wait():
    noon = "1970-01-01T12:00:00Z"
    hour = 3_600_000_000
    for wait in (3600, 3600.0, timedelta(hours=1)):
        (event,) = read_log([row(noon)], **WIDE, deadline=wait)
        assert event.deadline == event.time + hour
    assert [event.deadline for event in read_log([row(5)], **WIDE, deadline=3)] == [8]
    rows = [row(5, until=7), row(6, until=None)]
    assert [event.deadline for event in read_log(rows, **WIDE, deadline="until")] == [7, None]
    with pytest.raises(InvalidArgument, match="must be a number: this log has times without a unit"):
        list(read_log([row(5)], **WIDE, deadline=timedelta(hours=1)))


def test_an_answer_after_the_deadline_is_still_told():
    assert kinds(read_log([row(5, 90, 1)], **WIDE, deadline=3)) == [("A", 1, 5), ("T", 1, 90)]


def test_rows_of_an_iterator_can_be_read_once():
    log = read_log(iter([row(1), row(2)]), **WIDE)
    assert len(list(log)) == 2
    with pytest.raises(UsedUp, match="give a list or a file"):
        log.events()
    with pytest.raises(UsedUp):
        log.describe()
    again = read_log([row(1)], **WIDE)
    assert list(again) == list(again)


def test_the_log_is_read_as_a_stream():
    taken = []

    def endless():
        at = 0
        while True:
            taken.append(at)
            yield row(at, at + 3, 1)
            at += 1

    events = read_log(endless(), **WIDE).events()
    for number in range(1000):
        event = next(events)
        assert event.time <= number
    assert len(taken) < 510
    events.close()


def peak(path, **more):
    """The most memory that a pass over a file needs, in bytes."""
    log = read_log(path, **KEYED, remember=100, **more)
    for event in log:  # imports, and whatever else is made once
        assert event.time >= 0
    tracemalloc.start()
    try:
        for event in log:
            assert event.time >= 0
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(tmp_path):
    for rows in (500, 5000):
        lines = "".join(f"{at},{at + 9},1,key {at},word {at}\n" for at in range(rows))
        (tmp_path / f"{rows}.csv").write_text("at,known,y,id,x\n" + lines)
    assert peak(tmp_path / "5000.csv") < 1.2 * peak(tmp_path / "500.csv")
    assert peak(tmp_path / "5000.csv", sort=True) > 4 * peak(tmp_path / "500.csv", sort=True)


@pytest.mark.parametrize("value", [columns.as_value, columns.as_number])
def test_truth_values_are_numbers(value):
    assert value(True) == 1.0
