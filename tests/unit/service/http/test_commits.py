"""The order rule: nobody is told of something that is not stored. A store with a gate shows when replies come."""

import asyncio
from threading import Event as Gate

import pytest

from belated.core.errors import StoreFailed
from belated.journal.memory import MemoryStore
from belated.service.door import DurableStore
from belated.service.http import endpoint, service
from belated.service.http.calls import NOBODY
from belated.service.http.commits import Commits
from belated.service.http.routes import ROUTES
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
            raise StoreFailed("another process has taken it")
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
    async def at_once(self, desk=None):
        self._hand_over([] if desk is None else [desk])  # and does not wait

    monkeypatch.setattr(Commits, "everything", at_once)
    with pytest.raises(AssertionError, match="answered before the commit"):
        scenario(*gated)


def test_a_service_whose_refusals_do_not_wait_is_caught(gated, monkeypatch):
    monkeypatch.setattr(endpoint, "CANNOT_NOW", 409)
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


@pytest.mark.parametrize("key", [None, "bl_of_nobody"], ids=["admin", "unknown"])
@pytest.mark.parametrize("route", [each for each in ROUTES if each.needs != NOBODY], ids=lambda each: each.path)
def test_nothing_is_said_of_a_store_that_another_process_has_taken(gated, route, key):
    """Neither answers nor refusals: whoever has it may know the decision, and may have removed the key."""
    visitor, store = gated
    store.broken = True
    path = route.path.replace("{name}", "price").replace("{id}", "1")
    query = {each.name: "unknown" for each in route.query if each.default is ...}
    body = {"json": {"decision": "unknown", "feedback": [1, 2]}} if route.method == "POST" else {}
    reply = visitor.send(route.method, path, key=key, params=query, **body)
    assert reply.status_code == 503
    assert "taken" in reply.text
    assert visitor.get("/healthz").status_code == 200
    assert visitor.get("/").status_code == 200


def test_whoever_only_reads_does_not_wait_for_ever(gated, monkeypatch):
    monkeypatch.setattr(service, "PATIENCE", 0.01)
    visitor, store = gated
    store.gate.clear()
    for path, said in [("/v1/learners", "busy"), ("/readyz", "failed")]:
        reply = visitor.get(path)
        assert reply.status_code == 503
        assert "has not answered" in reply.text
        assert said in reply.text
    store.gate.set()
    assert visitor.get("/v1/learners").status_code == 200


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
