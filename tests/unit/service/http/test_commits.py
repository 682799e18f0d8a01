"""The order rule: nobody is told of something that is not stored. A store with a gate shows when replies come."""

import asyncio
from threading import Event as Gate

import pytest

from belated.core.errors import StoreFailed
from belated.journal.memory import MemoryStore
from belated.service.door import DurableStore
from belated.service.http.commits import Commits
from belated.service.http.service import Service
from support.visitors import visiting

LONG = 0.2
"""Seconds in which a reply that does not wait would have come many times over."""


class GatedStore(MemoryStore):
    """A store that takes events only while its gate is open, and fails when told to."""

    def __init__(self):
        super().__init__()
        self.gate, self.broken, self.batches = Gate(), False, []
        self.gate.set()

    def append(self, events):
        self.gate.wait()
        if self.broken:
            raise StoreFailed("the disk is full")
        super().append(events)
        self.batches.append(len(events))


@pytest.fixture
def gated():
    store = GatedStore()
    with visiting(DurableStore(store)) as visitor:
        yield visitor, store
        store.gate.set()


async def still_waits(*requests):
    """The requests as tasks, of which none is done after a while."""
    tasks = [asyncio.ensure_future(request) for request in requests]
    done, _ = await asyncio.wait(tasks, timeout=LONG)
    assert not done, "answered before the commit"
    return tasks


def ask(visitor, name="a"):
    return visitor.sending("POST", "/v1/learners/price/ask", json={"decision": name})


def tell(visitor, feedback, name="a"):
    return visitor.sending("POST", "/v1/learners/price/tell", json={"decision": name, "feedback": feedback})


def scenario(visitor, store):
    """An ask, its repetition, its report, and one that conflicts with it, all before the first is stored."""

    async def run():
        store.gate.clear()
        try:
            requests = ask(visitor), ask(visitor), tell(visitor, [1, 2]), tell(visitor, [1, 2]), tell(visitor, [9, 9])
            tasks = await still_waits(*requests)
        finally:
            store.gate.set()
        return [reply.status_code for reply in await asyncio.gather(*tasks)]

    return visitor.run(run())


def test_replies_wait_for_the_commit_also_repetitions_and_refusals(gated):
    assert scenario(*gated) == [200, 200, 200, 200, 409]


def test_a_service_that_answers_before_the_commit_is_caught(gated, monkeypatch):
    async def at_once(self, desk):
        self._hand_over([desk])  # and does not wait

    monkeypatch.setattr(Commits, "everything", at_once)
    with pytest.raises(AssertionError, match="answered before the commit"):
        scenario(*gated)


def test_a_service_whose_refusals_do_not_wait_is_caught(gated, monkeypatch):
    async def hasty(self, desk, command):
        found = self.store.decide(desk, command)
        await self.commits.everything(desk)
        return found

    monkeypatch.setattr(Service, "done", hasty)
    with pytest.raises(AssertionError, match="answered before the commit"):
        scenario(*gated)


def test_what_comes_in_one_turn_is_stored_together(gated):
    visitor, store = gated
    store.batches.clear()

    async def run():
        return await asyncio.gather(*[ask(visitor, f"d{number}") for number in range(50)])

    assert {reply.status_code for reply in visitor.run(run())} == {200}
    assert sum(store.batches) == 50
    assert len(store.batches) < 25


def test_a_store_that_fails_is_an_error_to_all_who_wait_and_to_all_who_come(gated):
    visitor, store = gated

    async def run():
        store.gate.clear()
        tasks = await still_waits(ask(visitor), tell(visitor, [1, 2], "b"), ask(visitor, "c"))
        store.broken = True
        store.gate.set()
        return [reply.status_code for reply in await asyncio.gather(*tasks)]

    assert visitor.run(run()) == [503, 503, 503]
    assert visitor.post("/v1/learners/price/ask").json()["error"]["type"] == "store_failed"
    assert visitor.get("/readyz").status_code == 503
    assert visitor.get("/healthz").status_code == 200


def test_a_full_queue_is_told_at_once_and_to_come_again(gated):
    visitor, store = gated

    async def run():
        store.gate.clear()
        names = [{"asks": [{"decision": f"{batch}.{number}"} for number in range(1000)]} for batch in range(8)]
        tasks = []
        for body in names:
            task = asyncio.ensure_future(visitor.sending("POST", "/v1/learners/price/ask-many", json=body))
            tasks.append(task)
            await asyncio.sleep(0.02)
        refused = await ask(visitor, "late")
        store.gate.set()
        return refused, await asyncio.gather(*tasks)

    refused, others = visitor.run(run())
    assert (refused.status_code, refused.json()["error"]["type"]) == (503, "busy")
    assert refused.headers["retry-after"] == "1"
    assert {reply.status_code for reply in others} == {200, 503}
    assert visitor.post("/v1/learners/price/ask", {"decision": "late"}).json()["duplicate"] is False


def test_a_request_that_is_cancelled_takes_no_other_with_it(gated):
    visitor, store = gated

    async def run():
        store.gate.clear()
        first, second = await still_waits(ask(visitor), ask(visitor, "b"))
        first.cancel()
        await asyncio.sleep(0)
        store.gate.set()
        return (await second).status_code

    assert visitor.run(run()) == 200
    assert visitor.post("/v1/learners/price/ask", {"decision": "a"}).json()["duplicate"]
