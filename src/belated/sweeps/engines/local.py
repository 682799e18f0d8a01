"""The engine of one machine: threads of this process, or processes beside it.

Compiled loops and the drawing of losses run without Python's lock, so threads do as much as processes, and are there at
once. Around every task there are some milliseconds of plain Python, which threads do one after the other. So where runs
are short and there are thousands of them, processes are worth the three seconds that they take to start: 6000 tasks of
200 rounds take two threads 16 s, and two processes 9 to 12. Models go through a log in plain Python, which only
processes do several of at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import parallel_config

from belated.sim.workers import cores
from belated.sweeps.plan import SweepPlan

MANY_TASKS = 3_000
"""From so many tasks on, some seconds of starting processes are less than what threads wait for each other."""

SHORT_ROUNDS = 50_000
"""Runs of fewer rounds take less time in compiled code than in the plain Python around it."""


@contextmanager
def opened(plan: SweepPlan, workers: int | None) -> Iterator[int]:
    """Threads or processes of this machine, whichever suit the plan."""
    number = workers or cores()
    with parallel_config(backend=backend_for(plan, number), n_jobs=number):
        yield number


def backend_for(plan: SweepPlan, workers: int) -> str:
    """The backend of joblib: ``"threading"``, or ``"loky"`` for plain Python and for very many short runs."""
    if plan.plain_python:
        return "loky" if workers > 1 and plan.runs > 1 else "threading"
    tasks = len(plan.stages) * len(plan.seeds)
    short = all(cell["rounds"] < SHORT_ROUNDS for cell in plan.cells)
    return "loky" if workers > 1 and tasks >= MANY_TASKS and short else "threading"
