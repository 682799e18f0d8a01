"""A learner for every statement of the registry, on losses whose constants are known, and runs of them.

Losses are f_t(x) = (beta / 2) |x|^2 + <b_t, x> with |b_t| <= 1, on the ball of radius 1 or on a simplex. Over the ball
L = 1 + beta, and beta is the curvature from both sides; linear losses have beta = 0.
"""

from typing import Any, NamedTuple

import numpy as np

import belated as bl
from belated.learners.parts.rates import PerRound
from belated.losses.base import Constants
from belated.theory.statements import EVERY
from support.runs import arrivals_by_round

BALL, SIMPLEX, BETA = bl.Ball(2), bl.Simplex(3), 1.0
LINEAR, CURVED = Constants(1.0, 0.0, 0.0), Constants(1.0 + BETA, BETA, BETA)
PROBE = 0.01


class Case(NamedTuple):
    """A statement, a learner to which it applies, and what is known of the losses."""

    statement: str
    learner: Any
    losses: Constants

    @property
    def bound(self):
        return bl.bounds.of(self.learner, self.losses, statement=self.statement)


def _cases():
    sc, linear = CURVED, LINEAR
    steep = sc.lipschitz + BETA
    two_point = bl.bdogd_sc_two_point(BALL, BETA, PROBE)
    learners = {
        bl.dogd_sc(BALL, BETA): (sc, "certificate_squares", "certificate", "theorem_1"),
        bl.ogd_sc(BALL, BETA): (sc, "ogd_sc_harmonic", "ogd_sc"),
        bl.langford(BALL, 3, strong_convexity=BETA): (sc, "langford_strongly_convex"),
        bl.dogd(BALL, 0.2): (linear, "dogd"),
        bl.solid(bl.dogd(BALL, 0.2)): (linear, "sequential_dogd"),
        bl.dogd(BALL, lipschitz=1.0): (linear, "dogd_falling", "dogd_adaptive"),
        bl.dogd(BALL, bl.rates.doubling(BALL, 1.0)): (linear, "dogd_doubling"),
        bl.ogd(BALL, 1.0): (linear, "ogd"),
        bl.bdogd_sc(BALL, BETA, PROBE): (
            sc,
            *("theorem_2_squares", "theorem_2_certificate", "theorem_2_corrected", "theorem_2"),
        ),
        two_point: (sc, "theorem_3_squares", "theorem_3_certificate", "theorem_3_corrected", "theorem_3"),
        bl.dbgd(BALL, 0.2, PROBE): (linear, "dbgd"),
        bl.agarwal_two_point(BALL, 0.1, PROBE): (linear, "two_point_dogd"),
        bl.agarwal_coordinates(BALL, PerRound(BETA), PROBE): (sc, "agarwal_coordinates"),
        bl.agarwal_two_point(BALL, PerRound(BETA), PROBE): (sc, "agarwal_two_point"),
        bl.dda(BALL, 1.0): (linear, "dda_in_sums", "dda"),
        bl.skipping(bl.dda(BALL, 1.0)): (linear, "skipping"),
        bl.one_point_dda(BALL, 1.0, 1.0, 0.5): (linear, "one_point_dda"),
        bl.ftdl(BALL, BETA): (sc, "ftdl_half", "ftdl"),
        bl.curvature_ftrl(BALL, BETA, sc.lipschitz): (sc, "curvature_ftrl"),
        bl.composite_ftrl(BALL, BETA, steep): (sc, "composite_ftrl"),
        bl.composite_ftrl(BALL, BETA): (sc, "composite_ftrl_unweighted"),
        bl.hedge(SIMPLEX): (linear, "hedge"),
        bl.mild_ogd(BALL, 1.0, 64): (linear, "mild_ogd"),
        bl.bold(bl.ogd_sc(BALL, BETA)): (sc, "bold"),
        bl.weinberger_ordentlich(bl.ogd_sc(BALL, BETA), 3): (sc, "weinberger_ordentlich"),
    }
    for learner, (losses, *statements) in learners.items():
        yield from (Case(name, learner, losses) for name in statements)
    yield Case("theorem_3_printed", two_point, sc)


CASES = {case.statement: case for case in _cases()}
BOUNDS = {name: case.bound for name, case in CASES.items()} | {
    "lower_convex": bl.bounds.lower(LINEAR, BALL),
    "lower_strongly_convex": bl.bounds.lower(CURVED, BALL),
}
STATEMENTS = tuple(statement.name for statement in EVERY)


def slopes(kind, rounds, rng, dim):
    """b_1..b_T of norm 1: always the same, turning in blocks, or drawn."""
    ahead = np.eye(dim)[0]
    if kind == "same":
        return np.tile(ahead, (rounds, 1))
    if kind == "turning":
        return np.array([ahead if (t // 5) % 2 else -ahead for t in range(rounds)])
    drawn = rng.normal(size=(rounds, dim))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def regret(case, delays, rows, seed=0):
    """Regret of the average over the points of a round, against the best point of the domain, which is computed."""
    learner, beta = case.learner, case.losses.strong_convexity
    player, arrivals, told, suffered = learner.start(seed=seed), arrivals_by_round(delays), {}, 0.0
    for t, row in enumerate(rows, start=1):
        turn = player.ask()
        values = beta / 2 * np.sum(turn.points**2, axis=1) + turn.points @ row
        suffered += float(np.mean(values))
        gradient = row + (beta - learner.interface.regulariser) * turn.decision
        told[t] = values if learner.interface.feedback == "values" else gradient
        for k in arrivals.get(t, ()):
            player.tell(told.pop(k), round=k)
    total = rows.sum(axis=0)
    domain = learner.domain
    best = domain.project(-total / (beta * len(rows))) if beta else domain.minimise(total)
    return suffered - float(beta / 2 * len(rows) * best @ best + total @ best)
