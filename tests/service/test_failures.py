"""Stores that fail under the service: a server of PostgreSQL that stops at once, a full disk, a sync that fails."""

import tempfile
from contextlib import closing, suppress
from pathlib import Path

import pytest

import belated as bl
from belated.core.errors import StoreFailed
from belated.journal import open_store
from belated.journal.sqlite import SqliteStore
from belated.service.door import DurableStore
from belated.service.http.service import Service
from support.claims import CLIENTS, Client, Lost, begin, check_claims, everybody_works
from support.postgres import Databases, crash, hurried, started, stopped, when_free
from support.power_disk import Disk
from support.served import Within, serving
from support.visitors import Visitor, visiting


def test_a_server_that_stops_at_once_ends_the_service_and_loses_nothing():
    """Clients get errors, the process ends with a sentence, and the next one knows all that was acknowledged."""
    server = started(Path(tempfile.mkdtemp(prefix="belated-")))
    hurried(server)
    clients = [Client(number, 0) for number in range(CLIENTS)]
    with closing(Databases(server)) as databases:
        address = databases.new_address()
        with serving(address) as served:
            begin(served)
            everybody_works(clients, served, lambda: crash(server), 100)
            code, _, complained = served.ended()
            assert code == 1
            assert complained.startswith("belated serve: the journal has stopped, because events could not be stored")
            assert "Traceback" not in complained
        server.ensure_postgres_running()
        with closing(when_free(lambda: open_store(address))) as journal:
            assert check_claims(journal, clients) >= 50
        check_that_all_are_answered_again(address, served.key, clients)
    stopped(server)


def check_that_all_are_answered_again(address, key, clients):
    """A new service gives the same replies, also to requests that the last one has not answered."""
    with when_free(lambda: bl.open(address)) as store:
        visitor = Visitor(Service(store), key)
        served = Within(visitor)
        for client in clients:
            for request in [*client.told, *client.unanswered]:
                client.do(served, request, [served.connected()], lambda: None)
        visitor.close()
        check_claims(store.journal, clients)


@pytest.mark.parametrize("fault", ["full", "sync"])
@pytest.mark.parametrize("after", [0, 1, 30])
def test_a_faulty_disk_is_told_and_nothing_acknowledged_is_missing(tmp_path, fault, after):
    check_a_fault(tmp_path, SqliteStore, fault, after)


def check_a_fault(folder, store_class, fault, after):
    """Let a disk fail after some replies. What the system has kept in memory is gone then, as after a power cut."""
    disk, client, path = Disk(), Client("only", after), folder / "knob.db"
    with visiting(DurableStore(store_class(path, None, disk.connect))) as visitor:
        heard = 0

        def count():
            nonlocal heard
            heard += 1
            disk.fault = fault if heard >= after else None

        if not after:
            disk.fault = fault
        client.work(Within(visitor), count)
        disk.fault = None  # nothing is stored any more, although the disk is well again
        assert client.unanswered, "it goes on although nothing can be stored"
        refused = visitor.post("/v1/learners/price/ask", {"decision": "later"})
        assert (refused.status_code, refused.json()["error"]["type"]) == (503, "store_failed")
        ready = visitor.get("/readyz")
        assert (ready.status_code, ready.json()["status"]) == (503, "failed")
        assert visitor.get("/healthz").status_code == 200
        key = visitor.key
        left = disk.image()
    again = folder / "again"
    again.mkdir()
    for name, content in left.items():
        (again / Path(name).name).write_bytes(content)
    with closing(open_store(f"sqlite:///{again}/knob.db")) as journal:
        check_claims(journal, [client])
    check_that_all_are_answered_again(f"sqlite:///{again}/knob.db", key, [client])


class Forgiving(SqliteStore):
    """Broken: an error of the disk is passed over."""

    def append(self, events):
        with suppress(StoreFailed):
            super().append(events)


@pytest.mark.parametrize("fault", ["full", "sync"])
def test_a_store_that_passes_over_errors_is_caught(tmp_path, monkeypatch, fault):
    monkeypatch.setattr(Client, "work", hundred_requests)
    with pytest.raises(AssertionError):
        check_a_fault(tmp_path, Forgiving, fault, 5)


def hundred_requests(client, served, heard):
    """As :meth:`Client.work`, for a service that never ends."""
    connection = served.connected()
    with suppress(Lost):
        for _ in range(100):
            request = client.next_request()
            client.unanswered.append(request)
            client.do(served, request, [connection], heard)
            client.unanswered.pop()
