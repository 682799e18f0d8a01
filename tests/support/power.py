"""How many bugs a check finds: each mutant of DOGD-SC is judged by the step identity and by Theorem 1.

``docs/testing.md`` prints these counts.
"""

from typing import NamedTuple

import numpy as np

from belated.learners import dogd_sc
from belated.losses import Quadratic
from belated.sim.hindsight import best_fixed
from paper.test_mutants import BETA, DIM, gradients_at_current_decisions, runs
from support.bounds import theorem_1
from support.identity import violated
from support.mutants import GRADIENT_AT_CURRENT, MUTANTS
from support.runs import Trace, record

LOSS = Quadratic(DIM, curvature=BETA)


class Power(NamedTuple):
    """Runs that a bug changes, and in how many of these it is noticed."""

    changed: int
    by_identity: int
    by_theorem: int


def power(bug):
    """Count over the runs on bounded domains, which the theorem asks for."""
    outcomes = [outcome(bug, *run) for run in runs() if np.isfinite(run[0].outer_radius)]
    return Power(*np.sum([seen for seen in outcomes if seen[0]], axis=0).tolist())


def outcome(bug, domain, rows, delays):
    right, wrong = record(dogd_sc(domain, BETA), LOSS, rows, delays), broken(bug, domain, rows, delays)
    changed = not np.allclose(right.decisions, wrong.decisions, rtol=0, atol=1e-7)
    noticed = violated(wrong, lambda k, x: LOSS.gradient(rows[k - 1], x), domain, delays, BETA)
    return changed, noticed, exceeds_theorem_1(wrong.decisions[: len(rows)], domain, rows, delays)


def broken(bug, domain, rows, delays):
    if bug == GRADIENT_AT_CURRENT:
        decisions, unprojected = gradients_at_current_decisions(LOSS, rows, delays, domain)
        return Trace(decisions=decisions, unprojected=unprojected)
    return record(MUTANTS[bug](domain, BETA), LOSS, rows, delays)


def exceeds_theorem_1(decisions, domain, rows, delays):
    """L is the largest gradient that was seen: with a bound over the whole domain, even less would be found."""
    played = list(zip(rows, decisions, strict=True))
    regret = sum(LOSS.value(row, x) for row, x in played) - best_fixed(LOSS, rows, domain).value
    lipschitz = max(np.linalg.norm(LOSS.gradient(row, x)) for row, x in played)
    return regret > theorem_1(delays, BETA, domain.outer_radius, float(lipschitz))
