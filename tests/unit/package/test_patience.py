"""Waiting for work that a thread of its own does: as if it were done here, but whoever waits can be interrupted."""

import threading

import numpy as np
import pytest

from belated import patience
from belated.core import waiting
from belated.core.waiting import at_once, wait_by, wait_for
from belated.patience import looking, patiently

LONG = 60.0
"""Seconds that a test waits before it gives up; none does."""


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(patience, "STEP", 0.005)


@pytest.fixture
def at_exit(monkeypatch):
    """What is to be done when the process ends."""
    registered = []
    monkeypatch.setattr("atexit.register", lambda *call: registered.append(call))
    return registered


class Slow:
    """Work that goes on until it is let go."""

    def __init__(self):
        self.begun, self.may_end, self.ended = threading.Event(), threading.Event(), threading.Event()

    def __call__(self):
        self.begun.set()
        assert self.may_end.wait(LONG)
        self.ended.set()
        return "done"

    def press(self):
        """Press Ctrl-C as soon as the work has begun."""
        if self.begun.is_set():
            raise KeyboardInterrupt


def test_work_is_done_by_another_thread_and_its_outcome_is_that_of_the_call():
    assert patiently(threading.get_ident) != threading.get_ident()
    assert patiently(lambda: 7) == 7


@pytest.mark.parametrize("problem", [ValueError("of its own"), TimeoutError("too"), SystemExit(3)])
def test_what_the_work_raises_is_raised(problem, at_exit):
    def failing():
        raise problem

    with pytest.raises(type(problem)) as caught:
        patiently(failing)
    assert caught.value is problem
    assert at_exit == []


def test_settings_that_hold_for_a_thread_hold_for_the_work():
    with np.errstate(over="raise"):
        assert patiently(np.geterr)["over"] == "raise"


def test_who_waits_can_be_interrupted_and_the_work_goes_on(at_exit):
    work = Slow()
    with looking(work.press), pytest.raises(KeyboardInterrupt):
        patiently(work)
    assert not work.ended.is_set()
    work.may_end.set()
    assert work.ended.wait(LONG)


def test_only_those_who_look_are_interrupted():
    work = Slow()
    with looking(work.press):
        pass
    work.may_end.set()
    assert patiently(work) == "done"


@pytest.mark.parametrize("over", [False, True])
def test_a_process_that_ends_keeps_abandoned_work_out_of_the_compiler(at_exit, monkeypatch, over):
    work, kept_out = Slow(), []
    monkeypatch.setattr("belated.core.numba_door.keep_out", lambda: kept_out.append(True))
    with looking(work.press), pytest.raises(KeyboardInterrupt):
        patiently(work)
    ((end, thread),) = at_exit
    if over:
        work.may_end.set()
        thread.join(LONG)
    end(thread)
    work.may_end.set()
    assert kept_out == [True] * (not over)


class Watched:
    """The frame of a thread, found at one place after the other, and in the end at the last one again and again."""

    def __init__(self, *places):
        self._places, self.looks = list(places), 0

    @property
    def f_lasti(self):
        self.looks += 1
        return self._places.pop(0) if len(self._places) > 1 else self._places[0]


@pytest.mark.parametrize(("places", "looks"), [([1, 2, 3, 9], 5), (range(1000), patience.LOOKS), ([4], 2)])
def test_a_process_that_ends_waits_a_while_until_abandoned_work_stands_still(at_exit, monkeypatch, places, looks):
    """Python would end a thread that runs by force, which frames of C++ answer by aborting the process."""
    work, frame = Slow(), Watched(*places)
    monkeypatch.setattr("belated.core.numba_door.keep_out", lambda: None)
    with looking(work.press), pytest.raises(KeyboardInterrupt):
        patiently(work)
    ((end, thread),) = at_exit
    monkeypatch.setattr("sys._current_frames", lambda: {thread.ident: frame})
    end(thread)
    work.may_end.set()
    assert frame.looks == looks


def test_who_presses_ctrl_c_again_while_the_process_ends_gets_no_traceback(at_exit, monkeypatch):
    def pressed_again():
        raise KeyboardInterrupt

    work = Slow()
    monkeypatch.setattr("belated.core.numba_door.keep_out", pressed_again)
    with looking(work.press), pytest.raises(KeyboardInterrupt):
        patiently(work)
    ((end, thread),) = at_exit
    end(thread)
    work.may_end.set()


def test_the_package_waits_so_and_the_core_alone_does_the_work_itself():
    assert waiting._waiting is patiently
    assert wait_by(at_once) is patiently
    try:
        assert wait_for(threading.get_ident) == threading.get_ident()
    finally:
        assert wait_by(patiently) is at_once
