"""Runs in turns, and the spread of what they took.

A shared machine is fast for a second and slow for the next. Contenders therefore take turns, A B C A B C, and ratios
are those of neighbours: what disturbs one of them is likely to disturb the other as well. Medians and quartiles are
given, never the best of many.

Seconds are those of the processor, summed over the threads of this process. Where there is one worker that is what the
clock on the wall shows on an idle machine, and what others do on a busy one hardly changes it. The wall's clock is used
where the point is to do several things at once, and for processes of their own.
"""

import gc
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

Clock = Callable[[], float]

processor: Clock = time.process_time
wall: Clock = time.perf_counter


class Spread(NamedTuple):
    """The median of several measurements, and the quartiles on both sides."""

    median: float
    low: float
    high: float


class Work(NamedTuple):
    """Something to time, and how many units (rounds, for the most part) of it one call does."""

    run: Callable[[], object]
    units: int


def note(text: str) -> None:
    """Tell whoever waits what is being measured."""
    sys.stderr.write(f"  {text}\n")
    sys.stderr.flush()


def seconds_of(run: Callable[[], object], clock: Clock = processor) -> float:
    """How long one call takes, with no collection of garbage during it that earlier work is to blame for."""
    gc.collect()
    start = clock()
    run()
    return clock() - start


def in_turns(contenders: Mapping[str, Work], repetitions: int, clock: Clock = processor) -> dict[str, list[float]]:
    """Seconds a unit of each contender, at each of its turns."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repetitions):
        for name, work in contenders.items():
            taken[name].append(seconds_of(work.run, clock) / work.units)
    return taken


def sized(run: Callable[[int], object], least: int, seconds: float) -> Work:
    """``run`` with as many units as take about ``seconds``, but not fewer than ``least``.

    The first call, which may compile something, is not looked at.
    """
    run(least)
    units = least
    while (taken := seconds_of(partial(run, units))) < seconds / 2:
        # A short run is mostly its beginning and end, so that what a round takes is not yet known.
        units = round(units * min(4.0, seconds / taken))
    units = max(least, round(units * seconds / taken))
    return Work(partial(run, units), units)


def spread(samples: Sequence[float]) -> Spread:
    """Their median and quartiles."""
    low, median, high = np.percentile(samples, [25, 50, 75])
    return Spread(float(median), float(low), float(high))


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Spread:
    """The spread of the ratios of neighbours."""
    return spread([one / other for one, other in zip(numerators, denominators, strict=True)])


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The slope of log time against log size, by least squares: 0 is flat, 1 is proportional."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
