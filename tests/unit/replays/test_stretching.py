"""Logs whose delays are multiplied, compared with a plain sort of all events."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.logs import Asked, Told, read_log
from belated.replays import stretching
from belated.replays.stretching import held, stretched
from support.late_logs import break_replays, late_log

ROWS = st.lists(
    st.tuples(st.integers(0, 12), st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)), max_size=25
)
FACTORS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 3.0, 0.1])


def made(rows):
    """A log of rows (time, delay or None, time to the deadline or None)."""
    found = [
        {
            "at": at,
            "known": None if delay is None else at + delay,
            "y": place % 2,
            "end": None if wait is None else at + wait,
        }
        for place, (at, delay, wait) in enumerate(sorted(rows, key=lambda row: row[0]))
    ]
    return read_log(found, decided_at="at", answered_at="known", label="y", deadline="end", sort=True)


def longer(length, factor):
    """A length times a factor, rounded by the definition: halves up, in fractions."""
    exact = Fraction(factor) * length
    return exact.numerator // exact.denominator + (exact - exact.numerator // exact.denominator >= Fraction(1, 2))


def plainly(log, factor):
    """All events in a list, sorted once: the naive twin."""
    asked, place_of, found = {}, {}, []
    for event in log.events():
        if isinstance(event, Asked):
            asked[event.key] = event
            place_of[event.key] = number = len(place_of) + 1
            end = None if event.deadline is None else event.time + longer(max(event.deadline - event.time, 0), factor)
            found.append(((event.time, 1, number, 0), event._replace(key=number, deadline=end)))
        else:
            question, number = asked[event.key], place_of[event.key]
            time = question.time + longer(event.time - question.time, factor)
            if question.deadline is not None and event.time > max(question.deadline, question.time):
                end = question.time + longer(max(question.deadline - question.time, 0), factor)
                time = max(time, end + 1)
            order = (time, 0, len(found), 0) if time > question.time else (time, 1, number, 1)
            found.append((order, Told(time, number, event.label)))
    return [event for _, event in sorted(found, key=lambda pair: pair[0])]


@given(ROWS, FACTORS)
def test_events_are_those_of_a_plain_sort(rows, factor):
    log = made(rows)
    assert list(stretched(held(log), factor)) == plainly(log, factor)


@given(ROWS)
def test_a_factor_of_one_changes_nothing(rows):
    log = made(rows)
    numbers = {event.key: number for number, event in enumerate((e for e in log if isinstance(e, Asked)), start=1)}
    same = [event._replace(key=numbers[event.key]) for event in log]
    clamped = [
        event._replace(deadline=max(event.deadline, event.time))
        if isinstance(event, Asked) and event.deadline is not None
        else event
        for event in same
    ]
    assert list(stretched(held(log), 1.0)) == clamped


def the_order_is_right():
    rows = [(0, 4, None), (0, 4, 2), (1, 3, 3), (2, 1, 0), (4, 0, None), (4, 2, 1)]
    for factor in (0.0, 0.1, 0.25, 0.5, 1.0, 2.0):
        assert list(stretched(held(made(rows)), factor)) == plainly(made(rows), factor)


def test_the_order_by_an_example():
    the_order_is_right()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("owed[0][0] <= asked", "owed[0][0] < asked"),
        ("max(time, deadline + 1)", "time"),
        ("(2 * delay * top + bottom) // (2 * bottom)", "delay * top // bottom"),
        ("asked + _times(last - asked, top, bottom)", "last"),
        ("(time, answer.place, told)", "(time, -answer.place, told)"),
    ],
)
def test_a_broken_order_is_noticed(old, new, monkeypatch):
    break_replays(monkeypatch, stretching, old, new)
    monkeypatch.setitem(globals(), "stretched", stretching.stretched)
    with pytest.raises(AssertionError):
        the_order_is_right()


def test_at_once_means_right_after_the_question():
    events = list(stretched(held(late_log(60)), 0.0))
    for before, event in pairwise(events):
        if isinstance(event, Told):
            assert isinstance(before, Asked)
            assert (before.key, before.time) == (event.key, event.time)


def test_a_key_that_is_asked_again_is_another_question():
    rows = [{"id": key, "at": i, "known": i + 1, "y": 1} for i, key in enumerate("abca")]
    log = read_log(rows, decided_at="at", answered_at="known", label="y", key="id", remember=1)
    assert [event.key for event in stretched(held(log), 9.0)] == [1, 2, 3, 4, 1, 2, 3, 4]
