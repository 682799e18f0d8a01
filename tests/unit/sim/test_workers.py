"""Jobs side by side: results in order, errors and interrupts that stop the rest, and ticks that add up."""

import threading
import time

import pytest

from belated.core.waiting import wait_for
from belated.sim import workers
from belated.sim.workers import Stopped, Tick, cores, run_jobs


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Looks more often, so that tests need not wait."""
    monkeypatch.setattr(workers, "PATIENCE", 0.005)


def ignored(amount: int) -> None:
    pass


def endless(tick: Tick) -> None:
    """Goes on until it is stopped, and gives up by itself in the end, so that a failure does not hang."""
    until = time.monotonic() + 30.0
    while time.monotonic() < until:
        tick(1)
        time.sleep(0.001)
    pytest.fail("nobody stopped this job")


@pytest.mark.parametrize("number", [1, 2, 5, 50])
def test_results_are_in_the_order_of_the_jobs(number):
    def job(i):
        def work(tick):
            time.sleep(0.003 * (i % 3))
            tick(1)
            return i * i

        return work

    outcomes = run_jobs([job(i) for i in range(12)], number, ignored)
    assert outcomes == [i * i for i in range(12)]


@pytest.mark.parametrize("number", [1, 3])
def test_no_more_run_at_once_than_there_are_workers(number):
    lock, now, most = threading.Lock(), 0, 0

    def work(tick):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1

    run_jobs([work] * 9, number, ignored)
    assert most == number


@pytest.mark.parametrize("number", [1, 2, 5])
def test_ticks_add_up(number):
    told = []

    def work(tick):
        for amount in range(100):
            tick(amount)

    run_jobs([work] * 6, number, told.append)
    assert sum(told) == 6 * sum(range(100))


def test_no_jobs_are_no_results():
    assert run_jobs([], 3, ignored) == []


def test_a_result_may_be_none():
    assert run_jobs([lambda tick: None] * 2, 1, ignored) == [None, None]


class Trouble(Exception):
    pass


@pytest.mark.parametrize("number", [2, 3])
def test_an_error_is_raised_and_the_others_stop(number):
    begun = []

    def failing(tick):
        tick(1)
        raise Trouble("of its own")

    def late(tick):
        begun.append(1)

    with pytest.raises(Trouble, match="of its own"):
        run_jobs([endless, failing, *[endless] * (number - 2), *[late] * 3], number, ignored)
    assert len(begun) < 3, "jobs that had not begun do not begin"


def test_of_several_errors_that_of_the_first_job_is_raised():
    ready = threading.Barrier(2)

    def failing(name):
        def work(tick):
            ready.wait(timeout=30.0)
            raise Trouble(name)

        return work

    def slow(tick):
        time.sleep(0.05)

    with pytest.raises(Trouble, match="one"):
        run_jobs([slow, failing("one"), failing("two")], 3, ignored)


def test_an_error_of_the_one_who_watches_stops_the_jobs_and_is_raised():
    def watching(amount: int) -> None:
        raise Trouble("watching")

    with pytest.raises(Trouble, match="watching"):
        run_jobs([endless, endless], 2, watching)


class Interrupting:
    """Somebody who presses Ctrl-C, once, as soon as so much is done."""

    def __init__(self, enough: int) -> None:
        self.enough, self.told, self.pressed = enough, 0, False

    def __call__(self, amount: int) -> None:
        self.told += amount
        if self.told >= self.enough and not self.pressed:
            self.pressed = True
            raise KeyboardInterrupt


@pytest.mark.parametrize("number", [1, 2])
def test_an_interrupt_keeps_what_is_done(number):
    def quick(name):
        def work(tick):
            tick(1000)
            return name

        return work

    progress = Interrupting(3001)  # when the three are done and the endless one has begun
    jobs = [quick("a"), quick("b"), quick("c"), endless, quick("d")]
    outcomes = run_jobs(jobs[:4] if number == 2 else jobs, number, progress)
    assert outcomes[:4] == ["a", "b", "c", None]
    assert outcomes[4:] in ([], [None])


def test_an_interrupt_before_anything_is_done_leaves_nothing():
    outcomes = run_jobs([endless, endless], 2, Interrupting(0))
    assert outcomes == [None, None]


def test_a_tick_stops_a_job_only_when_asked():
    tick = Tick()
    tick(3)
    tick(4)
    assert (tick.taken(), tick.taken()) == (7, 0)
    tick.stop()
    with pytest.raises(Stopped):
        tick(1)
    assert tick.taken() == 0


def test_there_is_at_least_one_core():
    assert cores() >= 1


def test_a_job_handed_over_in_the_moment_of_an_interrupt_does_not_begin(monkeypatch):
    class Interrupted(workers.ThreadPoolExecutor):
        def submit(self, *job):
            future = super().submit(*job)
            if job[1] is late:  # Ctrl-C before the caller has got hold of the job
                raise KeyboardInterrupt
            return future

    begun = []

    def late(tick):
        begun.append("late")

    monkeypatch.setattr(workers, "ThreadPoolExecutor", Interrupted)
    assert run_jobs([endless, late], 1, ignored) == [None]
    assert begun == []


def test_a_job_that_waits_for_the_compiler_is_stopped_too(monkeypatch):
    """What it waits for goes on; the end of the simulation does not wait for that."""
    monkeypatch.setattr("belated.patience.STEP", 0.005)
    may_end, ended = threading.Event(), threading.Event()

    def compiling():
        assert may_end.wait(60.0)
        ended.set()

    def job(tick):
        tick(1)
        wait_for(compiling)

    assert run_jobs([job], 1, Interrupting(1)) == [None]
    assert not ended.is_set()
    may_end.set()
    assert ended.wait(60.0)
