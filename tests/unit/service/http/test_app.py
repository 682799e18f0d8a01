"""The application while it lives: decisions time out by themselves, and snapshots are kept."""

import asyncio

import pytest

import belated as bl
from belated.core.errors import StoreFailed
from belated.service.http import app as module
from belated.service.http.app import app
from support.visitors import visiting


@pytest.fixture
def visitor(monkeypatch):
    monkeypatch.setattr(module, "TICK", 0.001)
    clock = [1_000_000]
    with visiting(clock=lambda: clock[0]) as visitor:
        visitor.now = clock
        yield visitor


async def living(visitor, condition):
    """Let the application live until something holds."""
    messages = asyncio.Queue()
    await messages.put({"type": "lifespan.startup"})
    said = []

    async def send(message):
        said.append(message["type"])

    life = asyncio.create_task(app(visitor.service)({"type": "lifespan", "state": {}}, messages.get, send))
    for _ in range(10_000):
        if condition():
            break
        await asyncio.sleep(0.001)
    await messages.put({"type": "lifespan.shutdown"})
    await life
    assert said == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    return condition()


def test_decisions_time_out_although_nobody_asks(visitor):
    visitor.post("/v1/learners/price/configure", {"settings": {"timeout": 5.0}})
    visitor.post("/v1/learners/price/ask", {"decision": "a"})
    visitor.now[0] += 6_000_000
    assert visitor.get("/v1/learners/price").json()["pending"] == 1  # looking changes nothing
    opened = visitor.service.store.desk("price").life.decisions.open
    assert visitor.run(living(visitor, lambda: not opened))
    assert visitor.get("/v1/learners/price/decision?id=a").json()["status"] == "timed_out"


def test_what_was_due_while_nobody_served_is_done_before_anybody_is_answered(visitor, monkeypatch):
    """It may take seconds, in which the event loop answers nobody."""
    monkeypatch.setattr(module, "TICK", 1000.0)
    visitor.post("/v1/learners/price/configure", {"settings": {"timeout": 5.0}})
    visitor.post("/v1/learners/price/ask-many", {"asks": [{}] * 100})
    visitor.now[0] += 6_000_000
    opened = visitor.service.store.desk("price").life.decisions.open
    found = []

    def is_alive():
        found.append(len(opened))
        return len(found) > 5

    assert visitor.run(living(visitor, is_alive))
    assert found[-1] == 0


def test_snapshots_are_kept_while_it_lives(visitor, monkeypatch):
    monkeypatch.setattr(bl.service.door.DurableStore.keep_snapshots, "__defaults__", (10,))
    visitor.post("/v1/learners/price/ask-many", {"asks": [{}] * 20})
    assert visitor.run(living(visitor, lambda: visitor.service.store.journal.kept("price")))


def test_a_clock_that_fails_once_goes_on_and_one_whose_store_failed_ends(visitor, monkeypatch, caplog):
    calls = []

    def failing():
        calls.append(1)
        if len(calls) > 2:
            raise StoreFailed("gone")
        raise ZeroDivisionError("once")

    monkeypatch.setattr(visitor.service.store, "tick", failing)
    assert visitor.run(living(visitor, lambda: len(calls) == 3))
    assert caplog.text.count("the clock of decisions") == 2
    assert len(calls) == 3


def test_the_front_and_the_router_lead_to_the_same_endpoints(visitor):
    for path, status in (("price/ask", 200), ("/ask", 404), ("price/ask/", 404), ("price//ask", 404), ("a b/ask", 404)):
        assert visitor.post(f"/v1/learners/{path}").status_code == status
    assert visitor.get("/v1/learners/price/ask").status_code == 405
    assert visitor.get("/v1/learners/price/decisions").status_code == 200
