"""Statements of ``bl.bounds.of`` that have no function of their own, on runs with losses chosen against the learner.

Losses are the worst that a gradient allows, so that regret is exact. Regret must stay below the bound in every run; in
the soak some run must also reach a given part of it, so that a constant smaller by this factor would be noticed.
"""

import numpy as np
import pytest

import belated as bl
from belated.losses.base import Constants
from support.pressure import adversary, play, some_delays, some_domain, some_rounds, some_start


def curved(make, statement, told=1.0, delay=None):
    """A story for strongly convex losses; the learner is told ``told`` times their curvature."""

    def story(rng):
        delays, domain, steep = some_delays(rng, some_rounds(rng)), some_domain(rng), float(10 ** rng.uniform(-1, 1))
        late = delays if delay is None else [delay] * len(delays)
        beta = steep / domain.diameter * float(10 ** rng.uniform(-2, 1))
        learner, start = make(domain, told * beta), some_start(rng, domain)
        run = play(learner, late, adversary(rng, domain.centre, steep), start)
        bound = bl.bounds.of(learner, Constants(steep, beta, beta), initial=start, statement=statement)
        return run.strongly_convex_regret(beta) / bound.value(late)

    return story


def straight(make, statement, delay=None):
    """A story for linear losses; the learner may be told another L than theirs."""

    def story(rng):
        delays, domain, steep = some_delays(rng, some_rounds(rng)), some_domain(rng), float(10 ** rng.uniform(-1, 1))
        late = delays if delay is None else [delay] * len(delays)
        learner = make(domain, steep, steep * float(10 ** rng.uniform(-0.5, 0.5)))
        start = some_start(rng, domain) if rng.random() < 0.5 else domain.centre
        run = play(learner, late, adversary(rng, domain.centre, steep), start)
        bound = bl.bounds.of(learner, Constants(steep, 0.0, 0.0), initial=start, statement=statement)
        return run.linear_regret / bound.value(late)

    return story


STORIES = {
    "squares": (curved(bl.dogd_sc, "certificate_squares"), 0.8),
    "twice the curvature": (curved(bl.dogd_sc, "certificate", told=2.0), 0.95),
    "halved charges": (curved(bl.ftdl, "ftdl_half"), 0.95),
    "ogd_sc": (curved(bl.ogd_sc, "ogd_sc_harmonic", delay=1), 0.95),
    "langford": (
        curved(lambda domain, beta: bl.langford(domain, 3, strong_convexity=beta), "langford_strongly_convex", delay=3),
        0.25,
    ),
    "bold": (curved(lambda domain, beta: bl.bold(bl.ogd_sc(domain, beta)), "bold"), 0.95),
    "in turn": (
        curved(
            lambda domain, beta: bl.weinberger_ordentlich(bl.ogd_sc(domain, beta), 3), "weinberger_ordentlich", delay=3
        ),
        0.95,
    ),
    "count-adaptive": (straight(lambda domain, steep, told: bl.dogd(domain, lipschitz=told), "dogd_falling"), 0.8),
    "doubling": (
        straight(lambda domain, steep, told: bl.dogd(domain, bl.rates.doubling(domain, told)), "dogd_falling"),
        0.8,
    ),
    "late ogd": (straight(lambda domain, steep, told: bl.ogd(domain, told), "dogd_falling"), 0.6),
    "ogd": (straight(lambda domain, steep, told: bl.ogd(domain, steep), "ogd", delay=1), 0.6),
    "sums of dda": (straight(lambda domain, steep, told: bl.dda(domain, told), "dda_in_sums"), 0.75),
    "mild_ogd": (straight(lambda domain, steep, told: bl.mild_ogd(domain, steep, 50), "mild_ogd"), 0.5),
}


@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("runs", [30, pytest.param(300, marks=pytest.mark.soak)])
def test_regret_stays_below_the_sharper_bounds(name, runs):
    rng, (story, reached) = np.random.default_rng(5), STORIES[name]
    worst = max(story(rng) for _ in range(runs))
    assert worst <= 1 + 1e-9, f"worst regret / bound: {worst}"
    assert runs < 300 or worst >= reached, f"the runs are too tame, worst regret / bound: {worst}"


def test_half_of_the_certificate_would_be_exceeded():
    """The mutant: without the factor of the certificate the same runs must break it."""
    rng = np.random.default_rng(5)
    assert max(STORIES["twice the curvature"][0](rng) for _ in range(30)) > 0.5
