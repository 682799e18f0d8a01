"""Requests that nobody should send: valid ones with something changed, and bytes that are nothing at all.

Everything is drawn from ``dice``, which has the methods of ``random.Random``. So Hypothesis can draw and shrink them,
and a soak can draw a million without it.
"""

import asyncio
import json
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import quote, unquote

import belated as bl
from belated.service.descriptions import written
from belated.service.http import wire
from belated.service.http.app import app, described_routes
from belated.service.http.service import Service
from belated.service.opening import opened_desks
from belated.service.snapshots import snapshot
from support.visitors import CLICKS, PRICE

ROUTES = described_routes()
OFTEN = [route for route in ROUTES for _ in range(1 if route.takes is None else 5)]
NOW = 1_800_000_000_000_000
LEARNERS = {
    "price": PRICE,
    "clicks": CLICKS,
    "ä b%?": {
        "algorithm": "dogd_sc",
        "arguments": {"domain": {"Box": {"lower": [0, 0], "upper": [1, 2]}}, "strong_convexity": 1},
    },
    "bandit": {
        "algorithm": "bdogd_sc_two_point",
        "arguments": {"domain": {"Ball": {"dim": 2}}, "strong_convexity": 2.0, "probe_radius": 0.1},
    },
    "late": {
        "algorithm": "squared",
        "arguments": {"bits": 6, "horizon": 60.0, "outcomes": "mean", "while_waiting": "hold"},
    },
}
DECISIONS = ["a", "b", "c", "d", "#2", "#3", "#", "ß☃", "x" * 200]
TEXTS = [
    "",
    " ",
    "\0",
    "a\nb",
    "\u202e",
    "☃",
    "𝔘",
    "\ufeff",
    "..",
    "/",
    "%",
    "#",
    "x" * 201,
    "y" * 11_000,
    "NaN",
    "1",
    "é",
]
NUMBERS = [0, 1, -1, 0.5, -0.0, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30, 10**400, 1e308, 5e-324]
WORDS = [
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"1E-999",
    b"-0",
    b"01",
    b"1.",
    b'"\\ud800"',
    b'"\\u0000"',
    b"0" * 5000,
    b"\xff",
]
MEDIA = [b"application/json; charset=latin-1", b"text/plain", b"APPLICATION/JSON ", b"", b"application/json\xff", b";"]
METHODS = ["GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS", "TRACE", "get", "\u00fcbel", ""]
LENGTHS = [
    b"-1",
    b"0",
    b"99999999999999999999",
    b"1e3",
    b"abc",
    b"",
    b" 5",
    b"5, 5",
    b"\xb2",
    b"9" * 5000,
    b"+7",
    b"1_0",
]


class Draft(NamedTuple):
    """A request as it comes out of a socket."""

    method: str
    path: bytes
    query: bytes
    headers: list[tuple[bytes, bytes]]
    body: list[bytes]
    route: str


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


def valid_bodies(kind):
    """Bodies that a route takes, most of which the learners here take, too."""
    ask = [{}, {"decision": "a"}, {"decision": "b", "features": {"page": "shoes", "n": 2}}, {"features": {"x": 0.5}}]
    tell = [
        {"decision": "a", "feedback": [0.5, -0.25]},
        {"decision": "b", "label": 1, "weight": 2.0},
        {"decision": "#2", "label": False, "report": "2"},
        {"decision": "c", "feedback": 0.5},
    ]
    return {
        wire.Ask: [*ask, {"decision": "c", "context": [1, 2]}],
        wire.Asks: [{"asks": ask}, {"asks": []}],
        wire.Tell: tell,
        wire.Tells: [{"tells": tell}],
        wire.GiveUp: [{"decision": "a"}, {"decision": "#2"}],
        wire.Create: [
            {"name": "new", "make": PRICE, "seed": 3, "initial": [0.5, 0], "settings": {"timeout": 60.0}},
            {"name": "clicks", "make": CLICKS},
            {"name": "made", "description": DESCRIPTION, "settings": {"late": "accept"}},
            {"name": "ranged", "ranges": {"ranges": {"price": [1, 9]}}},
            {"name": "of models", "make": LEARNERS["late"]},
        ],
        wire.Configure: [
            {"settings": {"timeout": 5.0, "outcome": [0.1, 0.1]}},
            {"settings": {"largest_move": 0.1, "lower": [-0.5, -0.5], "upper": [0.5, 0.5]}},
            {"settings": {"timeout": None}},
        ],
        wire.Pause: [{}, {"fixed": [0.1, 0.2]}, {"fixed": 0.5}],
        wire.Nothing: [{}],
        wire.MakeKey: [
            {"label": "web", "scopes": ["read"]},
            {"label": "w", "scopes": ["decide"], "learners": ["price"]},
        ],
    }[kind]


DESCRIPTION = json.loads(json.dumps(written(bl.dogd_sc(bl.Ball(2), 2.0))))


def odd_value(dice, depth=0):
    """A value of JSON that is seldom meant."""
    kind = dice.randrange(9 if depth < 3 else 6)
    if kind == 0:
        return dice.choice([None, True, False])
    if kind <= 2:
        return dice.choice(NUMBERS)
    if kind <= 4:
        return dice.choice(TEXTS)
    if kind == 5:
        return dice.choice([[], {}, [[]], {"": ""}, [1.0] * 3000, list(range(2)), nested(dice.choice([3, 30, 400]))])
    if kind == 6:
        return [odd_value(dice, depth + 1) for _ in range(dice.randrange(4))]
    if kind == 7:
        return {dice.choice(TEXTS): odd_value(dice, depth + 1) for _ in range(dice.randrange(3))}
    return dice.choice(DECISIONS)


def nested(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


def places(value, here=()):
    """The ways to everything in a value of JSON."""
    yield here
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from places(each, (*here, name))


def changed(dice, value):
    """A value with something in it replaced, removed or added."""
    value = json.loads(json.dumps(value))
    way = dice.choice(list(places(value)))
    if not way:
        return odd_value(dice) if dice.random() < 0.2 else {**value, dice.choice(TEXTS): odd_value(dice)}
    parent = value
    for name in way[:-1]:
        parent = parent[name]
    kind = dice.randrange(4)
    if kind == 0:
        del parent[way[-1]]
    elif kind == 1 and isinstance(parent, dict):
        parent[dice.choice([*TEXTS, "decision", "label", "feedback", "features"])] = parent.pop(way[-1])
    else:
        parent[way[-1]] = dice.choice(DECISIONS) if dice.random() < 0.3 else odd_value(dice)
    return value


def broken_bytes(dice, text):
    """Bytes with some of them changed, cut off, or put in."""
    for _ in range(dice.randrange(1, 4)):
        place = dice.randrange(len(text) + 1)
        kind = dice.randrange(4)
        if kind == 0:
            text = text[:place]
        elif kind == 1:
            text = text[:place] + bytes([dice.randrange(256)]) + text[place + 1 :]
        elif kind == 2:
            text = text[:place] + dice.choice(WORDS) + text[place:]
        else:
            text = text[:place] + text[place + dice.randrange(1, 9) :]
    return text


def body_of(dice, route):
    kind = dice.randrange(20)
    if route.takes is None or kind == 0:
        return dice.randbytes(dice.randrange(40)) if dice.random() < 0.3 else b""
    if kind == 1:
        return dice.choice([b"[" * 100_000, b'{"a":' * 50_000, b'{"decision":' + b"[" * 3000, b" " * 2000, b'"' * 99])
    value = dice.choice(valid_bodies(route.takes))
    for _ in range(dice.choice([0, 0, 1, 1, 1, 2, 3])):
        if isinstance(value, dict):
            value = changed(dice, value)
    text = json.dumps(value, ensure_ascii=dice.random() < 0.5).encode("utf-8", "surrogatepass")
    return broken_bytes(dice, text) if kind <= 6 else text


def path_of(dice, route):
    if dice.random() < 0.02:
        return quote(dice.choice(TEXTS)).encode() or b"/"
    odd = [
        b"%00",
        b"%2F",
        b"..",
        b"%2e%2e",
        b"%",
        b"%zz",
        b"%ff",
        b"%F0%9F%98%80",
        b"%23keys",
        b"z" * 300,
        b"",
        b"a;b=c",
    ]
    name = quote(dice.choice([*LEARNERS]), safe="").encode() if dice.random() < 0.93 else dice.choice(odd)
    number = dice.choice([b"2", b"3", b"none", *odd])  # the first key is the one that all requests have
    return route.path.encode().replace(b"{name}", name).replace(b"{id}", number)


def query_of(dice, route):
    if not route.query and dice.random() < 0.95:
        return b""
    names = [each.name for each in route.query] + (["limti", "", "a&b", "%00", "limit"] if dice.random() < 0.1 else [])
    values = [
        "a",
        "#2",
        "0",
        "5",
        "-1",
        "1001",
        "all",
        "open",
        "",
        "1_0",
        " 7 ",
        "٣",
        "9" * 5000,
        "\0",
        "☃",
        str(2**63),
    ]
    pairs = [f"{name}={quote(dice.choice([*values, *DECISIONS]))}" for name in names if dice.random() < 0.85]
    text = "&".join(pairs).encode()
    return broken_bytes(dice, text) if dice.random() < 0.1 else text


def headers_of(dice, key, body):
    media = b"application/json" if dice.random() < 0.95 else dice.choice(MEDIA)
    bearer = b"Bearer " + key.encode()
    if dice.random() < 0.03:
        bearer = dice.choice([b"", b"Bearer", b"Bearer \xff", b"Basic eDp5", bearer[:-1], b"bearer  " + key.encode()])
    length = str(len(body)).encode() if dice.random() < 0.95 else dice.choice(LENGTHS)
    found = [(b"host", b"service"), (b"content-type", media), (b"authorization", bearer), (b"content-length", length)]
    if dice.random() < 0.05:
        found.append((dice.choice([b"x-\xff", b"accept", b"range", b"content-type"]), dice.randbytes(5)))
    return [each for each in found if dice.random() < 0.99]


def draft(dice, key):
    """Any request: mostly almost right, so that it gets far."""
    route = dice.choice(OFTEN)
    body = body_of(dice, route)
    cut = dice.randrange(len(body) + 1) if dice.random() < 0.2 else len(body)
    method = route.method if dice.random() < 0.97 else dice.choice(METHODS)
    return Draft(
        method,
        path_of(dice, route),
        query_of(dice, route),
        headers_of(dice, key, body),
        [body[:cut], body[cut:]],
        f"{route.method} {route.path}",
    )


class Fuzzed:
    """A service in memory, whose clock stands still, and what it must never do."""

    def __init__(self, address="memory://"):
        self.store = bl.open(address, clock=lambda: NOW)
        self.service = Service(self.store)
        self.key = self.service.make_first_key()
        self._app = app(self.service)

    async def begin(self):
        """Make the learners, and some decisions that wait."""
        for name, make in LEARNERS.items():
            reply = await self.send(self._plain("/v1/learners", {"name": name, "make": make}))
            assert reply.status == 201, reply
        for name in LEARNERS:
            for decision in ("a", "b"):
                features = {"features": {"page": "shoes"}} if name in ("clicks", "late") else {}
                path = f"/v1/learners/{quote(name)}/ask"
                assert (await self.send(self._plain(path, {"decision": decision, **features}))).status == 200

    def _plain(self, path, values):
        headers = [(b"content-type", b"application/json"), (b"authorization", b"Bearer " + self.key.encode())]
        return Draft("POST", path.encode(), b"", headers, [json.dumps(values).encode()], path)

    async def send(self, request):
        """Hand a request over as a server does."""
        portions = [
            {"type": "http.request", "body": each, "more_body": place < len(request.body) - 1}
            for place, each in enumerate(request.body)
        ]
        sent = []

        async def receive():
            return portions.pop(0) if portions else {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": unquote(request.path.decode("latin-1")),
            "raw_path": request.path,
            "query_string": request.query,
            "root_path": "",
            "headers": request.headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        await self._app(scope, receive, send)
        start, *rest = sent
        return Answer(start["status"], dict(start["headers"]), b"".join(each.get("body", b"") for each in rest))

    def ends(self):
        journal = self.store.journal
        return {name: journal.end(name).number for name in journal.streams()}

    async def check(self, request):
        """Send a request, and raise unless the answer is one that may be given; its status."""
        before = self.ends()
        reply = await self.send(request)
        assert reply.status < 500, (request, reply)
        if reply.status >= 400:
            self._check_form(request, reply)
            for name, end in self.ends().items():
                new = list(self.store.journal.read(name, before.get(name, 0)))
                assert all(event.kind == "timed_out" for event in new), (request, reply, new)
                assert len(new) == end - before.get(name, 0)
        return reply.status

    def _check_form(self, request, reply):
        assert reply.headers[b"content-type"] == b"application/json", (request, reply)
        found = json.loads(reply.body)
        assert set(found) == {"error"}, (request, reply)
        assert set(found["error"]) == {"type", "message", "argument"}, (request, reply)
        assert isinstance(found["error"]["message"], str)

    def check_state(self):
        """Raise unless memory is what the events say."""
        again = opened_desks(self.store.journal)
        assert sorted(again) == self.store.names
        for name, desk in again.items():
            assert snapshot(desk.life) == snapshot(self.store.desk(name).life), name

    def close(self):
        self.store.close()


@contextmanager
def fuzzed(address="memory://"):
    """A service to be fuzzed, in a loop of its own."""
    with asyncio.Runner() as runner:
        found = Fuzzed(address)
        try:
            runner.run(found.begin())
            yield found, runner.run
        finally:
            found.close()
