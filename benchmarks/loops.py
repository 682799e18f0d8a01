"""Rounds a second of ``simulate``, with one worker, beside loops in C and NumPy that do the same.

All draw their losses with the same generator in the same chunks, and the drawing counts. All keep the cumulative loss,
and before anything is timed it is made sure that they agree on it. ``simulate`` does more with its time: it checks what
it is given, finds the best fixed decision, records curves, and takes any delay.
"""

from functools import partial
from typing import NamedTuple

from benchmarks.c_loop import CLoops
from benchmarks.effort import Effort
from benchmarks.numpy_loop import plain_loop, tuned_loop
from benchmarks.setup import LEARNERS, PARAMETERS, points_a_round, simulated
from benchmarks.timing import Spread, Work, in_turns, note, ratio, sized, spread

SIMULATE, C, NUMPY, TUNED = "simulate", "C", "NumPy", "NumPy, tuned"
"""The contenders."""

YARDSTICK = "a round of dogd-sc"

LEAST = 10_000
"""Rounds from which on ``simulate`` compiles its loop."""

AGREEMENT = 1e-9
"""How far, relatively, cumulative losses may be apart: contenders round differently."""


class Disagreement(Exception):
    """Contenders that should do the same have different results, so that comparing their speed has no meaning."""


class Speed(NamedTuple):
    """Seconds a round of each contender, and how often ``simulate`` does what another does once, in the same time."""

    learner: str
    dim: int
    points: int
    seconds: dict[str, Spread]
    times_as_fast: dict[str, Spread]


def measure_dimensions(loops: CLoops | None, effort: Effort) -> list[Speed]:
    """DOGD-SC in every dimension."""
    speeds = []
    for dim in effort.dims:
        contenders = _contenders("dogd-sc", dim, loops, effort)
        for who, loop in ((NUMPY, plain_loop), (TUNED, tuned_loop)):
            _compare("dogd-sc", dim, loop(dim, LEAST))
            contenders[who] = sized(partial(loop, dim), 1000, effort.seconds)
        speeds.append(_speed("dogd-sc", dim, in_turns(contenders, effort.repetitions)))
    return speeds


def measure_learners(loops: CLoops | None, effort: Effort, dim: int = 10) -> tuple[list[Speed], dict[str, Spread]]:
    """Every learner of the paper, and the cost of a point that it plays in units of a round of DOGD-SC."""
    speeds, costs = [], {}
    for name in LEARNERS:
        contenders = _contenders(name, dim, loops, effort)
        contenders[YARDSTICK] = sized(partial(simulated, "dogd-sc", dim), LEAST, effort.seconds)
        taken = in_turns(contenders, effort.repetitions)
        yardstick, points = taken.pop(YARDSTICK), points_a_round(name, dim)
        costs[name] = ratio([each / points for each in taken[SIMULATE]], yardstick)
        speeds.append(_speed(name, dim, taken))
    return speeds, costs


def _contenders(name: str, dim: int, loops: CLoops | None, effort: Effort) -> dict[str, Work]:
    """``simulate`` and, where there is one that agrees with it, the loop in C."""
    note(f"{name} at n = {dim}")
    contenders = {SIMULATE: sized(partial(simulated, name, dim), LEAST, effort.seconds)}
    if loops is not None and name in PARAMETERS:
        _compare(name, dim, loops.run(name, dim, LEAST))
        contenders[C] = sized(partial(loops.run, name, dim), 1000, effort.seconds)
    return contenders


def _speed(name: str, dim: int, taken: dict[str, list[float]]) -> Speed:
    return Speed(
        name,
        dim,
        points_a_round(name, dim),
        {who: spread(samples) for who, samples in taken.items()},
        {who: ratio(samples, taken[SIMULATE]) for who, samples in taken.items() if who != SIMULATE},
    )


def _compare(name: str, dim: int, loss: float) -> None:
    wanted = simulated(name, dim, LEAST)
    if abs(loss - wanted) > AGREEMENT * abs(wanted):
        raise Disagreement(f"{name} at n = {dim}: the cumulative loss is {loss!r} and should be {wanted!r}")
