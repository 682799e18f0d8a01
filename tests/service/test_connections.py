"""Connections of ``belated serve``: anybody can begin a request, without a key, so nothing is kept of one for ever."""

import socket
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from belated.service.http.connections import Outgoing
from support.served import PATIENCE, serving

CHUNKED = b"POST /v1/keys HTTP/1.1\r\nHost: it\r\nTransfer-Encoding: chunked\r\n\r\n1"


@pytest.fixture(scope="module")
def served():
    with serving("memory://") as served:
        yield served


@pytest.mark.parametrize(
    ("begin", "portion"),
    [
        (b"GET /", b"a" * 4096),
        (b"GET /healthz HTTP/1.1\r\nX: ", b"a" * 4096),
        (b"GET /healthz HTTP/1.1\r\n", b"X: a\r\n" * 512),
        (CHUNKED + b"\r\n{\r\n0\r\n", b"X: a\r\n" * 512),
        (CHUNKED + b";", b"a" * 4096),
    ],
    ids=["address", "header", "headers", "behind a body", "chunk"],
)
def test_a_head_that_does_not_end_is_refused(served, begin, portion):
    with begun(served) as connection:
        connection.sendall(begin)
        with pytest.raises(ConnectionError):
            connection.sendall(portion * 10_000)
    with closing(served.connected()) as another:
        assert served.done(another, "GET", "/v1/whoami")[0] == 200


def test_a_large_head_may_follow_a_large_body(served):
    headers = {"Authorization": f"Bearer {served.key}", "Content-Type": "application/json", "X-Large": "a" * 60_000}
    with closing(served.connected()) as connection:
        for body in (b" " * 1_000_000, b" " * 3_000_000):  # of which the second is refused unread
            connection.request("POST", "/v1/learners", body, headers)
            reply = connection.getresponse()
            assert (reply.status, bool(reply.read())) == (400 if len(body) < 2**20 else 413, True)
            connection.request("GET", "/v1/whoami", headers=headers)
            reply = connection.getresponse()
            assert (reply.status, bool(reply.read())) == (200, True)


def test_a_reply_is_one_packet(served):
    """Its head waits for its body. Each packet is read alone: this side reads as soon as something is there."""
    with begun(served) as connection:
        for _ in range(20):
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: it\r\n\r\n")
            assert connection.recv(2**16).endswith(b"}")


def test_a_reply_without_a_body_has_its_head(served):
    with begun(served) as connection:
        connection.sendall(b"HEAD /healthz HTTP/1.1\r\nHost: it\r\n\r\n")
        assert connection.recv(2**16).endswith(b"\r\n\r\n")
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: it\r\n\r\n")
        assert connection.recv(2**16).endswith(b"}")


def test_who_waits_for_a_word_before_the_body_gets_it_before_the_reply(served):
    head = f"POST /v1/learners HTTP/1.1\r\nHost: it\r\nAuthorization: Bearer {served.key}\r\nContent-Length: 2\r\n"
    with begun(served) as connection:
        connection.sendall(head.encode() + b"Content-Type: application/json\r\nExpect: 100-continue\r\n\r\n")
        assert connection.recv(2**16) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"{}")
        assert connection.recv(2**16).startswith(b"HTTP/1.1 422")


def test_requests_that_come_together_are_answered_in_turn(served):
    with begun(served) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: it\r\n\r\n" * 5 + b"HEAD / HTTP/1.0\r\nHost: it\r\n\r\n")
        said = b""
        while portion := connection.recv(2**16):  # until it is closed, as the last of them wants
            said += portion
    heads = said.count(b"HTTP/1.1 200")
    assert (heads, said.count(b'{"status"'), said.endswith(b"\r\n\r\n")) == (6, 5, True)


def test_nothing_is_written_to_somebody_who_has_left():
    """As when several requests came at once, and the client was gone before the first reply had ended."""

    class Closed:
        def is_closing(self):
            return True

        def write(self, data):
            raise RuntimeError("unable to perform operation on a closed transport")

        writelines = write

    outgoing = Outgoing(Closed())
    for head_is_next in (True, False, False):
        outgoing.head_is_next = head_is_next
        outgoing.write(b"HTTP/1.1 200 OK")
    outgoing.flush()


def begun(served):
    place = urlsplit(served.address)
    return socket.create_connection((place.hostname, place.port), timeout=PATIENCE)
