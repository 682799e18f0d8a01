"""Fallbacks: a decision in time although the service makes none, nothing is learned from it, and none is left open."""

import asyncio
import threading
from contextlib import suppress

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.client import AsyncClient, Client, Receipt, RemotePlay, RemotePrediction, Retries
from belated.client.courier import Courier
from belated.client.outbox import Outbox
from belated.core.errors import InvalidArgument, NotAllowed, ServiceAway, ServiceFailed, UnknownLearner
from support.remote import URL, Network, Served, Times, refusal

LEARNER = bl.dogd(bl.Ball(2), lipschitz=3.0)
LATER = 100.0
"""Seconds after which no request can be on its way any more."""


@pytest.fixture
def network():
    service = Served()
    service.store.create("it", LEARNER)
    service.store.create("clicks", bl.models.logistic(bits=8))
    yield Network(service)
    service.store.close()


@pytest.fixture
def times():
    return Times()


@pytest.fixture
def client(network, times):
    with Client(URL, transport=network, timing=times.timing()) as client:
        yield client


def kinds(network, name="it"):
    return [(event.kind, event.decision) for event in network.service.store._store.read(name)][1:]


@pytest.mark.parametrize("fault", ["down", "lost", "502", "503", "busy"])
def test_there_is_a_decision_in_time_and_none_is_left_open(client, network, times, fault):
    network.always, start = fault, times.now
    play = client.player("it").ask(key="a", fallback=[0.5, 0.25], within=0.2)
    assert isinstance(play, RemotePlay)
    assert (play.key, play.points.tolist(), play.repeated, play.fallback) == ("a", [[0.5, 0.25]], False, True)
    assert times.now - start <= 0.2
    network.always = None
    times.now += LATER
    heard = fault in ("lost", "503")
    assert kinds(network) == ([("asked", "a")] if heard else [])
    client.player("it").ask(key="b")
    assert kinds(network) == ([("asked", "a")] if heard else []) + [("asked", "b")] + (
        [("given_up", "a")] if heard else []
    )
    sent = len(network.sent)
    client.player("it").ask(key="c")
    assert len(network.sent) == sent + 1, "it is not taken back twice"
    assert client.refused() == []


def test_a_decision_is_not_taken_back_while_its_request_may_be_on_its_way(client, network, times):
    network.always = "down"
    client.player("it").ask(key="a", fallback=[0.5, 0.25], within=0.2)
    network.always = None
    client.player("it").ask(key="b")
    assert network.sent[-1][1].endswith("/ask")
    client.flush()
    assert network.sent[-1][1].endswith("/give-up")
    network.service.store["it"].ask(key="a")  # the request that was late
    times.now += LATER
    client.player("it").ask(key="c")
    assert kinds(network)[-1] == ("given_up", "a")


def test_what_is_told_of_a_fallback_is_ignored(client, network):
    network.always = "lost"
    knob = client.player("it")
    play = knob.ask(fallback=[0.5, 0.25], within=0.2)
    network.always = None
    sent = len(network.sent)
    found = knob.tell([1.0, 1.0], key=play.key)
    assert found is Receipt.IGNORED
    assert not found
    assert knob.give_up(play.key) is None
    assert len(network.sent) == sent
    network.service.store["it"].ask(key="b")
    assert knob.tell_many([(play.key, [1.0, 1.0]), ("b", [1.0, 1.0])]) == [Receipt.IGNORED, Receipt.NEW]


def test_asking_again_returns_the_same_fallback(client, network, tmp_path):
    knob = client.player("it")
    network.always = "down"
    first = knob.ask(key="a", fallback=[0.5, 0.25], within=0.2)
    network.always = None
    again = knob.ask(key="a", fallback=[9.0, 9.0], within=0.2)
    assert again.points.tolist() == first.points.tolist()
    assert (again.repeated, again.fallback) == (True, True)
    assert knob.ask(key="a").fallback


def test_a_spool_remembers_fallbacks(network, times, tmp_path):
    for run in range(2):
        with Client(URL, transport=network, timing=times.timing(), spool=tmp_path / "spool.db") as client:
            knob, network.always = client.player("it"), "lost"
            play = knob.ask(key="a", fallback=[0.5, 0.25], within=0.2)
            assert (play.repeated, play.point.tolist()) == (run == 1, [0.5, 0.25])
            assert client.spooled == 0
            times.now += 10.0
    network.always = None
    times.now += LATER
    with Client(URL, transport=network, timing=times.timing(), spool=tmp_path / "spool.db") as client:
        assert client.player("it").tell([1.0, 1.0], key="a") is Receipt.IGNORED
        client.flush()
    assert kinds(network) == [("asked", "a"), ("given_up", "a")]


def test_predictions_fall_back_too(client, network, times):
    clicks = client.predictor("clicks")
    network.always = "lost"
    found = clicks.predict({"page": "shoes"}, "v1", fallback=0.25, within=0.2)
    assert found == RemotePrediction("v1", 0.25, False, True)
    network.always = None
    assert clicks.learn("v1", 1) is Receipt.IGNORED
    times.now += LATER
    assert clicks.predict({"page": "shoes"}, "v2", fallback=0.25, within=0.2).fallback is False
    assert kinds(network, "clicks")[-1] == ("given_up", "v1")


def test_what_the_caller_did_wrong_is_no_reason_to_fall_back(client):
    with pytest.raises(UnknownLearner):
        client.player("nobody").ask(fallback=[0.5, 0.25], within=0.2)
    with pytest.raises(InvalidArgument):
        client.player("it").ask([1.0], fallback=[0.5, 0.25], within=0.2)
    for wrong in ({"fallback": [float("nan"), 0.0]}, {"fallback": "x"}, {"within": 0.0}, {"within": -1.0}):
        with pytest.raises(InvalidArgument):
            client.player("it").ask(**wrong)


@pytest.mark.parametrize("what", ["answered elsewhere", "unknown learner"])
def test_a_decision_that_cannot_be_taken_back_need_not_be(client, network, times, what):
    network.always = "lost"
    client.player("nobody" if what == "unknown learner" else "it").ask(key="a", fallback=[0.5, 0.25], within=0.2)
    if what == "answered elsewhere":
        network.service.store["it"].tell([1.0, 1.0], key="a")
    network.always = None
    times.now += LATER
    client.flush()
    assert client.refused() == []
    assert client._courier.outbox.pending == 0


def test_a_service_that_has_failed_is_a_reason(network):
    class Failing(Network):
        def _answer(self, request):
            return refusal(500, "internal")

    with Client(URL, transport=Failing(None)) as client:
        assert client.player("it").ask(fallback=[0.5, 0.25]).fallback


@pytest.mark.parametrize(
    "said",
    [
        {"decision": "sunday", "points": [[0.5, 0.5]], "value": 0.5},
        {"decision": "monday", "points": [], "value": None},
        {"decision": "monday", "points": [[None, 0.5]], "value": "0.5"},
        {"decision": "monday", "points": [0.5, 0.5], "value": True},
        {"decision": "monday", "points": [[]], "value": [0.5]},
        {"decision": "monday", "points": [["0.5", True]], "value": 10**400},
        {"decision": "monday", "points": [[10**400]], "value": {}},
        {"decision": "monday", "points": [[0.5], [0.5, 0.5]]},
    ],
)
def test_a_reply_that_is_no_decision_or_another_one_is_a_reason(said):
    """A page of a proxy may be what was asked for by somebody else, and nobody may act on a gap."""
    network = httpx.MockTransport(lambda request: httpx.Response(200, json={**said, "duplicate": False}))
    with Client(URL, transport=network) as client:
        with pytest.raises(ServiceFailed, match="does not come from a service of belated, or is about something else"):
            client.player("it").ask(key="monday")
        assert client.player("it").ask(key="monday", fallback=[0.5, 0.25]).fallback
        assert client.predictor("clicks").predict({}, key="monday", fallback=0.25).fallback


@pytest.mark.parametrize("many", [False, True])
def test_a_decision_that_nobody_knows_of_is_taken_back(client, network, times, many):
    """The id was made by the client, and the call has raised: nobody will ever tell."""
    network.always = "lost"
    knob = client.player("it")
    with pytest.raises(ServiceAway):
        knob.ask_many(2) if many else knob.ask()
    network.always = None
    times.now += LATER
    knob.ask(key="b")
    asked = [decision for kind, decision in kinds(network) if kind == "asked" and decision != "b"]
    assert [decision for kind, decision in kinds(network) if kind == "given_up"] == asked
    assert len(asked) == (2 if many else 1)


@pytest.mark.parametrize("end", ["down", "refused"])
def test_many_decisions_are_taken_back_if_the_caller_gets_none_of_them(client, network, times, monkeypatch, end):
    """The first piece was answered, and the second one was not."""
    monkeypatch.setattr("belated.client.calls.MOST_BYTES", 100)
    knob, count = client.player("it"), 0

    def spoiled(request):
        nonlocal count
        count += 1
        if count == 1:
            return network.service(request)
        if end == "down":
            raise httpx.ConnectError("away")
        return refusal(403, "forbidden")

    with monkeypatch.context() as patch:
        patch.setattr(network, "handle_request", spoiled)
        with pytest.raises((ServiceAway, NotAllowed)):
            knob.ask_many(8)
    made = [decision for _, decision in kinds(network)]
    assert 0 < len(made) < 8
    times.now += LATER
    client.flush()
    assert kinds(network)[len(made) :] == [("given_up", decision) for decision in made]
    assert client.refused() == []


def test_a_decision_with_a_key_of_the_caller_is_left_to_the_caller(client, network, times):
    network.always = "lost"
    with pytest.raises(ServiceAway):
        client.player("it").ask(key="a")
    network.always = None
    times.now += LATER
    assert client.player("it").ask(key="a").repeated
    assert kinds(network) == [("asked", "a")]


def test_a_service_that_hangs_does_not_hold_up_the_caller(network):
    """No clock is replaced here: the reply comes when the fallback is there."""
    go_on = threading.Event()

    def hanging(request):
        assert go_on.wait(60.0)
        return network.service(request)

    with Client(URL, transport=httpx.MockTransport(hanging)) as client:
        play = client.player("it").ask(key="a", fallback=[0.5, 0.25], within=0.05)
        assert play.fallback
        go_on.set()
        client._strict.shutdown(wait=True)
        client.flush()
    assert kinds(network) == [("asked", "a"), ("given_up", "a")]


def test_an_event_loop_is_not_held_up_either(network):
    async def ask():
        go_on = asyncio.Event()

        async def hanging(request):
            await go_on.wait()
            raise AssertionError

        async with AsyncClient(URL, transport=httpx.MockTransport(hanging)) as client:
            return await client.player("it").ask(key="a", fallback=[0.5, 0.25], within=0.05)

    assert asyncio.run(ask()).fallback


def test_a_task_that_is_cancelled_leaves_a_note(network, times):
    """The decision was made, and whoever asked for it has gone."""

    async def ask():
        heard = asyncio.Event()

        async def slow(request):
            network.service(request)
            heard.set()
            await asyncio.sleep(60.0)

        async with AsyncClient(URL, transport=httpx.MockTransport(slow), timing=times.timing(True)) as client:
            task = asyncio.create_task(client.player("it").ask())
            await heard.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            client._http._transport = network
            times.now += LATER
            await client.player("it").ask(key="b")

    asyncio.run(ask())
    assert kinds(network) == [("asked", "id-1"), ("asked", "b"), ("given_up", "id-1")]


def test_ctrl_c_leaves_a_note(client, network, times, monkeypatch):
    def pressed(request):
        network.service(request)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(network, "handle_request", pressed)
        with pytest.raises(KeyboardInterrupt):
            client.player("it").ask()
    times.now += LATER
    client.player("it").ask(key="b")
    assert kinds(network) == [("asked", "id-1"), ("asked", "b"), ("given_up", "id-1")]


FAULT = st.sampled_from([None, None, "down", "lost", "503", "twice"])
CALLS = st.lists(
    st.tuples(st.sampled_from(["ask", "ask with a fallback", "tell"]), FAULT, st.floats(0.0, 40.0)), max_size=10
)


def what_is_open_is_known(steps):
    """Whatever the network does: of each decision that waits, somebody has the key, and may tell."""
    service, times = Served(), Times()
    network, known, told = Network(service), [], []
    service.store.create("it", LEARNER)
    with Client(URL, transport=network, timing=times.timing(), retries=Retries(tries=2)) as client:
        knob = client.player("it")
        for what, fault, seconds in steps:
            network.always = fault
            times.now += seconds
            with suppress(ServiceAway):
                if what == "tell" and known:
                    knob.tell([1.0, 0.5], key=known[0].key)
                    told.append(known.pop(0))
                elif what != "tell":
                    known.append(knob.ask(**({} if what == "ask" else {"fallback": [0.5, 0.25], "within": 0.3})))
        network.always = None
        for play in known:  # also those whose report was lost, or heard although its reply was lost
            knob.tell([1.0, 0.5], key=play.key)
        times.now += LATER
        client.flush()
        assert (client.spooled, client.refused(), client._courier.outbox.pending) == (0, [], 0)
    assert list(service.store._desks["it"].life.decisions.open) == []
    learned = {decision for kind, decision in kinds(network) if kind == "told"}
    assert learned == {play.key for play in [*known, *told] if not play.fallback}
    service.store.close()


@given(CALLS)
def test_no_decision_waits_of_which_nobody_knows(steps):
    what_is_open_is_known(steps)


@pytest.mark.parametrize(("what", "verb"), [("ask", "_withdraw"), ("ask with a fallback", "fall_back")])
def test_a_client_that_leaves_decisions_open_is_caught(monkeypatch, what, verb):
    what_is_open_is_known([(what, "lost", 0.0)])
    monkeypatch.setattr(Courier if verb == "_withdraw" else Outbox, verb, lambda *given: None)
    with pytest.raises(AssertionError):
        what_is_open_is_known([(what, "lost", 0.0)])
