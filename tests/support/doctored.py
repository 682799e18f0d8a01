"""Runs that break one step of a proof, for every step of every chain of ``belated.audit``.

Most of them are right but for one number of the record, or are right and come with a constant that is claimed and
false: each assumption of a theorem is used in few of its steps, and a claim that is false breaks the first of these.
An entry makes a run and the constants that are claimed of it.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

import belated as bl
from belated.losses.base import Constants, Loss, gradient, value
from belated.sim.hindsight import Best

DIM, ROUNDS, BETA, DELTA = 2, 24, 2.0, 0.05
PROMPT = [1] * ROUNDS
LATE = [3, 1, 4, 1, 5, 2, 6, 1] * 3
QUIET_AT_LAST = [1] * (ROUNDS - 1) + [4]
BOWL = bl.losses.Quadratic(DIM, curvature=BETA)
LINEAR = bl.losses.Linear(DIM)
BALL, WIDE, ASIDE = bl.Ball(DIM), bl.Ball(DIM, radius=200.0), bl.Ball(DIM, centre=[3.0, 0.0])
ROWS = np.random.default_rng(3).uniform(-4, 4, (ROUNDS, DIM))
"""Some of these losses have their minimisers outside the unit ball, so that projections are active."""

SURPRISE = np.concatenate((ROWS[:-1], [[400.0, 0.0]]))
"""The same, but for the last, which is much steeper."""

PUSH = np.tile([4.0, 0.0], (ROUNDS, 1))
"""Losses that push the same way in every round, so that the inequalities on drift are equations."""


def recorded(learner, loss=BOWL, rows=ROWS, delays=LATE, initial=None):
    problem = bl.problems.Recorded(loss, rows)
    return bl.record_run(learner, problem, bl.delays.Trace(delays), len(rows), initial=initial)


def surprised(learner):
    """A run whose longest gradient comes in its last round and leads far outside: no inequality has to notice it."""
    return recorded(learner, rows=SURPRISE, delays=PROMPT)


def changed(run, name, place, by):
    """The run with one row of its record changed."""
    table = np.array(getattr(run, name))
    table[place] += by
    return dataclasses.replace(run, **{name: table})


def unsure(run):
    """The run with a best fixed decision of which it is not known how far it is from the best."""
    return dataclasses.replace(run, best=run.best._replace(gap=np.inf))


class _DomeFields(NamedTuple):
    size: int


class Dome(Loss, _DomeFields):
    """c'x - |x|^2 / 2, which is not convex; the row is c."""

    __slots__ = ()

    dim = row_size = property(lambda self: self.size)

    @classmethod
    def example(cls, dim):
        return cls(dim)

    def example_rows(self, rng, rounds):
        return rng.normal(size=(rounds, self.size))

    def _constants(self, rows, domain):
        return Constants(np.inf, 0.0, np.inf)


@value.on(Dome)
def _(loss, row, point):
    return float(row @ point - point @ point / 2)


@gradient.on(Dome)
def _(loss, row, point, out):
    out[:] = row - point


def domed(run):
    """A run on linear losses, for domes that have the same gradients at its decisions."""
    rows, u = run.rows + run.decisions[:-1], run.best.point
    total = float(rows.sum(axis=0) @ u - len(rows) * (u @ u) / 2)
    return dataclasses.replace(run, loss=Dome(DIM), rows=rows, best=Best(u, total, 0.0))


def claimed(run, **claims):
    return run, claims


def descending(make, told):
    """What breaks the definition of an algorithm that descends; ``told`` is the name of the step about feedback."""
    busy = 7  # a round in which feedback arrives: that of LATE
    return {
        "start": lambda: claimed(changed(recorded(make(BALL)), "decisions", 0, 5.0)),
        told: lambda: claimed(changed(recorded(make(BALL)), "feedback", 3, 0.1)),
        "rest": lambda: claimed(changed(recorded(make(BALL), delays=QUIET_AT_LAST), "decisions", -1, 0.01)),
        "rate": lambda: claimed(changed(recorded(make(BALL)), "inverse_rates", busy, 0.01)),
        "step": lambda: claimed(changed(recorded(make(BALL)), "unprojected", busy, 0.01)),
        "projection": lambda: claimed(changed(recorded(make(BALL), delays=PROMPT), "decisions", -1, 0.01)),
    }


def strongly(make):
    """What breaks the steps that the chains of DOGD-SC and BDOGD-SC share."""
    steep = bl.losses.Quadratic(DIM, curvature=4 * BETA)
    flat = bl.losses.Quadratic(DIM, curvature=BETA / 2)
    return {
        "strong convexity": lambda: claimed(recorded(make(BALL), flat)),
        "Lemma 2": lambda: claimed(recorded(make(WIDE), rows=PUSH, delays=PROMPT), lipschitz=1.0),
        "drift": lambda: claimed(recorded(make(WIDE), rows=PUSH, delays=[3] * ROUNDS), lipschitz=3.0),
        "gradient norms": lambda: claimed(surprised(make(BALL)), lipschitz=300.0),
        "Lemma 3, first part": lambda: claimed(recorded(make(BALL), delays=[8] * ROUNDS), longest_delay=1),
        "longest delay": lambda: claimed(recorded(make(BALL), delays=[8] * ROUNDS), longest_delay=7),
        "radius": lambda: claimed(recorded(make(BALL)), radius=0.9),
        "Lemma 3, second part": lambda: claimed(recorded(make(BALL), steep), strong_convexity=4 * BETA),
        "Lemma 4": lambda: claimed(recorded(make(BALL), steep), strong_convexity=1.05 * BETA),
    }


def dogd_sc(domain):
    return bl.dogd_sc(domain, BETA)


def bdogd_sc(domain):
    return bl.bdogd_sc(domain, BETA, DELTA)


def dogd(domain):
    return bl.dogd(domain, rate=0.1)


def dda(domain):
    return bl.dda(domain, lipschitz=7.0)


def composite(domain):
    return bl.composite_ftrl(domain, regulariser=1.0, lipschitz=7.0)


def turning():
    """Losses that push one way and then the other: what is missing would bring the leader back."""
    way = np.where(np.arange(ROUNDS) < ROUNDS // 2, -1.0, 1.0)[:, np.newaxis]
    return recorded(composite(WIDE), bl.losses.Linear(DIM, l2=1.0), way * PUSH, [3] * ROUNDS)


BROKEN = {
    "dogd_sc": {
        **descending(dogd_sc, "gradient"),
        **strongly(dogd_sc),
        "Theorem 1": lambda: claimed(unsure(recorded(dogd_sc(BALL)))),
    },
    "bdogd_sc": {
        **descending(bdogd_sc, "values"),
        **strongly(bdogd_sc),
        "Lemma 1": lambda: claimed(recorded(bdogd_sc(BALL)), smoothness=1.9),
        "bias": lambda: claimed(recorded(bdogd_sc(BALL), delays=PROMPT), radius=1e-3),
        "probing": lambda: claimed(recorded(bdogd_sc(BALL), rows=0 * ROWS, delays=PROMPT), lipschitz=1e-3),
        "shrinking": lambda: claimed(recorded(bdogd_sc(BALL)), inner_radius=1e3),
        "Theorem 2": lambda: claimed(unsure(recorded(bdogd_sc(BALL)))),
    },
    "dogd": {
        **descending(dogd, "gradient"),
        "convexity": lambda: claimed(domed(recorded(dogd(BALL), LINEAR))),
        "drift": lambda: claimed(recorded(dogd(WIDE), rows=PUSH, delays=[3] * ROUNDS), lipschitz=3.0),
        "step inequality": lambda: claimed(recorded(dogd(WIDE), rows=PUSH, delays=PROMPT), lipschitz=3.0),
        "gradient norms": lambda: claimed(surprised(dogd(BALL)), lipschitz=300.0),
        "counts": lambda: claimed(recorded(dogd(BALL)), total_lateness=30),
        "bound": lambda: claimed(unsure(recorded(dogd(BALL)))),
    },
    "dda": {
        "start": lambda: claimed(changed(recorded(dda(BALL)), "decisions", 0, 5.0)),
        "gradient": lambda: claimed(changed(recorded(dda(BALL)), "feedback", 3, 0.1)),
        "leader": lambda: claimed(changed(recorded(dda(BALL)), "decisions", -1, 0.01)),
        "convexity": lambda: claimed(domed(recorded(dda(BALL), LINEAR))),
        "drift": lambda: claimed(recorded(dda(WIDE), LINEAR, PUSH, [3] * ROUNDS), lipschitz=3.0),
        "one gradient": lambda: claimed(recorded(dda(WIDE), LINEAR, PUSH, PROMPT), lipschitz=3.0),
        "gradient norms": lambda: claimed(surprised(dda(BALL)), lipschitz=300.0),
        "counts": lambda: claimed(recorded(dda(BALL)), total_lateness=20),
        "bound": lambda: claimed(unsure(recorded(dda(BALL)))),
    },
    "composite_ftrl": {
        "start": lambda: claimed(changed(recorded(composite(BALL)), "decisions", 0, 5.0)),
        "gradient": lambda: claimed(changed(recorded(composite(BALL)), "feedback", 3, 0.1)),
        "leader": lambda: claimed(changed(recorded(composite(BALL)), "decisions", -1, 0.01)),
        "convexity": lambda: claimed(recorded(composite(BALL), bl.losses.Quadratic(DIM, curvature=0.5))),
        "first decision": lambda: claimed(recorded(composite(ASIDE), rows=PUSH), lipschitz=1.0),
        "drift": lambda: claimed(recorded(composite(WIDE), rows=PUSH, delays=[3] * ROUNDS), lipschitz=1.0),
        "cost of drift": lambda: claimed(turning(), lipschitz=4.0, radius=1e-3),
        "decision norms": lambda: claimed(recorded(composite(BALL), delays=PROMPT), radius=0.1),
        "one gradient": lambda: claimed(recorded(composite(WIDE), rows=PUSH, delays=PROMPT), lipschitz=1.0),
        "gradient norms": lambda: claimed(surprised(composite(BALL)), lipschitz=300.0),
        "balance": lambda: claimed(recorded(composite(BALL)), lipschitz=8.0),
        "bound": lambda: claimed(unsure(recorded(composite(BALL)))),
    },
}
"""By algorithm and step: a run, and what is claimed of it. The step must be the first that fails."""

SOUND = {"dogd_sc": dogd_sc, "bdogd_sc": bdogd_sc, "dogd": dogd, "dda": dda, "composite_ftrl": composite}
