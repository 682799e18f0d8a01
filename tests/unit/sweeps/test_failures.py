"""A run that fails is recorded with its traceback, and the others go on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import belated as bl
from belated.sweeps.stages import Stage
from support.sweeping import SETTING, files_of

LEARNERS = {"dogd": {"rate": 0.1}, "dogd-sc": {}}
FAST = {"learners.dogd.rate": [0.1, 1e50]}
"""With the second rate a step leaves the numbers that a computer has."""

FREE = {**SETTING, "domain": {"name": "euclidean", "dim": 2}, "measure": "loss", "learners": LEARNERS, "seeds": 3}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sweep"


def test_a_failing_run_is_recorded_and_the_others_go_on(folder: Path) -> None:
    found = bl.sweep(FREE, folder, grid=FAST)
    assert (found.done, len(found.failures), found.missing) == (6, 3, 0)
    failure = found.failures[0]
    assert failure.error == "NumericalFailure"
    assert "dogd" in failure.message
    assert "Traceback" in failure.traceback
    assert failure.cell["learner"] == {"name": "dogd", "rate": 1e50}
    assert failure.seed == 0
    states = found.data.state.sel(learner="dogd").to_numpy().tolist()
    assert states == [["done"] * 3, ["failed"] * 3]
    assert np.isnan(found.data.score.sel(learner="dogd")[1]).all()
    assert (found.data.state.sel(learner="dogd-sc") == "done").all(), "who runs with the one that fails is not lost"
    assert "3 runs failed, the first with NumericalFailure" in repr(found)
    records = [json.loads(path.read_text()) for path in (folder / "failures").rglob("*.json")]
    assert {record["key"] for record in records} == {each.key for each in found.failures}


def test_who_runs_beside_a_failing_one_has_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    bl.sweep(FREE, folder, grid=FAST)
    bl.sweep({**FREE, "learners": {"dogd-sc": {}}}, tmp_path / "alone", grid={"rounds": [20]})
    assert files_of(folder).items() >= files_of(tmp_path / "alone").items()
    assert len(files_of(tmp_path / "alone")) == 3


def test_what_has_failed_is_run_again_only_if_that_is_wanted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting, grid = {**SETTING, "seeds": 2}, {"delays.mean": [2, 5]}
    original = Stage.run

    def broken(self, numbers, seed):
        if seed == 1:
            raise MemoryError("too large for this machine")
        return original(self, numbers, seed)

    with monkeypatch.context() as patched:
        patched.setattr(Stage, "run", broken)
        first = bl.sweep(setting, folder, grid=grid)
    assert (first.found, first.done, len(first.failures)) == (0, 4, 4)
    again = bl.sweep(setting, folder, grid=grid)
    assert (again.found, again.done, len(again.failures)) == (4, 0, 4)
    assert {each.message for each in again.failures} == {"too large for this machine"}
    retried = bl.sweep(setting, folder, grid=grid, retry_failed=True)
    assert (retried.found, retried.done, len(retried.failures)) == (4, 4, 0)
    assert list((folder / "failures").rglob("*.json")) == []


def test_a_sweep_in_which_all_fails_still_says_so(folder: Path) -> None:
    found = bl.sweep({**FREE, "learners": {"dogd": {}}}, folder, grid={"learners.dogd.rate": [1e50]})
    assert found.best == ()
    assert "No setting of dogd has all of its seeds" in repr(found)
    found.save(folder)
    assert len((folder / "failures.csv").read_text().splitlines()) == 4
