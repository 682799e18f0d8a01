"""The experiment at its full size against numbers from an independent implementation, and against facts of its delays.

The losses of a seed are those of ``numpy.random.default_rng(seed)``, so means over seeds 0 to 19 must agree to every
digit that is given. Only the two-query variant draws directions of its own; it must agree within two standard errors.
"""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from belated.delays import arrivals
from belated.papers.claims import claims
from belated.papers.wan2021 import reproduce, setup, write

REGRET = {
    "low": {"ogd-sc": 8.15, "dogd": 78.58, "dogd-sc": 14.57, "bdogd-sc": 14.61, "dbgd": 78.49},
    "high": {"ogd-sc": 8.15, "dogd": 211.69, "dogd-sc": 65.16, "bdogd-sc": 63.93, "dbgd": 211.66},
}
TWO_QUERIES = {"low": 75.72, "high": 133.07}


def test_regret_of_the_whole_experiment(tmp_path: Path) -> None:
    reproduction = reproduce()
    write(reproduction, tmp_path)
    with (tmp_path / "summary.csv").open(newline="") as file:
        summary = {(row["setting"], row["learner"]): row for row in csv.DictReader(file)}
    wrong = {}
    for setting, by_learner in REGRET.items():
        for learner, reference in by_learner.items():
            row = summary[setting, learner]
            assert row["seeds"] == "20"
            if abs(float(row["regret_mean"]) - reference) >= 0.01:
                wrong[setting, learner] = row["regret_mean"], reference
        row = summary[setting, "bdogd-sc-two-point"]
        if abs(float(row["regret_mean"]) - TWO_QUERIES[setting]) > 2 * float(row["regret_sd"]) / math.sqrt(20):
            wrong[setting, "bdogd-sc-two-point"] = row["regret_mean"], TWO_QUERIES[setting]
    assert wrong == {}
    assert [claim.verdict for claim in claims(reproduction)] == ["held"] * 6


@pytest.mark.parametrize(
    ("setting", "total", "rate", "delta"),
    [("low", 2285, 0.0033798, 1 / 3285), ("high", 22850, 0.0012543, 1 / 23850)],
)
def test_parameters(setting: str, total: int, rate: float, delta: float) -> None:
    given = setup(setting, 1000)
    assert given.total_delay == total
    assert round(given.rate, 7) == rate
    assert given.probe_radius["dbgd"] == delta
    assert given.probe_radius["bdogd-sc"] == given.probe_radius["bdogd-sc-two-point"] == math.log(1000) / 1000
    for name, initial in given.initial().items():
        np.testing.assert_allclose(initial, (1 - given.probe_radius.get(name, 0.0)) / math.sqrt(10), rtol=1e-15)


@pytest.mark.parametrize(
    ("setting", "longest", "most_missing", "first_round", "received", "total_missing"),
    [("low", 4, 2, 2, 999, 1283), ("high", 40, 23, 13, 978, 21553)],
)
def test_facts_of_the_delays(
    setting: str, longest: int, most_missing: int, first_round: int, received: int, total_missing: int
) -> None:
    delays = setup(setting, 1000).delays
    arrived = np.diff(arrivals(delays).first)[1:]
    in_flight = np.arange(1, 1001) - arrived.cumsum()
    outstanding = np.concatenate(([0], in_flight[:-1]))  # sigma_t, when the decision of round t is made
    assert delays.max() == longest
    assert outstanding.max() == in_flight.max() == most_missing
    assert np.flatnonzero(arrived)[0] + 1 == first_round
    assert arrived[first_round - 1] == 1
    assert arrived.max() == 3
    assert arrived.sum() == received
    assert outstanding.sum() == total_missing


@pytest.mark.parametrize(
    ("setting", "theorem_1", "theorem_2", "theorem_3"),
    [("low", 2760.50, 2896.14, 311438), ("high", 27604.99, 27926.36, 3113100)],
)
def test_bounds(setting: str, theorem_1: float, theorem_2: float, theorem_3: float) -> None:
    bounds = setup(setting, 1000).bounds()
    assert round(bounds["dogd-sc"], 2) == theorem_1
    assert round(bounds["bdogd-sc"], 2) == theorem_2
    assert round(bounds["bdogd-sc-two-point"]) == theorem_3
