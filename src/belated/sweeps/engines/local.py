"""The engine of one machine: threads of this process, or processes beside it.

Compiled loops and the drawing of losses run without Python's lock, so threads do as much as processes, and are there at
once. Around every task there are some milliseconds of plain Python, which threads do one after the other. So where runs
are short and there are many, processes do them. Models go through a log in plain Python; processes do that as well.

Forked processes begin with all that this one has planned, compiled and imported, within hundredths of a second. But a
fork copies locks and not the threads that would open them, so this process forks only if it has no other thread of
Python. Where it has some, or where the system does not fork, processes begin from nothing, which takes them three
seconds and pays for thousands of tasks only.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from joblib import parallel_config

from belated.sim.workers import cores
from belated.sweeps.engines.futures import FuturesBackend
from belated.sweeps.plan import SweepPlan
from belated.sweeps.work import prepare

SOME_TASKS = 50
"""From so many tasks on, forking is less than what threads wait for each other."""

MANY_TASKS = 3_000
"""From so many tasks on, so is starting processes from nothing."""

SHORT_ROUNDS = 50_000
"""Runs of fewer rounds take less time in compiled code than in the plain Python around it."""

PR_SET_PDEATHSIG = 1
"""What Linux calls the signal that a process gets when its parent dies."""


@contextmanager
def opened(plan: SweepPlan, workers: int | None) -> Iterator[int]:
    """Threads or processes of this machine, whichever suit the plan."""
    number = workers or cores()
    with way_for(plan, number)(plan, number):
        yield number


def way_for(plan: SweepPlan, workers: int) -> Callable[[SweepPlan, int], AbstractContextManager[None]]:
    """One of the three ways below."""
    if plan.plain_python:
        return processes if workers > 1 and plan.runs > 1 else threads
    tasks = len(plan.stages) * len(plan.seeds)
    short = all(cell["rounds"] < SHORT_ROUNDS for cell in plan.cells)
    if workers == 1 or tasks < SOME_TASKS or not short:
        return threads
    if may_fork():
        return forked
    return processes if tasks >= MANY_TASKS else threads


def may_fork() -> bool:
    """Whether this process can be forked, and has no thread that could hold a lock meanwhile."""
    return sys.platform == "linux" and threading.active_count() == 1


@contextmanager
def threads(plan: SweepPlan, workers: int) -> Iterator[None]:
    """Threads of this process, which have all that it has."""
    with parallel_config(backend="threading", n_jobs=workers):
        yield


@contextmanager
def processes(plan: SweepPlan, workers: int) -> Iterator[None]:
    """Processes that begin from nothing, and read the plan in its folder."""
    with parallel_config(backend="loky", n_jobs=workers):
        yield


@contextmanager
def forked(plan: SweepPlan, workers: int) -> Iterator[None]:
    """Copies of this process, which have all that it has planned and compiled."""
    prepare(plan)
    pool = _Pool(workers)
    try:
        with parallel_config(backend=FuturesBackend(pool.send, lambda: workers), n_jobs=workers):
            yield
    finally:
        pool.close()


class _Pool:
    """Forked processes, and others in their place when one of them has died."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._processes = self._begun()

    def send(self, function: Callable[[], Any]) -> Future[Any]:
        """Let a process do something. What was sent before the death of one is lost, and has to be sent again."""
        try:
            return self._processes.submit(function)
        except BrokenProcessPool:
            self._processes = self._begun()
            return self._processes.submit(function)

    def close(self) -> None:
        """Wait for what has begun, and forget the rest."""
        self._processes.shutdown(cancel_futures=True)

    def _begun(self) -> ProcessPoolExecutor:
        fork = multiprocessing.get_context("fork")
        pool = ProcessPoolExecutor(self._workers, mp_context=fork, initializer=_depend_on_the_first)
        with warnings.catch_warnings():
            # Newer versions of Python also warn of threads that know nothing of Python, such as those of BLAS.
            warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
            pool.submit(int).result()  # all of them are forked now
        return pool


def _depend_on_the_first() -> None:
    """Leave Ctrl-C to the process that was started, which waits until runs are finished, and die if that is killed.

    Otherwise processes would wait for ever for one that is gone: each keeps the ends of the pipes open for the others.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
