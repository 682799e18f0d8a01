"""A backend of joblib for clusters that take a function and give a future: all that Dask and Ray have to be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joblib.parallel import AutoBatchingMixin, ParallelBackendBase


class FuturesBackend(AutoBatchingMixin, ParallelBackendBase):
    """Hands functions to a cluster, and collects what their futures hold, results and errors alike.

    What becomes of the tasks of a worker that dies is left to the cluster, which gives them to another one. The backend
    that Ray has for joblib is not used, since it gives no results as they come.

    Args:
        send: Takes a function without arguments, and returns a future with ``add_done_callback`` and ``result``.
        workers: Tells how many workers there are.
        others: What joblib passes on to every backend.
    """

    supports_retrieve_callback = True
    default_n_jobs = -1

    def __init__(self, send: Callable[[Any], Any], workers: Callable[[], int], **others: Any) -> None:
        super().__init__(**others)
        self._send, self._workers = send, workers

    def effective_n_jobs(self, n_jobs: int) -> int:
        """How many tasks run at once, at least two: joblib would run those of a single worker in this process."""
        return max(2, self._workers())

    def submit(self, func: Any, callback: Any = None) -> Any:
        future = self._send(func)
        future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, out: Any) -> Any:
        return out.result()

    def get_nested_backend(self) -> tuple[ParallelBackendBase, int]:
        """What a task has that itself uses joblib: no workers of its own."""
        from joblib.parallel import SequentialBackend

        return SequentialBackend(nesting_level=1), 1
