"""A sweep that is stopped goes on, and does nothing again that was finished."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import pytest
from joblib import Parallel, delayed

import belated as bl
from belated.core.errors import WorkersDiffer, WorkersLost
from belated.sweeps import running, work
from belated.sweeps.engines import local
from belated.sweeps.stages import Stage
from belated.sweeps.work import Finished, Task
from support.sweeping import GRID, RUNS, SETTING, files_of, swept


def ages(folder: Path) -> dict[str, tuple[int, int]]:
    """When the file of each run was written, and which file it is."""
    found = {path: path.stat() for path in (folder / "runs").rglob("*.parquet")}
    return {str(path): (status.st_mtime_ns, status.st_ino) for path, status in found.items()}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the runs that are really done."""
    found: list[str] = []
    original = work.work

    def noted(task: Task) -> list[Finished]:
        found.extend(task.keys.values())
        return original(task)

    monkeypatch.setattr(running, "work", noted)
    return found


def test_a_process_that_is_killed_twice_goes_on_and_does_no_finished_run_again(tmp_path: Path, ran: list[str]) -> None:
    """Real processes are killed in the middle; the last one, which finishes, is this one."""
    assert swept("local", tmp_path, "--die", "6") == {}
    first = ages(tmp_path)
    assert 0 < len(first) < RUNS
    assert swept("local", tmp_path, "--die", "5") == {}
    second = ages(tmp_path)
    assert len(first) < len(second) < RUNS
    assert second.items() >= first.items(), "no file was written a second time"
    found = bl.sweep(SETTING, tmp_path, grid=GRID)
    assert (found.found, found.done, found.missing) == (len(second), RUNS - len(second), 0)
    assert len(ran) == len(set(ran)) == found.done
    assert ages(tmp_path).items() >= second.items()
    bl.sweep(SETTING, tmp_path / "whole", grid=GRID)
    assert files_of(tmp_path) == files_of(tmp_path / "whole")


def test_more_values_and_seeds_run_only_what_is_new(tmp_path: Path, ran: list[str]) -> None:
    bl.sweep(SETTING, tmp_path, grid=GRID)
    ran.clear()
    larger = {**GRID, "delays.mean": [2, 5, 9]}
    found = bl.sweep({**SETTING, "seeds": 6}, tmp_path, grid=larger)
    assert (found.found, found.done) == (RUNS, 9 * 6 - RUNS)
    assert len(ran) == found.done


def test_ctrl_c_ends_a_sweep_with_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = running._passed

    def pressed(todo):
        for number, finished in enumerate(original(todo)):
            if number == 7:
                raise KeyboardInterrupt
            yield finished

    with monkeypatch.context() as patched:
        patched.setattr(running, "_passed", pressed)
        found = bl.sweep(SETTING, tmp_path, grid=GRID, workers=1)
    assert found.interrupted
    # A worker may have finished more than it has reported; all that lies in the folder counts.
    assert 7 <= found.done == len(files_of(tmp_path)) < RUNS
    assert found.missing == RUNS - found.done
    assert f"{found.missing} runs missing: the same call goes on" in " ".join(found.notes)
    again = bl.sweep(SETTING, tmp_path, grid=GRID)
    assert not again.interrupted
    assert again.found + again.done == RUNS


def test_after_ctrl_c_runs_that_have_begun_are_finished_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two threads are in the middle of a task when the interrupt comes, and go on when the engine waits for them."""
    both, waiting, number = threading.Barrier(3), threading.Event(), itertools.count(1)
    original, finish, seen = work.work, local._Threads._finish, []

    def slow(task: Task) -> list[Finished]:
        if next(number) <= 2:
            both.wait(50)
        assert waiting.wait(50)
        return original(task)

    def interrupted(todo):
        finished = Parallel(return_as="generator_unordered")(delayed(slow)(task) for task in todo)
        both.wait(50)
        yield finished.throw(KeyboardInterrupt)

    def finishing(threads):
        seen.extend(threads._threads._pool)
        waiting.set()
        finish(threads)

    with monkeypatch.context() as patched:
        patched.setattr(running, "_passed", interrupted)
        patched.setattr(local._Threads, "_finish", finishing)
        found = bl.sweep(SETTING, tmp_path, grid=GRID, workers=2)
    assert found.interrupted
    # A thread that was faster than the engine has begun a third task.
    assert 6 <= found.done == len(files_of(tmp_path)), "two tasks of three runs each"
    assert [each.is_alive() for each in seen] == [False, False]


def test_workers_that_die_now_and_then_are_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that loses its workers is handed what is left, as long as each pass finishes something."""
    passes = []

    def dying(todo):
        passes.append(0)
        for task in list(todo)[:2]:
            yield from work.work(task)
        raise ConnectionError("a worker is gone")

    monkeypatch.setattr(running, "_passed", dying)
    found = bl.sweep(SETTING, tmp_path, grid=GRID)
    assert (found.done, len(passes)) == (RUNS, 5)


def test_workers_that_finish_nothing_end_a_sweep_and_what_is_done_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dead(todo):
        for task in list(todo)[:3] if not files_of(tmp_path) else []:
            yield from work.work(task)
        raise ConnectionError("all workers are gone")

    with monkeypatch.context() as patched:
        patched.setattr(running, "_passed", dead)
        message = r"21 runs are left.*the same call goes on.*ConnectionError: all workers are gone"
        with pytest.raises(WorkersLost, match=message):
            bl.sweep(SETTING, tmp_path, grid=GRID)
    assert bl.sweep(SETTING, tmp_path, grid=GRID).found == 9


def test_a_worker_with_other_code_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker of another process makes the keys again; here its stages are made by another version."""
    monkeypatch.setattr(work, "_planned", lambda task: None)
    assert bl.sweep(SETTING, tmp_path / "same", grid=GRID).done == RUNS
    work._made_stage.cache_clear()
    original = work._made_stage

    def other(folder: str, digest: str, number: int):
        stage = original(folder, digest, number)
        assert isinstance(stage, Stage)
        stage._words = {number: f"{words} " for number, words in stage._words.items()}
        return stage

    monkeypatch.setattr(work, "_made_stage", other)
    with pytest.raises(WorkersDiffer, match="another version of belated, Python, NumPy"):
        bl.sweep(SETTING, tmp_path / "other", grid=GRID)
    assert files_of(tmp_path / "other") == {}
    original.cache_clear()
