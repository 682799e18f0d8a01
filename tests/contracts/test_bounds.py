"""What every bound of the registry must satisfy: its curve is its value on every prefix, and runs respect it.

Each check is also made on broken copies, which it must notice.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.delays import NEVER
from belated.theory.descent_curves import counted_drift, logarithmic
from support.bounded import BOUNDS, CASES, STATEMENTS, regret, slopes

delays = st.lists(st.integers(1, 3) | st.integers(1, 30) | st.just(NEVER), min_size=1, max_size=12) | st.integers(
    2, 9
).flatmap(lambda m: st.integers(1, 20).map(lambda rounds: [m - t % m for t in range(rounds)]))
close = {"rel": 1e-9, "abs": 1e-9}


def test_every_statement_has_a_learner_here():
    assert set(CASES) == set(STATEMENTS)


def test_names_of_statements_are_unique():
    assert len(set(STATEMENTS)) == len(STATEMENTS)


def agrees(bound, late):
    """Whether the curve has, after every round, the value of the run that ends there."""
    return bound.curve(late) == pytest.approx([bound.value(late[:p]) for p in range(1, len(late) + 1)], **close)


@given(delays)
@settings(max_examples=25)
def test_the_curve_is_the_value_on_every_prefix(late):
    for name, bound in BOUNDS.items():
        assert agrees(bound, late), name


@given(delays, st.data())
@settings(max_examples=10)
def test_prefixes_may_be_chosen_in_any_order(late, data):
    wanted = data.draw(st.lists(st.integers(1, len(late)), min_size=1, max_size=5))
    for name, bound in BOUNDS.items():
        chosen = bound.curve(late, wanted)
        assert chosen == pytest.approx(bound.curve(late)[np.array(wanted) - 1], **close), name


def whole_run_longest(seen, strong_convexity, radius, lipschitz):
    """The mutant: the longest delay of the whole run, whichever prefix is asked for."""
    longest = seen._replace(rounds=seen.every_round[-1:]).longest[0]
    return logarithmic(seen, strong_convexity, radius, lipschitz) * longest / seen.longest


def cut_at_the_whole_end(seen, strong_convexity, radius, lipschitz):
    """The mutant: what is missing comes at the end of the whole run, and not at that of the prefix."""
    late = np.where(seen.rounds < seen.ends.size, seen.arrived[seen.rounds - 1], seen.last_arrivals)
    right = counted_drift(seen, strong_convexity, radius, lipschitz)
    return right + (late**2 - seen.last_arrivals**2) * lipschitz**2 / (strong_convexity * seen.rounds)


def one_round_too_many(seen, strong_convexity, radius, lipschitz):
    """The mutant: a sum over p - 1 rounds that goes on to p, where that round's arrivals are known."""
    right = counted_drift(seen, strong_convexity, radius, lipschitz)
    return right + np.where(seen.rounds < seen.ends.size, seen.arrived[seen.rounds - 1], 0)


@pytest.mark.parametrize("mutant", [whole_run_longest, cut_at_the_whole_end, one_round_too_many])
def test_curves_that_are_cut_off_at_a_wrong_place_are_noticed(mutant):
    known = {"strong_convexity": 1.0, "radius": 1.0, "lipschitz": 2.0}
    right = BOUNDS["theorem_1"] if mutant is whole_run_longest else BOUNDS["certificate"]
    assert dict(right.constants) == known
    broken = replace(right, statement=right.statement._replace(curve=mutant))
    late = [1, 2, 1, 6, 1, NEVER, 2, 1]
    assert agrees(right, late)
    assert not agrees(broken, late)


ROUNDS = 40
STORIES = {
    "at once": [1] * ROUNDS,
    "fixed": [3] * ROUNDS,
    "bursts": [8 - t % 8 for t in range(ROUNDS)],
    "never": [NEVER] * ROUNDS,
}


def worst(case, late):
    """The largest regret over kinds of losses; the mean over draws for learners that draw."""
    rng, draws = np.random.default_rng(1), range(8) if case.learner.interface.draws else [0]
    found = []
    for kind in ("same", "turning", "drawn"):
        rows = slopes(kind, ROUNDS, rng, case.learner.domain.dim)
        found.append(np.mean([regret(case, late, rows, seed) for seed in draws]))
    return max(found)


LEARNERS = {
    case.learner: [other for other in CASES.values() if other.learner == case.learner] for case in CASES.values()
}


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)
def test_runs_respect_every_proved_bound(learner):
    """And at least one run exceeds what the bound would be if it were the same for all delays, its least value."""
    cases, noticed = LEARNERS[learner], set()
    for late in STORIES.values():
        suffered = worst(cases[0], late)
        for case in cases:
            if case.bound.proved:
                assert suffered <= case.bound.value(late) * (1 + 1e-9), case.statement
            if suffered > min(map(case.bound.value, STORIES.values())):
                noticed.add(case.statement)
    assert {case.statement for case in cases} - noticed <= TOO_LOOSE


TOO_LOOSE = {
    *(
        "agarwal_two_point",
        "langford_strongly_convex",
        "one_point_dda",
        "theorem_1",
        "theorem_2",
        "theorem_2_corrected",
    ),
    *("theorem_3", "theorem_3_certificate", "theorem_3_corrected", "theorem_3_printed", "theorem_3_squares"),
}
"""Bounds that forty rounds cannot exceed, whatever the delays."""
