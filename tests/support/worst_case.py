"""Contests, each a learner, the losses against it and its bound; and a slow judge of them that shares nothing.

The judge plays by ``ask`` and ``tell`` and computes regret from whole arrays, while the search of the library runs the
verbs and adds up along one line. A *knob* is a number that a contest turns into a constant of the problem, such as its
curvature: the search of the library has no knob, so it is run once for each.
"""

import math
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import belated as bl
from belated.audit.adversaries import AfterRun, Composite, Convex, ExpConcave, StronglyConvex
from support.pressure import play


class Contest(NamedTuple):
    """``learner(knob, rounds)``, its losses and its bound, each of the same two; the knobs that are worth a search."""

    learner: Callable[[float, int], Any]
    losses: Callable[[float], Any]
    bound: Callable[[float, int], Any]
    any_start: bool = False
    knobs: tuple[float, ...] = (0.0,)


class Course(NamedTuple):
    signs: tuple[int, ...]
    delays: tuple[int, ...]
    start: float = 0.0


REGRETS = {
    Convex: lambda run, losses: run.linear_regret,
    StronglyConvex: lambda run, losses: run.strongly_convex_regret(losses.strong_convexity),
    ExpConcave: lambda run, losses: run.bent_regret(losses.gamma),
    Composite: lambda run, losses: run.composite_regret(losses.regulariser),
}


def judged(contest, course, knob=0.0):
    """The ratio of regret to bound for one course, for decisions in [-1, 1] or two shares."""
    rounds = len(course.signs)
    learner, losses, bound = contest.learner(knob, rounds), contest.losses(knob), contest.bound(knob, rounds)
    shares = learner.domain.dim == 2
    across = np.array([1.0, -1.0]) if shares else np.array([1.0])
    start = None if shares else [course.start]
    run = play(learner, course.delays, lambda t, x, arrived: course.signs[t - 1] * across, start)
    told = np.array(course.delays)
    promised = (
        bound(told) if callable(bound) else bound.of_run(bl.adversaries.Played(told, run.gradients, run.decisions))
    )
    return REGRETS[type(losses)](run, losses) / promised


def exhausted(contest, rounds, starts, knob=0.0):
    """The worst of all courses of so many rounds, both signs of the first gradient among them."""
    waits = product(*(range(1, rounds - t + 1) for t in range(rounds)))
    every = product(product((1, -1), repeat=rounds), waits, starts)
    return max(judged(contest, Course(*course), knob) for course in every)


def searched(contest, rounds, knob=0.0, bound=None, **options):
    """The same contest by the search of the library."""
    promise = contest.bound(knob, rounds) if bound is None else bound
    learner, losses = contest.learner(knob, rounds), contest.losses(knob)
    return bl.worst_case(learner, promise, rounds, losses=losses, any_start=contest.any_start, **options)


UNIT = bl.Ball(1)
ROUND = {"radius": 1.0, "lipschitz": 1.0}
WIDE = {"diameter": 2.0, "lipschitz": 1.0}
CURVATURES = (0.005, 0.05, 0.16, 0.5, 1.6, 5.0)


def _of(bound, **constants):
    return lambda delays: bound(delays, **constants)


def _rate(knob, rounds):
    return UNIT.diameter * knob / rounds


def _constant_rate(learner, bound):
    """The knob is the rate, in units of Dm / (L T): 1 is best if all feedback is held back to the end."""
    return Contest(
        lambda knob, rounds: learner(_rate(knob, rounds)),
        lambda knob: Convex(1.0),
        lambda knob, rounds: _of(bound, rate=_rate(knob, rounds), **WIDE),
        any_start=True,
        knobs=(0.5, 1.0, 3.0, 10.0),
    )


def _strongly_convex(learner, bound, any_start=True):
    """The knob is beta; ``bound(beta)`` is a function of the delays."""
    return Contest(
        lambda beta, rounds: learner(beta),
        lambda beta: StronglyConvex(beta),
        lambda beta, rounds: bound(beta),
        any_start,
        CURVATURES,
    )


CONTESTS = {
    "dogd": _constant_rate(lambda rate: bl.dogd(UNIT, rate), bl.bounds.dogd),
    "sequential_dogd": _constant_rate(lambda rate: bl.solid(bl.dogd(UNIT, rate)), bl.bounds.sequential_dogd),
    "dogd_adaptive": Contest(
        lambda knob, rounds: bl.dogd(UNIT, lipschitz=1.0),
        lambda knob: Convex(1.0),
        lambda knob, rounds: _of(bl.bounds.dogd_adaptive, **WIDE),
        any_start=True,
    ),
    "certificate": _strongly_convex(
        lambda beta: bl.dogd_sc(UNIT, beta), lambda beta: _of(bl.bounds.certificate, strong_convexity=beta, **ROUND)
    ),
    "dda": Contest(
        lambda knob, rounds: bl.dda(UNIT, 1.0),
        lambda knob: Convex(1.0),
        lambda knob, rounds: _of(bl.bounds.dda, **ROUND),
    ),
    "skipping": Contest(
        lambda knob, rounds: bl.skipping(bl.dda(UNIT, 1.0)),
        lambda knob: Convex(1.0),
        lambda knob, rounds: _of(bl.bounds.skipping, diameter=2.0, **ROUND),
    ),
    "ftdl": _strongly_convex(
        lambda beta: bl.ftdl(UNIT, beta), lambda beta: _of(bl.bounds.ftdl, strong_convexity=beta, **WIDE)
    ),
    "curvature_ftrl": _strongly_convex(
        lambda beta: bl.curvature_ftrl(UNIT, beta, 1.0),
        lambda beta: _of(bl.bounds.curvature_ftrl, strong_convexity=beta, diameter=2.0, **ROUND),
        any_start=False,
    ),
    "composite_ftrl": Contest(
        lambda mu, rounds: bl.composite_ftrl(UNIT, mu, 1.0),
        lambda mu: Composite(mu),
        lambda mu, rounds: _of(bl.bounds.composite_ftrl, regulariser=mu, largest_norm=1.0, lipschitz=1.0),
        knobs=CURVATURES,
    ),
    "hedge": Contest(
        lambda knob, rounds: bl.hedge(bl.Simplex(2)),
        lambda knob: Convex(math.sqrt(2.0)),
        lambda knob, rounds: _of(bl.bounds.hedge, dim=2, spread=2.0),
    ),
    "ons": Contest(
        lambda alpha, rounds: bl.ons(UNIT, 1.0, alpha),
        lambda alpha: ExpConcave(min(1 / 8, alpha) / 2),
        lambda alpha, rounds: AfterRun(lambda run: bl.bounds.ons(*run, exp_concavity=alpha, **WIDE)),
        any_start=True,
        knobs=(0.005, 0.04, 0.06, 0.08, 0.5),
    ),
}
"""The learners with a bound that holds on every path, by the name of the bound. A knob of 0 is for those without."""
