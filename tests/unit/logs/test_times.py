"""Times become exact whole numbers, by rules that are stated."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.errors import InvalidArgument
from belated.logs import times
from belated.logs.counts import Tally
from belated.logs.times import Times, UnreadableTime, zone_named
from support.plain_log import break_code

BERLIN = ZoneInfo("Europe/Berlin")


def read(value, unit=None, zone=UTC):
    return times.Times(unit, zone, Tally()).read(value)


def at(*fields, tz=UTC):
    return round(Fraction(datetime(*fields, tzinfo=tz).timestamp()) * 10**6)


@given(st.datetimes(min_value=datetime(1900, 1, 1), timezones=st.just(UTC)), st.integers(-1439, 1439))
def test_an_offset_does_not_change_the_moment(moment, minutes):
    moved = moment.astimezone(timezone(timedelta(minutes=minutes)))
    expected = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert read(moment) == read(moved) == read(moved.isoformat()) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2013-03-10T17:00:00Z", at(2013, 3, 10, 17)),
        ("2013-03-10T17:00:00.000001+01:00", at(2013, 3, 10, 16) + 1),
        ("2013-03-10 17:00", at(2013, 3, 10, 17)),
        ("2013-03-10", at(2013, 3, 10)),
        ("1969-12-31T23:59:59.999999Z", -1),
    ],
)
def test_texts(text, expected):
    assert read(text) == expected


def summer_time_begins():
    """Between 02:00 and 03:00 there is no time: 02:30 has the offset from before, one hour."""
    assert read("2024-03-31T02:30", zone=BERLIN) == at(2024, 3, 31, 1, 30)
    assert read("2024-03-31T01:30", zone=BERLIN) == at(2024, 3, 31, 0, 30)
    assert read("2024-03-31T03:30", zone=BERLIN) == at(2024, 3, 31, 1, 30)


def summer_time_ends():
    """The hour from 02:00 comes twice: the first is meant, unless a datetime says otherwise."""
    assert read("2024-10-27T02:30", zone=BERLIN) == at(2024, 10, 27, 0, 30)
    assert read(datetime(2024, 10, 27, 2, 30, fold=1), zone=BERLIN) == at(2024, 10, 27, 1, 30)
    assert read(datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=1)) == at(2024, 10, 27, 1, 30)


@pytest.mark.parametrize("check", [summer_time_begins, summer_time_ends])
def test_nights_in_which_the_clock_is_changed(check):
    check()


MUTANTS = [
    (summer_time_begins, "moment.replace(tzinfo=zone)", "moment.replace(tzinfo=zone, fold=1)"),
    (summer_time_ends, "moment.replace(tzinfo=zone)", "moment.replace(tzinfo=zone, fold=0)"),
    (summer_time_ends, "microseconds(_plain(moment, self._zone))", "microseconds(_plain(moment, UTC))"),
]


@pytest.mark.parametrize("mutant", range(len(MUTANTS)))
def test_a_broken_rule_is_noticed(mutant, monkeypatch):
    check, old, new = MUTANTS[mutant]
    break_code(monkeypatch, times, old, new)
    with pytest.raises(AssertionError):
        check()


def test_times_without_an_offset_are_counted():
    tally = Tally()
    reader = Times(None, BERLIN, tally)
    for value in ("2024-01-01", "2024-01-01T00:00Z", datetime(2024, 1, 1), date(2024, 1, 1)):
        reader.read(value)
    assert tally.naive_times == 3


@given(st.integers(-(10**12), 10**12), st.sampled_from(["s", "ms", "us", "ns"]))
def test_whole_numbers_are_exact(number, unit):
    scale = {"s": Fraction(10**6), "ms": Fraction(1000), "us": Fraction(1), "ns": Fraction(1, 1000)}[unit]
    assert read(number, unit) == read(str(number), unit) == read(Decimal(number), unit) == round(number * scale)


@given(st.floats(-1e9, 1e9))
def test_fractions_of_a_second_are_rounded_once(number):
    assert read(number, "s") == round(Fraction(number) * 10**6)
    assert read(f"{number:.12f}", "s") == round(Fraction(f"{number:.12f}") * 10**6)


@given(st.integers(1 - 2**62, 2**62 - 1))
def test_numbers_without_a_unit_are_kept(number):
    assert read(number) == read(str(number)) == number


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.5, "whole number"),
        ("1.5", "whole number"),
        ("tomorrow", "ISO 8601"),
        ("2013-13-01", "ISO 8601"),
        (True, "ISO 8601"),
        ([], "ISO 8601"),
        (2**62, "at most"),
        (-(2**62), "at most"),
        (float("inf"), "finite"),
        ("1e999999999", "at most"),
        ("9" * 5000, "at most"),
    ],
)
def test_what_is_no_time_is_refused(value, words):
    with pytest.raises(UnreadableTime, match=words):
        read(value)


@pytest.mark.parametrize("zone", [BERLIN, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Honolulu")])
def test_the_first_and_the_last_moment_of_the_calendar_have_numbers(zone):
    assert read(datetime.min, zone=zone) < read(datetime.min + timedelta(days=2)) < 0
    assert read(datetime.max, zone=zone) > read(datetime.max - timedelta(days=2)) > 0


def test_two_clocks_do_not_mix():
    for first, second in ((17, "2024-01-01"), ("2024-01-01", 17)):
        reader = Times(None, UTC, Tally())
        reader.read(first)
        with pytest.raises(UnreadableTime, match="clock"):
            reader.read(second)
    reader = Times("s", UTC, Tally())
    assert reader.read(0) == reader.read("1970-01-01")


def test_times_of_pandas_and_numpy():
    moment = pd.Timestamp("2024-10-27T01:30:00.123456789", tz="UTC").tz_convert("Europe/Berlin")
    assert read(moment) == at(2024, 10, 27, 1, 30) + 123456  # in the second of two hours
    assert read(pd.Timestamp("2024-03-31T02:30"), zone=BERLIN) == at(2024, 3, 31, 1, 30)
    assert read(np.datetime64("2024-01-01T00:00:01").astype("datetime64[us]").item()) == at(2024, 1, 1, 0, 0, 1)


@pytest.mark.parametrize("name", ["Nowhere/Land", "", "Europe", "/etc/passwd", 7])
def test_a_zone_must_be_known(name):
    with pytest.raises(InvalidArgument, match="IANA") as caught:
        zone_named("read_log", name)
    assert caught.value.argument == "zone"
    assert zone_named("read_log", None) is UTC
