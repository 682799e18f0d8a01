"""Running a plan: what is not finished is handed to an engine, until all of it is, with one bar over all workers.

A worker that dies takes nothing along but the runs that it was doing. If the engine cannot cope with that by itself,
the runs that are left are handed to it again, until two passes in a row have finished none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from joblib import Parallel, delayed

from belated.core.errors import WorkersDiffer, WorkersLost
from belated.sim.watching import bar_of
from belated.sweeps import engines
from belated.sweeps.folder import SweepFolder
from belated.sweeps.plan import SweepPlan
from belated.sweeps.scores import Score
from belated.sweeps.work import Finished, Task, work

PASSES_IN_VAIN = 2
"""After so many passes that finish nothing, workers are given up. One alone may be bad luck: a pool of processes ends
as a whole when one of them dies, and takes along what the others have not yet reported."""


@dataclass
class Count:
    """How many runs were found and have failed; ``interrupted`` if somebody pressed Ctrl-C before all were over."""

    found: int = 0
    failed: int = 0
    interrupted: bool = False
    results: dict[str, Score] = field(default_factory=dict)
    """What runs have found, by their keys."""


def run(
    plan: SweepPlan,
    folder: SweepFolder,
    *,
    engine: str,
    workers: int | None,
    retry_failed: bool,
    progress: bool | None,
) -> Count:
    """Do all runs of a plan that are neither finished nor, unless they are to be tried again, failed."""
    count = Count()
    left = _left(plan, folder, count, retry_failed)
    with bar_of(plan.runs, progress, "run") as bar:
        bar.initial = bar.n = count.found + count.failed
        bar.set_description("running")
        try:
            if left:
                with engines.opened(engine, plan, workers) as number:
                    _run_all(plan, folder, left, number, count, bar)
        except KeyboardInterrupt:
            count.interrupted = True
    return count


def _left(plan: SweepPlan, folder: SweepFolder, count: Count, retry_failed: bool) -> set[str]:
    """The keys of the runs that have to be done; a damaged file is removed, and its run is one of them."""
    left = {key for keys in plan.keys for key in keys}
    runs, failures = folder.keys()
    for key in (runs | failures) & left:
        result = folder.run(key)
        if result is not None:
            count.results[key] = result
            count.found += 1
            left.discard(key)
        elif not retry_failed and folder.failure(key) is not None:
            count.failed += 1
            left.discard(key)
        else:
            folder.forget(key)
    return left


def _run_all(plan: SweepPlan, folder: SweepFolder, left: set[str], workers: int, count: Count, bar: Any) -> None:
    problem: Exception | None = None
    in_vain = 0
    while left:
        before = len(left)
        try:
            for finished in _passed(tasks(plan, folder, left, workers)):
                left.discard(finished.key)
                if finished.score is None:
                    count.failed += 1
                else:
                    count.results[finished.key] = finished.score
                bar.update(1)
        except WorkersDiffer:
            raise
        except Exception as error:  # each engine has its own errors for workers that are gone
            problem = error
        in_vain = in_vain + 1 if len(left) == before else 0
        if in_vain == PASSES_IN_VAIN:
            raise WorkersLost(
                f"`sweep`: {len(left)} runs are left, and no worker has finished any of them. What is finished is "
                f"kept, and the same call goes on with the rest. The last error was {type(problem).__name__}: {problem}"
            ) from problem


def _passed(todo: Iterable[Task]) -> Iterator[Finished]:
    """What is finished, as it comes."""
    for finished in Parallel(return_as="generator_unordered")(delayed(work)(task) for task in todo):
        yield from finished


def tasks(plan: SweepPlan, folder: SweepFolder, left: set[str], workers: int) -> list[Task]:
    """What is left, as tasks: the cells of a stage on one seed, so that its losses are drawn, or its log read, once.

    If there are fewer of these than workers, each is split into parts, as many as it takes to have work for all. No bit
    depends on it.
    """
    place = str(folder.path.resolve())
    together = []
    for stage, numbers in enumerate(plan.stages):
        for index, seed in enumerate(plan.seeds):
            keys = {number: plan.keys[number][index] for number in numbers if plan.keys[number][index] in left}
            if keys:
                together.append(Task(place, plan.digest, stage, seed, keys))
    parts = math.ceil(workers / max(1, len(together)))
    return [each for task in together for each in _split(task, parts, plan.kind.most_together)]


def _split(task: Task, parts: int, most: int | None) -> list[Task]:
    """A task in so many parts of about the same size, or in more if they would have too many cells.

    Neighbours, which are alike, are in different parts, so that these take about the same time.
    """
    number = max(parts, math.ceil(len(task.keys) / (most or len(task.keys))))
    runs = list(task.keys.items())
    return [task._replace(keys=dict(runs[first::number])) for first in range(min(number, len(runs)))]
