"""The suite is shown to catch twelve bugs: on every run that a bug changes, the step identity fails.

A bug need not change every run: if feedback arrives singly, a mean is a sum, and inside the ball a missing projection
changes nothing. The runs have bursts and active projections, so that each bug changes many of them.
"""

import numpy as np
import pytest

from belated.domains import EVERY
from belated.learners import dogd_sc
from belated.losses import Quadratic
from support.identity import violated
from support.mutants import GRADIENT_AT_CURRENT, MUTANTS
from support.runs import arrivals_by_round, record

BETA, ROUNDS, DIM = 2.0, 14, 3


def runs():
    """Forty runs: every domain, delays from short to bursts, losses whose minimisers lie outside the domain."""
    rng = np.random.default_rng(11)
    for i in range(40):
        domain = EVERY[i % len(EVERY)].example(DIM)
        rows = rng.uniform(-1, 1, (ROUNDS, DIM)) * rng.choice([0.5, 8.0])
        burst = int(rng.integers(2, 6))
        delays = [burst - (t % burst) for t in range(ROUNDS)] if i % 2 else rng.integers(1, 6, ROUNDS).tolist()
        yield domain, rows, delays


def gradients_at_current_decisions(loss, rows, delays, domain):
    """The caller's bug: feedback is computed when it arrives, at the decision of *that* round."""
    player, arrived, decisions, unprojected = dogd_sc(domain, BETA).start(), arrivals_by_round(delays), [], []
    for t in range(1, len(rows) + 2):
        decisions.append(player.ask().decision)
        if t > 1:
            unprojected.append(player.state()["policy.arrivals.step.unprojected"])
        for k in arrived[t] if t <= len(rows) else ():
            player.tell(loss.gradient(rows[k - 1], decisions[-1]), round=k)
    return decisions, unprojected


def outcome(name, domain, rows, delays):
    """(whether the bug changed the run, whether the identity noticed)."""
    loss = Quadratic(DIM, curvature=BETA)
    right = record(dogd_sc(domain, BETA), loss, rows, delays)
    wrong = record(MUTANTS[name](domain, BETA), loss, rows, delays)
    if name == GRADIENT_AT_CURRENT:
        wrong.decisions, wrong.unprojected = gradients_at_current_decisions(loss, rows, delays, domain)
    changed = not np.allclose(right.decisions, wrong.decisions, rtol=0, atol=1e-7)
    return changed, violated(wrong, lambda k, x: loss.gradient(rows[k - 1], x), domain, delays, BETA)


def test_there_are_twelve():
    assert len(MUTANTS) == 12


@pytest.mark.parametrize("name", MUTANTS)
def test_step_identity_catches(name):
    outcomes = [outcome(name, *run) for run in runs()]
    active = [noticed for changed, noticed in outcomes if changed]
    assert len(active) >= 5, "the generator no longer makes this bug matter"
    assert all(active)


def test_step_identity_passes_the_algorithm_itself():
    for domain, rows, delays in runs():
        loss = Quadratic(DIM, curvature=BETA)
        trace = record(dogd_sc(domain, BETA), loss, rows, delays)
        assert not violated(
            trace, lambda k, x, rows=rows, loss=loss: loss.gradient(rows[k - 1], x), domain, delays, BETA
        )
