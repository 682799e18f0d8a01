"""One run, against the tests' own driver and the definition of the protocol.

The witness (``support.runs``) shares nothing with ``belated.sim``: arrivals are a plain dict, losses a plain loop.
"""

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.errors import NumericalFailure
from belated.delays import NEVER, arrivals
from belated.learners.catalogue import EXAMPLES
from belated.learners.player import Player
from belated.losses import Loss
from belated.sim.protocol import run
from support.runs import arrivals_by_round, record
from support.strategies import delay_sequences, seeds

DIM, ROUNDS = 3, 12
BALL = bl.Ball(DIM)
LOSSES: list[Loss] = [bl.losses.Quadratic(DIM, 2.0), bl.losses.Logistic(DIM, l2=0.1)]


def ignore(rounds):
    pass


def naive_losses(loss, rows, trace):
    """Of each round: the average over its points, and the loss at the decision."""
    played = [
        sum(loss.value(row, p) for p in points) / len(points) for row, points in zip(rows, trace.points, strict=False)
    ]
    center = [loss.value(row, x) for row, x in zip(rows, trace.decisions, strict=False)]
    return played, center


@pytest.mark.parametrize("loss", LOSSES, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("name", EXAMPLES)
@settings(max_examples=20)
@given(delays=delay_sequences(ROUNDS), seed=seeds)
def test_losses_are_those_of_a_naive_loop(name, loss, delays, seed):
    learner, rows = EXAMPLES[name](BALL), loss.example_rows(np.random.default_rng(seed), ROUNDS)
    played, center = run(learner, loss, rows, arrivals(delays), None, seed, ignore)
    naive_played, naive_center = naive_losses(loss, rows, record(learner, loss, rows, delays, seed=seed))
    assert played == pytest.approx(naive_played, rel=1e-13, abs=1e-13)
    assert center == pytest.approx(naive_center, rel=1e-13, abs=1e-13)


def test_what_is_played_and_the_centre_differ_for_a_learner_that_probes():
    """So that the comparison above cannot confuse the two."""
    rows, never = np.ones((ROUNDS, DIM)), arrivals([NEVER] * ROUNDS)
    curves = run(EXAMPLES["bdogd_sc"](BALL), LOSSES[0], rows, never, None, 0, ignore)
    assert (np.abs(curves.played - curves.center) > 0.01).all()


def test_for_a_learner_that_sees_gradients_the_two_are_one():
    curves = run(EXAMPLES["dogd_sc"](BALL), LOSSES[0], np.ones((5, DIM)), arrivals([2] * 5), None, 0, ignore)
    assert np.array_equal(curves.played, curves.center)


@pytest.fixture
def events(monkeypatch):
    """Everything that is asked and told, in order."""
    log = []
    ask, tell = Player.ask, Player.tell

    def logged_ask(self):
        play = ask(self)
        log.append(("ask", play.round))
        return play

    def logged_tell(self, feedback, *, round=None, strong_convexity=None):
        log.append(("tell", round))
        tell(self, feedback, round=round, strong_convexity=strong_convexity)

    monkeypatch.setattr(Player, "ask", logged_ask)
    monkeypatch.setattr(Player, "tell", logged_tell)
    return log


@pytest.mark.parametrize(
    "delays", [[3, 1, 4, 1, 5, 9, 2, 6], [4, 3, 2, 1] * 2, [8, 7, 6, 5, 4, 3, 2, 1], [NEVER] * 8, [1] * 8]
)
def test_a_round_is_asked_and_then_told_its_arrivals_in_order_of_play(events, delays):
    """What arrives after the last round is dropped."""
    run(EXAMPLES["dogd_sc"](BALL), LOSSES[0], np.ones((8, DIM)), arrivals(delays), None, 0, ignore)
    expected, arrived = [], arrivals_by_round(delays)
    for t in range(1, 9):
        expected += [("ask", t)] + [("tell", k) for k in sorted(arrived[t])]
    assert events == expected


def test_feedback_belongs_to_its_own_round():
    """Round 1's gradient, taken at x_1, comes when x_2 has been played already: x_3 = x_2 - g_1 / h with h = 1."""
    loss, rows = bl.losses.Quadratic(1, 2.0), [[0.5], [-7.0], [0.0]]
    table = arrivals([2, NEVER, NEVER])
    curves = run(bl.dogd_sc(bl.Euclidean(1), 2.0), loss, np.array(rows), table, [1.0], 0, ignore)
    third = 1.0 - (2.0 * 1.0 + 0.5)
    assert curves.played.tolist() == [1.0 + 0.5, 1.0 - 7.0, third**2]


def test_every_round_is_counted():
    ticks = []
    run(EXAMPLES["dogd_sc"](BALL), LOSSES[0], np.ones((7, DIM)), arrivals([3] * 7), None, 0, ticks.append)
    assert sum(ticks) == 7


@pytest.mark.parametrize("delay", [1, NEVER])
@pytest.mark.parametrize("name", ["dogd_sc", "bdogd_sc", "bdogd_sc_two_point"])
def test_a_loss_that_is_not_finite_stops_the_run_at_its_round(name, delay):
    """Whether its feedback comes or not, and for gradients and values alike."""
    wide, rows = bl.Ball(1, radius=10.0), np.zeros((4, 1))
    learner = bl.dogd_sc(wide, 2.0) if name == "dogd_sc" else getattr(bl, name)(wide, 2.0, 0.5)
    with pytest.raises(
        NumericalFailure, match=rf"^`simulate`: the loss of {name} in round 1 of seed 5, or its gradient, is not"
    ):
        run(learner, bl.losses.Quadratic(1, 1e307), rows, arrivals([delay] * 4), [9.0], 5, ignore)


def test_a_gradient_that_is_not_finite_stops_the_run_though_the_loss_is():
    """a x + b overflows where a x^2 / 2 + b x does not; feedback that would never be told is no exception."""
    loss, rows, x = bl.losses.Quadratic(1, 1.7e308), np.array([[1.2e308]]), [0.5]
    assert np.isfinite(loss.value(rows[0], x))
    with pytest.raises(NumericalFailure, match="in round 1 of seed 0, or its gradient, is not finite"):
        run(bl.dogd_sc(bl.Ball(1), 2.0), loss, rows, arrivals([NEVER]), x, 0, ignore)
