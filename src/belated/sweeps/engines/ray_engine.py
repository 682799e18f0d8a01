"""The engine of a Ray cluster: the one that this process has joined, that of RAY_ADDRESS, or a new one of this machine.

This is the only file that imports ray, an optional package.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from joblib import parallel_config

from belated.sweeps.engines.futures import FuturesBackend
from belated.sweeps.plan import SweepPlan

# What Ray will do about accelerators in a later version, and warns of now. It reads this when it is imported.
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

try:
    import ray
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "`sweep(engine='ray')`: needs the package ray: pip install 'belated[ray]'", name=error.name
    ) from error


@contextmanager
def opened(plan: SweepPlan, workers: int | None) -> Iterator[int]:
    """Tasks of a Ray cluster. A task whose worker or node dies is done by another one."""
    with _joined(workers):
        call = ray.remote(num_cpus=1, max_retries=-1)(_call)
        backend = FuturesBackend(lambda function: call.remote(function).future(), _cpus)
        with parallel_config(backend=backend, n_jobs=-1):
            yield backend.effective_n_jobs(-1)


@contextmanager
def _joined(workers: int | None) -> Iterator[None]:
    """Join a cluster, and leave it at the end, unless this process has joined one before."""
    if ray.is_initialized():
        yield
        return
    own: dict[str, Any] = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers, "include_dashboard": False}
    ray.init(log_to_driver=False, **own)
    try:
        yield
    finally:
        ray.shutdown()


def _cpus() -> int:
    return int(ray.cluster_resources().get("CPU", 1))


def _call(function: Callable[[], Any]) -> Any:
    return function()
