"""Slips in parts of one's own: what is forgotten is told when the learner is made, or at the first ask."""

from typing import NamedTuple

import pytest

import belated as bl
from belated.core.arrays import Vector
from belated.extend import (
    Batch,
    Interface,
    Learner,
    Sequential,
    begin,
    decision,
    from_arrivals,
    interface,
    move,
    play,
    receive,
    settle,
)

BALL = bl.Ball(2)


class SlipState(NamedTuple):
    x: Vector


class Slip(NamedTuple):
    """A policy that stays where it is; ``writes`` says what it does not forget to write."""

    writes: str
    interface: Interface = Interface(1, "gradient", 2, 0, 0)


interface.on(Slip)(lambda policy: policy.interface)
begin.on(Slip)(lambda policy, initial: SlipState(initial.copy()))
receive.on(Slip)(lambda policy, state, ledger, feedback, memo, scratch: None)
settle.on(Slip)(lambda policy, state, ledger: None)


@play.on(Slip, compiled=False)
def play_slip(policy, state, ledger, desk):
    if "points" in policy.writes:
        desk.points[0, :] = state.x


@decision.on(Slip, compiled=False)
def slip_decision(policy, state, out):
    if "decision" in policy.writes:
        out[:] = state.x


def slip(writes="points decision", **changes):
    return Learner("slip", BALL, BALL, Slip(writes, Slip("").interface._replace(**changes)))


def test_a_policy_that_writes_both_plays():
    assert slip().start().ask().point.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("writes", ["points", "decision", ""])
def test_a_policy_that_forgets_to_write_is_noticed_live(writes):
    with pytest.raises(bl.errors.NumericalFailure, match="or has written no decision"):
        slip(writes).start().ask()


@pytest.mark.parametrize("writes", ["decision", ""])
def test_a_policy_that_forgets_to_write_its_points_is_noticed_in_a_simulation(writes):
    with pytest.raises(bl.errors.BelatedError, match="slip"):
        bl.simulate({"slip": slip(writes)}, bl.problems.RandomQuadratic(2), bl.delays.Fixed(1), 5, [0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"feedback": "gradients"}, "feedback must be one of gradient, values, label, not 'gradients'"),
        ({"queries": 0}, "queries must be 1, not 0"),
        ({"feedback": "values", "queries": 0}, "queries must be at least 1, not 0"),
        ({"feedback_size": 3}, "feedback_size must be 2, not 3"),
        ({"context_size": 1}, "context_size must be between 0 and memo_size"),
        ({"context_size": -1}, "context_size must be between 0 and memo_size"),
        ({"scratch_size": -1}, "scratch_size must be >= 0, not -1"),
    ],
)
def test_an_interface_that_is_not_possible_is_explained(changes, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        slip(**changes)


class Halting(NamedTuple):
    """A step that has ``begin`` and ``decision``, and no ``move``."""

    domain: bl.Ball


begin.on(Halting)(lambda step, initial: SlipState(initial.copy()))
decision.on(Halting)(lambda step, state, out: None)


class Blind(NamedTuple):
    """A step that has ``begin`` and ``move``, and no ``decision``."""

    domain: bl.Ball


begin.on(Blind)(lambda step, initial: SlipState(initial.copy()))
move.on(Blind)(lambda step, state, ledger, gradient: None)


@pytest.mark.parametrize("rule", [Batch, Sequential])
@pytest.mark.parametrize(("step", "verb"), [(Halting(BALL), "move"), (Blind(BALL), "decision")])
def test_a_step_that_lacks_a_verb_is_refused_when_the_learner_is_made(rule, step, verb):
    with pytest.raises(bl.errors.MissingVerb, match=f"`{verb}` has no implementation for {type(step).__name__}"):
        from_arrivals("mine", BALL, rule(step))


def test_a_rate_that_has_not_registered_its_verb_is_told_so():
    with pytest.raises(bl.errors.InvalidArgument, match=r"register its inverse rate with @inverse_rate.on\(Halting\)"):
        bl.dogd(BALL, Halting(BALL))


def test_telling_before_asking_is_told_to_ask():
    with pytest.raises(bl.errors.NothingOwed, match=r"no round was asked yet; call ask\(\)"):
        bl.dogd_sc(BALL, 2.0).start().tell([0.0, 0.0])
