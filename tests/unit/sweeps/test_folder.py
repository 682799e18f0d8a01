"""The folder of a sweep: files complete or not there, never replaced, and Parquet that others can read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import InvalidArgument, WorkersLost
from belated.sweeps import parquet
from belated.sweeps.folder import DAY, UNFINISHED, SweepFolder
from belated.sweeps.scores import Score
from support.sweeping import GRID, RUNS, SETTING, files_of

CELL = {
    "rounds": 20,
    "measure": "loss",
    "problem": {"name": "pricing", "noise": 0.5},
    "delays": {"name": "never", "law": {"name": "fixed", "delay": 3}},
    "learner": {"name": "dogd", "start": [1, 2], "on": True},
    "told_of": 0,
}


def test_the_columns_are_the_setting(tmp_path: Path) -> None:
    content = parquet.as_bytes("ab12", CELL, 7, Score(1.5, -2.5))
    (tmp_path / "run.parquet").write_bytes(content)
    (row,) = pyarrow.parquet.read_table(tmp_path / "run.parquet").to_pylist()
    assert row == {
        "key": "ab12",
        "rounds": 20.0,
        "measure": "loss",
        "problem.name": "pricing",
        "problem.noise": 0.5,
        "delays.name": "never",
        "delays.law": '{"delay":3,"name":"fixed"}',
        "learner.name": "dogd",
        "learner.start": "[1,2]",
        "learner.on": "true",
        "told_of": 0.0,
        "seed": 7,
        "score": 1.5,
        "cumulative_loss": -2.5,
        "digest": row["digest"],
    }
    assert parquet.as_bytes("ab12", CELL, 7, Score(1.5, -2.5)) == content


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_numbers_come_back_to_the_last_bit(score: float, loss: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.parquet")
        path.write_bytes(parquet.as_bytes("ab12", CELL, 0, Score(score, loss)))
        assert parquet.read(path, "ab12") == Score(score, loss)
        assert parquet.read(path, "ab13") is None, "the file of another run"


def test_all_runs_can_be_read_as_one_table(tmp_path: Path) -> None:
    found = bl.sweep(SETTING, tmp_path, grid=GRID)
    table = pyarrow.parquet.read_table(tmp_path / "runs")
    assert table.num_rows == RUNS
    assert set(table["delays.mean"].to_pylist()) == {2.0, 5.0}
    assert sorted(table["key"].to_pylist()) == sorted(key for keys in found.plan.keys for key in keys)


def test_any_damage_counts_as_missing_and_is_mended(tmp_path: Path) -> None:
    bl.sweep(SETTING, tmp_path, grid=GRID)
    whole = files_of(tmp_path)
    names = list(whole)
    damages = [b"", whole[names[1]][:-9], whole[names[2]][:40], b"x" * 900, whole[names[5]]]
    for name, damage in zip(names, damages, strict=False):
        (tmp_path / name).write_bytes(damage)
    read = bl.sweeps.read(tmp_path)
    assert (read.found, read.missing) == (RUNS - 5, 5)
    again = bl.sweep(SETTING, tmp_path, grid=GRID)
    assert (again.found, again.done) == (RUNS - 5, 5)
    assert files_of(tmp_path) == whole


def misread(path: Path) -> list[int]:
    """Every third byte of a file is changed in turn: the places where it is then read as other numbers."""
    content, wrong = parquet.as_bytes("ab12", CELL, 7, Score(1.5, -2.5)), []
    for place in range(0, len(content), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :])
        if parquet.read(path, "ab12") not in (None, Score(1.5, -2.5)):
            wrong.append(place)
    return wrong


def test_a_changed_bit_never_gives_other_numbers_nor_an_error(tmp_path: Path) -> None:
    assert misread(tmp_path / "run.parquet") == []


def test_a_file_without_a_digest_would_pass_for_that_of_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(parquet.as_bytes("ab12", CELL, 7, Score(1.5, -2.5)))
    assert parquet.read(path, "other") is None
    monkeypatch.setattr(parquet, "_digest", lambda key, score: path.name)
    path.write_bytes(parquet.as_bytes("ab12", CELL, 7, Score(1.5, -2.5)))
    assert parquet.read(path, "other") == Score(1.5, -2.5)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"null"])
def test_a_damaged_plan_or_failure_is_mended(tmp_path: Path, damage: bytes) -> None:
    first = bl.sweep(SETTING, tmp_path, grid=GRID)
    key = first.plan.keys[0][0]
    folder = SweepFolder(tmp_path)
    folder._run(key).unlink()
    for path in (folder._plan(first.plan.digest), folder._failure(key)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(damage)
    assert bl.sweeps.read(tmp_path).missing == 1
    again = bl.sweep(SETTING, tmp_path, grid=GRID)
    assert (again.found, again.done) == (RUNS - 1, 1)


def test_a_run_that_another_process_has_just_finished_is_not_removed(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    folder.keep("abcd", parquet.as_bytes("abcd", CELL, 0, Score(1.0, 2.0)))
    folder.forget("abcd")
    assert folder.run("abcd") == Score(1.0, 2.0)


def test_a_file_is_never_replaced(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    folder.keep("abcd", b"first")
    folder.keep("abcd", b"second")
    (path,) = (tmp_path / "runs").rglob("*.parquet")
    assert path.read_bytes() == b"first"
    assert [each for each in tmp_path.rglob("*") if each.name.startswith(UNFINISHED)] == []


def test_a_file_system_without_second_names_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    test_a_file_is_never_replaced(tmp_path)


def test_a_full_disk_leaves_nothing_half_and_the_sweep_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = SweepFolder._place

    def full(self, path, content):
        if path.suffix == ".parquet" and len(files_of(tmp_path)) >= 4:
            raise OSError(28, "No space left on device")
        original(self, path, content)

    with monkeypatch.context() as patched:
        patched.setattr(SweepFolder, "_place", full)
        with pytest.raises(WorkersLost, match="No space left on device"):
            bl.sweep(SETTING, tmp_path, grid=GRID, workers=1)
    assert len(files_of(tmp_path)) == 4
    assert bl.sweep(SETTING, tmp_path, grid=GRID).found == 4


def test_what_killed_workers_left_is_removed_a_day_later(tmp_path: Path) -> None:
    bl.sweep(SETTING, tmp_path, grid=GRID)
    left = [next((tmp_path / "runs").iterdir()) / f"{UNFINISHED}{name}" for name in ("old", "new")]
    for path in left:
        path.touch()
    os.utime(left[0], (0, left[0].stat().st_mtime - DAY - 60))
    bl.sweep(SETTING, tmp_path, grid=GRID)
    assert [path.exists() for path in left] == [False, True]


@pytest.mark.parametrize("folder", ["", 3, "a\0b"])
def test_what_is_no_folder_is_refused(folder: object) -> None:
    for call in (lambda: bl.sweep(SETTING, folder, grid=GRID), lambda: bl.sweeps.read(folder)):  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="must be the path of a folder"):
            call()


def test_a_folder_without_a_sweep_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="has no sweep: No such file"):
        bl.sweeps.read(tmp_path)


def test_a_folder_that_writes_to_the_final_name_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken copy leaves half a file where a worker is killed; what reads it takes it for missing all the same."""

    class Killed(BaseException):
        pass

    def killed_half_way(path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content[: len(content) // 2])
        raise Killed

    content, folder = parquet.as_bytes("abcd", CELL, 7, Score(1.5, -2.5)), SweepFolder(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(folder, "_place", killed_half_way)
        with pytest.raises(Killed):
            folder.keep("abcd", content)
    assert list((tmp_path / "runs").rglob("*.parquet")) != [], "the broken copy has left something"
    assert folder.run("abcd") is None
    folder.forget("abcd")
    folder.keep("abcd", content)
    assert folder.run("abcd") == Score(1.5, -2.5)
