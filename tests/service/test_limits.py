"""What connections may take: time for each part of a request, and how many there may be. Anybody can connect."""

import json
import resource
import socket
import time
from contextlib import ExitStack, closing
from itertools import count, islice
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

import belated as bl
from belated.client import Client, Receipt, Retries
from belated.core.errors import ServiceAway
from belated.service.http import connections
from belated.service.http.connections import LEAST, Limits, Room
from belated.service.http.serving import Certificate, room_for_connections
from support.served import PATIENCE, make_certificate, serving, serving_here

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: it\r\n\r\n"
HEAD, PACE, IDLE, _ = Limits()
LEARNER = bl.dogd(bl.Ball(2), lipschitz=3.0)


@pytest.fixture(scope="module")
def served():
    with serving_here() as served:
        yield served


@pytest.fixture
def few():
    with serving_here(Limits(connections=8)) as served:
        yield served


def begun(served):
    place = urlsplit(served.address)
    return socket.create_connection((place.hostname, place.port), timeout=PATIENCE)


def rest_of(connection):
    """Everything until the service closes."""
    said = b""
    try:
        while portion := connection.recv(2**16):
            said += portion
    except ConnectionResetError:
        pass
    return said


def healthy(connection):
    connection.sendall(HEALTH)
    return connection.recv(2**16).startswith(b"HTTP/1.1 200")


def check_too_slow(said):
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert b"\r\nconnection: close" in head
    assert json.loads(body)["error"]["type"] == "timeout"


def asking(served, size):
    head = f"POST /v1/learners HTTP/1.1\r\nHost: it\r\nAuthorization: Bearer {served.key}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n".encode()


@pytest.mark.parametrize("before", [b"", HEALTH], ids=["first", "second"])
@pytest.mark.parametrize("sent", [b"GE", HEALTH[:-2]])
def test_a_head_that_does_not_end_is_told_so(served, before, sent):
    with begun(served) as connection:
        if before:
            assert healthy(connection)
        connection.sendall(sent)
        served.wait_until(lambda room: [each._size for each in room.heads] == [len(sent)])
        served.pass_time(HEAD - 1)
        connection.sendall(b"T")  # which does not help
        served.wait_until(lambda room: [each._size for each in room.heads] == [len(sent) + 1])
        served.pass_time(2)
        check_too_slow(rest_of(connection))


@pytest.mark.parametrize("sent", [b"", b"\r\n"])
def test_who_says_nothing_is_told_nothing(served, sent):
    with begun(served) as connection:
        connection.sendall(sent)
        served.wait_until(lambda room: len(room.heads) == 1)
        served.pass_time(HEAD + 1)
        assert rest_of(connection) == b""


def test_a_handshake_that_does_not_end_is_closed_and_counted(tmp_path):
    certificate = Certificate(tmp_path / "chain.pem", tmp_path / "key.pem")
    make_certificate(*certificate)
    with serving_here(Limits(connections=8), certificate) as served, ExitStack() as stack:
        several = [stack.enter_context(begun(served)) for _ in range(10)]
        for connection in several[-2:]:
            connection.sendall(bytes.fromhex("16030100c8010000c40303"))
        for connection in several[:-4]:
            assert rest_of(connection) == b""
        served.wait_until(lambda room: len(room.heads) == 4)
        served.pass_time(HEAD + 1)
        for connection in several[-4:]:
            assert rest_of(connection) == b""
        served.wait_until(lambda room: not room.open)


def test_a_body_that_does_not_come_is_told_so_and_does_nothing(served):
    with begun(served) as connection:
        connection.sendall(asking(served, 100) + b"{")
        served.wait_until(lambda room: [each._came for each in room.bodies] == [1])
        served.pass_time(PACE - 1)
        connection.sendall(b'"')
        served.wait_until(lambda room: [each._came for each in room.bodies] == [2])
        served.pass_time(2)
        check_too_slow(rest_of(connection))
    served.wait_until(lambda room: not room.open)


def test_a_long_body_may_take_long_if_it_comes(served):
    with begun(served) as connection:
        connection.sendall(asking(served, 5 * LEAST))
        served.wait_until(lambda room: len(room.bodies) == 1)
        (seen,) = served.room.bodies
        for portion in range(1, 4):
            connection.sendall(b" " * LEAST)
            served.wait_until(lambda room, portion=portion: seen._came == portion * LEAST)
            served.pass_time(PACE + 1)
        assert list(served.room.bodies) == [seen]
        connection.sendall(b" " * (LEAST - 1))
        served.wait_until(lambda room: seen._came == 4 * LEAST - 1)
        served.pass_time(PACE + 1)
        check_too_slow(rest_of(connection))


def test_the_rest_of_a_body_that_was_refused_does_not_hold_a_connection(served):
    with begun(served) as connection:
        connection.sendall(b"POST /v1/learners HTTP/1.1\r\nHost: it\r\nContent-Length: 1000000000\r\n\r\n{")
        assert connection.recv(2**16).startswith(b"HTTP/1.1 401")
        served.wait_until(lambda room: len(room.idle) == 1)
        served.pass_time(IDLE - 1)
        connection.sendall(b" " * 2 * LEAST)
        served.pass_time(2)
        assert rest_of(connection) == b""


def test_an_idle_connection_is_closed_later_than_a_proxy_does_it(served):
    with begun(served) as connection:
        for _ in range(3):
            assert healthy(connection)
            served.wait_until(lambda room: len(room.idle) == 1)
            served.pass_time(61)
        served.pass_time(IDLE - 60)
        assert rest_of(connection) == b""


SCRIPT = b"GET /page.css HTTP/1.1\r\nHost: it\r\n\r\n"


def unread(served, stack, ending=b""):
    """A connection whose client reads nothing of many replies."""
    connection = stack.enter_context(socket.socket())
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**14)
    place = urlsplit(served.address)
    connection.settimeout(PATIENCE)
    connection.connect((place.hostname, place.port))
    connection.sendall(SCRIPT * 1000 + ending)
    served.wait_until(lambda room: len(room.unread) == 1)
    return connection


def test_who_does_not_read_a_reply_is_cut_off(served):
    with ExitStack() as stack:
        unread(served, stack)
        served.pass_time(PACE - 1)
        assert len(served.room.unread) == 1
        served.pass_time(2)
        served.wait_until(lambda room: not room.open)
    with closing(served.connected()) as another:
        assert served.done(another, "GET", "/v1/whoami")[0] == 200


def test_who_reads_slowly_is_not_cut_off(served):
    with ExitStack() as stack:
        connection = unread(served, stack)
        for _ in range(5):
            served.pass_time(PACE - 1)
            read = 0
            while read < 2 * LEAST:
                read += len(connection.recv(2**14))
            served.wait_until(lambda room: len(room.unread) == 1)
    served.wait_until(lambda room: not room.open)


def test_of_too_many_without_a_head_the_oldest_are_closed(few):
    with ExitStack() as stack:
        working = stack.enter_context(begun(few))
        assert healthy(working)
        many = []
        for number in range(20):
            many.append(stack.enter_context(begun(few)))
            many[-1].sendall(HEALTH[:number])
            assert healthy(working)
        for connection in many[:-4]:
            assert rest_of(connection) == b""
        for number, connection in enumerate(many[-4:], 16):
            connection.sendall(HEALTH[number:])
            assert connection.recv(2**16).startswith(b"HTTP/1.1 200")


def test_of_too_many_in_use_the_longest_idle_are_closed(few):
    with ExitStack() as stack:
        many = []
        for number in range(12):
            many.append(stack.enter_context(begun(few)))
            assert healthy(many[-1])
            few.wait_until(lambda room, number=number: len(room.idle) == min(8, number + 1))
            few.pass_time(0.1)
            assert healthy(many[0])  # which is never the longest idle
            few.wait_until(lambda room, number=number: len(room.idle) == min(8, number + 1))
        for connection in many[1:5]:
            assert rest_of(connection) == b""
        for connection in (many[0], *many[5:]):
            assert healthy(connection)


class Somebody:
    """A connection that only stands in a room."""

    def __init__(self, room, place):
        self._room, self.place, self.ended = room, room.heads, False
        room.enter(self)
        room.move(self, place)

    def abort(self):
        self._room.leave(self)
        self.ended = True


def test_who_has_kept_us_waiting_longest_is_closed_first_and_nobody_whose_request_is_complete(monkeypatch):
    room, clock = Room(Limits(connections=100)), count()
    monkeypatch.setattr(connections, "monotonic", lambda: next(clock))
    places = (room.working, room.bodies, room.closing, room.idle, room.heads, room.idle, room.working)
    several = [Somebody(room, place) for place in places]
    closed = []
    for _ in range(10):
        room.close_one()
        closed += [number for number, each in enumerate(several) if each.ended and number not in closed]
    assert closed == [1, 2, 3, 4, 5]
    assert list(room.working) == [several[0], several[6]]


def test_nobody_is_overdue_while_the_loop_had_no_time_to_read(monkeypatch):
    with serving_here() as served, begun(served) as connection:
        served.wait_until(lambda room: len(room.heads) == 1)
        overdue = []
        monkeypatch.setattr(type(next(iter(served.room.heads))), "overdue", lambda *given: overdue.append(given))
        served._clock[0] += HEAD + 1
        served.room._swept = 0.0
        connection.sendall(HEALTH)
        assert connection.recv(2**16)
    assert overdue == []


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of another process cannot be set here")
def test_a_process_that_had_no_free_file_accepts_again():
    """Room is left for others, so this happens only if they open more. Whoever comes meanwhile is closed at once."""
    with serving("memory://") as served:
        process = served.process.pid
        before = resource.prlimit(process, resource.RLIMIT_NOFILE)
        used = len(list(Path(f"/proc/{process}/fd").iterdir()))
        resource.prlimit(process, resource.RLIMIT_NOFILE, (used + 10, before[1]))
        with ExitStack() as stack:
            several = [stack.enter_context(begun(served)) for _ in range(40)]
            assert [rest_of(connection) for connection in several[-20:]] == [b""] * 20
        until = time.monotonic() + PATIENCE
        while not is_well(served):
            assert time.monotonic() < until


def is_well(served):
    try:
        with closing(served.connected()) as connection:
            return served.done(connection, "GET", "/healthz")[0] == 200
    except ConnectionError:  # those before are just being closed
        return False


@pytest.mark.parametrize(
    ("files", "raised", "found"),
    [
        ((1024, 1024), (1024, 1024), 896),
        ((1024, 4096), (4096, 4096), 3968),
        ((1024, 2**20), (10_128, 2**20), 10_000),
        ((2**20, 2**20), None, 10_000),
        ((100, 100), (100, 100), 50),
        ((1024, resource.RLIM_INFINITY), (10_128, resource.RLIM_INFINITY), 10_000),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), None, 10_000),
    ],
)
def test_there_is_room_for_what_files_may_be_open(monkeypatch, files, raised, found):
    said = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: files)
    monkeypatch.setattr(resource, "setrlimit", lambda which, values: said.append(values))
    assert room_for_connections() == found
    assert said == [raised] * (raised is not None)


@pytest.mark.parametrize("end", ["close", "abort"])
def test_a_client_whose_connection_is_closed_as_it_sends_loses_nothing(served, monkeypatch, tmp_path, end):
    """As when it was idle for so long that the service closed it just then. A spool delivers with one try."""

    def closing(connection, data):
        monkeypatch.undo()
        getattr(connection.transport, end)()

    knob = f"knob {end}"
    learner = served.store.create(knob, LEARNER)
    for key in "abc":
        learner.ask(key=key)
    with Client(served.address, served.key, spool=tmp_path / "spool.db", timeout=PATIENCE) as client:
        player = client.player(knob)
        monkeypatch.setattr(HttpToolsProtocol, "data_received", closing)
        assert player.ask(key="d").key == "d"
        monkeypatch.setattr(HttpToolsProtocol, "data_received", closing)
        assert player.tell([1.0, 0.0], key="a") is Receipt.SPOOLED
        client.flush()
        assert client.spooled == 0
    with Client(served.address, served.key, timeout=PATIENCE, retries=Retries(tries=1)) as client:
        player = client.player(knob)
        player.tell([1.0, 0.0], key="b")
        monkeypatch.setattr(HttpToolsProtocol, "data_received", closing)
        with pytest.raises(ServiceAway):
            player.tell([1.0, 0.0], key="c")
        assert player.tell([1.0, 0.0], key="c") is Receipt.NEW
        assert player.tell([1.0, 0.0], key="a") is Receipt.REPEATED


@pytest.mark.parametrize("times", [1, 3])
def test_a_journal_is_not_read_for_somebody_who_has_left(served, monkeypatch, times):
    served.store.create("long", LEARNER).ask(key="a")

    def endless(store, stream, after=0):
        (event,) = islice(original(store, stream, 1), 1)
        while True:
            yield event

    original = type(served.store.journal).read
    monkeypatch.setattr(type(served.store.journal), "read", endless)
    with begun(served) as connection:
        request = f"GET /v1/learners/long/journal HTTP/1.1\r\nHost: it\r\nAuthorization: Bearer {served.key}\r\n\r\n"
        connection.sendall(request.encode() * times)
        assert connection.recv(2**16)
    served.wait_until(lambda room: not room.open)
    served.wait_until(lambda room: not served.tasks)
