"""Time of ``simulate`` against rounds, longest delay, seeds and cores: DOGD-SC at n = 10, one worker unless said.

Exponents are slopes of log time against log size, by least squares: a time a round that does not grow has exponent 0,
a total time that is proportional has exponent 1.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from belated.delays import Uniform
from belated.sim.workers import cores
from benchmarks.c_loop import CLoops
from benchmarks.effort import Effort
from benchmarks.setup import simulated
from benchmarks.timing import Spread, Work, exponent, in_turns, note, ratio, spread, wall

DIM = 10

SHORT = 5000
"""Rounds of runs that hardly take longer than no rounds at all, and are compiled if there are two seeds."""


class Scaling(NamedTuple):
    """Seconds (a round, or in all) by size, and their exponent.

    ``besides`` is what a seed takes besides its rounds, with its share of the call, where that was measured.
    """

    seconds: dict[int, Spread]
    exponent: float
    besides: float = 0.0

    @property
    def unevenness(self) -> float:
        """The largest median by the smallest: 1 is flat."""
        medians = [each.median for each in self.seconds.values()]
        return max(medians) / min(medians)

    @property
    def unevenness_of_rounds(self) -> float:
        """The same without what a seed takes besides its rounds, for sizes that are numbers of rounds."""
        medians = [each.median - self.besides / rounds for rounds, each in self.seconds.items()]
        return max(medians) / min(medians)


class Cores(NamedTuple):
    """How many times as fast all cores are as one.

    ``possible`` is the same for loops in C that know nothing of each other: what the machine had to give at the time.
    """

    number: int
    seeds: int
    rounds: int
    seconds: dict[int, Spread]
    gain: Spread
    possible: Spread | None


def scaling(seconds: Mapping[int, Spread]) -> Scaling:
    """With the exponent."""
    return Scaling(dict(seconds), exponent(list(seconds), [each.median for each in seconds.values()]))


def against_rounds(effort: Effort) -> Scaling:
    """Seconds a round; short runs are those of several seeds, since a call has some milliseconds of its own to do.

    A turn of a short run has several calls, so that it is not over while the machine is fast or slow for a moment, of
    which a long run has its share.
    """
    note(f"time a round against T, up to {max(effort.horizons):.0e}")
    most = max(effort.horizons)
    works = {T: _often(_work(T, seeds=seeds), most // 4) for T, seeds in effort.horizons.items()}
    found = _in_turns(works, effort.turns)
    seeds = effort.horizons[min(effort.horizons)]
    (taken,) = in_turns({"short": _work(SHORT, seeds=seeds)._replace(units=seeds)}, effort.repetitions).values()
    return found._replace(besides=spread(taken).median - SHORT * found.seconds[max(found.seconds)].median)


def against_delay(loops: CLoops | None, effort: Effort) -> tuple[Scaling, Scaling | None]:
    """Seconds a round, and those of the C loop, whose ring grows with the delay as well."""
    note(f"time a round against the longest delay, up to {max(effort.longest_delays):.0e}")
    delays, rounds = effort.longest_delays, effort.delay_rounds
    works = {f"{longest}": _work(rounds, longest=longest) for longest in delays}
    if loops is not None:
        for longest in delays:
            run = partial(loops.run, "dogd-sc", DIM, rounds, longest=longest)
            works[f"C, {longest}"] = Work(run, rounds)
    taken = in_turns(works, effort.turns)
    in_c = None if loops is None else scaling({longest: spread(taken[f"C, {longest}"]) for longest in delays})
    return scaling({longest: spread(taken[f"{longest}"]) for longest in delays}), in_c


def against_seeds(effort: Effort) -> Scaling:
    """Seconds in all."""
    note(f"time against seeds, up to {max(effort.seeds)}")
    works = {seeds: _work(effort.seed_rounds, seeds=seeds)._replace(units=1) for seeds in effort.seeds}
    return _in_turns(works, effort.turns)


def against_cores(loops: CLoops | None, effort: Effort) -> Cores:
    """Seconds in all."""
    number = cores()
    note(f"{number} cores against one")
    workers = {1: 1, number: number}
    works = {f"{k}": _work(effort.seed_rounds, seeds=effort.core_seeds, workers=k) for k in workers}
    if loops is not None:
        works |= {f"C, {k}": _c_work(loops, effort, k) for k in workers}
    taken = in_turns(works, effort.repetitions, wall)
    units = effort.seed_rounds * effort.core_seeds
    seconds = {k: spread([each * units for each in taken[f"{k}"]]) for k in workers}
    gain = ratio(taken["1"], taken[f"{number}"])
    possible = None if loops is None else ratio(taken["C, 1"], taken[f"C, {number}"])
    return Cores(number, effort.core_seeds, effort.seed_rounds, seconds, gain, possible)


def _c_work(loops: CLoops, effort: Effort, threads: int) -> Work:
    def run() -> None:
        with ThreadPoolExecutor(threads) as pool:
            for seed in range(effort.core_seeds):
                pool.submit(loops.run, "dogd-sc", DIM, effort.seed_rounds, seed)

    return Work(run, effort.seed_rounds * effort.core_seeds)


def _work(rounds: int, *, seeds: int = 1, longest: int | None = None, workers: int = 1) -> Work:
    delays = None if longest is None else Uniform(1, longest)

    def run() -> None:
        simulated("dogd-sc", DIM, rounds, seeds=seeds, delays=delays, workers=workers)

    return Work(run, rounds * seeds)


def _often(work: Work, units: int) -> Work:
    """The same, again and again until so many units are done."""
    calls = max(1, units // work.units)

    def run() -> None:
        for _ in range(calls):
            work.run()

    return Work(run, work.units * calls)


def _in_turns(works: Mapping[int, Work], turns: int) -> Scaling:
    taken = in_turns({str(size): work for size, work in works.items()}, turns)
    return scaling({size: spread(taken[str(size)]) for size in works})
