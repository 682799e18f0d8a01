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
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.pool import ThreadPool
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

STEP = 0.01
"""Seconds between two looks at whether what has begun is finished."""

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
    if workers == 1 or plan.runs == 1 or multiprocessing.current_process().daemon:  # which may have no children
        return threads
    if plan.plain_python:
        return forked if may_fork() else processes
    tasks = len(plan.stages) * len(plan.seeds)
    short = all(cell["rounds"] < SHORT_ROUNDS for cell in plan.cells)
    if tasks < SOME_TASKS or not short:
        return threads
    if may_fork():
        return forked
    return processes if tasks >= MANY_TASKS else threads


def may_fork() -> bool:
    """Whether this process can be forked, and has no thread that could hold a lock meanwhile."""
    return sys.platform == "linux" and len(sys._current_frames()) == 1


@contextmanager
def threads(plan: SweepPlan, workers: int) -> Iterator[None]:
    """Threads of this process, which have all that it has; a single one is that of the caller."""
    if workers == 1:
        with parallel_config(backend="sequential"):
            yield
        return
    pool = _Threads(workers)
    try:
        with parallel_config(backend=FuturesBackend(pool.send, lambda: workers), n_jobs=workers):
            yield
    finally:
        pool.close()


@contextmanager
def processes(plan: SweepPlan, workers: int) -> Iterator[None]:
    """Processes that begin from nothing, and read the plan in its folder."""
    with parallel_config(backend="loky", n_jobs=workers):
        yield


@contextmanager
def forked(plan: SweepPlan, workers: int) -> Iterator[None]:
    """Copies of this process, which have all that it has planned and compiled."""
    prepare(plan)
    try:
        pool = _Pool(workers)
    except OSError:  # too many processes, or too little memory for another one
        with threads(plan, workers):
            yield
        return
    try:
        with parallel_config(backend=FuturesBackend(pool.send, lambda: workers), n_jobs=workers):
            yield
    except KeyboardInterrupt:
        if plan.plain_python:  # a model may be on its way through a log for minutes
            pool.kill()
        raise
    finally:
        pool.close()


class _Sent:
    """What was sent to workers and is not finished."""

    def __init__(self) -> None:
        self._sent: set[Future[Any]] = set()

    def _noted(self, future: Future[Any]) -> Future[Any]:
        self._sent.add(future)
        future.add_done_callback(self._sent.discard)
        return future

    def _finish(self) -> None:
        """Wait for what has begun, and forget the rest.

        This waits in steps: Python does not hear a signal that comes between its last look and a wait without end.
        """
        for future in list(self._sent):
            future.cancel()
        while self._sent:
            time.sleep(STEP)


class _Threads(_Sent):
    """Threads, which a process that ends does not wait for."""

    def __init__(self, workers: int) -> None:
        super().__init__()
        self._threads = ThreadPool(workers)

    def send(self, function: Callable[[], Any]) -> Future[Any]:
        """Let a thread do something."""
        future = self._noted(Future())
        self._threads.apply_async(_fulfil, (future, function))
        return future

    def close(self) -> None:
        """Wait for what has begun, and forget the rest; who is in a hurry presses Ctrl-C again."""
        self._finish()
        self._threads.terminate()
        self._threads.join()


def _fulfil(future: Future[Any], function: Callable[[], Any]) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(function())
        except BaseException as problem:  # which is for whoever waits
            future.set_exception(problem)


class _Pool(_Sent):
    """Forked processes, and others in their place when one of them has died."""

    def __init__(self, workers: int) -> None:
        super().__init__()
        self._workers = workers
        self._processes = self._begun()

    def send(self, function: Callable[[], Any]) -> Future[Any]:
        """Let a process do something. What was sent before the death of one is lost, and has to be sent again.

        Others take its place when the main thread sends something, after the thread of the old ones has ended. Then
        this process has no other thread, and may be forked.
        """
        try:
            return self._noted(self._processes.submit(function))
        except BrokenProcessPool as problem:
            if threading.current_thread() is not threading.main_thread():
                lost: Future[Any] = Future()
                lost.set_exception(problem)
                return lost
            self.close()
            self._processes = self._begun()
            return self._noted(self._processes.submit(function))

    def close(self) -> None:
        """Wait for what has begun, and forget the rest; who is in a hurry presses Ctrl-C again."""
        try:
            self._finish()
            self._processes.shutdown()
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        """End all processes at once; files are written in one step, so none is left half."""
        for process in self._children:
            process.kill()

    def _begun(self) -> ProcessPoolExecutor:
        fork = multiprocessing.get_context("fork")
        first = (os.getpid(),)
        pool = ProcessPoolExecutor(self._workers, fork, initializer=_depend_on_the_first, initargs=first)
        before = set(multiprocessing.active_children())
        try:
            with warnings.catch_warnings():
                # Newer versions of Python also warn of threads that know nothing of Python, such as those of BLAS.
                warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
                pool.submit(int)  # all of them are forked now
        except BaseException:  # too many processes, or Ctrl-C: those that are there already would wait for ever
            for child in set(multiprocessing.active_children()) - before:
                child.kill()
            raise
        self._children = set(multiprocessing.active_children()) - before
        return pool


def _depend_on_the_first(number: int) -> None:
    """Leave Ctrl-C to the process that was started, which waits until runs are finished, and die if that is killed.

    Otherwise processes would wait for ever for one that is gone: each keeps the ends of the pipes open for the others.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != number:  # it was killed before that
        os.kill(os.getpid(), signal.SIGKILL)
