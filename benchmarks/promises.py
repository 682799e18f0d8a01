"""What we aim at, and whether it was reached in this run. Nothing fails here: machines differ, and aims are high."""

from typing import NamedTuple

from benchmarks.loops import NUMPY, C, Speed
from benchmarks.players import ANONYMOUS, BEFORE, BURST, PlayerSpeed
from benchmarks.scaling import Cores, Scaling
from benchmarks.starts import Starts
from benchmarks.timing import Spread


class Findings(NamedTuple):
    """All that was measured. ``costs`` are those of a played point, in rounds of DOGD-SC; ``peaks`` are megabytes."""

    dimensions: list[Speed]
    learners: list[Speed]
    costs: dict[str, Spread]
    players: PlayerSpeed
    rounds: Scaling
    dims: Scaling
    delay: Scaling
    delay_in_c: Scaling | None
    seeds: Scaling
    cores: Cores
    peaks: dict[int, float]
    starts: Starts | None


class Promise(NamedTuple):
    """What is claimed, what was found, and whether that is as claimed; ``None`` if it could not be measured."""

    claim: str
    found: str
    kept: bool | None

    @property
    def verdict(self) -> str:
        """In a word."""
        return "not measured" if self.kept is None else "PASS" if self.kept else "MISSED"


def promises(found: Findings) -> list[Promise]:
    """All of them."""
    at = {speed.dim: speed for speed in found.dimensions}
    players, micro = found.players, 1e6
    ask, burst = (micro * players.seconds[who].median for who in (ANONYMOUS, BURST))
    low, high = min(found.peaks), max(found.peaks)
    growth = round(found.peaks[high] - found.peaks[low], 1) + 0.0  # no "-0.0"
    gain, possible = found.cores.gain.median, found.cores.possible
    given = "" if possible is None else f"; loops in C, meanwhile: {possible.median:.2f}"
    return [
        _at_least("DOGD-SC at n = 10, as a share of the C loop", at[10].times_as_fast.get(C), 0.9),
        _at_least("DOGD-SC at n = 1000, as a share of the C loop", at[1000].times_as_fast.get(C), 1.0),
        *(_learner(speed, found.costs[speed.learner]) for speed in found.learners[1:]),
        _at_least("DOGD-SC at n = 10, as a multiple of the NumPy loop", at[10].times_as_fast[NUMPY], 100),
        Promise("ask and tell, compiled, take at most 3 microseconds", f"{ask:.2f}", ask <= 3.0),
        _at_most("ask and tell before compiling, in rounds of the NumPy loop", players.of_numpy[BEFORE], 3.0),
        Promise("a feedback of a burst takes at most 0.3 microseconds", f"{burst:.2f}", burst <= 0.3),
        _flat_in_rounds("time a round does not depend on T, within 20 %", found.rounds),
        _flat("time a round does not depend on the longest delay, within 20 %", found.delay, found.delay_in_c),
        Promise(
            f"at most 50 MB more memory at T = {high:.0e} than at {low:.0e}",
            f"{growth:+.1f} MB",
            growth <= 50,
        ),
        Promise(f"{found.cores.number} cores are at least 1.6 times as fast as one", f"{gain:.2f}{given}", gain >= 1.6),
        _seconds("belated paper, warm: about 5 s", found.starts and found.starts.warm.median, 5.0),
        _seconds("belated paper, first ever: about 45 s", found.starts and found.starts.cold, 45.0),
    ]


def _at_least(what: str, found: Spread | None, wanted: float) -> Promise:
    claim = f"{what}: at least {wanted:g}"
    return Promise(claim, "-", None) if found is None else Promise(claim, f"{found.median:.2f}", found.median >= wanted)


def _at_most(what: str, found: Spread, wanted: float) -> Promise:
    return Promise(f"{what}: at most {wanted:g}", f"{found.median:.2f}", found.median <= wanted)


def _learner(speed: Speed, cost: Spread) -> Promise:
    claim = f"{speed.learner}: at least 0.8 of its C loop, or without one at most 3 rounds of DOGD-SC a point"
    share = speed.times_as_fast.get(C)
    found = (
        f"{cost.median:.2f} rounds per point"
        if share is None
        else f"{share.median:.2f} of C, {cost.median:.2f} rounds per point"
    )
    return Promise(claim, found, cost.median <= 3.0 if share is None else share.median >= 0.8)


def _flat(claim: str, found: Scaling, in_c: Scaling | None = None) -> Promise:
    beside = "" if in_c is None else f"; the C loop's: {in_c.unevenness:.2f}"
    return Promise(claim, f"largest by smallest: {found.unevenness:.2f}{beside}", found.unevenness <= 1.2)


def _flat_in_rounds(claim: str, found: Scaling) -> Promise:
    of_call = f"without the {1e3 * found.besides:.2f} ms that a seed takes besides its rounds"
    text = f"largest by smallest: {found.unevenness:.2f}; {of_call}: {found.unevenness_of_rounds:.2f}"
    return Promise(claim, text, found.unevenness <= 1.2)


def _seconds(claim: str, found: float | None, about: float) -> Promise:
    return Promise(claim, "-", None) if found is None else Promise(claim, f"{found:.1f} s", found <= 1.1 * about)
