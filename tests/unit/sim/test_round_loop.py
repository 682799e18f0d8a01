"""The loop on runs that can be worked out by hand, and where it must stop."""

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.errors import NumericalFailure
from belated.delays import NEVER
from belated.extend import Descent, Sequential, from_arrivals
from belated.learners.catalogue import EXAMPLES
from belated.sim import delivery, round_loop
from belated.sim.plain_or_compiled import plain_loop
from support.engine import DIM, begun, can_tell, run_engine
from support.players import typical
from support.runs import arrivals_by_round, record
from support.strategies import delay_sequences, seeds

BALL = bl.Ball(DIM)


@pytest.mark.parametrize("rounds_per_chunk", [1, 2, 3])
def test_feedback_belongs_to_its_own_round(rounds_per_chunk):
    """Round 1's gradient, taken at x_1, comes when x_2 has been played already: x_3 = x_2 - g_1 / h with h = 1."""
    loss, rows = bl.losses.Quadratic(1, 2.0), [[0.5], [-7.0], [0.0]]
    learner = bl.dogd_sc(bl.Euclidean(1), 2.0)
    played, _ = run_engine(learner, loss, rows, [2, NEVER, NEVER], rounds_per_chunk, initial=[1.0])
    third = 1.0 - (2.0 * 1.0 + 0.5)
    assert played.tolist() == [1.5, 1.5 - 6.0, 1.5 - 6.0 + third**2]


def test_what_is_played_and_the_centre_differ_for_a_learner_that_probes():
    rows, never = np.ones((9, DIM)), [NEVER] * 9
    played, centre = run_engine(EXAMPLES["bdogd_sc"](BALL), bl.losses.Quadratic(DIM, 2.0), rows, never, 4)
    assert (np.abs(np.diff(played) - np.diff(centre)) > 0.01).all()


def test_for_a_learner_that_sees_gradients_the_two_are_one():
    played, centre = run_engine(EXAMPLES["dogd_sc"](BALL), bl.losses.Quadratic(DIM, 2.0), np.ones((5, DIM)), [2] * 5, 5)
    assert np.array_equal(played, centre)


def test_the_record_has_the_counts_of_the_ledger():
    run = begun(EXAMPLES["dogd_sc"](BALL), bl.losses.Quadratic(DIM), 6, 6)
    run.take(plain_loop, np.zeros((6, DIM)), np.array([3, 2, 1, 9, 1, 1]))
    assert run.record.arrived.tolist() == [0, 0, 3, 0, 1, 1]
    assert run.record.in_flight.tolist() == [1, 2, 0, 1, 1, 1]


@pytest.mark.parametrize("delay", [1, NEVER])
@pytest.mark.parametrize("name", ["dogd_sc", "bdogd_sc", "bdogd_sc_two_point"])
def test_a_loss_that_is_not_finite_stops_the_run_at_its_round(name, delay):
    """Whether its feedback comes or not, and for gradients and values alike."""
    wide, rows = bl.Ball(1, radius=10.0), np.zeros((4, 1))
    learner = bl.dogd_sc(wide, 2.0) if name == "dogd_sc" else getattr(bl, name)(wide, 2.0, 0.5)
    problem = bl.problems.Recorded(bl.losses.Quadratic(1, 1e307), rows)
    wanted = r"^`simulate`: the loss of one in round 1 of seed 5, or its gradient, is not finite or beyond 1e\+100$"
    with pytest.raises(NumericalFailure, match=wanted):
        bl.simulate({"one": learner}, problem, bl.delays.Fixed(delay), 4, [5], initial=[9.0])


def test_a_gradient_that_is_not_finite_stops_the_run_though_the_loss_is():
    """a x + b overflows where a x^2 / 2 + b x does not; feedback that would never be told is no exception."""
    loss, rows, x = bl.losses.Quadratic(1, 1.7e308), np.array([[1.2e308]]), [0.5]
    assert np.isfinite(loss.value(rows[0], x))
    assert run_engine(bl.dogd_sc(bl.Ball(1), 2.0), loss, rows, [NEVER], 1, initial=x) is None


def naive_losses(loss, rows, trace):
    """Of each round: the average over its points, and the loss at the decision."""
    played = [
        sum(loss.value(row, p) for p in points) / len(points) for row, points in zip(rows, trace.points, strict=False)
    ]
    centre = [loss.value(row, x) for row, x in zip(rows, trace.decisions, strict=False)]
    return played, centre


LOSSES = [bl.losses.Quadratic(DIM, 2.0), bl.losses.Logistic(DIM, l2=0.1)]
PAIRS = [
    pytest.param(name, loss, id=f"{name}-{type(loss).__name__}")
    for name in EXAMPLES
    for loss in LOSSES
    if can_tell(loss, typical(name).interface)
]


@pytest.mark.parametrize(("name", "loss"), PAIRS)
@settings(max_examples=10)
@given(delays=delay_sequences(12), seed=seeds)
def test_losses_are_those_of_a_naive_loop(name, loss, delays, seed):
    """The witness shares nothing with the simulator: arrivals are a plain dict, losses a plain loop."""
    learner, rows = typical(name), loss.example_rows(np.random.default_rng(seed), 12)
    played, centre = run_engine(learner, loss, rows, delays, 5, seed)
    naive_played, naive_centre = naive_losses(loss, rows, record(learner, loss, rows, delays, seed=seed))
    assert played == pytest.approx(np.cumsum(naive_played), rel=1e-13, abs=1e-13)
    assert centre == pytest.approx(np.cumsum(naive_centre), rel=1e-13, abs=1e-13)


def test_a_round_is_asked_and_then_told_its_arrivals_in_order_of_play(monkeypatch):
    """The gradient of a linear loss is its row, which here says whose it is."""
    log, play, receive = [], round_loop.play, delivery.receive

    def logged_play(policy, state, ledger, *rest):
        log.append(("ask", ledger.round))
        play(policy, state, ledger, *rest)

    def logged_receive(policy, state, ledger, feedback, *rest):
        log.append(("tell", int(feedback[0])))
        receive(policy, state, ledger, feedback, *rest)

    monkeypatch.setattr(round_loop, "play", logged_play)
    monkeypatch.setattr(delivery, "receive", logged_receive)
    delays = [5, 1, 3, 2, 1, 3, 9, 1]
    rows = np.arange(1.0, 9.0)[:, np.newaxis]
    step = Descent(bl.Ball(1), bl.rates.constant(0.1))
    learner = from_arrivals("one by one", bl.Ball(1), Sequential(step))
    run_engine(learner, bl.losses.Linear(1), rows, delays, 3)
    arrived, expected = arrivals_by_round(delays), []
    for t in range(1, 9):
        expected += [("ask", t)] + [("tell", k) for k in sorted(arrived[t])]
    assert log == expected
