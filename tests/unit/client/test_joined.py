"""A client and the service in one process, without a network between them, and keys that may not do everything."""

import asyncio
import sys
import threading

import httpx
import pytest

import belated as bl
from belated.client import AsyncClient, Client, Receipt, RemotePlayer, RemotePredictor, Retries
from belated.client.joining import Joined
from belated.core.errors import Archived, InvalidArgument, NameTaken, NotAllowed, ServiceAway
from belated.service.http.app import app
from belated.service.http.service import Service

ONCE = Retries(tries=1)


@pytest.fixture
def service():
    with bl.open("memory://") as store:
        yield Service(store)


def joined(service, key):
    return Client("http://belated.test/", key, transport=httpx.ASGITransport(app(service)), retries=ONCE)


def test_everything_that_can_be_described_can_be_created(service):
    ball = {"Ball": {"dim": 2}}
    with joined(service, service.make_first_key()) as client:
        spec = {"algorithm": "dogd_sc", "arguments": {"domain": ball, "strong_convexity": 2.0}}
        knob = client.create("price", spec, initial=[0.5, 0.0], timeout=60.0)
        assert isinstance(knob, RemotePlayer)
        assert knob.ask().point.tolist() == [0.5, 0.0]
        assert isinstance(client.create("price", bl.dogd_sc(bl.Ball(2), 2.0), timeout=5.0), RemotePlayer)
        assert client["price"].summary()["settings"]["timeout"] == 5.0
        with pytest.raises(NameTaken):
            client.create("price", bl.dogd_sc(bl.Ball(2), 3.0))
        assert isinstance(client.create("clicks", {"algorithm": "logistic", "arguments": {}}), RemotePredictor)
        assert isinstance(client.create("sales", bl.models.poisson(bits=6)), RemotePredictor)
        with pytest.raises(InvalidArgument, match="dogd_xl"):
            client.create("other", {"algorithm": "dogd_xl", "arguments": {}})
        knob.archive()
        with pytest.raises(Archived):
            knob.ask()
        assert sorted(client) == ["clicks", "price", "sales"]


def test_keys_for_decisions_only_need_no_look_at_the_learner(service):
    first = service.make_first_key()
    with joined(service, first) as client:
        client.create("price", bl.dogd_sc(bl.Ball(2), 2.0))
        made = client._http.post(
            "http://belated.test/v1/keys", json={"label": "web", "scopes": ["decide"], "learners": ["price"]}
        ).json()
    with joined(service, made["key"]) as client:
        play = client.player("price").ask(key="a")
        assert not play.fallback
        for call in (
            lambda: client["price"],
            lambda: client.player("price").tell([1.0, 1.0], key="a"),
            lambda: client.player("cost").ask(),
            lambda: client.names(),
        ):
            with pytest.raises(NotAllowed):
                call()
    for key, words in [("bl_nobody", "this key is not known here, or was removed"), (None, "no key was given")]:
        with joined(service, key) as client, pytest.raises(NotAllowed, match=words):
            client.names()


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_client_that_cannot_be_made_says_what_to_do(kind, monkeypatch):
    for url in ("http://belated.test/v1", "https://belated.test/v1/"):
        with pytest.raises(InvalidArgument, match="give the address without /v1"):
            kind(url)
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'belated\[client\]'"):
        kind("http://belated.test")


def test_threads_share_a_client_and_an_app(service):
    with joined(service, service.make_first_key()) as client:
        knob, seen = client.create("it", bl.dogd(bl.Ball(2), lipschitz=3.0)), {}

        def work(name):
            for number in range(12):
                play = knob.ask(key=f"{name}-{number}", fallback=[9.0, 9.0], within=60.0)
                seen[play.key] = play.points.tobytes(), knob.tell([0.5, 0.25], key=play.key)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(seen) == 60
        assert {told for _, told in seen.values()} == {Receipt.NEW}
        assert all(knob.ask(key=key).points.tobytes() == points for key, (points, _) in seen.items())
        assert client["it"].summary()["answered"] == 60


def test_tasks_share_a_client(service):
    async def main():
        transport = httpx.ASGITransport(app(service))
        async with AsyncClient("http://belated.test", service.make_first_key(), transport=transport) as client:
            knob = await client.create("it", bl.dogd(bl.Ball(2), lipschitz=3.0))
            plays = await asyncio.gather(*(knob.ask() for _ in range(50)))
            told = await asyncio.gather(*(knob.tell([0.5, 0.25], key=play.key) for play in plays))
            return len({play.key for play in plays}), set(told)

    assert asyncio.run(main()) == (50, {Receipt.NEW})


class Hanging:
    """A transport for event loops that never answers."""

    def __init__(self):
        self.heard = threading.Event()

    async def handle_async_request(self, request):
        self.heard.set()
        await asyncio.Event().wait()


def test_an_app_that_does_not_answer_is_a_timeout():
    client = Client("http://belated.test", transport=Hanging(), timeout=0.02, retries=ONCE)
    with client, pytest.raises(ServiceAway, match="ReadTimeout: the app has not answered"):
        client.player("it").ask(key="a")


def test_nobody_waits_for_an_app_whose_client_was_closed():
    hanging, ended = Hanging(), []
    transport = Joined(hanging)

    def ask():
        try:
            transport.handle_request(httpx.Request("GET", "http://belated.test"))
        except BaseException as problem:
            ended.append(type(problem).__name__)

    thread = threading.Thread(target=ask)
    thread.start()
    hanging.heard.wait()
    transport.close()
    thread.join()
    assert ended == ["CancelledError"]
