"""Every problem once more, one round after the other as its description says, and what it is meant to be like."""

import math

import numpy as np
import pytest

import belated as bl
from belated.core.errors import InvalidArgument
from belated.sim.problems import (
    EVERY,
    DriftingQuadratic,
    ForecastExperts,
    IllConditioned,
    LateLabels,
    Pricing,
    RandomQuadratic,
    Regression,
    Separable,
    SignFlips,
)

ROUNDS = 120


def drawn(rng, low, high, size):
    """Uniform numbers one by one."""
    return [low + (high - low) * rng.random() for _ in range(size)]


def signs(rng, size):
    return [-1.0 if rng.random() < 0.5 else 1.0 for _ in range(size)]


def witness_random_quadratic(problem, rng):
    while True:
        yield drawn(rng, -1, 1, problem.dim)


def witness_drifting_quadratic(problem, rng):
    """A ball between walls, moved step by step: it turns round where it would pass one."""
    wall, step = 1 / math.sqrt(problem.dim), problem.speed / math.sqrt(problem.dim)
    place, velocity = [], []
    for phase in drawn(rng, 0, 1, problem.dim):  # down from the upper wall in the first half, then up again
        place.append(wall * (1 - 4 * phase if phase < 0.5 else 4 * phase - 3))
        velocity.append(-step if phase < 0.5 else step)
    while True:
        for i in range(problem.dim):
            place[i] += velocity[i]
            if abs(place[i]) > wall:
                place[i] = math.copysign(2 * wall, place[i]) - place[i]
                velocity[i] = -velocity[i]
        noise = drawn(rng, -problem.noise, problem.noise, problem.dim)
        yield [-2 * (c + v / math.sqrt(problem.dim)) for c, v in zip(place, noise, strict=True)]


def witness_sign_flips(problem, rng):
    direction = np.array(signs(rng, problem.dim)) / math.sqrt(problem.dim)
    while True:
        (sign,) = signs(rng, 1)
        for _ in range(problem.period):
            yield sign * direction


def witness_ill_conditioned(problem, rng):
    corner = signs(rng, problem.dim)
    ratio = problem.condition ** (1 / (problem.dim - 1))
    while True:
        blur = drawn(rng, -1, 1, problem.dim)
        targets = [(s + v) / 2 / math.sqrt(problem.dim) for s, v in zip(corner, blur, strict=True)]
        yield [-(ratio**i) / problem.condition * target for i, target in enumerate(targets)]


def witness_late_labels(problem, rng):
    truth = [6 / math.sqrt(problem.dim) * w for w in drawn(rng, -1, 1, problem.dim)]
    flipped = 1.0
    played = 0
    while True:
        if problem.flip_every and played and played % problem.flip_every == 0:
            flipped = -flipped
        played += 1
        features = drawn(rng, -1, 1, problem.dim)
        chance = 1 / (1 + math.exp(-math.fsum(z * w for z, w in zip(features, truth, strict=True))))
        yield [*features, flipped if rng.random() < chance else -flipped]


def witness_pricing(problem, rng):
    market = 1 + rng.random()
    while True:
        yield [-market - problem.noise * (2 * rng.random() - 1)]


def witness_forecast_experts(problem, rng):
    errors = drawn(rng, 0, 1, problem.experts)
    while True:
        difficulty = rng.random()
        yield [difficulty * (error + rng.random()) / 2 for error in errors]


def witness_regression(problem, rng):
    truth = [w / math.sqrt(problem.dim) for w in drawn(rng, -1, 1, problem.dim)]
    while True:
        features = drawn(rng, -1, 1, problem.dim)
        forecast = math.fsum(z * w for z, w in zip(features, truth, strict=True))
        yield [*features, forecast + problem.noise * (2 * rng.random() - 1)]


def witness_separable(problem, rng):
    """Features are pushed away from every other class, as far as the one that needs most."""
    truth = [np.array([rng.standard_normal() for _ in range(problem.features)]) for _ in range(problem.dim)]
    truth = [u / math.sqrt(math.fsum(u * u)) for u in truth]
    while True:
        features = np.array(drawn(rng, -1, 1, problem.features))
        y = max(range(problem.dim), key=lambda c: math.fsum(truth[c] * features))
        push = 0.0
        for c in set(range(problem.dim)) - {y}:
            short = problem.margin - math.fsum((truth[y] - truth[c]) * features)
            push = max(push, short / (1 - math.fsum(truth[y] * truth[c])))
        yield [*(features + push * truth[y]), y]


WITNESSES = {
    RandomQuadratic: witness_random_quadratic,
    DriftingQuadratic: witness_drifting_quadratic,
    SignFlips: witness_sign_flips,
    IllConditioned: witness_ill_conditioned,
    LateLabels: witness_late_labels,
    Pricing: witness_pricing,
    ForecastExperts: witness_forecast_experts,
    Regression: witness_regression,
    Separable: witness_separable,
}
OTHERS = [
    DriftingQuadratic(1, speed=0.7, noise=0.0),
    DriftingQuadratic(4, speed=1.9, noise=2.0),
    SignFlips(2, period=7),
    IllConditioned(3, condition=1e6),
    LateLabels(3, l2=0.0, flip_every=7),
    Pricing(noise=0.0),
]


def differs_from_witness(problem, seed):
    witness = WITNESSES[type(problem)](problem, np.random.default_rng(seed))
    expected = np.array([next(witness) for _ in range(ROUNDS)])
    return not np.allclose(problem.rows(seed, ROUNDS), expected, rtol=1e-11, atol=1e-12)


def test_every_family_has_a_witness():
    assert tuple(WITNESSES) == EVERY


@pytest.mark.parametrize("problem", [*(family.example() for family in EVERY), *OTHERS], ids=repr)
@pytest.mark.parametrize("seed", [0, 5, 2**50])
def test_rows_are_those_of_the_witness(problem, seed):
    assert not differs_from_witness(problem, seed)


class LateFlip(LateLabels):
    """Broken on purpose: labels flip one round late."""

    def _begin(self, rng):
        made = super()._begin(rng)
        make = made._make
        made._make = lambda rounds, numbers: make(np.maximum(rounds - 1.0, 1.0), numbers)
        return made


def thrown_through_the_wall(self, rounds):
    """Broken on purpose: the target goes on at the opposite wall instead of being reflected."""
    phases = self._speed / 4.0 * rounds[:, np.newaxis] + self._phases
    return (2.0 * (phases % 1.0) - 1.0) / math.sqrt(self._phases.size)


def test_the_witnesses_notice_mistakes(monkeypatch):
    monkeypatch.setitem(WITNESSES, LateFlip, WITNESSES[LateLabels])
    assert differs_from_witness(LateFlip(3, 0.0, flip_every=7), 0)
    monkeypatch.setattr("belated.sim.problems.drifting_quadratic._Path.at", thrown_through_the_wall)
    assert differs_from_witness(DriftingQuadratic.example(), 0)


# What they are like


@pytest.mark.parametrize("dim", [1, 2, 7])
def test_the_target_moves_at_its_speed_but_where_it_is_reflected(dim):
    path = DriftingQuadratic(dim, speed=0.05, noise=0.3).comparators(1, 2000)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert (steps <= 0.05 * (1 + 1e-9)).all()
    assert (np.abs(steps - 0.05) < 1e-9).mean() > 1 - 2 * dim * 0.05 / 2
    assert np.abs(path).max(axis=0) == pytest.approx(np.full(dim, dim**-0.5), rel=0.05), "it visits all walls"


def test_the_target_is_where_expected_losses_are_least_and_stays_there_without_speed():
    problem = DriftingQuadratic(3, speed=0.0, noise=1.0)
    (target,) = np.unique(problem.comparators(2, 50), axis=0)
    rows = problem.rows(2, 100_000)
    assert -rows.mean(axis=0) / 2 == pytest.approx(target, abs=0.01)


def test_without_noise_the_target_is_the_minimiser_of_every_loss():
    problem = DriftingQuadratic(3, speed=0.1, noise=0.0)
    for row, target in zip(problem.rows(2, 20), problem.comparators(2, 20), strict=True):
        assert problem.loss.gradient(row, target) == pytest.approx(np.zeros(3), abs=1e-15)


def test_who_hears_of_a_block_too_late_pays_what_the_lower_bound_says():
    """No decision that does not know the block's sign has any expectation, and the best fixed one gains this much."""
    problem, rounds = SignFlips(3, period=20), 2000
    gains = [np.linalg.norm(problem.rows(seed, rounds).sum(axis=0)) for seed in range(400)]
    assert np.mean(gains) == pytest.approx(math.sqrt(2 * rounds * 20 / math.pi), rel=0.1)
    rows = problem.rows(0, rounds)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(rounds))
    assert (rows.reshape(-1, 20, 3) == rows[::20, None]).all()


def test_curvatures_are_spread_from_end_to_end():
    loss = IllConditioned(5, condition=1e4).loss
    assert [loss.gradient(np.zeros(5), axis).sum() for axis in np.eye(5)] == pytest.approx([1e-4, 1e-3, 1e-2, 1e-1, 1])


def test_the_best_decision_of_the_valley_is_in_the_middle_of_a_corner_of_the_ball():
    problem = IllConditioned(4, condition=50.0)
    best = -problem.rows(3, 50_000).mean(axis=0) / np.geomspace(0.02, 1.0, 4)
    assert np.abs(best) == pytest.approx(np.full(4, 0.25), abs=0.01)


def test_labels_follow_the_model_and_its_flips():
    dim, rounds = 3, 40_000
    truth = 6 / math.sqrt(dim) * np.random.default_rng(8).uniform(-1, 1, dim)
    rows = LateLabels(dim, l2=0.0).rows(8, rounds)
    chances = 1 / (1 + np.exp(-rows[:, :dim] @ truth))
    for low in (0.0, 0.25, 0.5, 0.75):
        these = (chances >= low) & (chances < low + 0.25)
        assert (rows[these, -1] == 1).mean() == pytest.approx(chances[these].mean(), abs=0.02)
    flipped = LateLabels(dim, l2=0.0, flip_every=100).rows(8, rounds)
    assert np.array_equal(flipped[:, :dim], rows[:, :dim])
    same = (flipped[:, -1] == rows[:, -1]).reshape(-1, 100)
    assert same[::2].all()
    assert not same[1::2].any()


def test_a_price_earns_minus_its_loss():
    problem = Pricing(noise=0.4)
    market = 1 + np.random.default_rng(9).random()
    for row in problem.rows(9, 20):
        demand_at_zero = -row[0]
        assert abs(demand_at_zero - market) <= 0.4
        assert problem.loss.value(row, [0.7]) == pytest.approx(-0.7 * (demand_at_zero - 0.7))


def test_losses_of_experts_lie_in_the_unit_interval_and_are_hard_or_easy_together():
    rows = ForecastExperts(6).rows(4, 20_000)
    assert rows.min() >= 0.0
    assert rows.max() <= 1.0
    assert (np.corrcoef(rows.T) > 0.3).all()
    errors = np.random.default_rng(4).random(6)
    assert rows.mean(axis=0) == pytest.approx((errors + 0.5) / 4, abs=0.01)


def test_weights_of_the_regression_can_be_found():
    problem = Regression(4, noise=0.5)
    rows = problem.rows(6, 20_000)
    truth = np.random.default_rng(6).uniform(-1, 1, 4) / 2
    found, *_ = np.linalg.lstsq(rows[:, :-1], rows[:, -1])
    assert found == pytest.approx(truth, abs=0.02)
    assert np.abs(rows[:, -1]).max() <= 2.0 + 0.5


def test_the_forecaster_runs_on_regression_in_the_whole_space():
    problem, space = Regression(3, noise=0.2), bl.Euclidean(3)
    learners = {"vaw": bl.vaw(space, regulariser=1.0, label_bound=3**0.5 + 0.2), "dogd": bl.dogd(space, 0.05)}
    regret = bl.simulate(learners, problem, bl.delays.Fixed(5), 400, range(3)).regret.mean("seed")
    assert float(regret.sel(learner="vaw").item()) < float(regret.sel(learner="dogd").item())


# What is refused


@pytest.mark.parametrize(
    ("family", "arguments", "message"),
    [
        (DriftingQuadratic, {"dim": 0, "speed": 0.1, "noise": 0.1}, r"\(dim=0\)`: must be >= 1$"),
        (DriftingQuadratic, {"dim": 2, "speed": -0.1, "noise": 0.1}, r"\(speed=-0.1\)`: must lie in \[0, 2\]$"),
        (DriftingQuadratic, {"dim": 2, "speed": 2.1, "noise": 0.1}, r"\(speed=2.1\)`: must lie in \[0, 2\]$"),
        (DriftingQuadratic, {"dim": 2, "speed": math.nan, "noise": 0.1}, r"\(speed=nan\)`: must be finite$"),
        (DriftingQuadratic, {"dim": 2, "speed": 0.1, "noise": -1.0}, r"\(noise=-1.0\)`: must lie in \[0, 1e\+50\]$"),
        (SignFlips, {"dim": 2.0, "period": 3}, r"\(dim=2.0\)`: must be a whole number$"),
        (SignFlips, {"dim": 2, "period": 0}, r"\(period=0\)`: must be >= 1$"),
        (IllConditioned, {"dim": 1, "condition": 3.0}, r"\(dim=1\)`: must be >= 2$"),
        (IllConditioned, {"dim": 2, "condition": 0.5}, r"\(condition=0.5\)`: must lie in \[1, 1e\+50\]$"),
        (LateLabels, {"dim": 0, "l2": 0.1}, r"\(dim=0\)`: must be >= 1$"),
        (LateLabels, {"dim": 2, "l2": -0.1}, r"\(l2=-0.1\)`: must lie in \[0, 1e\+50\]$"),
        (LateLabels, {"dim": 2, "l2": 0.1, "flip_every": -1}, r"\(flip_every=-1\)`: must be >= 0$"),
        (Pricing, {"noise": 1.1}, r"\(noise=1.1\)`: must lie in \[0, 1\]$"),
        (Pricing, {"noise": "0.1"}, r"\(noise='0.1'\)`: must be a real number$"),
        (ForecastExperts, {"experts": 1}, r"\(experts=1\)`: must be >= 2$"),
        (Regression, {"dim": -1, "noise": 0.1}, r"\(dim=-1\)`: must be >= 1$"),
        (Regression, {"dim": 1, "noise": math.inf}, r"\(noise=inf\)`: must be finite$"),
    ],
)
def test_bad_arguments_are_refused(family, arguments, message):
    with pytest.raises(InvalidArgument, match=rf"^`{family.__name__}{message}"):
        family(**arguments)


@pytest.mark.parametrize(
    "problem", [DriftingQuadratic(2, 2.0, 1e50), IllConditioned(3, 1e50), LateLabels(2, 1e50), Regression(2, 1e50)]
)
def test_the_largest_numbers_that_are_allowed_leave_rows_and_constants_finite(problem):
    assert np.isfinite(problem.rows(0, 50)).all()
    assert np.isfinite(problem.constants(problem.domain)).all()
    result = bl.simulate({"a": bl.dogd(problem.domain, 1e-3)}, problem, bl.delays.Fixed(2), 20, [0], regret_at=[])
    assert np.isfinite(result.cumulative_loss).all()
