"""One-point dual averaging: against the formula with V from counts, without delay, by hand."""

import math

import numpy as np
import pytest

import belated as bl
from belated.learners.algorithms.one_point_dda import one_point_dda, one_point_dda_probe_radius
from belated.learners.parts.rates import weights
from support.late_values import DOMAINS, at_once, distance, late, run

DELTA, SLOPE, BOUND, ROUNDS = 0.05, 3.0, 0.5, 40


def witness(noted, domain, start):
    """Everything from the definitions, each round from scratch."""
    inside, directions, noise = domain.shrink(DELTA), noted.directions(DELTA), domain.hull_dim * BOUND / DELTA
    reach = inside.outer_radius**2 / 2
    path = [start]
    for t in range(2, len(noted.decisions) + 1):
        received = [[k for i in range(1, s) for k in noted.arrivals[i]] for s in range(1, t + 1)]
        missing = [s - 1 - len(received[s - 1]) for s in range(1, t + 1)]
        total = sum(noise**2 + 2 * SLOPE * (math.sqrt(sigma) * noise + SLOPE * sigma) for sigma in missing)
        eta = math.sqrt(reach / total)
        slope = sum((domain.hull_dim / DELTA * noted.values[k][0] * directions[k] for k in received[-1]), np.zeros(1))
        path.append(inside.project(start - eta * slope))
    return path


def error(domain, seed, arrivals_of=late):
    rng = np.random.default_rng(seed)
    start = domain.shrink(DELTA).project(domain.centre + 0.2 * rng.normal(size=domain.dim))
    noted = run(one_point_dda(domain, SLOPE, BOUND, DELTA), arrivals_of(ROUNDS, rng), rng, start)
    return distance(noted.decisions, witness(noted, domain, start))


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_it_is_the_leader_of_what_was_received_at_the_rate_of_the_counts(domain):
    for seed in range(3):
        assert error(domain, seed) < 1e-11


def at_the_boundary(domain, seed):
    rng = np.random.default_rng(seed)
    noted = run(one_point_dda(domain, SLOPE, BOUND, DELTA), late(ROUNDS, rng), rng)
    inside = domain.shrink(DELTA * 1.000001)
    return any(not inside.contains(x) for x in noted.decisions)


def test_projections_are_active_in_these_runs():
    assert all(at_the_boundary(domain, 0) for domain in DOMAINS)


def test_without_delay_it_is_dual_averaging_with_gradients_as_large_as_the_estimates():
    """V_t = t G^2: the weight of DDA for the Lipschitz constant G."""
    ball, rng = bl.Ball(3), np.random.default_rng(0)
    noted = run(one_point_dda(ball, SLOPE, BOUND, DELTA), at_once(ROUNDS), rng)
    plain, directions = bl.dda(ball.shrink(DELTA), lipschitz=3 * BOUND / DELTA).start(), noted.directions(DELTA)
    path = []
    for k in range(1, ROUNDS + 1):
        path.append(plain.ask().decision)
        plain.tell(3 / DELTA * noted.values[k][0] * directions[k])
    assert distance(noted.decisions[:-1], path) < 1e-11


@pytest.mark.parametrize(
    "bug",
    [
        lambda weight, sigma: weight.noise**2 + 2 * weight.lipschitz * (weight.noise + weight.lipschitz) * sigma,
        lambda weight, sigma: weight.noise**2 * (1 + 2 * sigma),
        lambda weight, sigma: weight.noise**2,
    ],
    ids=["noise adds up in full", "priced like gradients", "delay is ignored"],
)
def test_a_wrong_charge_is_noticed(monkeypatch, bug):
    def wrong(weight, spent, ledger):
        spent[0] += bug(weight, ledger.outstanding)
        return math.sqrt(spent[0] / weight.reach)

    monkeypatch.setitem(weights.weigh.implementations, weights.Noisy, wrong)
    assert max(error(domain, 0) for domain in DOMAINS) > 1e-4
    assert error(DOMAINS[0], 0, lambda rounds, rng: at_once(rounds)) < 1e-11


def test_by_hand():
    """On [-1, 1] with probes of 1/2: P = 1/8, G = 2, L = 1. One missing in round 2: V = 4, then 14, then 18."""
    player = one_point_dda(bl.Box([-1.0], [1.0]), 1.0, 1.0, 0.5).start(seed=1)
    first, second = player.ask(), player.ask()
    assert first.decision == second.decision == 0.0
    player.tell([0.25], round=1)
    player.tell([-0.5], round=2)
    slope = 2 * 0.25 * first.point / 0.5 + 2 * -0.5 * second.point / 0.5
    assert player.ask().decision == pytest.approx(-slope / math.sqrt(18 / 0.125), rel=1e-14)


def test_the_probe_radius_is_the_best_of_the_bound_without_delay():
    ball, rounds = bl.Ball(2, radius=3.0), 40_000
    delta = one_point_dda_probe_radius(ball, rounds, lipschitz=2.0, bound=4.0)
    assert delta == pytest.approx(math.sqrt(math.sqrt(2) * 2 * 4 * 3 / (2 + 2 * 3 / 3)) / rounds**0.25, rel=1e-14)

    def promised(size):
        return 2 * math.sqrt(4.5 * rounds) * 2 * 4 / size + size * rounds * (2 + 2)

    assert promised(delta) <= min(promised(0.99 * delta), promised(1.01 * delta))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: one_point_dda(bl.Euclidean(2), 1.0, 1.0, 0.1), "must be bounded"),
        (lambda: one_point_dda(bl.Ball(2), 0.0, 1.0, 0.1), "`one_point_dda\\(lipschitz=0.0\\)`: must be > 0"),
        (lambda: one_point_dda(bl.Ball(2), 1.0, -1.0, 0.1), "bound=-1.0"),
        (lambda: one_point_dda(bl.Ball(2), 1.0, 1.0, 1.5), "probe_radius=1.5"),
        (lambda: one_point_dda_probe_radius(bl.Ball(9), 2, 1.0, 9.0), "rounds=2\\)`: too few"),
        (lambda: one_point_dda_probe_radius(bl.Halfspace([1.0], 1.0), 9, 1.0, 1.0), "must be bounded"),
    ],
)
def test_misuse(wrong, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        wrong()
