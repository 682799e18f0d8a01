"""The search for worst cases: it judges as a slow judge does, breaks no bound, and breaks those of broken learners.

The soak searches longer, for every learner that has a bound.
"""

from functools import partial

import numpy as np
import pytest

import belated as bl
from belated.audit import stage
from belated.audit.courses import Course
from belated.audit.run_bounds import promise_of
from support.mutants import MUTANTS
from support.worst_case import CONTESTS, exhausted, judged, searched
from support.worst_case import Course as PlainCourse

SLACK = 1e-9
SMALL = {"steps": 60, "tries": 5, "seeds": 1, "workers": 1}
QUICK = {"sequential_dogd": (0.9, 1.0), "dda": (0.75, 0.0), "curvature_ftrl": (0.6, 0.5), "hedge": (0.6, 0.0)}
"""What some hundred courses reach of the bound, and with which knob. Four contests stand for all."""


@pytest.fixture(autouse=True)
def _plain(request, monkeypatch):
    """A search of some hundred courses is over before a compiler has begun; the soak has the compiler."""
    if request.node.get_closest_marker("soak") is None:
        monkeypatch.setattr(stage, "ROUNDS_WORTH_COMPILING", 10**9)


def drawn_courses(rng, rounds, number):
    for _ in range(number):
        delays = np.minimum(rng.integers(1, rounds + 1, rounds), np.arange(rounds, 0, -1))
        yield Course(rng.choice([1, -1], rounds), delays, float(rng.uniform(-1, 1)))


def stage_of(learner, losses, bound, rounds):
    return stage.Stage(stage.contest_of(learner, losses, promise_of(bound), True), rounds, stage.plain_press)


@pytest.mark.parametrize("name", CONTESTS)
def test_courses_are_judged_as_players_are(name):
    contest, rng = CONTESTS[name], np.random.default_rng(3)
    knob, rounds = contest.knobs[-1], 9
    own = stage_of(contest.learner(knob, rounds), contest.losses(knob), contest.bound(knob, rounds), rounds)
    for course in drawn_courses(rng, rounds, 4):
        there = course if contest.any_start else course._replace(start=0.0)
        plain = PlainCourse(tuple(there.signs.tolist()), tuple(there.delays.tolist()), there.start)
        assert own.judged(there).ratio == pytest.approx(judged(contest, plain, knob), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("name", "starts"), [("hedge", (0.0,)), ("ftdl", (0.0, 1.0, -1.0)), ("ons", (0.0, 1.0, -1.0))])
def test_all_courses_are_tried(name, starts):
    contest = CONTESTS[name]
    knob = contest.knobs[-1]
    assert searched(contest, 3, knob).ratio == pytest.approx(exhausted(contest, 3, starts, knob), rel=1e-9)


@pytest.mark.parametrize("name", QUICK)
def test_the_search_breaks_no_bound_and_comes_near_to_it(name):
    least, knob = QUICK[name]
    worst = max(searched(CONTESTS[name], rounds, knob, **SMALL).ratio for rounds in (2, 12))
    assert least <= worst <= 1 + SLACK


@pytest.mark.parametrize("name", QUICK)
def test_the_search_breaks_a_bound_without_its_delays(name):
    contest, knob = CONTESTS[name], QUICK[name][1]
    forgetful = contest.bound(knob, 12)
    broken = searched(contest, 12, knob, bound=lambda delays: forgetful([1] * len(delays)), **SMALL)
    assert broken.ratio > 1.05


CAUGHT = {
    "arrivals one round late": (12, 1),
    "beta/4": (19, 0),
    "h counts non-empty rounds": (12, 0),
    "step uses h_{t-1}": (12, 2),
    "sign flipped (ascent)": (12, 0),
}
"""Mutants of DOGD-SC that break its certificate within one climb of some hundred courses: rounds and the seed."""

BETA = 2.0
CLIMB = {"steps": 120, "tries": 4, "workers": 1}


def certificate(beta):
    return partial(bl.bounds.certificate, strong_convexity=beta, radius=1.0, lipschitz=1.0)


def climbed(learner, beta, rounds, **options):
    losses = bl.adversaries.StronglyConvex(beta)
    return bl.worst_case(learner, certificate(beta), rounds, losses=losses, any_start=True, **options)


@pytest.mark.parametrize("name", CAUGHT)
def test_the_search_catches_mutants_and_random_runs_do_not(name):
    rounds, seed = CAUGHT[name]
    broken = MUTANTS[name](bl.Ball(1), BETA)
    assert climbed(broken, BETA, rounds, seeds=[seed], **CLIMB).ratio > 1.0 + SLACK
    own = stage_of(broken, bl.adversaries.StronglyConvex(BETA), certificate(BETA), rounds)
    assert max(own.judged(course).ratio for course in drawn_courses(np.random.default_rng(0), rounds, 60)) < 0.5


@pytest.mark.parametrize(("rounds", "seed"), sorted(set(CAUGHT.values())))
def test_the_same_searches_do_not_catch_the_algorithm_itself(rounds, seed):
    found = climbed(bl.dogd_sc(bl.Ball(1), BETA), BETA, rounds, seeds=[seed], **CLIMB)
    assert found.ratio <= 1.0 + SLACK


REACHED = {
    "dogd": 0.98,
    "sequential_dogd": 0.98,
    "ons": 0.97,
    "dda": 0.94,
    "composite_ftrl": 0.93,
    "curvature_ftrl": 0.87,
}
"""What long searches reach of some bounds, at least; the page ``docs/worst_case.md`` has all of them."""

LONG = {"ons": [(4, {}), (24, {"seeds": 2})]}
"""Searches of a contest; by default those of ``USUAL``."""

USUAL: list[tuple[int, dict]] = [(6, {}), (24, {}), (80, {})]


@pytest.mark.soak(sampled=False)
@pytest.mark.parametrize("name", CONTESTS)
def test_long_searches_break_no_bound(name):
    contest = CONTESTS[name]
    found = [
        searched(contest, rounds, knob, **options)
        for rounds, options in LONG.get(name, USUAL)
        for knob in contest.knobs
    ]
    worst = max(found, key=lambda case: case.ratio)
    assert worst.ratio <= 1 + SLACK, worst
    assert worst.ratio >= REACHED.get(name, 0.0), worst


@pytest.mark.soak
@pytest.mark.parametrize("name", ["mean instead of sum", "keeps one of F_t"])
def test_long_searches_catch_more_mutants(name):
    found = climbed(MUTANTS[name](bl.Ball(1), 2.0), 2.0, 19, steps=1500, tries=64, seeds=2)
    assert found.ratio > 1.0 + SLACK
