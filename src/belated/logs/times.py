"""Times of a log become whole numbers: microseconds since 1970 UTC, or the numbers of the log as they are.

A log is on one of two clocks. On the *calendar* are ISO 8601 texts, datetimes, and numbers whose ``unit`` is given. A
number without a unit is a *tick* of an unknown clock and kept as it is. The first time of a pass decides, and a time of
the other kind is refused afterwards, because the two cannot be compared.

A time without an offset is read in a zone, by the rule of :mod:`zoneinfo`. A time that the clock shows twice, in the
night in which summer time ends, is the first of the two, unless a datetime says ``fold=1``. A time that the clock
skips, in the night in which summer time begins, has the offset from before: 02:30 is then shown as 03:30.
"""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from belated.core.checks import MOST, refuse, shown
from belated.logs.counts import Tally

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A text that spells a number: digits, with a point and an exponent if need be, and nothing around them."""

UNITS = {"s": Fraction(10**6), "ms": Fraction(10**3), "us": Fraction(1), "ns": Fraction(1, 10**3)}
"""The microseconds in each unit of time."""

MOST_DIGITS = 400
"""Texts of more digits than this, and exponents beyond it, are no times; they would take long to compute."""

CALENDAR, TICKS = "calendar", "ticks"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY, _SECOND = 86_400_000_000, 1_000_000
_EXAMPLES = "an ISO 8601 time such as '2013-03-10T17:00:00Z', or a number"


class UnreadableTime(Exception):
    """A value that is no time; the text says what is allowed. It never leaves the room."""


def zone_named(where: str, name: str | None) -> tzinfo:
    """Return the zone of an IANA name, or UTC for None; raise InvalidArgument if there is no such zone."""
    if name is None:
        return UTC
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, TypeError, AttributeError, OSError):  # unknown, no name, or a folder of zones
        refuse(where, "zone", name, "must be the IANA name of a time zone, such as 'Europe/Berlin'")


def microseconds(moment: datetime) -> int:
    """Return the exact number of microseconds from 1970 UTC to a moment that has an offset."""
    since = moment - _EPOCH
    return since.days * _DAY + since.seconds * _SECOND + since.microseconds


class Times:
    """The reader of times of one pass, which notices when a log mixes two clocks."""

    def __init__(self, unit: str | None, zone: tzinfo, tally: Tally) -> None:
        self._scale = None if unit is None else UNITS[unit]
        self._in_microseconds = self._scale == 1
        self._zone = zone
        self._tally = tally
        self.clock: str | None = None
        """``"calendar"`` or ``"ticks"``, known from the first time on."""

    def read(self, value: Any) -> int:
        """Return the time that a cell holds; raise UnreadableTime if it holds none. Gaps are the caller's business."""
        if isinstance(value, int) and not isinstance(value, bool):
            return self._number(value)
        if isinstance(value, str):
            if NUMBER.fullmatch(value):
                return self._number(_exact(value))
            return self._moment(_parsed(value))
        if isinstance(value, datetime):
            return self._moment(value)
        if isinstance(value, date):
            return self._moment(datetime(value.year, value.month, value.day))
        if isinstance(value, (float, Decimal)):
            return self._number(_exact(value))
        raise UnreadableTime(f"must be {_EXAMPLES}")

    def span(self, value: float | timedelta) -> int:
        """Return a length of time on this log's clock; ``value`` is in seconds on the calendar and otherwise in ticks.

        Raises:
            UnreadableTime: A timedelta for a clock whose ticks have no known length.
        """
        if isinstance(value, timedelta):
            if self.clock == TICKS:
                raise UnreadableTime("must be a number: this log has times without a unit")
            return value // timedelta(microseconds=1)
        return round(Fraction(value) * (1 if self.clock == TICKS else _SECOND))

    def _number(self, value: int | Fraction) -> int:
        if self._scale is not None:
            self._expect(CALENDAR)
            if self._in_microseconds and isinstance(value, int):
                return _within(value)
            return _within(round(value * self._scale))
        self._expect(TICKS)
        if value != (whole := round(value)):
            raise UnreadableTime("must be a whole number; name the unit of times with fractions, such as unit='s'")
        return _within(whole)

    def _moment(self, moment: datetime) -> int:
        self._expect(CALENDAR)
        if moment.utcoffset() is not None:
            return microseconds(_plain(moment, moment.tzinfo))
        self._tally.naive_times += 1
        return microseconds(_plain(moment, self._zone))

    def _expect(self, clock: str) -> None:
        if self.clock is None:
            self.clock = clock
        elif self.clock != clock:
            first = "numbers without a unit" if self.clock == TICKS else "times of the calendar"
            raise UnreadableTime(
                f"must be on the clock of the times before, which are {first}; name a unit to mix them"
            )


def _plain(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return the moment in a zone, and without what a subclass such as that of pandas adds to it."""
    if type(moment) is datetime:
        return moment.replace(tzinfo=zone)
    return datetime(
        moment.year,
        moment.month,
        moment.day,
        moment.hour,
        moment.minute,
        moment.second,
        moment.microsecond,
        tzinfo=zone,
        fold=moment.fold,
    )


def _parsed(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise UnreadableTime(f"must be {_EXAMPLES}") from None


def _exact(value: str | float | Decimal) -> int | Fraction:
    """Return the exact value of a number, or raise UnreadableTime if it is not finite or has absurdly many digits."""
    if isinstance(value, str):
        digits, _, exponent = value.lower().partition("e")
        if len(value) > MOST_DIGITS or (exponent and abs(int(exponent)) > MOST_DIGITS):
            raise UnreadableTime(f"must be a number of size at most {shown(MOST)}")
        return int(value) if not exponent and "." not in digits else Fraction(value)
    try:
        return Fraction(value)
    except (OverflowError, ValueError):
        raise UnreadableTime("must be finite") from None


def _within(value: int) -> int:
    if not -MOST < value < MOST:  # so that the time between any two fits into 64 bits
        raise UnreadableTime(f"must be at most {MOST - 1} microseconds, or ticks, away from 0")
    return value
