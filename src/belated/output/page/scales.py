"""Axes: where they begin and end, which marks they have, and how numbers along them are written.

``scales.js`` does the same for a part that somebody looks at more closely; a test holds the two against each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

SECOND, DAY = 1000.0, 86_400_000.0
"""In milliseconds, the unit of dates."""

MOMENTS = tuple(
    SECOND * each
    for each in (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 1_209_600)
)
"""Distances of dates along an axis, up to two weeks; beyond, they are counted in months."""

MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000)

SPANS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800)
"""Distances of marks along an axis of lengths of time, in seconds; beyond, they are 1, 2 or 5 times 10^k days."""

KNOWN_SPANS = (1, 10, 60, 600, 3600, 21_600, 86_400, 604_800, 2_592_000, 31_536_000)
"""Lengths of time that people know, for the marks of a logarithmic axis."""

MORE_SPANS = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 604_800)
"""The same where there is more room."""

UNITS = ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"))

ROOM = 0.04
"""How much of its length an axis goes on beyond the numbers."""


class Scale(NamedTuple):
    """One axis of a drawing: linear or logarithmic, and from where to where."""

    log: bool
    low: float
    high: float

    def share(self, value: float) -> float:
        """How far along the axis a value is, from 0 at its beginning to 1 at its end."""
        low, high, here = (math.log10(each) if self.log else each for each in (self.low, self.high, value))
        return (here - low) / (high - low)


def log_allowed(series: Iterable[Sequence[float]]) -> bool:
    """Whether a logarithmic scale shows these numbers: nearly all, and the last of each, are above 0, over a decade.

    >>> log_allowed([[0.0, *range(1, 30)]]), log_allowed([[1.0, 2.0]]), log_allowed([[10.0, 1.0, -1.0]])
    (True, False, False)
    """
    tables = [[each for each in values if math.isfinite(each)] for values in series]
    every = [each for values in tables for each in values]
    above = [each for each in every if each > 0.0]
    if not above or len(above) < 0.9 * len(every) or any(values and values[-1] <= 0.0 for values in tables):
        return False
    return max(above) >= 10.0 * min(above)


def linear_scale(values: Iterable[float], *, padded: bool, from_zero: bool = False) -> Scale:
    """The linear scale of some numbers; with ``padded`` it goes a little beyond them, and from 0 if that is near."""
    known = [each for each in values if math.isfinite(each)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if padded and (from_zero or 0.0 < low < 0.5 * high):
        low = min(low, 0.0)
    if high <= low:
        half = 0.5 * abs(low) or 0.5
        return Scale(False, low - half, low + half)
    if not padded:
        return Scale(False, low, high)
    room = ROOM * (high - low)
    return Scale(False, low if low == 0.0 else low - room, high + room)


def log_scale(values: Iterable[float], *, padded: bool) -> Scale:
    """The logarithmic scale of those of the numbers that are above 0."""
    known = [each for each in values if math.isfinite(each) and each > 0.0]
    low, high = min(known), max(known)
    if not padded:
        return Scale(True, low, high)
    room = (high / low) ** ROOM
    return Scale(True, low / room, high * room)


def ticks(scale: Scale, kind: str, most: int) -> list[float]:
    """Where marks stand along an axis, at most about so many, in ascending order.

    >>> ticks(Scale(False, 0.0, 1000.0), "number", 5)
    [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]
    >>> ticks(Scale(True, 0.5, 70.0), "number", 6)
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    """
    low, high = scale.low, scale.high
    if scale.log and high >= 8.0 * low:
        return _log_ticks(low, high, kind, most)
    rough = (high - low) / most
    if kind == "date" and rough > MOMENTS[-1]:
        return _months(low, high, rough)
    step = _step(rough, kind)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def _log_ticks(low: float, high: float, kind: str, most: int) -> list[float]:
    """Marks of a logarithmic axis: lengths that people know, or powers of ten, between which 2 and 5 may stand."""
    if kind == "span":
        for known in (MORE_SPANS, KNOWN_SPANS):
            inside = [float(each) for each in known if low <= each <= high]
            if high <= known[-1] and 1 < len(inside) <= most + 1:
                return inside
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = max(1, math.ceil((last - first) / most))
    heads = (1, 2, 5) if high < 150.0 * low else (1,)
    powers = range(first, last + 1)
    found = [float(f"{head}e{power}") for power in powers if power % every == 0 for head in heads]
    return [each for each in found if low * (1 - 1e-9) <= each <= high * (1 + 1e-9)]


def _step(rough: float, kind: str) -> float:
    """A round distance of at least so much."""
    listed = {"date": MOMENTS, "span": tuple(map(float, SPANS))}.get(kind, ())
    for each in listed:
        if each >= rough and rough > listed[0] / 2:
            return each
    unit = 86_400.0 if kind == "span" and rough > 1.0 else 1.0
    power = 10.0 ** math.floor(math.log10(rough / unit))
    return unit * next(head * power for head in (1.0, 2.0, 5.0, 10.0) if head * power * unit >= rough * (1 - 1e-9))


def _months(low: float, high: float, rough: float) -> list[float]:
    """The first days of months, so many of them apart that there is room for their names."""
    step = next((each for each in MONTHS if each * 30.44 * DAY >= rough), MONTHS[-1])
    ends = np.array([low, high]).astype("datetime64[ms]").astype("datetime64[M]").astype(np.int64).tolist()
    months = np.arange(-(-ends[0] // step) * step, ends[1] + 1, step)
    found = months.astype("datetime64[M]").astype("datetime64[ms]").astype(np.int64).tolist()
    return [float(each) for each in found if low <= each <= high]


def tick_text(value: float, kind: str, step: float) -> str:
    """What stands at a mark, where there is little room; ``step`` is the distance of the marks, for dates.

    >>> tick_text(50_000, "number", 1e4), tick_text(5400, "span", 1.0), tick_text(86_400_000.0, "date", DAY)
    ('50k', '1.5 h', '1970-01-02')
    """
    if kind == "span":
        return span_text(value)
    if kind == "date":
        stamp = str(np.datetime64(round(value), "ms"))
        return stamp[:-16] if step > MOMENTS[-1] else stamp[:-13] if step >= DAY else stamp[-18:-7].replace("T", " ")
    for least, unit, letter in ((1e9, 1.0, ""), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= least * (1 - 1e-9):
            return f"{_plain(value / unit, 9)}{letter}"
    return _plain(value, 9)


def span_text(seconds: float) -> str:
    """A length of time in three digits.

    >>> span_text(0), span_text(45), span_text(5400), span_text(400_000)
    ('0 s', '45 s', '1.5 h', '4.63 d')
    """
    for size, name in UNITS:
        if abs(seconds) >= size * (2.0 if name == "d" else 1.0):
            return f"{_plain(seconds / size, 3)} {name}"
    return f"{_plain(seconds, 3)} s"


def read_text(value: float, kind: str = "number") -> str:
    """A number as it is read out beside a picture: in five digits, or whole, or a moment, or a length of time.

    >>> read_text(180_534.7), read_text(180_534), read_text(1.5e9, "date"), read_text(float("nan"))
    ('180,530', '180,534', '1970-01-18 08:40', '-')
    >>> read_text(8944.271909999159)
    '8,944.3'
    """
    if not math.isfinite(value):
        return "-"
    if kind == "span":
        return span_text(value)
    if kind == "date":
        return str(np.datetime64(round(value), "ms"))[:-7].replace("T", " ")
    if value == round(value) and abs(value) < 1e12:
        return f"{round(value):,}"
    return _plain(value, 5, grouped=True)


def _plain(value: float, digits: int, grouped: bool = False) -> str:
    """So many digits that count, without zeros at the end; with an exponent where the number is tiny or huge."""
    short = float(f"{value:.{digits}g}")
    if short != 0.0 and not 1e-5 <= abs(short) < 1e12:
        head, _, power = f"{short:.{digits - 1}e}".partition("e")
        return f"{float(head):g}e{int(power)}"
    exact = Decimal(
        repr(short)
    )  # as it is written, and not the nearest binary number, which is 8944.29999... for 8944.3
    text = f"{exact:,.12f}" if grouped else f"{exact:.12f}"
    return text.rstrip("0").rstrip(".")
