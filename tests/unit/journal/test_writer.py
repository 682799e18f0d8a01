"""The writer: order, group commit, bounded waiting, and an end at the first error."""

import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing

import pytest

from belated.core.errors import Conflict, InvalidArgument, StoreBusy, StoreFailed
from belated.journal import Writer, open_store
from belated.journal import writer as writers
from belated.journal.memory import MemoryStore
from support.journals import BEGIN, after

PATIENCE = 60
"""Seconds after which a test gives up on a future that should be done at once."""


class Gated(MemoryStore):
    """Each batch waits at a gate until it is told to pass, and is noted."""

    def __init__(self):
        super().__init__()
        self.batches, self.arrived, self.passes = [], threading.Semaphore(0), threading.Semaphore(0)
        self.problem = None

    def append(self, events):
        self.arrived.release()
        assert self.passes.acquire(timeout=PATIENCE)
        problem, self.problem = self.problem, None
        if problem is not None:
            raise problem
        super().append(events)
        self.batches.append([event.number for event in events])


@pytest.fixture
def gated():
    store = Gated()
    writer = Writer(store, limit=10)
    yield store, writer
    store.passes.release(100)
    writer.close()


def test_what_is_submitted_is_stored_when_the_future_is_done(new_address):
    with closing(open_store(new_address())) as store, closing(Writer(store)) as writer:
        events = after(BEGIN, "a", 30)
        futures = [writer.submit(events[i : i + 3]) for i in range(0, 30, 3)]
        futures[4].result(PATIENCE)
        assert list(store.read("a"))[:15] == events[:15]
        futures[-1].result(PATIENCE)
        assert list(store.read("a")) == events
        assert (writer.waiting, writer.failed, writer.full) == (0, None, False)


def test_what_comes_while_a_batch_is_stored_is_the_next_batch(gated):
    store, writer = gated
    events = after(BEGIN, "a", 6)
    first = writer.submit(events[:1])
    assert store.arrived.acquire(timeout=PATIENCE)
    others = [writer.submit([event]) for event in events[1:]]
    assert writer.waiting == 6
    assert not any(future.done() for future in [first, *others])
    store.passes.release()
    first.result(PATIENCE)
    assert not any(future.done() for future in others)
    store.passes.release()
    assert [future.result(PATIENCE) for future in others] == [None] * 5
    assert store.batches == [[1], [2, 3, 4, 5, 6]]


def test_a_batch_is_bounded_but_a_submission_is_never_split(gated, monkeypatch):
    monkeypatch.setattr(writers, "BATCH", 3)
    store, writer = gated
    events = after(BEGIN, "a", 10)
    futures = [writer.submit(events[:1])]
    assert store.arrived.acquire(timeout=PATIENCE)
    futures += [writer.submit(events[i:j]) for i, j in [(1, 3), (3, 8), (8, 9), (9, 10)]]
    store.passes.release(10)
    futures[-1].result(PATIENCE)
    assert store.batches == [[1], [2, 3, 4, 5, 6, 7, 8], [9, 10]]


def test_a_batch_is_bounded_in_bytes(gated, monkeypatch):
    monkeypatch.setattr(writers, "BATCH_BYTES", 5)
    store, writer = gated
    events = after(BEGIN, "a", 5, body=b"xxx")
    futures = [writer.submit([event]) for event in events[:1]]
    assert store.arrived.acquire(timeout=PATIENCE)
    futures += [writer.submit([event]) for event in events[1:]]
    store.passes.release(10)
    futures[-1].result(PATIENCE)
    assert store.batches == [[1], [2, 3], [4, 5]]


def test_submissions_of_many_threads_are_stored_in_their_order(new_address):
    """Each thread has a stream of its own, and hands over the next event without waiting for the last."""
    with closing(open_store(new_address())) as store, closing(Writer(store)) as writer:
        streams = {name: after(BEGIN, name, 50) for name in "abcd"}

        def submit(name):
            return [writer.submit([event]) for event in streams[name]]

        with ThreadPoolExecutor(4) as pool:
            for futures in pool.map(submit, streams):
                futures[-1].result(PATIENCE)
        assert {name: list(store.read(name)) for name in streams} == streams


def test_too_many_waiting_events_are_refused_and_nothing_is_changed(gated):
    store, writer = gated
    events = after(BEGIN, "a", 20)
    last = writer.submit(events[:9])
    with pytest.raises(StoreBusy, match=r"9 events wait.*Nothing was accepted; try again later"):
        writer.submit(events[9:11])
    assert (writer.waiting, writer.full) == (9, False)
    last = writer.submit(events[9:10])
    assert (writer.waiting, writer.full) == (10, True)
    with pytest.raises(StoreBusy):
        writer.submit(events[10:11])
    store.passes.release(100)
    last.result(PATIENCE)
    writer.submit(events[10:]).result(PATIENCE)  # more than the limit, but nothing waits
    assert list(store.read("a")) == events


def test_a_submission_that_no_server_takes_is_refused(gated, monkeypatch):
    monkeypatch.setattr(writers, "SUBMISSION_BYTES", 10)
    with pytest.raises(InvalidArgument, match="at most 10 bytes"):
        gated[1].submit(after(BEGIN, "a", 2, body=b"123456"))
    assert gated[1].waiting == 0


def test_an_empty_submission_waits_for_all_before_it_and_looks_at_the_store_after_that(gated):
    store, writer = gated
    future = writer.submit(after(BEGIN, "a", 1))
    assert store.arrived.acquire(timeout=PATIENCE)
    nothing, other = writer.submit([]), writer.submit([])
    assert nothing is other
    assert not nothing.done()
    store.passes.release()
    assert future.result(PATIENCE) is None
    assert store.arrived.acquire(timeout=PATIENCE)  # a look of its own, since the one before it began too early
    assert not nothing.done()
    store.passes.release()
    assert nothing.result(PATIENCE) is None
    assert store.batches == [[1], []]
    assert writer.waiting == 0


def test_an_empty_submission_fails_when_the_store_is_lost(gated):
    store, writer = gated
    store.problem = StoreFailed("another process has it")
    store.passes.release()
    with pytest.raises(StoreFailed, match="another process has it"):
        writer.submit([]).result(PATIENCE)
    assert writer.failed is not None


def test_a_future_that_others_wait_for_cannot_be_cancelled(gated):
    store, writer = gated
    future = writer.submit(after(BEGIN, "a", 1))
    assert not future.cancel()
    store.passes.release()
    assert future.result(PATIENCE) is None
    assert not isinstance(future.exception(), CancelledError)


def check_that_an_error_ends_it(writer_class, problem):
    """The first batch fails, and only that one. Nothing may be stored all the same."""
    store, told = Gated(), []
    with closing(writer_class(store, on_failure=told.append)) as writer:
        events = after(BEGIN, "a", 2)
        futures = [writer.submit(events[:1])]
        assert store.arrived.acquire(timeout=PATIENCE)
        futures += [writer.submit(events[1:])]
        store.problem = problem
        store.passes.release(100)
        for future in futures:
            with pytest.raises(StoreFailed, match=f"the journal has stopped.*{problem}"):
                future.result(PATIENCE)
        for more in (events[:1], []):
            with pytest.raises(StoreFailed, match="the journal has stopped"):
                writer.submit(more)
    assert store.batches == []
    assert told == [writer.failed]
    assert writer.failed.__cause__ is problem
    assert writer.waiting == 0


@pytest.mark.parametrize("problem", [StoreFailed("no disk."), Conflict("taken."), MemoryError("full."), SystemExit(1)])
def test_any_error_ends_the_writer(problem):
    check_that_an_error_ends_it(Writer, problem)


class Retrying(Writer):
    """Broken: stores a batch a second time, when the system may have thrown it away already."""

    def _fail(self, batch, problem):
        self._store.append(batch.events)
        batch.future.set_result(None)
        self._run()


class Forgetful(Writer):
    """Broken: fails the batch, but goes on with the next one, which stands on it."""

    def _fail(self, batch, problem):
        batch.future.set_exception(StoreFailed(f"the journal has stopped: {problem}"))
        self._run()


@pytest.mark.parametrize("broken", [Retrying, Forgetful])
def test_a_writer_that_goes_on_is_caught(broken):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check_that_an_error_ends_it(broken, StoreFailed("no disk."))


def test_closing_stores_what_waits(gated):
    store, writer = gated
    events = after(BEGIN, "a", 5)
    futures = [writer.submit([event]) for event in events]
    store.passes.release(100)
    writer.close()
    writer.close()
    assert all(future.done() and future.exception() is None for future in futures)
    assert list(store.read("a")) == events
    with pytest.raises(StoreFailed, match=r"closed\. Nothing was accepted"):
        writer.submit(events)


def test_it_may_be_closed_when_it_has_failed_and_by_its_own_thread():
    closed = threading.Event()
    store = Gated()

    def close(_):
        writer.close()
        closed.set()

    writer = Writer(store, on_failure=close)
    store.problem = StoreFailed("no disk")
    future = writer.submit(after(BEGIN, "a", 1))
    store.passes.release()
    assert closed.wait(PATIENCE)
    assert isinstance(future.exception(PATIENCE), StoreFailed)


def test_the_limit_is_checked():
    with pytest.raises(InvalidArgument, match="limit"):
        Writer(MemoryStore(), limit=0)
