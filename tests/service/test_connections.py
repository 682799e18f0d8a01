"""Connections of ``belated serve``: anybody can begin a request, without a key, so nothing is kept of one for ever."""

import socket
from contextlib import closing
from urllib.parse import urlsplit

import pytest

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
    place = urlsplit(served.address)
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
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
