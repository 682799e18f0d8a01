"""The experiment against the paper's pseudo-code, with every constant of its section 5 written out again."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from belated.core.errors import InvalidArgument
from belated.papers import report
from belated.papers.wan2021 import DESCRIPTIONS, LEARNERS, PROBLEM, Reproduction, reproduce, setup, write
from support import naive
from support.runs import record

ROUNDS = 60
PERIODS = {"low": [2, 3, 2, 1, 4, 1, 3], "high": [20, 30, 20, 10, 40, 10, 30]}


def ball(radius: float) -> Any:
    def project(y: Any) -> Any:
        length = np.sqrt((y**2).sum())
        return y if length <= radius else y * (radius / length)

    return project


def naive_points(name: str, setting: str, seed: int) -> tuple[Any, Any]:
    """The losses b_t and, a round each, the points that a learner plays."""
    b = np.random.default_rng(seed).uniform(-1, 1, (ROUNDS, 10))
    delays = [PERIODS[setting][t % 7] for t in range(ROUNDS)]
    total, lipschitz, basis = sum(delays), 2 + math.sqrt(10), np.eye(10)
    eta, start = 1 / (lipschitz * math.sqrt(ROUNDS + total)), np.ones(10) / math.sqrt(10)
    delta = 1 / (ROUNDS + total) if name == "dbgd" else math.log(ROUNDS) / ROUNDS

    def f(t: int, x: Any) -> Any:
        return (x**2).sum() + b[t - 1] @ x

    def gradient(t: int, x: Any) -> Any:
        return 2 * x + b[t - 1]

    inside, smaller = ball(1 - delta), (1 - delta) * start
    if name == "ogd-sc":  # DOGD-SC without delay and with half the curvature is OGD-SC
        xs = naive.dogd_sc(gradient, [1] * ROUNDS, ball(1.0), start, 4.0)
    elif name == "dogd":
        xs = naive.dogd(gradient, delays, ball(1.0), start, eta)
    elif name == "dogd-sc":
        xs = naive.dogd_sc(gradient, delays, ball(1.0), start, 2.0)
    elif name == "bdogd-sc":
        xs = naive.bdogd_sc(f, delays, inside, smaller, 2.0, delta, basis)
    elif name == "dbgd":
        xs = naive.dbgd(f, delays, inside, smaller, eta, delta, basis)
    else:
        each = setup(setting, ROUNDS)
        played = record(each.learners()[name], PROBLEM.loss, b, delays, initial=smaller, seed=seed).points
        directions = [(plus - minus) / (2 * delta) for plus, minus in played]
        assert np.allclose([u @ u for u in directions], 1.0)
        xs = naive.two_point(f, delays, inside, smaller, 2.0, delta, directions, 10)
        return b, [[x + delta * u, x - delta * u] for x, u in zip(xs, directions, strict=True)]
    if name in ("bdogd-sc", "dbgd"):
        return b, [[x, *(x + delta * e for e in basis)] for x in xs]
    return b, [[x] for x in xs]


@pytest.mark.parametrize("setting", PERIODS)
@pytest.mark.parametrize("name", LEARNERS)
def test_curves_are_those_of_the_pseudo_code(small: Reproduction, name: str, setting: str) -> None:
    for seed in small.seeds:
        b, points = naive_points(name, setting, seed)
        losses = [np.mean([(x**2).sum() + b[t] @ x for x in points[t]]) for t in range(ROUNDS)]
        curve = small.runs.cumulative_loss.sel(setting=setting, learner=name, seed=seed)
        np.testing.assert_allclose(curve, np.cumsum(losses), rtol=0, atol=1e-9)


def test_regret_is_against_the_best_point_of_the_ball(small: Reproduction) -> None:
    for seed in small.seeds:
        total = np.random.default_rng(seed).uniform(-1, 1, (ROUNDS, 10)).sum(axis=0)
        best = ball(1.0)(-total / (2 * ROUNDS))
        value = ROUNDS * best @ best + total @ best
        runs = small.runs.sel(seed=seed)
        np.testing.assert_allclose(runs.regret, runs.cumulative_loss.isel(round=-1) - value, rtol=0, atol=1e-10)
        np.testing.assert_allclose(runs.best_loss, value, rtol=0, atol=1e-10)


def test_regret_by_round_is_against_the_best_point_of_the_rounds_so_far(small: Reproduction) -> None:
    assert small.runs.prefix.to_numpy()[[0, -1]].tolist() == [1, ROUNDS]
    for seed in small.seeds:
        b = np.random.default_rng(seed).uniform(-1, 1, (ROUNDS, 10))
        for rounds in small.runs.prefix.to_numpy().tolist():
            total = b[:rounds].sum(axis=0)
            best = ball(1.0)(-total / (2 * rounds))
            runs = small.runs.sel(seed=seed, prefix=rounds, round=rounds)
            allowed = runs.cumulative_loss - (rounds * best @ best + total @ best)
            np.testing.assert_allclose(runs.regret_by_round, allowed, rtol=0, atol=1e-10)


def test_everything_is_labelled_and_described(small: Reproduction) -> None:
    runs = small.runs
    assert runs.cumulative_loss.dims == ("setting", "learner", "seed", "round")
    assert set(runs.data_vars) == set(DESCRIPTIONS)
    assert list(runs.learner.to_numpy()) == list(LEARNERS)
    assert list(runs.setting.to_numpy()) == ["low", "high"]
    assert runs.delay.sel(setting="low").to_numpy().tolist() == [PERIODS["low"][t % 7] for t in range(ROUNDS)]
    assert runs.attrs["rounds"] == ROUNDS


def test_arrivals_and_what_is_in_flight_belong_to_the_delays(small: Reproduction) -> None:
    for setting in PERIODS:
        runs = small.runs.sel(setting=setting)
        counted = [naive.counts(runs.delay.to_numpy().tolist(), t) for t in range(1, ROUNDS + 1)]
        assert runs.arrivals.to_numpy().tolist() == [arrived for arrived, _, _, _ in counted]
        assert runs.in_flight.to_numpy().tolist() == [missing for _, _, missing, _ in counted]


def test_the_undelayed_learner_is_the_same_in_both_settings(small: Reproduction) -> None:
    reference = small.runs.cumulative_loss.sel(learner="ogd-sc")
    assert (reference.sel(setting="low") == reference.sel(setting="high")).all()


def test_regret_stays_below_the_bounds(small: Reproduction) -> None:
    known = small.runs.bound.notnull()
    assert list(small.runs.learner.to_numpy()[known.all("setting")]) == ["dogd-sc", "bdogd-sc", "bdogd-sc-two-point"]
    assert (small.runs.regret.mean("seed") < small.runs.bound).where(known, other=True).all()


def test_runs_are_read_back_as_they_were(small: Reproduction, tmp_path: Path) -> None:
    write(small, tmp_path / "new" / "place")
    assert sorted(path.name for path in (tmp_path / "new" / "place").iterdir()) == sorted(report.NAMES)
    with xr.open_dataset(tmp_path / "new" / "place" / "runs.nc") as stored:
        xr.testing.assert_equal(stored.load(), small.runs)
        assert stored.attrs == small.runs.attrs
        assert {name: stored[name].attrs["description"] for name in DESCRIPTIONS} == DESCRIPTIONS


def test_the_same_data_give_the_same_files_byte_for_byte(small: Reproduction) -> None:
    assert report.contents(small) == report.contents(reproduce(seeds=range(3), rounds=ROUNDS))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rounds": 1}, "must be >= 2: ln T / T is 0"),
        ({"rounds": 0}, "must be >= 1"),
        ({"rounds": 10**9}, r"must be <= 1118481 for 20 seeds"),
        ({"seeds": range(30_000_000)}, r"seeds=range\(0, 30000000\)\)`: must be at most 11184810 seeds"),
        ({"seeds": range(10**30)}, "must be at most 11184810 seeds"),
        ({"seeds": iter(range(5)), "rounds": 10**9}, "must be <= 4473924 for 5 seeds"),
        ({"seeds": []}, "one or more different seeds"),
        ({"seeds": 3}, "must be several seeds"),
        ({"seeds": [-1]}, "must be >= 0"),
        ({"seeds": [2**31]}, "must be <= 2147483647"),
    ],
)
def test_what_cannot_be_run_is_refused_at_once(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        reproduce(**arguments)
