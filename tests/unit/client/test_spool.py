"""The spool: what cannot be delivered waits in a file, in order, and is lost neither there nor on the way."""

import sqlite3
import subprocess
import sys
import threading

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.client import AsyncClient, Client, Receipt
from belated.client.delivering import Deliverer
from belated.client.outbox import Outbox
from belated.core.errors import InvalidArgument, NotAllowed, ServiceAway, StoreFailed, StoreInUse
from support.remote import URL, Network, Served, Times, refusal

LEARNER = bl.dogd(bl.Ball(2), lipschitz=3.0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "spool.db"


@pytest.fixture
def network():
    """A service with a learner, and decisions a, b, c and d."""
    service = Served()
    knob = service.store.create("it", LEARNER)
    for key in "abcd":
        knob.ask(key=key)
    yield Network(service)
    service.store.close()


def client_of(network, path, times=None):
    return Client(URL, transport=network, spool=path, timing=(times or Times()).timing())


def told(network):
    """What the service was told, in order."""
    kinds = {"told": "tell", "given_up": "give-up"}
    return [(kinds[each.kind], each.decision) for each in network.service.store._store.read("it") if each.kind in kinds]


def test_reports_wait_in_order_and_are_delivered_before_the_next_one(network, path):
    times = Times()
    with client_of(network, path, times) as client:
        knob = client.player("it")
        network.always = "down"
        found = knob.tell([1.0, 0.0], key="a")
        assert found is Receipt.SPOOLED
        assert found
        assert knob.give_up("b") is None
        sent = len(network.sent)
        assert knob.tell_many([("c", [1.0, 1.0])]) == [Receipt.SPOOLED]
        assert len(network.sent) == sent, "it is not tried again at once"
        assert client.spooled == 3
        network.always = None
        times.now += 60.0
        assert knob.tell([2.0, 0.0], key="d") is Receipt.NEW
        assert client.spooled == 0
        assert client.refused() == []
    assert told(network) == [("tell", "a"), ("give-up", "b"), ("tell", "c"), ("tell", "d")]


def test_an_ask_that_succeeds_delivers_what_waits(network, path):
    with client_of(network, path) as client:
        network.always = "down"
        knob = client.player("it")
        knob.tell([1.0, 0.0], key="a")
    assert told(network) == []
    network.always = None
    with client_of(network, path) as client:
        assert client.spooled == 1
        client.player("it").ask(key="e")
        assert client.spooled == 0
    assert told(network) == [("tell", "a")]


def test_flush_tries_as_long_as_a_call_and_says_if_it_was_in_vain(network, path):
    times = Times()
    with client_of(network, path, times) as client:
        network.always = "down"
        client.player("it").tell([1.0, 0.0], key="a")
        with pytest.raises(ServiceAway):
            client.flush()
        assert client.spooled == 1
        network.faults, network.always = ["down", "502", "lost", "busy"], None
        assert client.flush() is None
        assert client.spooled == 0
    assert told(network) == [("tell", "a")]


def test_closing_tries_once(network, path):
    times = Times()
    with client_of(network, path, times) as client:
        network.always = "down"
        client.player("it").tell([1.0, 0.0], key="a")
        network.always = None
        times.now += 60.0
    client.close()
    assert told(network) == [("tell", "a")]


def test_without_a_spool_the_caller_is_told(network):
    with client_of(network, None) as client:
        network.always = "down"
        with pytest.raises(ServiceAway):
            client.player("it").tell([1.0, 0.0], key="a")
        assert client.spooled == 0


def test_what_is_refused_for_good_is_kept_aside_with_its_reason(network, path):
    times = Times()
    with client_of(network, path, times) as client:
        knob = client.player("it")
        network.always = "down"
        knob.tell([1.0, 0.0], key="a")
        knob.tell([1.0], key="b")
        knob.tell([1.0, 0.0], key="nobody")
        client.player("nobody").tell([1.0, 0.0], key="x")
        knob.tell([2.0, 0.0], key="a")
        knob.give_up("nobody")
        knob.tell([3.0, 0.0], key="c")
        network.always = None
        client.flush()
        assert client.spooled == 0
        found = [
            (each.learner, each.verb, each.values["decision"], each.error.split(":")[0]) for each in client.refused()
        ]
        assert found == [
            ("it", "tell", "b", "InvalidArgument"),
            ("it", "tell", "nobody", "UnknownDecision"),
            ("nobody", "tell", "x", "UnknownLearner"),
            ("it", "tell", "a", "AlreadyAnswered"),
            ("it", "give-up", "nobody", "UnknownDecision"),
        ]
        assert client.refused()[0].values == {"decision": "b", "feedback": [1.0]}
        assert client.refused()[0].at == int(1000.0 * 1e6)
    assert told(network) == [("tell", "a"), ("tell", "c")]
    with client_of(network, path) as client:
        assert len(client.refused()) == 5


def test_a_refusal_is_raised_and_not_spooled_if_the_service_is_there(network, path):
    with client_of(network, path) as client, pytest.raises(InvalidArgument):
        client.player("it").tell([1.0], key="a")
    assert client.spooled == 0


@pytest.mark.parametrize("status", [(401, "unauthorized"), (403, "forbidden"), (500, "internal"), (404, "not_found")])
def test_what_says_nothing_about_a_report_lets_it_wait(network, path, status):
    """A key that was removed, a wrong address, a fault of the service."""
    with client_of(network, path) as client:
        network.always = "down"
        client.player("it").tell([1.0, 0.0], key="a")
        client.player("it").tell([1.0, 0.0], key="b")
        network.always = lambda request: refusal(*status)
        with pytest.raises((NotAllowed, bl.errors.ServiceFailed)):
            client.flush()
        assert client.spooled == 2
        assert client.refused() == []
        network.always = None
        client.flush()
    assert told(network) == [("tell", "a"), ("tell", "b")]


@pytest.mark.parametrize("status", [(422, "invalid_argument"), (413, "too_large"), (404, "unknown_decision")])
def test_one_report_that_spoils_a_batch_does_not_take_the_others_with_it(network, path, status):
    def whole(request):
        many = request.url.path.endswith("-many")
        return refusal(*status) if many else network.service(request)

    with client_of(network, path) as client:
        network.always = "down"
        for key in "ab":
            client.player("it").tell([1.0, 0.0], key=key)
        network.always = whole
        client.flush()
        assert (client.spooled, client.refused()) == (0, [])
    assert told(network) == [("tell", "a"), ("tell", "b")]


def test_a_service_that_becomes_busy_in_the_middle_of_a_batch(network, path):
    """What was refused for a time waits; what follows may be told twice, and counts once."""

    def half(request):
        reply = network.service(request).json()
        reply["replies"][1] = {"error": {"type": "busy", "message": "full", "argument": None}}
        return httpx.Response(200, json=reply)

    with client_of(network, path) as client:
        knob = client.player("it")
        network.always = half
        assert knob.tell_many([(key, [1.0, 0.0]) for key in "abc"]) == [Receipt.NEW, Receipt.SPOOLED, Receipt.NEW]
        assert client.spooled == 1
        network.always = None
        client.flush()
    assert sorted(told(network)) == [("tell", "a"), ("tell", "b"), ("tell", "c")]


PHASES = st.lists(
    st.tuples(st.sampled_from([None, "down", "lost", "503", "busy"]), st.integers(0, 4), st.floats(0.0, 9.0)),
    max_size=8,
)


def reports_arrive_in_order(phases, folder):
    """The network is there and away by turns; at the end everything was told once, in the order of the tells."""
    service, times = Served(), Times()
    network, wanted = Network(service), []
    inside = service.store.create("it", LEARNER)
    with client_of(network, folder / "spool.db", times) as client:
        knob = client.player("it")
        for fault, count, seconds in phases:
            network.always, times.now = fault, times.now + seconds
            for _ in range(count):
                key = f"k{len(wanted)}"
                inside.ask(key=key)
                assert knob.tell([1.0, 0.5], key=key) in (Receipt.NEW, Receipt.SPOOLED, Receipt.REPEATED)
                wanted.append(("tell", key))
        network.always = None
        client.flush()
        assert (client.spooled, client.refused()) == (0, [])
    assert told(network) == wanted
    service.store.close()


@settings(max_examples=25)  # each commit waits for the disk
@given(phases=PHASES)
def test_reports_arrive_once_and_in_order(phases, tmp_path_factory):
    reports_arrive_in_order(phases, tmp_path_factory.mktemp("spool"))


AWAY_FOR_A_WHILE = [("down", 2, 1.0), (None, 2, 9.0), ("lost", 2, 9.0)]


def test_a_spool_that_forgets_is_caught(monkeypatch, tmp_path):
    reports_arrive_in_order(AWAY_FOR_A_WHILE, tmp_path)
    monkeypatch.setattr(Outbox, "add", lambda self, *given: None)
    with pytest.raises(AssertionError):
        reports_arrive_in_order(AWAY_FOR_A_WHILE, tmp_path)


def test_a_delivery_that_takes_out_what_it_could_not_deliver_is_caught(monkeypatch, tmp_path):
    phases, settle = [("down", 1, 1.0), ("busy", 1, 9.0)], Deliverer._settle
    reports_arrive_in_order(phases, tmp_path)
    monkeypatch.setattr(Deliverer, "_settle", lambda self, batch, outcomes: settle(self, batch, [None] * len(batch)))
    with pytest.raises(AssertionError):
        reports_arrive_in_order(phases, tmp_path)


def test_a_report_that_overtakes_is_caught(monkeypatch, tmp_path):
    def some(self, requests, within=None, grace=0):
        yield from ()
        return True

    monkeypatch.setattr(Deliverer, "some", some)
    with pytest.raises(AssertionError):
        reports_arrive_in_order([("down", 1, 1.0), (None, 1, 9.0)], tmp_path)


def test_a_file_belongs_to_one_client_at_a_time(network, path):
    with client_of(network, path) as first:
        for make in (Client, AsyncClient):
            with pytest.raises(StoreInUse, match="belongs to one client at a time"):
                make(URL, transport=network, spool=path)
        network.always = "down"
        assert first.player("it").tell([1.0, 0.0], key="a") is Receipt.SPOOLED
    client_of(network, path).close()


def test_files_that_are_no_spool_are_left_as_they_are(network, path):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE things (name TEXT)")
    other.close()
    with pytest.raises(StoreFailed, match="it is a database of another program"):
        client_of(network, path)
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 20)
    with pytest.raises(StoreFailed, match="cannot be used"):
        client_of(network, path)
    with pytest.raises(StoreFailed):
        client_of(network, path.parent / "nowhere" / "spool.db")
    later = path.with_name("later.db")
    client_of(network, later).close()
    with sqlite3.connect(later) as other:
        other.execute("PRAGMA user_version = 2")
    other.close()
    with pytest.raises(StoreFailed, match="made by a later version"):
        client_of(network, later)


def test_commits_are_durable(path):
    box = Outbox(path)
    assert box._rows("PRAGMA synchronous") == [(2,)]
    assert box._rows("PRAGMA journal_mode") == [("wal",)]
    box.close()
    with pytest.raises(StoreFailed, match="closed database"):
        box.add("it", "tell", [b"{}"], 1)


def test_what_cannot_be_kept_is_not_said_to_be(network, path, monkeypatch):
    with client_of(network, path) as client:
        network.always = "down"
        client._courier.outbox._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreFailed, match="cannot be used"):
            client.player("it").tell([1.0, 0.0], key="a")
        assert client.spooled == 0


def test_threads_share_a_client_with_a_spool(path):
    service = Served()
    network, times = Network(service), Times()
    service.store.create("it", LEARNER)
    with client_of(network, path, times) as client:
        knob, problems = client.player("it"), []

        def work(name):
            try:
                for number in range(25):
                    key = f"{name}-{number}"
                    service.store["it"].ask(key=key)
                    network.always = "down" if number % 5 == name else None
                    knob.tell([0.5, number / 8], key=key)
                    times.now += 0.5
            except BaseException as problem:
                problems.append(problem)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        network.always = None
        client.flush()
        assert (client.spooled, client.refused()) == (0, [])
    keys = [key for _, key in told(network)]
    assert sorted(keys) == sorted(f"{name}-{number}" for name in range(5) for number in range(25))
    service.store.close()


CHILD = """
import sys, threading, time
import httpx
from belated.client import Client
from belated.client.outbox import Outbox

path, first, hasty = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "hasty"
if hasty:
    add = Outbox.add
    def later(*given):
        threading.Timer(0.05, add, given).start()
    Outbox.add = later

def away(request):
    raise httpx.ConnectError("away")

knob = Client("http://belated.test", transport=httpx.MockTransport(away), spool=path).player("it")
for number in range(10_000):
    knob.tell([0.5, number / 8], key=f"{first}-{number}")
    print(f"{first}-{number}", flush=True)
"""


def kept_after_kills(path, way, runs):
    """Everything that ``tell`` has returned for is delivered later, although the process was killed each time."""
    heard, service = [], Served()
    service.store.create("it", LEARNER)
    for run in range(runs):
        command = [sys.executable, "-c", CHILD, str(path), str(run), way]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            lines = [process.stdout.readline() for _ in range(5 + 30 * run)]
            process.kill()
            lines += process.stdout.readlines()
        heard += [line.strip() for line in lines if line.endswith("\n")]
    for key in heard:
        service.store["it"].ask(key=key)
    network = Network(service)
    with client_of(network, path) as client:
        client.flush()
        late = [each.values["decision"] for each in client.refused()]
        assert len(late) <= runs, "at most the one that each process was about to say is not known to the service"
    assert [key for _, key in told(network)] == heard
    service.store.close()


def test_what_tell_has_returned_for_survives_a_kill(path):
    kept_after_kills(path, "patient", runs=2)


def test_a_client_that_returns_before_the_commit_is_caught(path):
    with pytest.raises(AssertionError):
        kept_after_kills(path, "hasty", runs=1)
