"""Runs: what is recorded is what happened, and arrays of one's own are checked before they are believed."""

import dataclasses
import re

import numpy as np
import pytest

import belated as bl
from belated.core.errors import InvalidArgument
from belated.sim.hindsight import Best

ROUNDS = 12
BALL = bl.Ball(2)
PROBLEM = bl.problems.RandomQuadratic(2)
LAW = bl.delays.Uniform(1, 5)


def run_of(learner, **options):
    return bl.record_run(learner, PROBLEM, LAW, ROUNDS, **options)


@pytest.mark.parametrize(
    "learner",
    [bl.dogd_sc(BALL, 2.0), bl.composite_ftrl(BALL, 1.0), bl.bdogd_sc(BALL, 2.0, 0.1), bl.ftdl(BALL, 2.0)],
    ids=lambda learner: learner.name,
)
def test_a_recorded_run_is_the_simulated_one(learner):
    """The same losses, delays and decisions for a seed; also for learners without a chain."""
    found = run_of(learner, seed=3, initial=[0.2, -0.1])
    wanted = bl.simulate({"it": learner}, PROBLEM, LAW, ROUNDS, [3], initial=[0.2, -0.1])
    suffered = [PROBLEM.loss.value(row, x) for row, x in zip(found.rows, found.decisions[:-1], strict=True)]
    assert float(wanted.centre_cumulative_loss[0, 0, -1]) == pytest.approx(sum(suffered), rel=1e-12)
    assert wanted.best_loss.item() == found.best.value
    assert found.regret == pytest.approx(wanted.regret.item(), rel=1e-9)
    assert type(found.regret) is float
    assert repr(found) == f"<Run of {learner.name}: {ROUNDS} rounds, dim 2>"
    told = [int(np.sum(found.delays + np.arange(1, ROUNDS + 1) - 1 == t)) for t in range(1, ROUNDS + 1)]
    assert wanted.arrivals.values.ravel().tolist() == told


def test_the_steps_of_a_learner_that_descends_are_recorded():
    descending, leading = run_of(bl.dogd_sc(BALL, 2.0)), run_of(bl.dda(BALL, 5.0))
    assert descending.unprojected.shape == (ROUNDS, 2)
    assert descending.inverse_rates.shape == (ROUNDS,)
    assert leading.unprojected is leading.inverse_rates is None


def test_a_regulariser_that_the_learner_knows_is_not_told():
    run = run_of(bl.composite_ftrl(BALL, 0.5))
    whole = [PROBLEM.loss.gradient(row, x) for row, x in zip(run.rows, run.decisions[:-1], strict=True)]
    assert np.allclose(run.feedback, np.array(whole) - 0.5 * run.decisions[:-1], atol=1e-15)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "dogd"}, "must be a learner"),
        ({"loss": bl.losses.Quadratic(3)}, "must be a loss of dimension 2"),
        ({"rows": [[1.0]]}, "must have shape (rows, 2)"),
        ({"delays": [1] * 11}, "must have a delay for each of the 12 rows"),
        ({"delays": [0] * 12}, "must lie in 1..NEVER"),
        ({"decisions": np.zeros((12, 2))}, "must have 13 rows, got 12"),
        ({"decisions": np.full((13, 2), np.nan)}, "must be finite"),
        ({"feedback": np.zeros((13, 2))}, "must have 12 rows, got 13"),
        ({"unprojected": np.zeros((12, 3))}, "must have shape (rows, 2)"),
        ({"inverse_rates": np.zeros(3)}, "must have shape (12,)"),
        ({"best": 5}, "must be what best_fixed returns"),
        ({"best": Best(np.zeros(2), 5.0, 0.0)}, "must have the loss at its point, which is 0"),
        ({"best": Best(np.array([3.0, 0.0]), 5.0, 0.0)}, "must lie in Ball"),
        ({"best": Best(np.zeros(2), 0.0, -1e-9)}, "must have a gap >= 0"),
        ({"best": Best(np.zeros(2), 0.0, np.nan)}, "must have a gap >= 0"),
        ({"best": Best(np.zeros(3), 0.0, 0.0)}, "must have shape (2,)"),
        ({"best": Best(np.zeros(2), np.nan, 0.0)}, "must be finite"),
    ],
)
def test_what_cannot_be_a_run_is_refused(options, message):
    (name,) = options
    with pytest.raises(InvalidArgument, match=re.escape(message)) as raised:
        dataclasses.replace(run_of(bl.dogd_sc(BALL, 2.0)), **options)
    assert raised.value.argument == name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": 3}, "must be a learner"),
        ({"learner": bl.vaw(bl.Euclidean(2), 1.0)}, "must be told gradient or values"),
        ({"problem": bl.problems.RandomQuadratic(3)}, "must have dimension 2"),
        ({"problem": 3}, "must be a problem"),
        ({"delays": [1, 2]}, "must be a law of delay"),
        ({"rounds": 0}, "must be >= 1"),
        ({"seed": -1}, "must be >= 0"),
        ({"initial": [3.0, 0.0]}, "must lie in"),
    ],
)
def test_what_cannot_be_recorded_is_refused(options, message):
    given = {"learner": bl.dogd_sc(BALL, 2.0), "problem": PROBLEM, "delays": LAW, "rounds": ROUNDS} | options
    with pytest.raises(InvalidArgument, match=re.escape(message)):
        bl.record_run(**given)


def test_what_was_given_is_not_shared_writably():
    """A certificate of a run stays true: nobody changes the arrays of the run by accident."""
    run = run_of(bl.dogd_sc(BALL, 2.0))
    for name in ("decisions", "feedback", "unprojected"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(run, name)[0, 0] = 1.0
