"""Agarwal, Dekel and Xiao with n + 1 points: against the formula, with a constant rate and with 1 / (beta t)."""

import numpy as np
import pytest

import belated as bl
from belated.learners.algorithms.agarwal_coordinates import agarwal_coordinates
from belated.learners.parts.rates import PerFeedback, PerRound
from support.late_values import DOMAINS, at_once, distance, late, run

DELTA, ROUNDS = 0.05, 40
RATES = [(0.1, lambda t: 0.1), (PerRound(2.0), lambda t: 1 / (2.0 * t))]


def witness(noted, domain, eta):
    basis = [domain.embed(e) for e in np.eye(domain.hull_dim)]
    inside, x = domain.shrink(DELTA), noted.decisions[0]
    path = [x]
    for t, told in noted.arrivals.items():
        slope = np.zeros(domain.dim)
        for k in told:
            here, *there = noted.values[k]
            slope += sum((value - here) / DELTA * e for value, e in zip(there, basis, strict=True))
        x = inside.project(x - eta(t) * slope) if told else x
        path.append(x)
    return path


def error(domain, rate, eta, seed, arrivals_of=late):
    rng = np.random.default_rng(seed)
    noted = run(agarwal_coordinates(domain, rate, DELTA), arrivals_of(ROUNDS, rng), rng)
    return distance(noted.decisions, witness(noted, domain, eta))


@pytest.mark.parametrize(("rate", "eta"), RATES, ids=["constant", "strongly convex"])
@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_it_is_descent_on_the_shrunk_domain(domain, rate, eta):
    for seed in range(2):
        assert error(domain, rate, eta, seed) < 1e-11
        assert error(domain, rate, eta, seed, lambda rounds, rng: at_once(rounds)) < 1e-11


def test_a_rate_that_counts_feedbacks_is_noticed():
    assert min(error(domain, PerFeedback(4.0), RATES[1][1], 0) for domain in DOMAINS) > 1e-4


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_on_linear_losses_it_is_ogd_on_the_shrunk_domain(domain):
    rng = np.random.default_rng(3)
    basis = np.array([domain.embed(e) for e in np.eye(domain.hull_dim)])
    ours, plain = agarwal_coordinates(domain, 0.1, DELTA).start(), bl.dogd(domain.shrink(DELTA), 0.1).start()
    for _ in range(30):
        play, row = ours.ask(), rng.uniform(-3.0, 3.0, domain.dim)
        assert np.allclose(play.decision, plain.ask().decision, rtol=0.0, atol=1e-11)
        ours.tell(play.points @ row)
        plain.tell(basis.T @ (basis @ row))


def test_by_hand():
    """f = x^2 on [-1, 1] from 1/4 with probes of 1/2: the slope is 2 x + 1/2, so 1, and the step 1/4 of it."""
    player = agarwal_coordinates(bl.Box([-1.0], [1.0]), 0.25, 0.5).start([0.25])
    play = player.ask()
    player.tell([float(x @ x) for x in play.points])
    assert player.ask().decision == 0.0


@pytest.mark.parametrize(
    ("rate", "probe_radius", "message"),
    [(0.1, 1.0, "`agarwal_coordinates\\(probe_radius=1.0\\)"), ("fast", 0.1, "rate='fast'"), (0.1, 0.0, "must be > 0")],
)
def test_misuse(rate, probe_radius, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        agarwal_coordinates(bl.Ball(2), rate, probe_radius)
