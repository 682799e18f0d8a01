"""What comes over a connection of ``belated serve``: what is no HTTP, half of it, or what may come only once."""

import json
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

    outgoing = Outgoing(Closed(), lambda: None)
    for head_is_next in (True, False, False):
        outgoing.head_is_next = head_is_next
        outgoing.write(b"HTTP/1.1 200 OK")
    outgoing.flush()


HEALTH = b"GET /healthz HTTP/1.1\r\nHost: it\r\n"
CREATE = b"POST /v1/learners HTTP/1.1\r\nHost: it\r\nContent-Type: application/json\r\n"

MALFORMED = {
    "noise": b"\x00\x01\x02\x03\r\n\r\n",
    "words": b"hello, is anybody there?\r\n\r\n",
    "TLS": bytes.fromhex("16030100c8010000c40303") + bytes(200),
    "preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
    "version": b"GET /healthz HTTP/7.3\r\nHost: it\r\n\r\n",
    "method": b"FETCH /healthz HTTP/1.1\r\nHost: it\r\n\r\n",
    "address": b"GET http://[::1 HTTP/1.1\r\nHost: it\r\n\r\n",
    "another address": b"CONNECT it:80 HTTP/1.1\r\nHost: it\r\n\r\n",
    "no ASCII": b"GET /\xff HTTP/1.1\r\nHost: it\r\n\r\n",
    "name of a header": HEALTH + b"a b: c\r\n\r\n",
    "header": HEALTH + b"X: a\0b\r\n\r\n",
    "folded header": HEALTH + b"X: a\r\n b\r\n\r\n",
    "length": CREATE + b"Content-Length: two\r\n\r\n{}",
    "negative length": CREATE + b"Content-Length: -2\r\n\r\n{}",
    "two lengths": CREATE + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "the same length twice": CREATE + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "length and chunks": CREATE + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "not chunked at last": CREATE + b"Transfer-Encoding: chunked, gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "large chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n",
}


@pytest.mark.parametrize("sent", MALFORMED.values(), ids=MALFORMED)
def test_what_is_no_http_is_refused_in_the_one_form(served, sent):
    with begun(served) as connection:
        connection.sendall(sent)
        check_refused(*all_replies(connection))


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", MALFORMED["chunk"]], ids=["head", "body"])
def test_what_is_no_http_is_refused_behind_the_replies_that_are_owed(served, sent):
    with begun(served) as connection:
        connection.sendall((HEALTH + b"\r\n") * 3 + sent)
        *owed, last = all_replies(connection)
        assert [head.split()[1] for head, _ in owed] == [b"200"] * 3
        check_refused(last)
    with begun(served) as connection:
        connection.sendall(HEALTH + b"\r\n")
        assert connection.recv(2**16).startswith(b"HTTP/1.1 200")
        connection.sendall(sent)
        check_refused(*all_replies(connection))


def test_a_body_that_goes_wrong_after_its_refusal_gets_no_second_one(served):
    with begun(served) as connection:
        connection.sendall(CREATE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n")
        assert connection.recv(2**16).startswith(b"HTTP/1.1 401")
        connection.sendall(b"zz\r\n")
        assert connection.recv(2**16) == b""


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        (b"Authorization: Bearer a\r\nAuthorization: Bearer KEY\r\n", "Authorization"),
        (b"Authorization: Bearer KEY\r\nauthorization: Bearer KEY\r\n", "Authorization"),
        (b"Content-Type: text/plain\r\nContent-Type: application/json\r\n", "Content-Type"),
        (b"Host: another\r\n", "Host"),
    ],
    ids=["two keys", "a key twice", "type", "host"],
)
def test_what_may_come_once_is_refused_twice(served, fields, name):
    with begun(served) as connection:
        fields = fields.replace(b"KEY", served.key.encode()) + b"Connection: close\r\n"
        connection.sendall(b"GET /v1/whoami HTTP/1.1\r\nHost: it\r\n" + fields + b"\r\n")
        ((head, body),) = all_replies(connection)
        assert head.startswith(b"HTTP/1.1 400")
        message = f"the header {name} must not come twice"
        assert json.loads(body) == {"error": {"type": "malformed", "message": message, "argument": None}}


def test_other_headers_may_come_twice(served):
    with begun(served) as connection:
        connection.sendall(HEALTH + b"Accept: a\r\nAccept: b\r\n\r\n")
        assert connection.recv(2**16).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(("in_head", "status"), [(None, 401), ("bl_wrong", 401), ("KEY", 422)])
@pytest.mark.parametrize("portions", [1, 2])
def test_headers_behind_a_body_are_nobodys(served, in_head, status, portions):
    """They come after the request was judged, or before that if all of it comes at once."""
    key = "" if in_head is None else f"Authorization: Bearer {in_head.replace('KEY', served.key)}\r\n"
    head = f"POST /v1/learners HTTP/1.1\r\nHost: it\r\n{key}Content-Type: application/json\r\nConnection: close\r\n"
    behind = f"Authorization: Bearer {served.key if status == 401 else 'bl_wrong'}\r\nContent-Type: text/plain\r\n"
    sent = [
        f"{head}Transfer-Encoding: chunked\r\n\r\n2\r\n".encode(),
        f"{{}}\r\n0\r\n{behind}Host: another\r\n\r\n".encode(),
    ]
    with begun(served) as connection:
        for each in sent if portions == 2 else [b"".join(sent)]:
            connection.sendall(each)
        assert connection.recv(2**16).startswith(b"HTTP/1.1 %d" % status)


@pytest.mark.parametrize("other", [b"websocket", b"h2c", b"anything/9"])
def test_no_other_protocol_is_spoken_and_what_follows_is_not_read(served, other):
    """A server may pass over an ``Upgrade``. Clients that try HTTP/2 in this way go on with HTTP/1.1."""
    fields = b"Connection: Upgrade\r\nUpgrade: " + other + b"\r\nSec-WebSocket-Version: 13\r\n"
    for path, status in ((b"/healthz", b"200"), (b"/v1/learners", b"401"), (b"/nothing", b"404")):
        with begun(served) as connection:
            connection.sendall(HEALTH.replace(b"/healthz", path) + fields + b"\r\n" + HEALTH)
            ((head, body),) = all_replies(connection)
            assert head.split()[1] == status
            assert b"\r\nconnection: close" in head
            assert json.loads(body)


def all_replies(connection):
    """Heads and bodies until the service closes."""
    said, found = b"", []
    while portion := connection.recv(2**16):
        said += portion
    while said:
        head, _, said = said.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        found.append((head, said[:length]))
        said = said[length:]
    return found


def check_refused(reply):
    head, body = reply
    status, *fields = head.decode().split("\r\n")
    assert status == "HTTP/1.1 400 Bad Request"
    named = dict(field.split(": ", 1) for field in fields)
    assert named.pop("date")
    assert named == {
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "connection": "close",
    }
    found = json.loads(body)["error"]
    assert (found["type"], found["argument"], set(found)) == ("malformed", None, {"type", "message", "argument"})


def begun(served):
    place = urlsplit(served.address)
    return socket.create_connection((place.hostname, place.port), timeout=PATIENCE)
