"""The flights of 2013: facts of the table, and flights whose times were worked out by hand."""

from datetime import UTC, datetime

import numpy as np
import pytest

from belated.core.early_labels import early_labels
from belated.core.errors import InvalidArgument
from belated.logs import Asked, Told, flights, flights_log, read_log
from belated.logs.lopsided import lopsidedness

MINUTE = 60_000_000


@pytest.fixture(scope="module")
def events():
    """All events, with the most that can be asked for: weather, minutes and deadlines."""
    return list(flights("C", "minutes", deadline=True))


@pytest.fixture(scope="module")
def asked(events):
    return {event.key: event for event in events if isinstance(event, Asked)}


@pytest.fixture(scope="module")
def told(events):
    return {event.key: event for event in events if isinstance(event, Told)}


def test_how_many_there_are(asked, told):
    assert len(asked) == 336_776
    assert len(asked) - len(told) == 9_430
    assert set(asked) == set(range(336_776))


def test_no_answer_comes_before_its_flight_can_have_arrived(asked, told):
    """The shortest, EV 4583 of 14 August to Hartford, was there 18 minutes after its schedule began: it left early."""
    waits = [(answer.time - asked[key].time) // MINUTE for key, answer in told.items()]
    assert min(waits) == 18
    assert max(waits) == 1962


def test_events_are_in_order(events):
    times = [event.time for event in events]
    assert times == sorted(times)


def test_rates_of_late_flights(told):
    assert sum(answer.label > 15 for answer in told.values()) == 77_630


def test_late_flights_arrive_later_and_early_labels_do_not_mislead(asked, told):
    ages = np.array([(event.time - asked[event.key].time) / 1e6 for event in told.values()])
    minutes = np.array([event.label for event in told.values()])
    for labels, bias in ((minutes > flights_log.LATE).astype(float), -0.37), (minutes, -0.34):
        found = lopsidedness(ages, labels, np.full(len(asked) - len(told), 1e9))
        assert found.strength > 0.3
        assert found.bias == pytest.approx(bias, abs=0.005)
        assert not found.misleading


@pytest.mark.parametrize("of_minutes", [False, True])
@pytest.mark.parametrize("deadlines", [False, True])
def test_no_thousand_answers_in_a_row_mislead_a_run(asked, told, of_minutes, deadlines):
    """Neither do they in storms, nor where a run learns at the deadline that a flight is late."""
    rows = []
    for key, question in asked.items():
        answer, until = told.get(key), max(question.deadline, question.time)
        if answer is not None and not (deadlines and answer.time > until):
            label = answer.label if of_minutes else float(answer.label > flights_log.LATE)
            rows.append((answer.time, answer.time - question.time, label))
        elif deadlines:
            rows.append((until, until - question.time, 0.0 if of_minutes else 1.0))
    rows.sort()
    ages, labels = np.array([row[1:] for row in rows], dtype=float).T
    for number in (200, 1000):
        for first in range(0, len(ages) - number, 1000):
            recent = slice(first, first + number)
            assert not early_labels(ages[recent], labels[recent]).lopsided


def instant(text):
    return round(datetime.fromisoformat(text).astimezone(UTC).timestamp()) * 1_000_000


BY_HAND = [
    # origin, destination, carrier, departure with offset, arrival with the offset of the destination
    ("EWR", "IAH", "UA", "2013-01-01T05:15-05:00", "2013-01-01T08:30-06:00", "the first in the table"),
    ("JFK", "HNL", "HA", "2013-01-01T09:00-05:00", "2013-01-01T15:16-10:00", "ten hours to the west"),
    ("JFK", "LAX", "AA", "2013-03-09T21:35-05:00", "2013-03-10T00:51-08:00", "overnight, before the change"),
    (
        "JFK",
        "SJU",
        "B6",
        "2013-03-09T23:15-05:00",
        "2013-03-10T04:06-04:00",
        "overnight, to an island without a change",
    ),
    ("EWR", "CLT", "US", "2013-03-10T05:00-04:00", "2013-03-10T06:28-04:00", "the first of the new time"),
    ("JFK", "SJU", "B6", "2013-11-02T23:59-04:00", "2013-11-03T03:50-04:00", "the night in which summer time ends"),
    ("JFK", "LAX", "AA", "2013-11-02T21:40-04:00", "2013-11-03T00:43-07:00", "that night, before the change"),
    ("EWR", "IAH", "UA", "2013-11-03T05:20-05:00", "2013-11-03T07:51-06:00", "the first of the old time"),
]


@pytest.mark.parametrize("flight", BY_HAND, ids=lambda flight: flight[-1])
def test_flights_by_hand(flight, asked, told):
    origin, dest, carrier, departure, arrival, _ = flight
    wanted, time = {"origin": origin, "dest": dest, "carrier": carrier}, instant(departure)
    found = [key for key, event in asked.items() if event.time == time and wanted.items() <= event.example.items()]
    assert instant(arrival) in [told[key].time for key in found if key in told]


def test_the_first_flight(asked, told):
    first = asked[0]
    categories = {"origin": "EWR", "dest": "IAH", "carrier": "UA", "hour": "5", "weekday": "1", "month": "1"}
    weather = {"temp": 39.02, "dewp": 28.04, "humid": 64.43, "wind_gust": None, "precip": 0.0}
    assert (categories | weather).items() <= first.example.items()
    assert set(first.example) == set(flights_log.CATEGORIES + flights_log.WEATHER)
    assert told[0] == (instant("2013-01-01T08:30-06:00"), 0, 11.0)
    assert first.deadline == instant("2013-01-01T08:34-06:00")


def test_every_flight_has_a_deadline_so_that_none_is_betrayed_by_it(asked):
    assert all(event.deadline is not None for event in asked.values())


def test_other_features_and_labels(asked):
    log = read_log("flights")
    pass_ = log.events()
    for event in pass_:
        if isinstance(event, Told):
            assert event.label in (0.0, 1.0)
            break
        assert event.deadline is None
        assert event.example == {name: asked[event.key].example[name] for name in flights_log.CATEGORIES}
    pass_.close()
    assert repr(log) == "Log('flights')"
    assert log.clock == "calendar"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"features": "D"}, "`flights(features='D')`: must be one of 'A', 'B', 'C'"),
        ({"label": "hours"}, "`flights(label='hours')`: must be 'late' or 'minutes'"),
        ({"deadline": 15}, "`flights(deadline=15)`: must be True, False or None"),
    ],
)
def test_arguments(arguments, words):
    with pytest.raises(InvalidArgument) as caught:
        flights(**arguments)
    assert words in str(caught.value)
    with pytest.raises(InvalidArgument) as caught:
        read_log("flights", **arguments)
    assert words in str(caught.value)
    with pytest.raises(InvalidArgument, match="takes the arguments features, label and deadline only"):
        read_log("flights", zone="Europe/Berlin")


def test_a_missing_package_is_named_with_the_words_to_type(monkeypatch):
    monkeypatch.setattr(flights_log, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'belated\[flights\]'$"):
        flights_log.files()
