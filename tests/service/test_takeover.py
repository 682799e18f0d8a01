"""Two servers and one PostgreSQL: a server whose connections were ended says nothing that only its successor knows.

It may have been frozen meanwhile, and wake up with its memory as it was. A client works at both addresses in turn.
"""

import signal
import socket
from collections import Counter
from contextlib import ExitStack, closing, suppress
from http.client import HTTPException
from itertools import count
from threading import Event, Thread
from uuid import uuid4

import numpy as np
import pytest

from belated.client import Client
from belated.client.results import Receipt
from belated.client.retrying import Retries
from belated.core.errors import ServiceAway, StoreFailed
from belated.journal import open_store, verify
from support.served import serving
from support.visitors import PRICE

LEARNER = "price"


class Worker(Thread):
    """Tells and asks at several addresses in turn, with one spool, and notes every error that is not a failed store.

    At each address it first tells what was decided at the one before: a server that has been replaced must not say that
    there is no such decision. Asking comes last, since it is a write, by which a server would notice that it is lost.
    """

    def __init__(self, key, spool, *addresses):
        super().__init__()
        self.addresses, self._key, self._spool = addresses, key, spool
        self.ending, self.told, self.errors = Event(), [], []
        self.answered = Counter()

    def run(self):
        try:
            untold = []
            for turn in count():
                if self.ending.is_set():
                    return
                address = self.addresses[turn % len(self.addresses)]
                with Client(address, self._key, spool=self._spool, retries=Retries(tries=1), timeout=0.5) as client:
                    knob = client.player(LEARNER)
                    while untold:
                        assert knob.tell([1.0, 2.0], key=untold[0]) in (Receipt.NEW, Receipt.REPEATED, Receipt.SPOOLED)
                        self.told.append(untold.pop(0))
                    try:
                        untold = [knob.ask().key for _ in range(5)]
                        self.answered[address] += 1
                    except (ServiceAway, StoreFailed):
                        pass
        except BaseException as error:
            self.errors.append(error)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def lose_connections(databases):
    """End all connections of the one process that has a store open."""
    databases.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'belated' AND datname ="
        " current_database() AND pid <> pg_backend_pid()"
    )


def answers_of(worker, server):
    """Wait until a server has answered a worker."""
    while not worker.answered[server.address] and worker.is_alive():
        Event().wait(0.01)


def check_that_it_says_nothing(lost, successor):
    """A server that has lost its store knows nothing of a decision that its successor has made."""
    with closing(successor.connected()) as connection:
        status, asked = successor.done(connection, "POST", f"/v1/learners/{LEARNER}/ask", {"decision": str(uuid4())})
        assert status == 200
    for path, body in [
        (f"/v1/learners/{LEARNER}/tell", {"decision": asked["decision"], "feedback": [1.0, 2.0]}),
        (f"/v1/learners/{LEARNER}", None),
        ("/readyz", None),
    ]:
        with closing(lost.connected()) as connection, suppress(ConnectionError, HTTPException):  # or it has ended
            status, reply = lost.done(connection, "GET" if body is None else "POST", path, body)
            assert status == 503, reply


def taken_over_again_and_again(databases, folder, rounds, seed=0):
    """Let a new server take the store over, so often, while a client works. The reports that it has made."""
    address, spool, rng = databases.new_address(), folder / "spool.db", np.random.default_rng(seed)
    told = []
    with ExitStack() as stack:
        active = stack.enter_context(serving(address))
        with Client(active.address, active.key) as client:
            client.create(LEARNER, PRICE)
        for number in range(rounds):
            port = free_port()
            worker = Worker(active.key, spool, active.address)
            worker.start()
            try:
                answers_of(worker, active)
                frozen = number % 2 == 0
                if frozen:
                    active.process.send_signal(signal.SIGSTOP)
                worker.addresses = (
                    (f"http://127.0.0.1:{port}",) if frozen else (active.address, f"http://127.0.0.1:{port}")
                )
                Event().wait(rng.uniform(0.0, 0.1))
                lose_connections(databases)
                successor = stack.enter_context(serving(address, "--port", str(port), key=active.key))
                answers_of(worker, successor)
                if frozen:
                    active.process.send_signal(signal.SIGCONT)  # with the memory that it had
                    check_that_it_says_nothing(active, successor)
                    worker.addresses = (active.address, successor.address)
                assert active.ended()[0] == 1
            finally:
                worker.ending.set()
                worker.join()
            assert worker.errors == []
            told += worker.told
            active = successor
            with Client(active.address, active.key, spool=spool) as client:
                client.flush()
                assert (client.spooled, client.refused()) == (0, [])
        assert active.end()[0] == 0
    with closing(open_store(address)) as store:
        verify(store, LEARNER)
        learned = Counter(event.decision for event in store.read(LEARNER) if event.kind == "told")
    assert {name: learned[name] for name in told} == dict.fromkeys(told, 1)
    assert max(learned.values()) == 1
    return told


def test_a_server_that_has_lost_its_store_refuses_no_report_for_ever(databases, tmp_path):
    assert len(taken_over_again_and_again(databases, tmp_path, rounds=2)) >= 10


@pytest.mark.soak(sampled=False)
def test_a_store_is_taken_over_many_times(databases, tmp_path):
    """Twenty times; this takes some minutes."""
    assert len(taken_over_again_and_again(databases, tmp_path, rounds=20, seed=1)) >= 100
