"""Agarwal, Dekel and Xiao with two points: against the formula, with a constant rate and with 1 / (beta t)."""

import numpy as np
import pytest

import belated as bl
from belated.learners.algorithms.agarwal_two_point import agarwal_two_point
from belated.learners.parts import estimators
from belated.learners.parts.rates import PerRound
from belated.learners.verbs import estimate
from support.late_values import DOMAINS, at_once, distance, late, run

DELTA, ROUNDS = 0.05, 40
RATES = [(0.1, lambda t: 0.1), (PerRound(2.0), lambda t: 1 / (2.0 * t))]


def witness(noted, domain, eta):
    directions, inside, x = noted.directions(DELTA), domain.shrink(DELTA), noted.decisions[0]
    path = [x]
    for t, told in noted.arrivals.items():
        slope = np.zeros(domain.dim)
        for k in told:
            plus, minus = noted.values[k]
            slope += domain.hull_dim * (plus - minus) / (2 * DELTA) * directions[k]
        x = inside.project(x - eta(t) * slope) if told else x
        path.append(x)
    return path


def error(domain, rate, eta, seed, arrivals_of=late):
    rng = np.random.default_rng(seed)
    noted = run(agarwal_two_point(domain, rate, DELTA), arrivals_of(ROUNDS, rng), rng)
    return distance(noted.decisions, witness(noted, domain, eta))


@pytest.mark.parametrize(("rate", "eta"), RATES, ids=["constant", "strongly convex"])
@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_it_is_descent_on_the_shrunk_domain(domain, rate, eta):
    for seed in range(2):
        assert error(domain, rate, eta, seed) < 1e-11
        assert error(domain, rate, eta, seed, lambda rounds, rng: at_once(rounds)) < 1e-11


def test_a_one_sided_difference_is_noticed(monkeypatch):
    def one_sided(estimator, feedback, memo, scratch, out):
        out[:] = estimator.hull_dim / estimator.probe_radius * (feedback[0] - feedback[1]) * memo

    monkeypatch.setitem(estimate.implementations, estimators.TwoPoint, one_sided)
    for rate, eta in RATES:
        assert min(error(domain, rate, eta, 0) for domain in DOMAINS) > 1e-3


def test_it_is_half_as_bold_as_the_learner_for_delays():
    """Without delay BDOGD-SC has the rate 2 / (beta t): with 2 beta, and the same draws, it is the same learner."""
    ball, arrivals = bl.Ball(3), at_once(ROUNDS)
    ours = run(agarwal_two_point(ball, PerRound(2.0), DELTA), arrivals, np.random.default_rng(1), seed=5)
    other = run(bl.bdogd_sc_two_point(ball, 4.0, DELTA), arrivals, np.random.default_rng(1), seed=5)
    assert np.array_equal(ours.decisions, other.decisions)


def test_by_hand():
    """On [-1, 1], probes of 1/2, beta = 1: the slopes of the chords are 1/4 and 1, the steps 1 and 1/2 of them."""
    player = agarwal_two_point(bl.Box([-1.0], [1.0]), PerRound(1.0), 0.5).start()
    path = []
    for slope in (0.25, 1.0):
        play = player.ask()
        path.append(float(play.decision[0]))
        player.tell([slope * float(x[0]) + 3.0 for x in play.points], round=play.round)
    assert [*path, float(player.ask().decision[0])] == [0.0, -0.25, -0.5]


@pytest.mark.parametrize(
    ("rate", "probe_radius", "message"),
    [(0.1, 1.0, "`agarwal_two_point\\(probe_radius=1.0\\)"), (-1.0, 0.1, "rate=-1.0"), (PerRound(0.0), 0.1, "rate=")],
)
def test_misuse(rate, probe_radius, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        agarwal_two_point(bl.Ball(2), rate, probe_radius)
