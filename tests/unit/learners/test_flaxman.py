"""Flaxman, Kalai and McMahan's descent: against the formula, by hand, and the freedom of its baseline."""

import math

import numpy as np
import pytest

import belated as bl
from belated.learners.algorithms.flaxman import flaxman, flaxman_tuning
from belated.learners.parts import estimators
from belated.learners.verbs import estimate
from support.late_values import DOMAINS, at_once, distance, late, run

DELTA, RATE, BASELINE, ROUNDS = 0.05, 0.02, 0.7, 60


def learner_on(domain):
    return flaxman(domain, RATE, DELTA, BASELINE)


def witness(noted, domain):
    """y <- Pi_{(1 - delta/r) X}(y - nu (f - b) u), nu = eta n / delta, by the sum of what has come."""
    directions, nu, inside = noted.directions(DELTA), RATE * domain.hull_dim / DELTA, domain.shrink(DELTA)
    y = noted.decisions[0]
    path = [y]
    for told in noted.arrivals.values():
        if told:
            y = inside.project(y - nu * sum((noted.values[k][0] - BASELINE) * directions[k] for k in told))
        path.append(y)
    return path


def error(domain, seed, arrivals_of=late):
    rng = np.random.default_rng(seed)
    noted = run(learner_on(domain), arrivals_of(ROUNDS, rng), rng)
    return distance(noted.decisions, witness(noted, domain))


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_it_is_descent_on_the_shrunk_domain_by_the_values_along_the_directions(domain):
    for seed in range(3):
        assert error(domain, seed) < 1e-11
        assert error(domain, seed, lambda rounds, rng: at_once(rounds)) < 1e-11


def test_a_forgotten_baseline_is_noticed(monkeypatch):
    def forgetful(estimator, feedback, memo, scratch, out):
        out[:] = estimator.hull_dim / estimator.probe_radius * feedback[0] * memo

    monkeypatch.setitem(estimate.implementations, estimators.OnePoint, forgetful)
    assert min(error(domain, 0) for domain in DOMAINS) > 1e-3


def test_the_baseline_changes_no_average_over_opposite_directions():
    u, x = np.array([0.6, -0.8]), np.array([0.1, 0.2])
    found = []
    for baseline in (0.0, 5.0):
        estimator, total = estimators.one_point(bl.Ball(2), DELTA, baseline), np.zeros(2)
        for side in (u, -u):
            out = np.empty(2)
            estimate(estimator, np.array([np.sum((x + DELTA * side) ** 3)]), side, np.empty(2), out)
            total += out
        found.append(total)
    assert np.allclose(found[0], found[1], rtol=0.0, atol=1e-12)


def test_by_hand():
    """On [-1, 1], probes of 1/2 and steps of 1/4: the values 1 and 2 pull by 1/2 and 1, at most to the edge, 1/2."""
    player = flaxman(bl.Box([-1.0], [1.0]), rate=0.25, probe_radius=0.5).start(seed=3)
    first = player.ask()
    assert first.decision == 0.0
    assert abs(first.point) == 0.5
    player.tell([1.0], round=1)
    second = player.ask()
    assert second.decision == -first.point
    side = math.copysign(1.0, float((second.point - second.decision)[0]))
    player.tell([2.0], round=2)
    assert player.ask().decision == np.clip(second.decision - side, -0.5, 0.5)


def test_tuning():
    """n = 3, R = 2, r = 2, L = 3, M = 5, T = 10 000."""
    rate, delta = flaxman_tuning(bl.Ball(3, radius=2.0), 10_000, lipschitz=3.0, bound=5.0)
    assert delta == pytest.approx(0.1 * math.sqrt(2 * 3 * 5 * 2 / (3 * (3 * 2 + 5))), rel=1e-14)
    assert rate * 3 / delta == pytest.approx(2 / (5 * 100), rel=1e-14)
    _, thin = flaxman_tuning(bl.Simplex(3), 10**8, 1.0, 1.0)
    inner, outer = bl.Simplex(3).inner_radius, bl.Simplex(3).outer_radius
    assert thin == pytest.approx(0.01 * math.sqrt(outer * 2 * inner / (3 * (inner + 1))), rel=1e-14)


def test_the_tuned_radius_is_the_best_of_its_bound():
    ball, rounds, slope, bound = bl.Ball(2, radius=3.0), 50_000, 2.0, 4.0
    delta = flaxman_tuning(ball, rounds, slope, bound).probe_radius

    def promised(size):
        return 3 * 2 * bound * math.sqrt(rounds) / size + 3 * size * rounds * (slope + bound / 3)

    assert promised(delta) <= min(promised(0.99 * delta), promised(1.01 * delta))
    assert promised(delta) == pytest.approx(2 * rounds**0.75 * math.sqrt(3 * 3 * 2 * bound * (slope + bound / 3)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: flaxman(bl.Ball(2), 0.1, 1.0), "flaxman\\(probe_radius=1.0\\)"),
        (lambda: flaxman(bl.Ball(2), 0.0, 0.1), "flaxman\\(rate=0.0\\)`: must be > 0"),
        (lambda: flaxman(bl.Ball(2), 0.1, 0.1, math.nan), "flaxman\\(baseline=nan\\)"),
        (lambda: flaxman_tuning(bl.Euclidean(2), 100, 1.0, 1.0), "must be bounded"),
        (lambda: flaxman_tuning(bl.Ball(2), 0, 1.0, 1.0), "rounds=0"),
        (lambda: flaxman_tuning(bl.Ball(40), 2, 0.01, 1.0), "rounds=2\\)`: too few"),
        (lambda: flaxman_tuning(bl.Ball(2), 10, 1.0, 0.0), "bound=0.0"),
    ],
)
def test_misuse(wrong, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        wrong()
