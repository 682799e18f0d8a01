"""``python -m benchmarks.sweeps``: the local engine of a sweep beside a plain pool of processes, over the same runs.

========================  ==========================================================================================
contender                 what it does
========================  ==========================================================================================
``engine``                what ``sweep`` does after planning: threads run the tasks, and every run becomes a file
``pool of processes``     the same tasks and the same files, by ``concurrent.futures`` with processes that are forked
``script with a pool``    what somebody writes by hand: a call of ``simulate`` for each setting and seed, without files
``sweep``                 all of it, with planning, keys and the labelled result
========================  ==========================================================================================

All of them are warm: what is compiled was compiled or loaded before, in the process that is forked. The clock is that
on the wall, since the point is to do several things at once.
"""

import argparse
import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import belated as bl
from belated.comparisons.document import Document
from belated.sim.workers import cores
from belated.sweeps import running
from belated.sweeps.folder import SweepFolder
from belated.sweeps.planning import plan_of_sweep
from belated.sweeps.work import remember, work
from benchmarks.report import table
from benchmarks.timing import Work, in_turns, note, ratio, spread, wall

ENGINE, POOL, SCRIPT, SWEEP = "engine", "pool of processes", "script with a pool", "sweep"
MEANS = [2, 5, 10, 20]
DIM = 10


class Case(NamedTuple):
    """Runs of so many rounds on so many seeds, with two learners under each of four laws of delay."""

    rounds: int
    seeds: int

    @property
    def document(self) -> Document:
        """The sweep in words."""
        return Document("benchmark", "", {**self.setting, "grid": {"delays.mean": MEANS}})

    @property
    def setting(self) -> dict[str, Any]:
        """What all points share."""
        return {
            "rounds": self.rounds,
            "seeds": self.seeds,
            "problem": {"name": "random-quadratic", "dim": DIM},
            "delays": {"name": "geometric", "mean": 5},
            "learners": {"dogd-sc": {}, "ogd-sc": {}},
        }


CASES = {"many short runs": Case(200, 50), "runs of 20 000 rounds": Case(20_000, 20), "long runs": Case(300_000, 3)}


def by_engine(case: Case) -> None:
    """Run the tasks as a sweep does, in a folder of its own."""
    _in_a_folder(case, lambda plan, folder: running.run(plan, folder, **_LOCALLY))


_LOCALLY: Mapping[str, Any] = {"engine": "local", "workers": None, "retry_failed": False, "progress": False}


def by_pool(case: Case) -> None:
    """The same tasks in forked processes."""

    def run(plan: Any, folder: SweepFolder) -> None:
        left = {key for keys in plan.keys for key in keys}
        with _pool() as pool:
            for _ in pool.map(work, running.tasks(plan, folder, left, cores()), chunksize=4):
                pass

    _in_a_folder(case, run)


def by_script(case: Case) -> None:
    """The same runs, as somebody would write them without sweeps."""
    points = [(case.rounds, mean, seed) for mean in MEANS for seed in range(case.seeds)]
    with _pool() as pool:
        for _ in pool.map(one_point, points, chunksize=4):
            pass


def one_point(point: tuple[int, float, int]) -> list[float]:
    """The regrets of two learners at one point, on one seed."""
    rounds, mean, seed = point
    ball = bl.Ball(DIM)
    result = bl.simulate(
        {"dogd-sc": bl.dogd_sc(ball, 2.0), "ogd-sc": bl.ogd_sc(ball, 2.0)},
        bl.problems.RandomQuadratic(DIM),
        bl.delays.Geometric(mean),
        rounds,
        [seed],
        record=[rounds],
        progress=False,
        workers=1,
    )
    return [float(each) for each in result.regret[:, 0, -1]]


def by_sweep(case: Case) -> None:
    """The whole call."""
    with tempfile.TemporaryDirectory() as folder:
        bl.sweep(case.setting, folder, grid={"delays.mean": MEANS}, progress=False)


CONTENDERS: dict[str, Callable[[Case], None]] = {ENGINE: by_engine, POOL: by_pool, SCRIPT: by_script, SWEEP: by_sweep}

_planned: dict[Case, Any] = {}


def _in_a_folder(case: Case, run: Callable[[Any, SweepFolder], object]) -> None:
    """Do something with the plan of a case, which is made once, in an empty folder."""
    if case not in _planned:
        _planned[case] = plan_of_sweep(case.document, "benchmark")
    plan, stages = _planned[case]
    remember(plan, stages)
    with tempfile.TemporaryDirectory() as place:
        folder = SweepFolder(Path(place))
        folder.open(plan)
        run(plan, folder)


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(cores(), mp_context=multiprocessing.get_context("fork"))


def measure(case: Case, turns: int) -> dict[str, list[float]]:
    """Seconds of each contender at each of its turns; the first turn, which compiles and loads, does not count."""
    works = {name: Work(partial(run, case), 1) for name, run in CONTENDERS.items()}
    in_turns(works, 1, wall)
    return in_turns(works, turns, wall)


def main() -> int:
    """Measure, and write a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweeps", description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=9, help="how often each contender is measured (default: 9)")
    parser.add_argument("--out", type=Path, default=Path("out", "bench-sweep"), metavar="DIR")
    options = parser.parse_args()
    rows = []
    for name, case in CASES.items():
        note(name)
        taken = measure(case, options.turns)
        for who, seconds in taken.items():
            beside = ratio(seconds, taken[POOL])
            times = f"{beside.median:.2f} ({beside.low:.2f} to {beside.high:.2f})"
            rows.append((name, who, f"{spread(seconds).median:.3f} s", times))
    text = table(("case", "contender", "time", "as a multiple of the pool of processes"), rows)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "sweep.md").write_text(f"{text}\n", encoding="utf-8")
    sys.stdout.write(f"{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
