"""Regret against moving decisions, beside sums that are written out."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

import belated as bl
from belated.core.errors import InvalidArgument, NumericalFailure
from belated.sim import compensated, dynamic
from belated.sim.problems import DriftingQuadratic, RandomQuadratic
from support.compiler import needs_compiler

PROBLEM = DriftingQuadratic(3, speed=0.02, noise=0.4)
SEEDS = [0, 7]


def simulated(problem=PROBLEM, rounds=300, seeds=SEEDS, **options):
    domain = bl.Ball(problem.loss.dim)
    learners = {"slow": bl.dogd_sc(domain, 2.0), "quick": bl.dogd(domain, 0.1)}
    return bl.simulate(learners, problem, bl.delays.Geometric(3.0), rounds, seeds, regret_at=[], **options)


def naive(problem, seed, rounds):
    """The cumulative losses of the comparators, from the definition of the loss."""
    points, rows = problem.comparators(seed, rounds), problem.rows(seed, rounds)
    return np.cumsum((points**2).sum(axis=1) + (rows * points).sum(axis=1))


def wrong(regret, result, problem):
    expected = np.stack([naive(problem, seed, int(result.cumulative_loss["round"][-1])) for seed in SEEDS])
    at = result.cumulative_loss["round"].values - 1
    return not np.allclose(result.cumulative_loss.values - regret.values, expected[:, at], rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("record", ["all", "log", [1, 2, 17, 299]])
def test_it_is_the_loss_beyond_that_of_the_comparators(record):
    result = simulated(record=record)
    regret = bl.dynamic_regret(result, PROBLEM)
    assert regret.dims == ("learner", "seed", "round")
    assert regret.name == "dynamic_regret"
    assert regret.coords.equals(result.cumulative_loss.coords)
    assert not wrong(regret, result, PROBLEM)


def test_the_comparison_notices_comparators_of_another_round():
    """As it would if one came a round late."""

    class Late(DriftingQuadratic):
        def comparator_sampler(self, seed):
            sampler = super().comparator_sampler(seed)
            sampler._taken -= 1
            return sampler

    result = simulated()
    assert wrong(bl.dynamic_regret(result, Late(3, speed=0.02, noise=0.4)), result, PROBLEM)


def test_against_a_target_that_stays_it_is_the_regret_against_it():
    problem = DriftingQuadratic(3, speed=0.0, noise=0.0)
    result = bl.simulate({"a": bl.dogd(bl.Ball(3), 0.1)}, problem, bl.delays.Fixed(4), 200, SEEDS)
    regret = bl.dynamic_regret(result, problem)
    assert regret.sel(round=[200]).values == pytest.approx(result.regret.values, rel=1e-9)


def test_who_plays_the_target_of_the_round_before_pays_the_square_of_a_step():
    """f_t(c_(t-1)) - f_t(c_t) = |c_(t-1) - c_t|^2, for a learner that jumps to the last minimiser without delay."""
    problem = DriftingQuadratic(2, speed=0.01, noise=0.0)
    result = bl.simulate({"a": bl.dogd(bl.Ball(2), 0.5)}, problem, bl.delays.Fixed(1), 100, [3])
    steps = np.diff(bl.dynamic_regret(result, problem).values[0, 0])
    moved = (np.diff(problem.comparators(3, 100), axis=0) ** 2).sum(axis=1)
    assert steps == pytest.approx(moved, rel=1e-6, abs=1e-12)


@dataclass(frozen=True)
class Own:
    """A problem of somebody's own: rows in chunks or not, comparators as given."""

    points: object

    @property
    def loss(self):
        return bl.losses.Quadratic(3, curvature=2.0)

    def rows(self, seed, rounds):
        return PROBLEM.rows(seed, rounds)

    def comparators(self, seed, rounds):
        return self.points(seed, rounds)


def test_a_problem_of_ones_own_needs_no_samplers():
    result = simulated(rounds=300)
    expected = bl.dynamic_regret(result, PROBLEM)
    for points in (PROBLEM.comparators, lambda seed, rounds: PROBLEM.comparators(seed, rounds).tolist()):
        assert bl.dynamic_regret(result, Own(points)).identical(expected)


@needs_compiler
def test_chunks_and_machine_code_change_no_bit(monkeypatch):
    result = simulated(rounds=2000)
    plain = bl.dynamic_regret(result, PROBLEM)
    assert not wrong(plain, result, PROBLEM)
    with monkeypatch.context() as changed:
        changed.setattr("belated.sim.plan.MOST_ROUNDS_PER_CHUNK", 70)
        assert bl.dynamic_regret(result, PROBLEM).identical(plain)
        assert bl.dynamic_regret(result, Own(PROBLEM.comparators)).identical(plain)
    used = []
    monkeypatch.setattr(compensated, "LONG", 1)
    monkeypatch.setattr(compensated, "compiled", recording(compensated.compiled, used))
    assert bl.dynamic_regret(result, PROBLEM).identical(plain)
    assert used == [dynamic.add_losses] * 2


def recording(function, calls):
    def wrapper(first, *arguments):
        code = function(first, *arguments)
        calls.append(first)
        return code

    return wrapper


def test_comparators_are_had_in_chunks_where_that_is_possible(monkeypatch):
    class Streamed(DriftingQuadratic):
        def comparators(self, seed, rounds):
            raise AssertionError("the comparators were to be had in chunks")

    result = simulated(rounds=100)
    assert bl.dynamic_regret(result, Streamed(3, speed=0.02, noise=0.4)).identical(bl.dynamic_regret(result, PROBLEM))


@pytest.mark.parametrize("problem", [RandomQuadratic(3), None, "drift"])
def test_a_problem_without_comparators_is_refused(problem):
    message = r"^`dynamic_regret\(problem=.*\)`: must have `comparators\(seed, rounds\)`, .* as DriftingQuadratic has$"
    with pytest.raises(InvalidArgument, match=message):
        bl.dynamic_regret(simulated(rounds=5), problem)


@pytest.mark.parametrize("result", [None, 3.0])
def test_what_is_no_result_is_refused(result):
    with pytest.raises(InvalidArgument, match=r"^`dynamic_regret\(result=.*\)`: must be what `simulate` returns$"):
        bl.dynamic_regret(result, PROBLEM)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (lambda seed, rounds: np.zeros((rounds - 1, 3)), r"\(problem=.*must have 20 comparators for seed 0, got 19$"),
        (lambda seed, rounds: np.zeros((rounds, 2)), r"\(comparators=.*must have shape \(rows, 3\)"),
        (lambda seed, rounds: np.full((rounds, 3), math.nan), r"\(comparators=.*must be finite, entry \[0, 0\]"),
        (lambda seed, rounds: None, r"\(comparators=None\)`: must be an array of real numbers"),
    ],
)
def test_comparators_that_are_none_are_refused(points, message):
    with pytest.raises(InvalidArgument, match=rf"^`dynamic_regret{message}"):
        bl.dynamic_regret(simulated(rounds=20), Own(points))


def test_losses_of_comparators_that_are_out_of_range_are_told():
    with pytest.raises(
        NumericalFailure, match=r"^`dynamic_regret`: a loss of the comparators of seed 0 is not finite$"
    ):
        bl.dynamic_regret(simulated(rounds=20), Own(lambda seed, rounds: np.full((rounds, 3), 1e200)))
