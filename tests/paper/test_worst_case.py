"""A small search for worst cases: it breaks no bound, comes near to each, and breaks one that has lost its delays.

``tests/support/worst_case.py`` as a script searches longer; the pages of ``docs/derivations`` quote what it found.
"""

import numpy as np
import pytest

from support.worst_case import CHANGES, CONTESTS, Course, evolved, exhausted, judged, stretched

SLACK = 1e-9
QUICK = {"sequential_dogd": 0.9, "dda": 0.75, "curvature_ftrl": 0.6, "hedge": 0.6}
"""What some hundred courses reach of the bound. Four contests stand for all: the suite has little time."""


def without_delays(contest):
    """The mutant: a bound that has forgotten its delays."""
    return contest._replace(bound=lambda delays, run, course: contest.bound([1] * len(delays), run, course))


@pytest.mark.parametrize("name", QUICK)
def test_the_search_breaks_no_bound_and_comes_near_to_it(name):
    contest, rng = CONTESTS[name], np.random.default_rng(1)
    worst = max(exhausted(contest, 2).ratio, evolved(contest, 12, 60, rng).ratio)
    assert QUICK[name] <= worst <= 1 + SLACK


@pytest.mark.parametrize("name", QUICK)
def test_the_search_breaks_a_bound_without_its_delays(name):
    assert evolved(without_delays(CONTESTS[name]), 12, 30, np.random.default_rng(1)).ratio > 1.05


@pytest.mark.parametrize("name", CONTESTS)
def test_one_round_is_what_it_is_by_hand(name):
    """One prompt gradient at the start. Regret is 1 at the centre for linear losses; curved ones have less."""
    found = judged(CONTESTS[name], Course((1,), (1,)))
    assert 0 < found.ratio <= 1 + SLACK


def test_every_change_leaves_a_course_that_can_be_played():
    rng, contest = np.random.default_rng(2), CONTESTS["curvature_ftrl"]
    course = Course((1,) * 9, (1,) * 9)
    for i in range(300):
        course = CHANGES[i % len(CHANGES)](course, contest, rng)
        assert set(course.signs) <= {1, -1}
        assert len(course.signs) == len(course.delays) == 9
        assert all(1 <= d <= 9 - t for t, d in enumerate(course.delays))
        assert -1.0 <= course.start <= 1.0
        assert min(contest.knobs) <= course.knob <= max(contest.knobs)


def test_a_stretched_course_has_its_rounds_twice():
    course = stretched(Course((1, -1, 1), (3, 1, 1), 0.5), 7)
    assert course == Course((1, 1, -1, -1, 1, 1, 1), (6, 5, 1, 1, 1, 1, 1), 0.5)
    waits = stretched(Course((1, 1, 1), (2, 2, 1)), 6).delays
    assert waits == (4, 3, 4, 3, 1, 1)


def test_an_exhaustive_search_is_the_worst_of_all_courses():
    """Against loops that share nothing with it, for two rounds of a learner without start and knob."""
    contest = CONTESTS["hedge"]
    all_of_them = [judged(contest, Course(s, d)).ratio for s in [(1, 1), (1, -1)] for d in [(1, 1), (2, 1)]]
    assert exhausted(contest, 2).ratio == max(all_of_them)
