"""A search for the run that brings a learner nearest to its bound: exhaustive for a few rounds, evolutionary for more.

A course is all that an adversary chooses: the sign of each round's gradient, its delay, where the learner starts, and a
number that the contest turns into a constant of the problem, such as its curvature. Decisions are numbers in [-1, 1],
or two shares. Losses are the worst that a gradient of size 1 allows, as in ``support.pressure``.

Run as a script it prints, for each contest, the largest ratio of regret to bound that was found, and its course::

    .venv/bin/python tests/support/worst_case.py dda hedge --steps 20000
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import belated as bl
from support.pressure import play


class Course(NamedTuple):
    """Signs and delays by round; the start, from -1 to 1; a number that the contest may use."""

    signs: tuple[int, ...]
    delays: tuple[int, ...]
    start: float = 0.0
    knob: float = 0.0


class Contest(NamedTuple):
    """A learner and its bound: ``regret(run, knob)`` is to be compared with ``bound(delays, run, course)``.

    ``starts`` and ``knobs`` are what an exhaustive search tries, and the limits of an evolutionary one.
    """

    learner: Callable[[float, int], Any]
    regret: Callable[[Any, float], float]
    bound: Callable[[Any, Any, Course], float]
    starts: tuple[float, ...] = (0.0,)
    knobs: tuple[float, ...] = (0.0,)


class Found(NamedTuple):
    """A course and what it has reached of the bound."""

    ratio: float
    course: Course


def judged(contest: Contest, course: Course, delays: Any = None) -> Found:
    """The ratio of regret to bound for one course. The bound gets ``delays``, if given, in place of the true ones."""
    learner = contest.learner(course.knob, len(course.signs))
    shares = learner.domain.dim == 2
    across = np.array([1.0, -1.0]) if shares else np.array([1.0])
    start = None if shares else [course.start]
    run = play(learner, course.delays, lambda t, x, arrived: course.signs[t - 1] * across, start)
    told = course.delays if delays is None else delays
    return Found(contest.regret(run, course.knob) / contest.bound(told, run, course), course)


def exhausted(contest: Contest, rounds: int) -> Found:
    """The worst of all courses of so many rounds. The first sign is +: a mirrored course has the same regret."""
    waits = product(*(range(1, rounds - t + 1) for t in range(rounds)))
    signs = [(1, *rest) for rest in product((1, -1), repeat=rounds - 1)]
    every = product(waits, signs, contest.starts, contest.knobs)
    return max((judged(contest, Course(s, d, x, knob)) for d, s, x, knob in every), key=_ratio)


def evolved(contest: Contest, rounds: int, steps: int, rng: np.random.Generator) -> Found:
    """Climb from the worst of ``steps`` random courses made of blocks; from 20 rounds on, from half as many, stretched.

    In a climb a changed course takes the place of the present one unless it is better for the learner.
    """
    if rounds < 20:
        best = max((judged(contest, _blocks(contest, rounds, rng)) for _ in range(1 + steps)), key=_ratio)
    else:
        best = judged(contest, stretched(evolved(contest, rounds // 2, steps, rng).course, rounds))
    for _ in range(steps):
        course = best.course
        for _ in range(int(rng.integers(1, 4))):
            course = CHANGES[rng.integers(len(CHANGES))](course, contest, rng)
        if course != best.course:
            best = max(judged(contest, course), best, key=_ratio)
    return best


def stretched(course: Course, rounds: int) -> Course:
    """The course with every round as two, or three at its end; prompt feedback stays prompt, the rest is as late again.

    Regret and bound of most learners grow in proportion, so that a bad course stays nearly as bad.
    """
    short = len(course.signs)
    old = [min(t // 2, short - 1) for t in range(rounds)]
    ends = [min(2 * (k + course.delays[k]), rounds) if course.delays[k] > 1 else t + 1 for t, k in enumerate(old)]
    return course._replace(
        signs=tuple(course.signs[k] for k in old), delays=tuple(end - t for t, end in enumerate(ends))
    )


def _ratio(found: Found) -> float:
    return found.ratio


def _blocks(contest: Contest, rounds: int, rng: np.random.Generator) -> Course:
    """Up to three blocks of signs and up to three whose feedback is held back, and the rest prompt."""
    start = contest.starts[0] if rng.random() < 0.5 else float(rng.choice(contest.starts))
    knob = float(rng.choice(contest.knobs))
    course = Course((1,) * rounds, (1,) * rounds, start, knob)
    for change in (fill_a_block, hold_a_block_back):
        for _ in range(int(rng.integers(4))):
            course = change(course, contest, rng)
    return course


def _block(course: Course, rng: np.random.Generator) -> range:
    first, last = sorted(rng.integers(0, len(course.signs), 2).tolist())
    return range(first, last + 1)


def flip_a_sign(course: Course, contest: Contest, rng: np.random.Generator) -> Course:
    place = int(rng.integers(len(course.signs)))
    return course._replace(signs=tuple(-s if t == place else s for t, s in enumerate(course.signs)))


def fill_a_block(course: Course, contest: Contest, rng: np.random.Generator) -> Course:
    block, sign = _block(course, rng), int(rng.choice((1, -1)))
    return course._replace(signs=tuple(sign if t in block else s for t, s in enumerate(course.signs)))


def hold_a_block_back(course: Course, contest: Contest, rng: np.random.Generator) -> Course:
    """Its feedback comes together, at the end of the block."""
    block = _block(course, rng)
    waits = (block.stop - t if t in block else d for t, d in enumerate(course.delays))
    return course._replace(delays=tuple(waits))


def redraw_a_delay(course: Course, contest: Contest, rng: np.random.Generator) -> Course:
    place = int(rng.integers(len(course.delays)))
    drawn = 1 if rng.random() < 0.3 else int(rng.integers(1, len(course.delays) - place + 1))
    return course._replace(delays=tuple(drawn if t == place else d for t, d in enumerate(course.delays)))


def shift_the_start(course: Course, contest: Contest, rng: np.random.Generator) -> Course:
    moved = min(max(contest.starts), max(min(contest.starts), course.start + float(rng.normal(0, 0.2))))
    return course._replace(start=moved)


def turn_the_knob(course: Course, contest: Contest, rng: np.random.Generator) -> Course:
    turned = min(max(contest.knobs), max(min(contest.knobs), course.knob + float(rng.normal(0, 0.2))))
    return course._replace(knob=turned)


CHANGES = (flip_a_sign, fill_a_block, hold_a_block_back, redraw_a_delay, shift_the_start, turn_the_knob)

UNIT = bl.Ball(1)
ANYWHERE = (0.0, 1.0, -1.0)
CURVATURES = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0)
"""The knob is the logarithm of beta Dm / L, to the base 10."""


def _curved(knob: float) -> float:
    return 10**knob / UNIT.diameter


def _farther(course: Course) -> float:
    """The factor of the leaders' bounds for a start other than the centre of [-1, 1]."""
    return (1 + (1 + abs(course.start)) ** 2) / 2


def _rate(knob: float, rounds: int) -> float:
    return UNIT.diameter * 10**knob / math.sqrt(rounds)


def _constant_rate(learner: Callable[..., Any], bound: Callable[..., float]) -> Contest:
    """The knob is the logarithm of the rate, in units of Dm / (L sqrt(T)). The diameter is the distance to go."""
    return Contest(
        lambda knob, rounds: learner(_rate(knob, rounds)),
        lambda run, knob: run.linear_regret,
        lambda delays, run, course: bound(
            delays, rate=_rate(course.knob, len(course.signs)), diameter=1 + abs(course.start), lipschitz=1.0
        ),
        ANYWHERE,
        (-1.0, -0.5, 0.0, 0.5),
    )


def _strongly_convex(learner: Callable[..., Any], bound: Callable[..., float]) -> Contest:
    """``bound`` is told the delays, the course and beta."""
    return Contest(
        lambda knob, rounds: learner(_curved(knob)),
        lambda run, knob: run.strongly_convex_regret(_curved(knob)),
        lambda delays, run, course: bound(delays, course, _curved(course.knob)),
        ANYWHERE,
        CURVATURES,
    )


ROUND = {"radius": 1.0, "lipschitz": 1.0}
WIDE = {"diameter": 2.0, "lipschitz": 1.0}

CONTESTS = {
    "dogd": _constant_rate(lambda rate: bl.dogd(UNIT, rate), bl.bounds.dogd),
    "sequential_dogd": _constant_rate(lambda rate: bl.solid(bl.dogd(UNIT, rate)), bl.bounds.sequential_dogd),
    "dogd_adaptive": Contest(
        lambda knob, rounds: bl.dogd(UNIT, bl.rates.count_adaptive(UNIT, 1.0)),
        lambda run, knob: run.linear_regret,
        lambda delays, run, course: bl.bounds.dogd_adaptive(delays, **WIDE),
        ANYWHERE,
    ),
    "certificate": _strongly_convex(
        lambda beta: bl.dogd_sc(UNIT, beta),
        lambda delays, course, beta: bl.bounds.certificate(delays, strong_convexity=beta, **ROUND),
    ),
    "dda": Contest(
        lambda knob, rounds: bl.dda(UNIT, 1.0),
        lambda run, knob: run.linear_regret,
        lambda delays, run, course: _farther(course) * bl.bounds.dda(delays, **ROUND),
        ANYWHERE,
    ),
    "skipping": Contest(
        lambda knob, rounds: bl.skipping(bl.dda(UNIT, 1.0)),
        lambda run, knob: run.linear_regret,
        lambda delays, run, course: bl.bounds.skipping(delays, diameter=2.0, **ROUND),
    ),
    "ftdl": _strongly_convex(
        lambda beta: bl.ftdl(UNIT, beta),
        lambda delays, course, beta: bl.bounds.ftdl(delays, strong_convexity=beta, **WIDE),
    ),
    "curvature_ftrl": _strongly_convex(
        lambda beta: bl.curvature_ftrl(UNIT, beta, 1.0),
        lambda delays, course, beta: (
            _farther(course) * bl.bounds.curvature_ftrl(delays, strong_convexity=beta, diameter=2.0, **ROUND)
        ),
    ),
    "composite_ftrl": Contest(
        lambda knob, rounds: bl.composite_ftrl(UNIT, _curved(knob), 1.0),
        lambda run, knob: run.composite_regret(_curved(knob)),
        lambda delays, run, course: bl.bounds.composite_ftrl(
            delays, regulariser=_curved(course.knob), largest_norm=1.0, lipschitz=1.0
        ),
        knobs=CURVATURES,
    ),
    "hedge": Contest(
        lambda knob, rounds: bl.hedge(bl.Simplex(2)),
        lambda run, knob: run.linear_regret,
        lambda delays, run, course: bl.bounds.hedge(delays, dim=2, spread=2.0),
    ),
    "ons": Contest(
        lambda knob, rounds: bl.ons(UNIT, 1.0, _curved(knob)),
        lambda run, knob: run.bent_regret(min(1 / 8, _curved(knob)) / 2),
        lambda delays, run, course: bl.bounds.ons(
            delays, run.gradients, run.decisions, exp_concavity=_curved(course.knob), **WIDE
        ),
        ANYWHERE,
        (-2.0, -1.0, 0.0),
    ),
}
"""The learners with a bound that holds on every path, by the name of the bound."""


def searches(contest: Contest, rounds: list[int], steps: int, seeds: int) -> Iterator[tuple[str, Found]]:
    """Exhaustive up to six rounds, else ``seeds`` climbs of ``steps`` steps each."""
    for number in rounds:
        if number <= 6:
            yield f"all courses of {number} rounds", exhausted(contest, number)
        else:
            climbs = (evolved(contest, number, steps, np.random.default_rng(seed)) for seed in range(seeds))
            yield f"{seeds} climbs of {number} rounds", max(climbs, key=_ratio)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which of {', '.join(CONTESTS)}; default: all")
    parser.add_argument("--rounds", type=int, nargs="+", default=[3, 4, 12, 24])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    for name in options.names or CONTESTS:
        for how, (ratio, course) in searches(CONTESTS[name], options.rounds, options.steps, options.seeds):
            signs = "".join("+" if sign > 0 else "-" for sign in course.signs)
            waits = " ".join(map(str, course.delays))
            told = f"{name} {ratio:.4f} {how}: {signs} | {waits} | {course.start:.3f} {course.knob:.3f}\n"
            sys.stdout.write(told)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
