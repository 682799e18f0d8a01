"""Runs of DOGD-SC with every quantity of its proof, including those of the virtual rounds after the last one.

The paper lets feedback that arrives after round T move the decision on, in rounds T + 1 to T + d - 1 that nobody plays.
Those steps are taken here, from the definition; the decisions up to x_{T+1} are the learner's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.domains import EVERY
from belated.learners import dogd_sc
from belated.losses import Logistic, Quadratic
from belated.sim.hindsight import best_fixed
from support.runs import arrivals_by_round, record

DIM, ROUNDS = 3, 24


@dataclass
class Proof:
    """Everything is a dict by round: ``x`` up to T + d, ``g`` up to T, ``arrived`` (F_t) and ``h`` up to T + d - 1."""

    domain: Any
    beta: float
    delays: list[int]
    x: dict[int, Any]
    g: dict[int, Any]
    arrived: dict[int, list[int]]
    h: dict[int, float]
    regret: float

    @property
    def rounds(self):
        return len(self.delays)

    @property
    def longest(self):
        return max(self.delays)

    @property
    def first(self):
        """s, the first round in which something arrives."""
        return min(t for t, ks in self.arrived.items() if ks)

    @property
    def lipschitz(self):
        """The longest gradient that was seen, along the affine hull of the domain: what lies across moves nothing."""
        return max(np.linalg.norm(along_hull(self.domain, g)) for g in self.g.values())

    @property
    def radius(self):
        """Half the diameter, which is all that the proof uses of R."""
        return self.domain.diameter / 2


def along_hull(domain, vector):
    basis = np.array([domain.embed(e) for e in np.eye(domain.hull_dim)])
    return basis.T @ (basis @ vector)


def counts_of(delays, beta):
    """F_t and h_t for t up to T + d - 1; h is 0 until something has arrived."""
    last = len(delays) + max(delays) - 1
    table = arrivals_by_round(delays)
    arrived = {t: table[t] for t in range(1, last + 1)}
    received = np.cumsum([len(arrived[t]) for t in range(1, last + 1)])
    return arrived, {t: beta / 2 * float(received[t - 1]) for t in arrived}


def prove(domain, loss, rows, delays, beta, declared=None):
    """A run with strong convexity ``beta``; ``declared`` is what the learner is told, if that is another one."""
    told = beta if declared is None else declared
    trace = record(dogd_sc(domain, told), loss, rows, delays)
    arrived, h = counts_of(delays, told)
    x = dict(enumerate(trace.decisions, start=1))
    g = {k: np.asarray(trace.feedback[k]) for k in range(1, len(rows) + 1)}
    for t in range(len(rows) + 1, len(arrived) + 1):
        x[t + 1] = domain.project(x[t] - sum(g[k] for k in arrived[t]) / h[t]) if arrived[t] else x[t]
    best = best_fixed(loss, rows, domain)
    suffered = sum(loss.value(row, point) for row, point in zip(rows, trace.decisions, strict=False))
    return Proof(domain, beta, list(delays), x, g, arrived, h, suffered - (best.value - best.gap))


def stories():
    """Domain, loss, rows, delays, beta: every bounded domain with bursts, short, long and hopeless delays.

    A third of the losses have their minimisers far outside, so that projections are active.
    """
    rng = np.random.default_rng(23)
    bounded = [d for d in (family.example(DIM) for family in EVERY) if np.isfinite(d.diameter)]
    for i, domain in enumerate(bounded * 8):
        turn = i // len(bounded)
        kind = (turn + i) % 3
        loss, beta = (Logistic(DIM, l2=0.5), 0.5) if kind == 0 else (Quadratic(DIM, 2.0), 2.0)
        rows = loss.example_rows(rng, ROUNDS) * (8.0 if kind == 1 else 1.0)
        burst = int(rng.integers(2, 7))
        delays = (
            [burst - (t % burst) for t in range(ROUNDS)],
            rng.integers(1, 6, ROUNDS).tolist(),
            rng.integers(1, ROUNDS + 5, ROUNDS).tolist(),
            (ROUNDS + rng.integers(1, 5, ROUNDS)).tolist(),
        )
        yield domain, loss, rows, delays[turn % 4], beta


def proofs():
    return [prove(*story) for story in stories()]
