"""The engine of a Dask cluster: that of the client of this process, the one that Dask is configured for, or a new one.

This is the only file that imports distributed, an optional package.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from joblib import parallel_config

from belated.sim.workers import cores
from belated.sweeps.engines.futures import FuturesBackend
from belated.sweeps.plan import SweepPlan

try:
    import dask
    from distributed import Client, LocalCluster
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "`sweep(engine='dask')`: needs the packages dask and distributed: pip install 'belated[dask]'", name=error.name
    ) from error


@contextmanager
def opened(plan: SweepPlan, workers: int | None) -> Iterator[int]:
    """Tasks of a Dask cluster. A task whose worker dies is done by another one."""
    with _client(workers) as client:
        # Dask takes two pure calls with equal arguments for one, and a run that is tried again for the first.
        backend = FuturesBackend(partial(client.submit, pure=False), lambda: sum(client.ncores().values()))
        with parallel_config(backend=backend, n_jobs=-1):
            yield backend.effective_n_jobs(-1)


@contextmanager
def _client(workers: int | None) -> Iterator[Client]:
    """The client of this process, which stays, or one that is closed at the end."""
    try:
        yield Client.current()
        return
    except ValueError:
        address = dask.config.get("scheduler-address", None)  # DASK_SCHEDULER_ADDRESS
    if address is not None:
        with Client(address) as client:
            yield client
        return
    with (
        LocalCluster(n_workers=workers or cores(), threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client
