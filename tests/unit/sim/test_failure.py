"""When a run stops: a learner that plays outside its domain is found, and the part is named that has failed.

Every guard is taken away once, to show what would come of it.
"""

import math
from typing import NamedTuple

import numpy as np
import pytest

import belated as bl
from belated.core.errors import NumericalFailure, OutsideDomain
from belated.learners import Learner
from belated.learners.learner import from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.steps.descent import Descent
from belated.learners.verbs import Interface, begin, decision, interface, inverse_rate, move, play, receive, settle
from belated.losses.base import gradient, value
from belated.sim import round_loop
from belated.sim.failure import Failure
from belated.sim.plain_or_compiled import plain_loop
from support.engine import begun
from support.own_parts import Bowl

BALL = bl.Ball(2)
PROBLEM = bl.problems.RandomQuadratic(2)


class Straying(NamedTuple):
    """A policy that plays the centre, and (0, height) in one round."""

    height: float
    when: int


class Nothing(NamedTuple):
    """A state that remembers nothing."""


@interface.on(Straying)
def straying_interface(policy):
    return Interface(1, "gradient", 2, 0, 0)


@begin.on(Straying)
def begin_straying(policy, initial):
    return Nothing()


@decision.on(Straying)
def straying_decision(policy, state, out):
    out[:] = 0.0


@play.on(Straying)
def play_straying(policy, state, ledger, desk):
    desk.points[0, 0] = 0.0
    desk.points[0, 1] = policy.height if ledger.round == policy.when else 0.0


@receive.on(Straying)
def receive_nothing(policy, state, ledger, feedback, memo, scratch):
    """It does not learn."""


@settle.on(Straying)
def settle_nothing(policy, state, ledger):
    """It does not learn."""


def straying(height, when):
    return Learner("straying", BALL, BALL, Straying(height, when))


def run(learner, rounds=9, **settings):
    return bl.simulate({"mine": learner}, PROBLEM, bl.delays.Fixed(2), rounds, [4], **settings)


# Outside of the domain


@pytest.mark.parametrize("when", [1, 5, 9])
def test_a_point_outside_is_refused_with_learner_round_seed_and_distance(when):
    message = (
        rf"^`simulate`: learner mine, round {when} of seed 4: the point array\(\[0\. , 2\.5\]\) lies outside of "
        r"Ball\(.*\), 1\.5 from its nearest element; a learner must play inside its domain$"
    )
    with pytest.raises(OutsideDomain, match=message):
        run(straying(2.5, when))


@pytest.mark.parametrize("height", [1.0, 1.0 + 1e-10, -1.0])
def test_the_domain_decides_with_its_own_tolerance(height):
    run(straying(height, 3))
    with pytest.raises(OutsideDomain, match=r"1e-08 from its nearest"):
        run(straying(1.0 + 1e-8, 3))


def test_without_the_check_a_learner_outside_would_win(monkeypatch):
    """The mutant: whoever projects onto a ball of ten times the size has less regret than none."""
    wide, problem = bl.Ball(2, radius=10.0), bl.problems.SignFlips(2, period=60)
    learner = Learner("wide", BALL, BALL, bl.dogd(wide, 1.0).policy)
    learners = {"honest": bl.dogd(BALL, 1.0), "wide": learner}
    for call in (bl.compare, bl.simulate):
        with pytest.raises(OutsideDomain, match=r"^`simulate`: learner wide, round \d+ of seed 0: the point"):
            call(learners, problem, bl.delays.Fixed(1), 50, 2)
    monkeypatch.setattr(round_loop, "contains", lambda domain, point, slack: True)
    ranking = bl.compare(learners, problem, bl.delays.Fixed(1), 50, 2).ranking
    assert (ranking[0].learner, ranking[0].score.mean < 0.0) == ("wide", True)


def test_a_learner_that_is_outside_from_the_first_round_on_is_refused_as_such_by_compare():
    with pytest.raises(OutsideDomain, match=r"^`simulate`: learner mine, round 1 of seed 0: the point"):
        bl.compare({"mine": straying(3.0, 1)}, PROBLEM, bl.delays.Fixed(1), 5, 2)


def test_probes_must_be_inside_as_well():
    """A decision near the edge of a ball that is shrunk too little."""
    prober = bl.bdogd_sc(bl.Ball(2, radius=1.2), 2.0, 0.5)
    with pytest.raises(OutsideDomain, match=r"0\.2 from its nearest"):
        run(Learner("mine", BALL, prober.decision_domain, prober.policy), initial=[0.7, 0.0])


def test_points_are_looked_at_in_recorded_rounds():
    run(straying(2.5, 5), record=[4, 6])
    with pytest.raises(OutsideDomain, match="round 5 of"):
        run(straying(2.5, 5), record=[4, 5])


def test_of_many_recorded_rounds_some_are_looked_at_and_always_the_last(monkeypatch):
    monkeypatch.setattr(round_loop, "MOST_CHECKED", 3)
    seen = []
    monkeypatch.setattr(round_loop, "contains", lambda domain, point, slack: seen.append(point[1] > 1.0) or True)
    run(straying(2.5, 10), 10, record="all")
    assert seen == [False, False, True], "rounds 2, 6 and 10"
    seen.clear()
    run(straying(2.5, 2), 2, record="all")
    assert seen == [False, True]


def test_a_loss_that_is_not_defined_outside_is_not_blamed():
    """In a round that is not recorded, the loss is the first to notice."""

    class Needle(Bowl):
        __slots__ = ()

    @value.on(Needle)
    def needle_value(loss, row, point):
        return 0.0 if point[1] <= 1.0 else math.nan

    @gradient.on(Needle)
    def needle_gradient(loss, row, point, out):
        out[:] = 0.0

    problem = bl.problems.Recorded(Needle(2), np.zeros((9, 2)))
    with pytest.raises(OutsideDomain, match=r"round 5 of seed 0.* 1\.5 from"):
        bl.simulate({"mine": straying(2.5, 5)}, problem, bl.delays.Fixed(1), 9, 1, record=[9], regret_at=[])


# Which part has failed


class Ending(NamedTuple):
    """A rate whose formula ends after so many rounds."""

    rounds: int


@inverse_rate.on(Ending)
def ending_rate(rate, ledger):
    return 1.0 / (rate.rounds - ledger.round)


class Shrinking(NamedTuple):
    """One that becomes 0, which is nobody's fault but its own."""

    rounds: int


@inverse_rate.on(Shrinking)
def shrinking_rate(rate, ledger):
    return 1.0 * max(rate.rounds - ledger.round, 0)


def descending(rate):
    return from_arrivals("own", BALL, Batch(Descent(BALL, rate)))


def test_a_rate_that_raises_late_is_named():
    message = (
        r"^`simulate`: learner mine, round 7 of seed 4: `inverse_rate` of Ending\(rounds=7\) raised ZeroDivisionError: "
        r"float division by zero \(in ending_rate, test_failure\.py line \d+\)$"
    )
    with pytest.raises(NumericalFailure, match=message) as caught:
        run(descending(Ending(7)))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_step_that_fails_because_of_its_rate_names_both():
    message = (
        r"`move` of Descent\(.* raised ZeroDivisionError: .*; `inverse_rate` of Shrinking\(rounds=7\) gives 0 for round"
    )
    with pytest.raises(NumericalFailure, match=message):
        run(descending(Shrinking(7)))


def test_a_function_of_the_round_that_raises_is_named():
    function = bl.rates.of_round(lambda t: 1.0 / (7 - t), "mine")
    message = r"`inverse_rate` of OfRound\(function=mine\) raised ZeroDivisionError: .*<lambda>"
    with pytest.raises(NumericalFailure, match=message):
        run(bl.dogd(BALL, function))


def test_what_is_no_number_trouble_stays_what_it_is_and_says_where():
    function = bl.rates.of_round(lambda t: 0.1 if t < 7 else [][t], "mine")
    with pytest.raises(IndexError) as caught:
        run(bl.dogd(BALL, function))
    assert caught.value.__notes__ == ["`simulate`: learner mine, round 7 of seed 4"]


def test_a_decision_that_is_not_finite_is_the_learners():
    """As machine code finds it, which goes on where Python raises."""
    message = r"^`simulate`: learner mine, round 3 of seed 4: the decision is not finite: a part of the learner has"
    with pytest.raises(NumericalFailure, match=message):
        run(straying(math.nan, 3))


def test_a_rate_that_made_the_decision_not_finite_is_named(monkeypatch):
    """The rate gave 0 at the end of round 7, machine code divided by it, and round 8 was lost."""

    def divided(step, state, ledger, slope):
        h = inverse_rate(step.rate, ledger)
        state.decision[:] = state.decision - slope / np.float64(h)

    monkeypatch.setitem(move.implementations, Descent, divided)
    message = (
        r"round 8 of seed 4: the decision is not finite: `inverse_rate` of Shrinking\(rounds=7\) gives 0 for round"
    )
    with pytest.raises(NumericalFailure, match=message):
        run(descending(Shrinking(7)))
    monkeypatch.setattr(Failure, "_bad_rate", lambda self, ledger: None)  # the mutant: nobody looks at the rates
    with pytest.raises(NumericalFailure, match=r"a part of the learner has failed, such as a step, and not the loss$"):
        run(descending(Shrinking(7)))


def test_a_learner_that_runs_away_is_not_hidden_behind_the_loss():
    steep = bl.problems.Recorded(bl.losses.Quadratic(1, 1.0), np.ones((40, 1)))
    message = (
        r"or its gradient, is not finite or beyond 1e\+100; the learner has run away, its decision has an entry of"
    )
    with pytest.raises(NumericalFailure, match=message):
        bl.simulate({"mine": bl.dogd(bl.Euclidean(1), 1e6)}, steep, bl.delays.Fixed(1), 40, 1, regret_at=[])


def test_the_ledger_of_the_round_before_is_that_of_the_round_before():
    """All but the number of arrivals, and what was outstanding, which nobody can know any more."""
    delays = np.array([3, 1, 2, 1, 4, 1, 1, 2, 1])
    learner, loss = bl.dogd_sc(BALL, 2.0), PROBLEM.loss
    whole = begun(learner, loss, 9, 9)
    whole.take(plain_loop, np.ones((9, 2)), delays)
    for t in range(2, 10):
        ledgers = []
        for rounds in (t, t - 1):
            some = begun(learner, loss, 9, 9)
            some.take(plain_loop, np.ones((rounds, 2)), delays[:rounds])
            ledgers.append(some._failure().ledger)
        before = Failure("mine", learner, 0, ledgers[0])._before()
        unknown = {"arrived": 0, "outstanding": 0}
        assert before._replace(**unknown) == ledgers[1]._replace(**unknown)
