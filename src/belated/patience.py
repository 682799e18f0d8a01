"""Waiting for the compiler so that Ctrl-C is heard at once.

Compiling takes seconds. Most of them are spent in LLVM, where Python hears no signal, and a signal that Python hears
within numba may get lost there. So a thread of its own does the work, and whoever asked for it waits: the main thread
hears Ctrl-C while it waits, a thread of a simulation looks whether it should stop (:func:`looking`).

Work that nobody waits for any more is not stopped, since nothing can stop LLVM. It goes on in the background, and what
it has compiled is there when it is asked for again. A process that ends does not wait for it, but for the call of LLVM
that is under way, and until the work stands still before the next one: some tenths of a second as a rule.
"""

import atexit
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import Any, TypeVar

from belated.core.waiting import know_by, wait_by

Value = TypeVar("Value")

STEP = 0.1
"""Seconds between two looks at whether to go on waiting."""

LOOKS = 20
"""How often, at most, a process that ends looks whether abandoned work stands still."""

_here = threading.local()


@contextmanager
def looking(look: Callable[[], object]) -> Iterator[None]:
    """Within it, whoever waits in this thread calls ``look`` again and again, and stops waiting if that raises."""
    _here.look = look
    try:
        yield
    finally:
        del _here.look


def patiently(work: Callable[[], Value]) -> Value:
    """Have a thread do the work, and wait for it.

    Args:
        work: A function without arguments.

    Returns:
        What it returns; and whatever it raises is raised.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; the work goes on.
    """
    worker = _Worker(work)
    look = getattr(_here, "look", lambda: None)
    try:
        worker.start()
        while not worker.done.wait(STEP):
            look()
    except BaseException:
        atexit.register(_end_beside, worker)
        raise
    if worker.problem is not None:
        raise worker.problem
    value: Value = worker.value
    return value


class _Worker(threading.Thread):
    """A thread that does one piece of work, and that no process waits for when it ends."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True, name="compiling")
        self.done = threading.Event()
        self.value: Any = None
        self.problem: BaseException | None = None
        self._work = work
        self._context = copy_context()  # settings such as NumPy's for errors hold for a thread

    def run(self) -> None:
        try:
            self.value = self._context.run(self._work)
        except BaseException as problem:  # which is for whoever waits
            self.problem = problem
        finally:
            self.done.set()


def _end_beside(worker: _Worker) -> None:
    """Make it safe to end the process while the worker is at work."""
    from belated.core import numba_door  # not at the top: it takes a second, for which the command's help cannot wait

    with suppress(KeyboardInterrupt):  # who is in such a hurry shall have it
        if worker.is_alive():
            numba_door.keep_out()
            _wait_until_it_stands_still(worker)


def _wait_until_it_stands_still(worker: _Worker) -> None:
    """Wait until the worker runs no Python, but for two seconds at the most.

    Python ends a thread by force if it runs when the interpreter ends. Frames of C++ may be below it, which cannot be
    left like that, and the system then aborts the process. A thread that waits, as for the compiler's lock, is left
    alone.
    """
    before = None
    for _ in range(LOOKS):
        frame = sys._current_frames().get(worker.ident or 0)
        now = frame and (frame, frame.f_lasti)
        if now == before or worker.done.wait(STEP):
            return
        before = now


wait_by(patiently)
know_by(sys.modules.__contains__)
