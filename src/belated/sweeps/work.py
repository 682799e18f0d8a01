"""What a worker does: some cells of a stage on one seed. It reads the plan in the folder, and writes what it finds.

Only keys travel from the coordinator to a worker, and keys and scores back. The worker makes the keys again, by its own
code, and refuses to go on if they are others: then it has other versions, other files or another kind of machine, and
its numbers might differ.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from belated.core.errors import WorkersDiffer
from belated.sweeps import parquet
from belated.sweeps.failures import failure_of
from belated.sweeps.folder import SweepFolder
from belated.sweeps.plan import SweepPlan
from belated.sweeps.scores import Score
from belated.sweeps.subjects import Stage, subject_for

KEPT_STAGES = 256
"""How many stages a worker keeps ready, the last used ones."""


class Task(NamedTuple):
    """Some cells of a stage on one seed: ``keys`` has the key of each run by the number of its cell."""

    folder: str
    digest: str
    stage: int
    seed: int | None
    keys: Mapping[int, str]


class Finished(NamedTuple):
    """A run that is over, and what it has found; nothing if it has failed."""

    key: str
    score: Score | None


def work(task: Task) -> list[Finished]:
    """Run what is to be run, and write it down."""
    folder, plan = SweepFolder(Path(task.folder)), _plan(task.folder, task.digest)
    stage = _planned(task)
    if stage is None:
        stage = _made_stage(task.folder, task.digest, task.stage)
        _check_keys(stage, task)
    found = _results(stage, list(task.keys), task.seed)
    finished = []
    for number, result in found.items():
        key, cell = task.keys[number], plan.cells[number]
        if isinstance(result, Score):
            folder.keep(key, parquet.as_bytes(key, cell, task.seed, result))
        else:
            folder.keep_failure(failure_of(key, cell[plan.kind.one]["name"], task.seed, result, cell))
        finished.append(Finished(key, result if isinstance(result, Score) else None))
    return finished


def _results(stage: Stage, numbers: list[int], seed: int | None) -> dict[int, Score | Exception]:
    """What each cell has found, or what it has raised; where one fails, the others run without it."""
    try:
        return dict(stage.run(numbers, seed))
    except WorkersDiffer:
        raise
    except Exception as problem:
        if len(numbers) == 1:
            return {numbers[0]: problem}
    half = len(numbers) // 2  # one that fails among many is found in a few passes
    return _results(stage, numbers[:half], seed) | _results(stage, numbers[half:], seed)


def _check_keys(stage: Stage, task: Task) -> None:
    own = stage.keys(task.seed)
    if any(own[number] != key for number, key in task.keys.items()):
        raise WorkersDiffer(
            "a worker makes other keys of this sweep than the process that planned it: it has another version of "
            "belated, Python, NumPy or SciPy, another kind of machine, or other files under the same names"
        )


_making = threading.Lock()
_ready: dict[tuple[str, int], Stage] = {}


def remember(plan: SweepPlan, stages: list[Stage]) -> None:
    """Keep stages that this process has made already, for workers that are threads of it."""
    with _making:
        _ready.clear()
        _ready.update({(plan.digest, number): stage for number, stage in enumerate(stages)})


def prepare(plan: SweepPlan) -> None:
    """Compile one of the cells of each name that this process has planned, for processes that are forked from it.

    What goes wrong here goes wrong again in a run, which records it.
    """
    stages = {number: _ready[plan.digest, place] for place, group in enumerate(plan.stages) for number in group}
    for first, *_ in plan.namesakes:
        with suppress(Exception):
            stages[first].prepare(first)


def _planned(task: Task) -> Stage | None:
    """The stage that this process has planned with, whose keys are those of the task; ``None`` in other processes."""
    with _making:
        return _ready.get((task.digest, task.stage))


@lru_cache(KEPT_STAGES)
def _made_stage(folder: str, digest: str, number: int) -> Stage:
    plan = _plan(folder, digest)
    subject = subject_for(plan.kind)
    return subject.stage({each: subject.again(plan.cells[each]) for each in plan.stages[number]}, plan)


@lru_cache(4)
def _plan(folder: str, digest: str) -> SweepPlan:
    return SweepFolder(Path(folder)).plan(digest)
