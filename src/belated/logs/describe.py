"""One pass over a log, and what is computed from the times and labels that it has met."""

import math
from array import array
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Vector
from belated.core.checks import LARGEST_ENTRY
from belated.logs.events import Asked, Key
from belated.logs.log import Log
from belated.logs.lopsided import Lopsidedness, lopsidedness
from belated.logs.summary import LEVELS, LogSummary, Whole
from belated.logs.times import TICKS

POINTS = 600
"""The largest number of points of a curve."""

MICROSECONDS = 1e6

TICK = 1000
"""After so many events somebody who watches is told."""


class Met(NamedTuple):
    """What a pass has met, each in the order of the events."""

    asked: Whole
    """The times of all questions."""
    told: Whole
    """The times of all answers."""
    delays: Whole
    labels: Vector | None
    """The labels of the answers, or None if there are none or one of them is a text."""
    never: Whole
    """The times of the questions without an answer, sorted."""


def summary_of(log: Log, labels: str | None = None, watcher: Callable[[int], object] | None = None) -> LogSummary:
    """Summarise a log in one pass; :meth:`Log.describe` is the public name.

    Args:
        log: The log.
        labels: The kind of labels that can be used, as for :meth:`Log.events`.
        watcher: Called now and then with the number of events that were read since its last call.

    Returns:
        The summary.
    """
    met = _met(log, labels, watcher or (lambda events: None))
    unit, scale = ("ticks", 1.0) if log.clock == TICKS else ("seconds", MICROSECONDS)
    first = int(met.asked[0]) if len(met.asked) else None
    last = int(max(met.asked[-1], met.told[-1] if len(met.told) else met.asked[-1])) if len(met.asked) else None
    delays = np.sort(met.delays)
    times = _grid(first, last)
    silent = np.sort(np.subtract(last or 0, met.never))
    ages, share = _share_answered(delays, silent)
    return LogSummary(
        name=log.name,
        unit=unit,
        decisions=len(met.asked),
        answered=len(met.told),
        first=first,
        last=last,
        delay_levels=np.array(LEVELS),
        delay_quantiles=_quantiles(delays) / scale,
        mean_delay=sum(delays.tolist()) / len(delays) / scale if len(delays) else None,
        times=times,
        in_flight=_by(met.asked, times) - _by(met.told, times) - _by(met.never, times),
        unanswered=_by(met.never, times),
        most_in_flight=_most_in_flight(met),
        ages=ages / scale,
        share_answered=share,
        lopsidedness=_uneven(met, silent, scale),
        counts=log.counts,
    )


def _uneven(met: Met, silent: Whole, scale: float) -> Lopsidedness | None:
    """Compare early and late labels, if there are any, all are numbers, and their squares are finite."""
    if met.labels is None or np.abs(met.labels).max() > LARGEST_ENTRY:
        return None
    return lopsidedness(met.delays / scale, met.labels, silent / scale)


def _met(log: Log, kind: str | None, watcher: Callable[[int], object]) -> Met:
    """Go through the events once and keep their times and labels, eight bytes each."""
    asked, told, delays, labels = array("q"), array("q"), array("q"), array("d")
    open_since: dict[Key, int] = {}
    never, texts = array("q"), False
    with closing(log.events(kind)) as events:
        for number, event in enumerate(events, start=1):
            if number % TICK == 0:
                watcher(TICK)
            if isinstance(event, Asked):
                asked.append(event.time)
                if event.key in open_since:  # a key that had been forgotten is asked again
                    never.append(open_since[event.key])
                open_since[event.key] = event.time
                continue
            told.append(event.time)
            delays.append(event.time - open_since.pop(event.key))
            if isinstance(event.label, str):
                texts = True
            else:
                labels.append(event.label)
    watcher((len(asked) + len(told)) % TICK)
    never.extend(open_since.values())
    known = None if texts or not labels else np.array(labels)
    return Met(_whole(asked), _whole(told), _whole(delays), known, np.sort(_whole(never)))


def _whole(values: "array[int]") -> Whole:
    return np.array(values, dtype=np.int64)


def _by(times: Whole, points: Whole) -> Whole:
    """Return how many of the sorted times are not after each point."""
    return np.searchsorted(times, points, side="right").astype(np.int64)


def _grid(first: int | None, last: int | None) -> Whole:
    """Return at most POINTS whole times from the first to the last, evenly spread, computed without rounding."""
    if first is None or last is None:
        return np.array([], dtype=np.int64)
    number = min(POINTS, last - first + 1)
    steps = max(number - 1, 1)
    return np.array([first + (last - first) * i // steps for i in range(number)], dtype=np.int64)


def _most_in_flight(met: Met) -> int:
    """Return the largest number of questions at any moment whose answers come later.

    The number grows at questions only. At a question of time t, all answers up to t to questions before t are known,
    and answers at the time of their own question are never waited for.
    """
    late = met.delays > 0
    asked, told = np.sort(met.told[late] - met.delays[late]), met.told[late]
    return int((np.arange(1, len(asked) + 1) - np.searchsorted(told, asked, side="right")).max(initial=0))


def _quantiles(delays: Whole) -> Vector:
    """Return the smallest delays that have at least each share of the delays at or below them."""
    if not len(delays):
        return np.array([], dtype=np.float64)
    places = [max(math.ceil(level * len(delays)) - 1, 0) for level in LEVELS]
    return delays[places].astype(np.float64)


def _share_answered(delays: Whole, censored: Whole) -> tuple[Vector, Vector]:
    """Return ages and the share answered by then: one minus the estimate of Kaplan and Meier.

    At an age with d answers, of n questions that were still open just before it, a share of d / n is answered. Open are
    those whose answer comes at this age or later, and those without an answer whose age at the end is at least this.
    """
    ages, answers = np.unique(delays, return_counts=True)
    open_still = (len(delays) - np.searchsorted(delays, ages)) + (len(censored) - np.searchsorted(censored, ages))
    share = 1.0 - np.cumprod(1.0 - answers / np.maximum(open_still, 1))
    if len(ages) > POINTS:
        kept = np.unique(np.arange(POINTS) * (len(ages) - 1) // (POINTS - 1))
        ages, share = ages[kept], share[kept]
    return ages.astype(np.float64), share
