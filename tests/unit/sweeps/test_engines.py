"""Every engine writes the same bytes, also when a worker or a node is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from joblib import Parallel, delayed, parallel_config

import belated as bl
from belated.core.errors import InvalidArgument
from belated.sweeps import engines
from belated.sweeps.engines import local
from belated.sweeps.engines.futures import FuturesBackend
from belated.sweeps.plan import SweepPlan
from belated.sweeps.planning import plan_of_sweep
from support.processes import hear_ctrl_c
from support.sweeping import GRID, LATE_RUNS, RUNS, SETTING, files_of, on_a_log, swept, written


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What threads of this process write."""
    folder = tmp_path_factory.mktemp("expected")
    assert bl.sweep(SETTING, folder, grid=GRID).done == RUNS
    return files_of(folder)


@pytest.mark.parametrize("engine", ["processes", "dask", "ray"])
def test_every_engine_writes_the_same_bytes_though_a_worker_is_killed(
    engine: str, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    """For Ray this is the code of the page, on a cluster of three nodes. Processes of joblib have nobody to kill.

    Afterwards the same workers let models go through a log, and refuse a sweep that was planned by other code.
    """
    lost = () if engine == "processes" else ("--lose", "7")
    found = swept(engine, tmp_path, *lost, "--differ")
    assert found == {"found": 0, "done": RUNS, "failed": 0, "models": LATE_RUNS, "refused": True}
    assert files_of(tmp_path) == expected
    bl.sweep(on_a_log(tmp_path / "log.csv"), tmp_path / "here", workers=1)
    assert files_of(tmp_path / "log") == files_of(tmp_path / "here")


def test_forked_processes_write_the_same_bytes_though_one_is_killed(tmp_path: Path, expected: dict[str, bytes]) -> None:
    """The process that was started has all runs done again that its pool has lost."""
    assert swept("forked", tmp_path, "--lose", "7") == {"found": 0, "done": RUNS, "failed": 0}
    assert files_of(tmp_path) == expected


def test_a_pool_goes_on_after_the_death_of_all_its_processes() -> None:
    code = """
import multiprocessing, os, threading, time
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from belated.sweeps.engines.local import _Pool
pool = _Pool(2)
lost = pool.send(partial(time.sleep, 100))
for process in multiprocessing.active_children():
    process.kill()
assert isinstance(lost.exception(), BrokenProcessPool)
assert pool.send(os.getpid).result() != os.getpid()
pool.close()
assert threading.active_count() == 1 and not multiprocessing.active_children()
"""
    subprocess.run([sys.executable, "-c", code], timeout=50, check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_forked_processes_do_not_outlive_the_one_that_was_killed() -> None:
    code = """
import multiprocessing, os, signal
from belated.sweeps.engines.local import _Pool
pool = _Pool(2)
print(*[process.pid for process in multiprocessing.active_children()], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=False)
    numbers = [int(each) for each in killed.stdout.split()]
    assert killed.returncode == -signal.SIGKILL
    assert len(numbers) == 2
    deadline = time.monotonic() + 50
    while any(map(is_running, numbers)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(number: int) -> bool:
    """Whether there is a process of that number which has not ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except FileNotFoundError:
        return False


def test_one_worker_and_many_write_the_same_bytes(tmp_path: Path, expected: dict[str, bytes]) -> None:
    """With more workers than runs, every run is a task of its own."""
    for workers in (1, 50):
        bl.sweep(SETTING, tmp_path / str(workers), grid=GRID, workers=workers)
        assert files_of(tmp_path / str(workers)) == expected


@pytest.mark.soak(sampled=False)
@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_a_thousand_runs_on_a_cluster_that_loses_a_worker(engine: str, tmp_path: Path) -> None:
    runs = 1002
    here, there = tmp_path / "here", tmp_path / "there"
    there.mkdir()
    bl.sweep({**SETTING, "seeds": runs // 6}, here, grid=GRID)
    found = swept(engine, there, "--lose", "100", "--seeds", str(runs // 6))
    assert found == {"found": 0, "done": runs, "failed": 0}
    assert len(files_of(here)) == runs
    assert files_of(there) == files_of(here)


def test_many_short_runs_are_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    few, _ = plan_of_sweep(written(), "few")
    long, _ = plan_of_sweep(written(grid={"rounds": [10, local.SHORT_ROUNDS]}), "long")

    def way(plan: SweepPlan, seeds: int, *, forks: bool, workers: int = 2) -> object:
        monkeypatch.setattr(local, "may_fork", lambda: forks)
        return local.way_for(replace(plan, seeds=list(range(seeds))), workers)

    some, many = local.SOME_TASKS, local.MANY_TASKS
    assert way(few, 5, forks=True) is local.threads
    assert way(few, some, forks=True) is local.forked
    assert way(few, some, forks=False) is local.threads, "processes that begin from nothing take too long to start"
    assert way(few, many, forks=False) is local.processes
    assert way(few, many, forks=True, workers=1) is local.threads, "nobody waits for one thread"
    assert way(long, many, forks=True) is local.threads


def test_a_daemonic_process_which_may_have_no_children_uses_threads(tmp_path: Path) -> None:
    code = """
import multiprocessing, sys
from support.sweeping import GRID, SETTING
import belated as bl
from belated.sweeps.engines import local

def swept(folder):
    local.SOME_TASKS = 1
    return bl.sweep(SETTING, folder, grid=GRID, workers=2).done

with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.apply(swept, sys.argv[1:]))
"""
    said = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert said.stdout.split() == [str(RUNS)]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_ctrl_c_again_and_again_ends_forked_processes() -> None:
    """The second one comes when the pool has begun to wait for a run that has begun."""
    code = """
import os, signal, time
from functools import partial
from belated.sweeps.engines.local import _Pool
pool = _Pool(2)
run = pool.send(partial(time.sleep, 1000))
while not run.running():
    time.sleep(0.01)
forget = run.cancel
def forget_and_interrupt():
    forget()
    os.kill(os.getpid(), signal.SIGINT)
run.cancel = forget_and_interrupt
try:
    pool.close()
except KeyboardInterrupt:
    print("heard")
"""
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=True, preexec_fn=hear_ctrl_c
    )
    assert said.stdout.split() == ["heard"]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_ctrl_c_between_two_forks_leaves_no_process() -> None:
    code = """
import os, signal
from concurrent.futures import ProcessPoolExecutor
from belated.sweeps.engines.local import _Pool
fork = ProcessPoolExecutor._spawn_process
def fork_and_interrupt(pool):
    fork(pool)
    os.kill(os.getpid(), signal.SIGINT)
ProcessPoolExecutor._spawn_process = fork_and_interrupt
try:
    _Pool(2)
except KeyboardInterrupt:
    print("heard")
"""
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=True, preexec_fn=hear_ctrl_c
    )
    assert said.stdout.split() == ["heard"]


def test_where_no_process_can_be_forked_threads_do_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, bytes]
) -> None:
    def fails(workers: int) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(local, "_Pool", fails)
    monkeypatch.setattr(local, "way_for", lambda plan, workers: local.forked)
    assert bl.sweep(SETTING, tmp_path, grid=GRID).done == RUNS
    assert files_of(tmp_path) == expected


def test_a_process_with_other_threads_is_not_forked() -> None:
    """Not even beside a bar: those of tqdm have a thread of their own."""
    code = """
import threading
from belated.sim.watching import bar_of
from belated.sweeps.engines.local import may_fork
with bar_of(10, True):
    print(may_fork())
    over = threading.Event()
    threading.Thread(target=over.wait).start()
    print(may_fork())
    over.set()
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    assert said.stdout.split() == ["True" if sys.platform == "linux" else "False", "False"]


@pytest.mark.parametrize(
    ("engine", "package", "message"),
    [
        ("dask", "distributed", r"`sweep\(engine='dask'\)`: .*: pip install 'belated\[dask\]'$"),
        ("ray", "ray", r"`sweep\(engine='ray'\)`: .*: pip install 'belated\[ray\]'$"),
    ],
)
def test_a_missing_package_is_told_with_the_words_to_type(
    engine: str, package: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"belated.sweeps.engines.{engines.ENGINES[engine]}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=message):
        bl.sweep(SETTING, tmp_path / "new", grid=GRID, engine=engine)
    assert not (tmp_path / "new").exists()


def test_without_pyarrow_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (lambda: bl.sweep(SETTING, tmp_path / "new", grid=GRID), lambda: bl.sweeps.read(tmp_path)):
        with pytest.raises(ModuleNotFoundError, match=r"pip install 'belated\[parquet\]'$"):
            call()
    assert not (tmp_path / "new").exists()


def test_an_unknown_engine_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"`sweep\(engine='rai'\)`: must be an engine; did you mean ray\?"):
        bl.sweep(SETTING, tmp_path, grid=GRID, engine="rai")
    with pytest.raises(InvalidArgument, match="there are local, dask, ray"):
        bl.sweep(SETTING, tmp_path, grid=GRID, engine=3)  # type: ignore[arg-type]


def test_a_cluster_of_one_worker_does_the_work_and_not_this_process() -> None:
    sent = []

    def send(function):
        sent.append(function)
        future = Future()
        future.set_result(function())
        return future

    backend = FuturesBackend(send, lambda: 1)
    with parallel_config(backend=backend, n_jobs=-1):
        found = list(Parallel(return_as="generator_unordered")(delayed(abs)(-each) for each in range(3)))
    assert sorted(found) == [0, 1, 2]
    assert sent


def test_an_error_of_the_cluster_reaches_the_caller() -> None:
    """A backend that does not hand errors on would let a sweep wait for ever."""

    def send(function):
        future = Future()
        future.set_exception(ConnectionError("a node is gone"))
        return future

    with (
        parallel_config(backend=FuturesBackend(send, lambda: 2), n_jobs=-1),
        pytest.raises(ConnectionError, match="a node is gone"),
    ):
        list(Parallel(return_as="generator_unordered")(delayed(abs)(-each) for each in range(3)))
