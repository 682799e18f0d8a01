"""The engine of one machine: threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import parallel_config

from belated.sim.workers import cores
from belated.sweeps.plan import SweepPlan


@contextmanager
def opened(plan: SweepPlan, workers: int | None) -> Iterator[int]:
    """Threads of this process, or processes of this machine."""
    import os
    number = workers or cores()
    with parallel_config(backend=os.environ.get("SWEEP_BACKEND", "threading"), n_jobs=number):
        yield number
