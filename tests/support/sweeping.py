"""A sweep in a process of its own: on any engine, with a worker or the process itself killed in the middle of it.

As a script it runs :data:`SETTING` into a folder and prints what became of the runs, as JSON. The kill comes when a
given task is handed over, so that it is in the middle of the sweep however fast the machine is.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from belated.comparisons.document import Document

DOCS = Path(__file__).parents[2] / "docs"

SETTING: dict[str, Any] = {
    "rounds": 20,
    "seeds": 5,
    "initial": 0.3,
    "problem": {"name": "random-quadratic", "dim": 2},
    "delays": {"name": "geometric", "mean": 3},
    "learners": {"dogd-sc": {}, "two": {"name": "bdogd-sc-two-point"}},
}
GRID = {"delays.mean": [2, 5], "learners.dogd-sc.strong_convexity": [1.0, 2.0]}
RUNS = 30
"""Two laws of delay, on each two settings of the first learner and the other one, on five seeds."""

LATE: dict[str, Any] = {
    "models": {"default": {"name": "logistic", "bits": 6}, "slow": {"name": "logistic", "bits": 6, "step": "adagrad"}},
    "grid": {"log.stretch": [0, 1], "models.slow.step.scale": [0.01, 0.1, 1.0]},
}
LATE_RUNS = 8
"""Two stretches, in each the first model, and the other one with three scales."""

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # no word to the network
    "RAY_DEDUP_LOGS": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
}


def written(**changes: Any) -> Document:
    """The document of the sweep that all tests have, with some of its tables anew; ``None`` takes one away."""
    tables = {**SETTING, "grid": GRID, **changes}
    return Document("my.toml", "", {key: value for key, value in tables.items() if value is not None})


def on_a_log(path: Path, **changes: Any) -> dict[str, Any]:
    """The sweep over a log that all tests have, with some tables anew; its file is written unless there is one."""
    from support.late_logs import COLUMNS, late_rows, write_csv  # a script finds it when it has begun

    if not path.exists():
        write_csv(path, late_rows(120))
    tables = {"log": {"source": str(path), **COLUMNS}, **LATE, **changes}
    return {key: value for key, value in tables.items() if value is not None}


def files_of(folder: Path) -> dict[str, bytes]:
    """What every run of a sweep has written."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted((folder / "runs").rglob("*.parquet"))}


def swept(engine: str, folder: Path, *options: str) -> dict[str, Any]:
    """What the script says of a sweep; nothing of one that was killed."""
    command = [sys.executable, __file__, engine, str(folder), *options]
    settings = {**os.environ, **QUIET}
    done = subprocess.run(command, capture_output=True, text=True, env=settings, timeout=300, check=False)
    if done.returncode == -signal.SIGKILL:
        return {}
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def interrupting(at: int, what: Callable[[], None]) -> None:
    """Let something happen when so many tasks of a sweep have been handed over."""
    from belated.sweeps import running

    original = running.tasks

    def tasks(*arguments: Any) -> Any:
        def handed() -> Iterator[Any]:
            for number, task in enumerate(found):
                if number == at:
                    running.tasks = original
                    what()
                yield task

        found = original(*arguments)
        return handed()

    running.tasks = tasks  # type: ignore[assignment]  # a list is more than is needed


def die() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def local(options: argparse.Namespace) -> Iterator[str]:
    """Threads of this machine."""
    yield "local"


@contextmanager
def processes(options: argparse.Namespace) -> Iterator[str]:
    """Processes of this machine that begin from nothing, which a sweep of this size would not choose."""
    from belated.sweeps.engines import local as engine

    engine.way_for = lambda plan, workers: engine.processes
    yield "local"


@contextmanager
def forked(options: argparse.Namespace) -> Iterator[str]:
    """Forked processes, of which one may be killed; a sweep of this size would not choose them."""
    from belated.sweeps.engines import local as engine

    engine.SOME_TASKS = 1
    if options.lose is not None:
        interrupting(options.lose, lambda: multiprocessing.active_children()[0].kill())
    yield "local"


@contextmanager
def dask(options: argparse.Namespace) -> Iterator[str]:
    """A Dask cluster of two workers, of which one may be killed; the first client of a process is its own."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        if options.lose is not None:
            first = min(client.run(os.getpid).values())
            interrupting(options.lose, lambda: os.kill(first, signal.SIGKILL))
        yield "dask"


@contextmanager
def ray(options: argparse.Namespace) -> Iterator[str]:
    """The Ray cluster of three nodes that the page makes, of which one may be killed."""
    from support.pages import blocks, run_page

    page: dict[str, Any] = {}
    begin, _, end = (DOCS / "sweep.md").read_text(encoding="utf-8").partition("When nobody needs the cluster")
    os.chdir(options.folder)
    *_, models = [block.source for block in blocks(begin) if block.language == "toml"]
    Path("models.toml").write_text(models, encoding="utf-8")
    run_page(begin, "sweep", page)
    try:
        if options.lose is not None:
            lost = page["nodes"][0]
            interrupting(options.lose, lambda: page["cluster"].remove_node(lost, allow_graceful=False))
        yield "ray"
    finally:
        run_page(end, "sweep", page)


def is_refused(engine: str, folder: Path) -> bool:
    """Whether workers do nothing for a process that has other code than they have."""
    import belated as bl
    from belated.sweeps import stages

    stages.SCHEMA = "of another version"
    try:
        bl.sweep(SETTING, folder / "other", grid=GRID, engine=engine, workers=2)
    except bl.errors.WorkersDiffer:
        return files_of(folder / "other") == {}
    return False


ENGINES = {"local": local, "processes": processes, "forked": forked, "dask": dask, "ray": ray}


def main() -> None:
    """Run the sweep, and say what became of its runs."""
    import belated as bl

    parser = argparse.ArgumentParser()
    parser.add_argument("engine")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lose", type=int, help="kill a worker when so many tasks have been handed over")
    parser.add_argument("--die", type=int, help="kill this process then")
    parser.add_argument("--differ", action="store_true", help="then sweep a log, and plan with other code")
    parser.add_argument("--seeds", type=int, default=SETTING["seeds"])
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    with ENGINES[options.engine](options) as engine:
        if options.die is not None:
            interrupting(options.die, die)
        setting = {**SETTING, "seeds": options.seeds}
        found = bl.sweep(setting, options.folder, grid=GRID, engine=engine, workers=2)
        said = {"found": found.found, "done": found.done, "failed": len(found.failures)}
        if options.differ:
            models = bl.sweep(on_a_log(options.folder / "log.csv"), options.folder / "log", engine=engine, workers=2)
            said |= {"models": models.done, "refused": is_refused(engine, options.folder)}
    sys.stdout.write(f"{json.dumps(said)}\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
