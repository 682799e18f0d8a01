"""Jobs side by side, on threads: compiled loops and NumPy's generators run without Python's lock.

A job is a function that is given a ``Tick`` to call while it works. What jobs compute must not depend on each other,
so it does not matter how many of them run at once, nor in which order they end.
"""

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from belated.patience import looking

Outcome = TypeVar("Outcome")

PATIENCE = 0.1
"""Seconds between two looks at how far the jobs are."""


class Stopped(Exception):
    """Raised within a job that should stop; nobody else sees it."""


class Tick:
    """What jobs call after each part of its work: counts it, and stops the job if that is wanted."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._done = 0

    def __call__(self, amount: int) -> None:
        """Some more is done."""
        if self._stopping.is_set():
            raise Stopped
        with self._lock:
            self._done += amount

    def stop(self) -> None:
        """Let every job stop at its next tick."""
        self._stopping.set()

    def taken(self) -> int:
        """What was counted since the last call."""
        with self._lock:
            done, self._done = self._done, 0
        return done


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_jobs(
    jobs: Sequence[Callable[[Tick], Outcome]], workers: int, progress: Callable[[int], Any]
) -> list[Outcome | None]:
    """Run all jobs, at most ``workers`` at a time; ``progress`` is told what their ticks add up to.

    Ctrl-C stops the jobs that are under way: what they would have returned is ``None``, and those that are done are
    kept. An error in one stops all and is raised.
    """
    tick, over = Tick(), threading.Event()
    ended = itertools.count(1)
    futures: list[Future[Outcome]] = []

    def note(future: Future[Outcome]) -> None:
        # Called by whoever ends the job, so that nobody has to look through thousands of them again and again.
        if next(ended) == len(jobs) or _failed([future]):
            over.set()

    with ThreadPoolExecutor(max_workers=workers) as pool:
        try:
            for job in jobs:
                futures.append(pool.submit(_begun, job, tick))
                futures[-1].add_done_callback(note)
            while jobs and not over.wait(PATIENCE):
                progress(tick.taken())
        except KeyboardInterrupt:
            pass  # stopping is what comes next anyway
        finally:
            tick.stop()
            for future in futures:
                future.cancel()
    progress(tick.taken())
    for problem in _failed(futures):
        raise problem
    return [future.result() if _finished(future) else None for future in futures]


def _begun(job: Callable[[Tick], Outcome], tick: Tick) -> Outcome:
    """The job, if nobody has stopped: Ctrl-C may come when a job is in the pool and not yet in the list to cancel."""
    tick(0)
    with looking(lambda: tick(0)):
        return job(tick)


def _failed(futures: Sequence[Future[Any]]) -> list[BaseException]:
    ended = [future for future in futures if future.done() and not future.cancelled()]
    problems = [future.exception() for future in ended]
    return [problem for problem in problems if problem is not None and not isinstance(problem, Stopped)]


def _finished(future: Future[Any]) -> bool:
    return not future.cancelled() and future.exception() is None
