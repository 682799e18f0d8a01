"""Bad arguments of named learners: refused at construction; the message names the call, the value and the bound."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import belated as bl
from belated.extend import (
    Batch,
    Descent,
    Interface,
    Learner,
    absorb,
    begin,
    decision,
    estimate,
    from_arrivals,
    interface,
    move,
    play,
    probe,
    receive,
    settle,
)
from belated.learners import learner as learner_module
from belated.learners.catalogue import NAMED
from belated.learners.parts.estimators import one_point
from belated.learners.verbs import inverse_rate
from support.players import as_bytes

BALL = bl.Ball(3)


@pytest.mark.parametrize("name", ["ogd_sc", "dogd_sc", "khashabi"])
@pytest.mark.parametrize("beta", [0.0, -2.0, math.nan, math.inf, "2", None, True])
def test_strong_convexity_must_be_positive(name, beta):
    with pytest.raises(bl.errors.InvalidArgument, match=rf"`{name}\(strong_convexity="):
        NAMED[name](BALL, strong_convexity=beta)


@pytest.mark.parametrize("name", ["bdogd_sc", "bdogd_sc_two_point"])
@pytest.mark.parametrize("radius", [0.0, -0.1, 1.0, 1.5, math.nan, math.inf, None])
def test_probes_must_fit_into_the_domain(name, radius):
    with pytest.raises(bl.errors.InvalidArgument, match=rf"`{name}\(probe_radius="):
        NAMED[name](BALL, strong_convexity=2.0, probe_radius=radius)


def test_the_message_names_call_value_and_bound():
    with pytest.raises(ValueError, match=r"^`dogd_sc\(strong_convexity=0\.0\)`: must be > 0$"):
        bl.dogd_sc(BALL, strong_convexity=0.0)
    with pytest.raises(
        ValueError, match=r"^`bdogd_sc\(probe_radius=1\.0\)`: must be < the inner radius 1 of the domain$"
    ):
        bl.bdogd_sc(BALL, 2.0, probe_radius=1.0)


@pytest.mark.parametrize("rate", [0.0, -1.0, math.nan, "fast", None])
def test_a_constant_rate_must_be_positive(rate):
    with pytest.raises(bl.errors.InvalidArgument, match=r"`dogd\(rate="):
        bl.dogd(BALL, rate)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`dbgd\(rate="):
        bl.dbgd(BALL, rate, probe_radius=0.1)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`constant\(rate="):
        bl.rates.constant(rate)


def test_a_number_is_the_constant_rate():
    assert bl.dogd(BALL, 0.25) == bl.dogd(BALL, bl.rates.constant(0.25))


def test_a_lipschitz_constant_stands_for_the_recommended_rate():
    assert bl.dogd(BALL, lipschitz=2.0) == bl.dogd(BALL, bl.rates.count_adaptive(BALL, 2.0))
    assert bl.ogd(BALL, 2.0) == bl.ogd(BALL, rate=bl.rates.SquareRoot(2.0 / 2.0))


@pytest.mark.parametrize("learner", [bl.dogd, bl.ogd])
def test_there_is_either_a_rate_or_a_lipschitz_constant(learner):
    name = learner.__name__
    with pytest.raises(bl.errors.InvalidArgument, match=rf"^`{name}\(rate=None\)`: must be given, or else lipschitz"):
        learner(BALL)
    with pytest.raises(bl.errors.InvalidArgument, match=rf"^`{name}\(rate=0\.5\)`: must not be given together with"):
        learner(BALL, rate=0.5, lipschitz=2.0)
    with pytest.raises(bl.errors.InvalidArgument, match=rf"^`{name}\(lipschitz=0\.0\)`: must be > 0"):
        learner(BALL, lipschitz=0.0)
    with pytest.raises(
        bl.errors.InvalidArgument, match=rf"^`{name}\(domain=.*\)`: must be bounded, with more than one"
    ):
        learner(bl.Simplex(1), lipschitz=1.0)
    assert learner(bl.Euclidean(2), rate=0.5).name == name, "a rate of one's own needs no bounds"


@pytest.mark.parametrize("rate", [bl.rates.count_adaptive, bl.rates.doubling, bl.ogd])
def test_rates_that_use_the_diameter_need_one(rate):
    with pytest.raises(bl.errors.InvalidArgument, match="must be bounded"):
        rate(bl.Euclidean(3), lipschitz=1.0)
    with pytest.raises(bl.errors.InvalidArgument, match="lipschitz"):
        rate(BALL, lipschitz=0.0)


class Unregistered(NamedTuple):
    scale: float


@pytest.mark.parametrize("rate", [Unregistered(1.0), object(), "x", BALL])
def test_a_rate_that_is_none_is_refused_at_construction(rate):
    with pytest.raises(bl.errors.InvalidArgument, match="must be a number, a list, a function of the round, or a rate"):
        bl.dogd(BALL, rate)


class Fading(NamedTuple):
    """Sound for the first feedback, and then not."""

    later: float


@inverse_rate.on(Fading)
def fading_inverse_rate(rate, ledger):
    return 1.0 if ledger.received < 2 else rate.later


@pytest.mark.parametrize("later", [0.0, math.nan, 1e-320])
def test_a_rate_that_fails_later_is_an_error_that_changes_nothing(later):
    player = bl.dogd(BALL, Fading(later)).start()
    for _ in range(2):
        player.ask()
        player.tell([1.0, 0.0, 0.0])
    before = as_bytes(player.state())
    for _ in range(2):
        with pytest.raises(bl.errors.NumericalFailure, match="such as its rate or step"):
            player.ask()
        assert as_bytes(player.state()) == before


@pytest.mark.parametrize(
    "rate",
    [
        bl.rates.ConstantRate(-1.0),
        bl.rates.ConstantRate(math.inf),
        bl.rates.ConstantRate("x"),  # type: ignore[arg-type]  # that is the point
        bl.rates.PerFeedback(-1.0),
    ],
)
def test_a_rate_that_would_climb_is_refused(rate):
    with pytest.raises(bl.errors.InvalidArgument, match="must give a finite inverse rate > 0"):
        bl.dogd(BALL, rate)


@pytest.mark.parametrize("value", [1e-51, 1e51, 1e-310, 1.7e308])
def test_constants_beyond_reason_are_refused(value):
    """Within the limits nothing that a player is told can overflow."""
    for make in (
        lambda: bl.dogd(BALL, value),
        lambda: bl.dogd_sc(BALL, value),
        lambda: bl.ogd(BALL, value),
        lambda: bl.bdogd_sc(bl.Euclidean(2), 1.0, value),
        lambda: bl.log_probe_radius(10, value),
    ):
        with pytest.raises(bl.errors.InvalidArgument, match=r"must lie in \[1e-50, 1e\+50\]|inner radius"):
            make()


@pytest.mark.parametrize(
    "learner",
    [
        bl.ftdl(bl.Ball(2), 2.0),
        bl.composite_ftrl(bl.Ball(2), 2.0, 1.0),
        bl.vaw(bl.Euclidean(2), 1.0),
        bl.bold(bl.dogd_sc(bl.Ball(2), 2.0)),
        bl.bdogd_sc(bl.Ball(2), 2.0, 0.1),
    ],
    ids=lambda learner: learner.name,
)
def test_what_an_estimator_cannot_feed_is_refused(learner):
    """Its curvature, its regulariser or its copies would be lost without a word."""
    with pytest.raises(bl.errors.InvalidArgument, match=rf"`{learner.name}\.behind\(.*does more with a gradient"):
        learner.behind("mine", one_point(bl.Ball(2), 0.1))


def test_what_hands_gradients_on_as_they_are_can_be_fed_by_an_estimator():
    assert bl.dogd(bl.Ball(2), 0.1).behind("mine", one_point(bl.Ball(2), 0.1)).needs_round


class Broken(NamedTuple):
    """A rate whose formula cannot be evaluated."""


@inverse_rate.on(Broken)
def broken_inverse_rate(rate, ledger):
    return 1.0 / (ledger.round - 1)


def test_what_is_wrong_with_a_rate_is_told():
    with pytest.raises(
        bl.errors.InvalidArgument, match=r"arrives, but raises ZeroDivisionError\('float division by zero'\)"
    ):
        bl.dogd(BALL, Broken())
    with pytest.raises(bl.errors.InvalidArgument, match=r"arrives, but gives -1\.0"):
        bl.dogd(BALL, bl.rates.ConstantRate(-1.0))


def test_a_step_in_place_of_an_arrival_rule_is_refused():
    step = Descent(BALL, bl.rates.ConstantRate(1.0))
    with pytest.raises(
        bl.errors.InvalidArgument, match=r"^`mine\(arrivals=Descent.*wrap a step in one, such as Batch\(step\)"
    ):
        from_arrivals("mine", BALL, step)


class Counting(NamedTuple):
    """A step that never moves, whose state is whatever it is made with."""

    start: Any


class CountingState(NamedTuple):
    decision: Any
    count: Any


@begin.on(Counting)
def begin_counting(step, initial):
    return step.start


@decision.on(Counting)
def counting_decision(step, state, out):
    out[:] = state.decision


move.on(Counting)(lambda step, state, ledger, gradient: None)


@pytest.mark.parametrize(
    ("state", "wanted"),
    [
        (CountingState(np.zeros(3), 0.5), r"CountingState\.count is of type float"),
        (CountingState(np.zeros(3), 1), r"CountingState\.count is of type int"),
        (CountingState([0.0], np.zeros(1)), r"CountingState\.decision is of type list"),
        (CountingState(np.zeros(3), np.zeros(1, dtype=np.float32)), r"CountingState\.count is an array of float32"),
        (CountingState(np.zeros(3), CountingState(np.zeros(1), None)), r"CountingState\.count is of type NoneType"),
        ((np.zeros(3), np.zeros(1)), r"BatchState\.step is of type tuple"),
        (0.5, r"BatchState\.step is of type float"),
    ],
)
def test_a_state_that_is_no_tuple_of_arrays_is_refused_when_the_learner_is_made(state, wanted, monkeypatch):
    with pytest.raises(bl.errors.InvalidArgument, match=rf"^`begin\(Direct\)`: {wanted}; .* np\.zeros\(1\)"):
        from_arrivals("mine", BALL, Batch(Counting(state)))
    monkeypatch.setattr(learner_module, "checked_state", lambda where, state: state)
    with pytest.raises((AttributeError, KeyError)):
        from_arrivals("mine", BALL, Batch(Counting(state))).start()


def test_a_state_of_arrays_is_taken():
    state = CountingState(np.zeros(3), np.zeros(1, dtype=np.int64))
    assert from_arrivals("mine", BALL, Batch(Counting(state))).start().ask().point.tolist() == [0.0, 0.0, 0.0]


class Aimless(NamedTuple):
    """A policy that has begun to register its verbs."""


@begin.on(Aimless)
def begin_aimless(policy, initial):
    return initial


def test_a_policy_that_lacks_a_verb_is_refused_when_the_learner_is_made():
    with pytest.raises(bl.errors.MissingVerb, match="`decision` has no implementation for Aimless"):
        Learner("mine", BALL, BALL, Aimless())
    for verb in (decision, play, receive, settle):
        verb.on(Aimless)(lambda *arguments: None)
    with pytest.raises(
        bl.errors.InvalidArgument, match=r"^`begin\(Aimless\)`: must return a state, .* returns ndarray"
    ):
        Learner("mine", BALL, BALL, Aimless())


class Half(NamedTuple):
    """An arrival rule, and an estimator, that have registered some of their verbs."""

    domain: Any = BALL
    dim: int = 3


def test_an_arrival_rule_or_estimator_that_lacks_a_verb_is_refused_when_the_learner_is_made():
    absorb.on(Half)(lambda *arguments: None)
    begin.on(Half)(lambda *arguments: CountingState(np.zeros(3), np.zeros(1)))
    with pytest.raises(bl.errors.MissingVerb, match="`decision` has no implementation for Half"):
        from_arrivals("mine", BALL, Half())
    decision.on(Half)(lambda *arguments: None)
    with pytest.raises(bl.errors.MissingVerb, match="`settle` has no implementation for Half"):
        from_arrivals("mine", BALL, Half())
    for verb in (interface, probe, estimate):
        with pytest.raises(bl.errors.MissingVerb, match=f"`{verb.__name__}` has no implementation for Half"):
            bl.dogd(BALL, 0.5).behind("mine", Half())
        verb.on(Half)(lambda *arguments: Interface(1, "values", 1, 0, 0))
    assert bl.dogd(BALL, 0.5).behind("mine", Half()).interface.feedback == "values"
