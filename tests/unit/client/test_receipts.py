"""Something else answers in the place of the service: nothing is taken for a receipt, and no report is lost.

Every call of both clients is tried with every kind of reply. The list of calls is compared with the classes, so that a
new call must come here.
"""

import asyncio
import inspect
import json
import socketserver
import threading

import httpx
import pytest

import belated as bl
from belated.client import AsyncClient, Client, Receipt, Retries, calls
from belated.core.errors import OutsideRange, ServiceAway, ServiceFailed
from belated.service.http.app import app
from belated.service.http.service import Service
from support.remote import URL, Network, Served, Times, refusal

LATER = 100.0
"""Seconds after which the client tries again, and takes decisions back."""

ONCE = Retries(tries=1)

LEARNER = {"algorithm": "dogd", "arguments": {"domain": {"Ball": {"dim": 2}}, "lipschitz": 3.0}}


async def each(names):
    return [name async for name in names]


CALLS = {
    "create": lambda client, keys: client.create("it", LEARNER),
    "__getitem__": lambda client, keys: client["it"],
    "names": lambda client, keys: client.names(),
    "__iter__": lambda client, keys: list(iter(client)),
    "__len__": lambda client, keys: len(client),
    "__aiter__": lambda client, keys: each(client),
    "ask": lambda client, keys: client.player("it").ask(key=f"new-{keys[0]}"),
    "ask_many": lambda client, keys: client.player("it").ask_many(3),
    "tell": lambda client, keys: client.player("it").tell([1.0, 0.5], key=keys[0]),
    "tell_many": lambda client, keys: client.player("it").tell_many((key, [1.0, 0.5]) for key in keys),
    "predict": lambda client, keys: client.predictor("clicks").predict({"page": "a"}, f"new-{keys[0]}"),
    "predict_many": lambda client, keys: client.predictor("clicks").predict_many([{"page": "a"}] * 3),
    "learn": lambda client, keys: client.predictor("clicks").learn(keys[0], 1),
    "learn_many": lambda client, keys: client.predictor("clicks").learn_many([(key, 1) for key in keys], report="r"),
    "give_up": lambda client, keys: client.player("it").give_up(keys[0]),
    "summary": lambda client, keys: client.player("it").summary(),
    "configure": lambda client, keys: client.player("spare").configure(timeout=5.0),
    "pause": lambda client, keys: client.player("spare").pause([0.5, 0.0]),
    "resume": lambda client, keys: client.player("spare").resume(),
    "archive": lambda client, keys: client.player("old").archive(),
}
"""Every call that sends a request of its own, with three decisions that nobody has told of."""

REPORTS = {"tell": "it", "tell_many": "it", "learn": "clicks", "learn_many": "clicks", "give_up": "it"}
"""Calls that go to the spool, and whom they are about."""

NO_CALLS = {"player", "predictor", "spooled", "refused", "flush", "close"}
"""What sends no request, or only those of reports that wait."""

LIFE = {"__init__", "__enter__", "__exit__", "__aenter__", "__aexit__"}

ONE_KIND = {"__iter__": Client, "__len__": Client, "__aiter__": AsyncClient}


def verbs():
    """The calls of everything that ``belated.client`` has, but for plain values."""
    found = set()
    for name in bl.client.__all__:
        kind = getattr(bl.client, name)
        bases = [] if issubclass(kind, tuple | int) else kind.__mro__[:-1]
        for name, each in (item for base in bases for item in vars(base).items()):
            private = name.startswith("_") and not (name.startswith("__") and name not in LIFE)
            if not private and (callable(each) or isinstance(each, property)):
                found.add(name)
    return found


def of(status=200, **content):
    return lambda request: httpx.Response(status, **content)


def another(request):
    """A reply to any call, in the form of the service, but about another decision of another learner."""
    said = json.loads(request.content or b"{}")
    one = {"decision": "another", "duplicate": False, "learned": True, "round": 1, "points": [[0.5, 0.5]], "value": 0.5}
    count = next((len(each) for each in said.values() if isinstance(each, list)), 1)
    told = {"name": "another", "kind": "learner", "algorithm": "dogd", "paused": False, "archived": False}
    return httpx.Response(200, json={**one, **told, "settings": {}, "replies": [one] * count})


ERROR = {"type": "unknown_decision", "message": "no", "argument": None}

FOREIGN = {
    "a page": of(html="<html>Sign in</html>"),
    "nothing": of(),
    "{}": of(json={}),
    "[]": of(json=[]),
    "null": of(json=None),
    "a number": of(json=7),
    "a text": of(json="ok"),
    "success": of(json={"status": "ok", "replies": [{}, {}, {}], "learners": [{}]}),
    "many of nothing": of(json={"replies": {"a": 1, "b": 2, "c": 3}, "learners": {}}),
    "an error": of(json={"error": ERROR}),
    "an error in words": of(json={"error": "unknown_decision"}),
    "another": another,
    "an echo": lambda request: httpx.Response(200, content=request.content),
    "deep": of(content=b"[" * 100_000),
    "deep in its place": of(content=b'{"decision":' * 900 + b"1" + b"}" * 900),
    "no text": of(content=b'{"decision":"\xff"}'),
    "huge": of(content=b'{"decision":"' + b"a" * 2**18 + b'"}'),
    "huge numbers": of(content=b'{"decision":' + b"9" * 5000 + b"}"),
    "created, a page": of(201, html="<html>"),
    "no content": of(204),
    "elsewhere": of(302, headers={"Location": "https://sign.in/?then=/v1"}),
    "elsewhere for ever": of(301, headers={"Location": "/v2"}),
    "elsewhere, with the body": of(307, headers={"Location": f"{URL}/v2"}),
    "401, a page": of(401, html="<html>"),
    "403, in words": of(403, json={"error": {"type": "forbidden", "message": "no"}}),
    "404, a page": of(404, html="<html>"),
    "404, in words": of(404, json={"error": "not found"}),
    "404, another form": of(404, json={"error": {"type": "unknown_decision"}}),
    "404, another type": lambda request: refusal(404, "no_such_route"),
    "409, the type of a 404": lambda request: refusal(409, "unknown_decision"),
    "422, another form": of(422, json={"detail": [{"loc": ["body"], "type": "missing"}]}),
    "500, the type of a 409": lambda request: refusal(500, "already_answered"),
    "503, the type of a 404": lambda request: refusal(503, "unknown_learner"),
}


@pytest.fixture(scope="module")
def service():
    service = Served()
    for name in ("it", "spare", "old"):
        service.store.create(name, bl.dogd(bl.Ball(2), lipschitz=3.0))
    service.store.create("clicks", bl.models.logistic(bits=4, horizon=1e9, while_waiting="hold", outcomes="last"))
    yield service
    service.store.close()


def asked(service, name, learner, count=3):
    """Decisions that were made, and of which nothing was told."""
    keys = [f"{name}-{number}" for number in range(count)]
    for key in keys:
        if learner == "it":
            service.store["it"].ask(key=key)
        else:
            service.store["clicks"].predict({"page": "a"}, key)
    return keys


def answered(service, learner, name=""):
    """The decisions that begin so and were told of or given up, in order, each as often as that was done."""
    events = service.store._store.read(learner)
    return [each.decision for each in events if each.kind in ("told", "given_up") and each.decision.startswith(name)]


async def done(found):
    return await found if inspect.isawaitable(found) else found


def made(kind, network, times, spool=None):
    timing = times.timing(in_loop=kind is AsyncClient)
    return kind(URL, transport=network, timing=timing, retries=ONCE, spool=spool)


def both(test):
    return pytest.mark.parametrize("kind", [Client, AsyncClient])(test)


def test_every_call_is_tried():
    assert verbs() == CALLS.keys() | NO_CALLS


@pytest.mark.parametrize(
    ("call", "kind"),
    [(call, kind) for call in CALLS for kind in (Client, AsyncClient) if kind is ONE_KIND.get(call, kind)],
)
def test_nothing_but_a_reply_to_a_call_is_taken_for_one(call, kind, service):
    network, times = Network(service), Times(f"direct-{call}-{kind.__name__}")
    keys = asked(service, times.ids, REPORTS.get(call, "it"))

    async def tried():
        client = made(kind, network, times)
        for name, network.always in FOREIGN.items():
            with pytest.raises((ServiceFailed, ServiceAway), match="does not come from a service of belated") as info:
                await done(CALLS[call](client, keys))
            assert type(info.value) is ServiceFailed or name.startswith("503"), name
        assert answered(service, REPORTS.get(call, "it"), times.ids) == []
        network.always = None
        return await done(CALLS[call](client, keys)), await done(client.close())

    found, _ = asyncio.run(tried())
    assert found == {"tell": Receipt.NEW, "learn": Receipt.NEW}.get(call, found)


@both
@pytest.mark.parametrize("call", REPORTS)
def test_a_report_waits_until_a_receipt_of_it_has_come(call, kind, service, tmp_path):
    network, times = Network(service), Times(f"spooled-{call}-{kind.__name__}")
    wanted = []

    async def tried():
        client = made(kind, network, times, tmp_path / "spool.db")
        for number, (name, foreign) in enumerate(FOREIGN.items()):
            keys = asked(service, f"{times.ids}-{number}", REPORTS[call])
            network.always, count = foreign, 3 if call.endswith("_many") else 1
            wanted.extend(keys[:count])
            found = await done(CALLS[call](client, keys))
            spooled = {1: Receipt.SPOOLED, 3: [Receipt.SPOOLED] * 3}[count]
            assert found == (None if call == "give_up" else spooled), name
            with pytest.raises((ServiceFailed, ServiceAway)):
                await done(client.flush())
            assert (client.spooled, await done(client.refused())) == (count, []), name
            network.always = None
            await done(client.flush())
            assert (client.spooled, await done(client.refused())) == (0, []), name
        await done(client.close())

    asyncio.run(tried())
    assert answered(service, REPORTS[call], times.ids) == wanted


@both
def test_a_decision_is_taken_back_until_a_receipt_of_that_has_come(kind, service):
    async def tried(number, foreign):
        network, times = Network(service), Times()
        client, key = made(kind, network, times), f"taken-{kind.__name__}-{number}"

        def heard(request):
            service(request)
            return foreign(request)

        network.always = heard
        play = await done(client.player("it").ask(key=key, fallback=[0.5, 0.25]))
        assert (play.fallback, play.point.tolist()) == (True, [0.5, 0.25])
        times.now += LATER
        network.always = foreign
        with pytest.raises((ServiceFailed, ServiceAway)):
            await done(client.flush())
        assert client._courier.outbox.pending == 1
        network.always = None
        await done(client.flush())
        assert (client._courier.outbox.pending, await done(client.refused())) == (0, [])
        await done(client.close())
        return key

    async def all_of_them():
        return [await tried(number, foreign) for number, foreign in enumerate(FOREIGN.values())]

    assert asyncio.run(all_of_them()) == answered(service, "it", f"taken-{kind.__name__}")


def eight_reports(service, foreign, folder, name):
    """A program reports while something else has the address, and the service comes back."""
    network, times, keys = Network(service), Times(), asked(service, name, "it", 8)
    network.always = foreign
    with made(Client, network, times, folder / f"{name}.db") as client:
        for number, key in enumerate(keys):
            assert client.player("it").tell([0.5, number / 8], key=key) is Receipt.SPOOLED
            times.now += LATER
        assert (client.spooled, client.refused()) == (8, [])
    network.always = None
    with made(Client, network, times, folder / f"{name}.db") as client:
        assert client.spooled == 8
        client.flush()
        assert (client.spooled, client.refused()) == (0, [])
    assert answered(service, "it", name) == keys


@pytest.mark.parametrize("what", ["a page", "{}", "an error", "another", "404, another form"])
def test_reports_to_something_else_are_all_learned_once_when_the_service_is_back(what, service, tmp_path):
    eight_reports(service, FOREIGN[what], tmp_path, f"eight-{what}")


def test_a_client_that_does_not_look_at_receipts_is_caught(service, tmp_path, monkeypatch):
    monkeypatch.setattr(calls, "answer", lambda verb, content, reply: reply)
    with pytest.raises(AssertionError):
        eight_reports(service, FOREIGN["{}"], tmp_path, "careless")


GOOD = {"decision": "d", "duplicate": False}


@pytest.mark.parametrize(
    ("verb", "said", "reply"),
    [
        ("tell", {}, {**GOOD, "learned": True, "decision": "e"}),
        ("tell", {}, {**GOOD, "learned": True, "decision": None}),
        ("tell", {}, {"duplicate": False, "learned": True}),
        ("tell", {}, {**GOOD, "learned": 1}),
        ("tell", {}, {**GOOD, "learned": True, "duplicate": "no"}),
        ("tell", {}, {"decision": "d", "learned": True}),
        ("tell", {}, GOOD),  # of a give-up
        ("tell", {}, {**GOOD, "points": [[0.5, 0.5]], "round": 1}),  # of an ask
        ("tell", {}, {**GOOD, "learned": True, "report": "2"}),
        ("tell", {"report": "2"}, {**GOOD, "learned": True}),
        ("tell", {"report": "2"}, {**GOOD, "learned": True, "report": "3"}),
        ("give-up", {}, {**GOOD, "decision": "e"}),
        ("give-up", {}, {**GOOD, "learned": True}),
        ("give-up", {}, {**GOOD, "points": [[0.5, 0.5]], "round": 1}),
        ("give-up", {}, {**GOOD, "value": 0.5}),
        ("give-up", {}, {"decision": "d"}),
        ("ask", {}, {"decision": "d"}),
        ("ask", {}, {**GOOD, "decision": "e"}),
    ],
)
def test_a_reply_to_something_else_about_a_decision_is_none(verb, said, reply):
    content = json.dumps({"decision": "d", **said}).encode()
    with pytest.raises(ValueError, match=r"it is about|Expected|missing"):
        calls.answer(verb, content, reply)


def test_a_receipt_names_one_of_several_reports(service, tmp_path):
    """The same decision, and a receipt of the report before: the second one was not delivered."""
    network, times = Network(service), Times()
    (key,) = asked(service, "several", "clicks", 1)
    with made(Client, network, times, tmp_path / "spool.db") as client:
        clicks, old = client.predictor("clicks"), []

        def noted(request):
            old.append(service(request).content)
            return httpx.Response(200, content=old[-1])

        network.always = noted
        assert clicks.learn(key, 0, report="first") is Receipt.NEW
        network.always = lambda request: httpx.Response(200, content=old[0])
        assert clicks.learn(key, 1, report="second") is Receipt.SPOOLED
        assert clicks.learn(key, 1) is Receipt.SPOOLED
        with pytest.raises(ServiceFailed):
            client.flush()
        assert client.spooled == 2
        network.always = None
        client.flush()
        assert (client.spooled, client.refused()) == (0, [])
    reports = [each.key for each in service.store._store.read("clicks") if (each.kind, each.decision) == ("told", key)]
    assert reports == ["first", "second", "1"]


def with_more(values):
    """The same values as a later version of the service may send them."""
    if isinstance(values, list):
        return [with_more(each) for each in values]
    if isinstance(values, dict):
        return {"later": {"than": ["this"]}, **{name: with_more(each) for name, each in values.items()}}
    return values


@pytest.mark.parametrize("call", [name for name in CALLS if ONE_KIND.get(name) is not AsyncClient])
def test_replies_may_have_fields_that_are_not_known(call, service):
    def later(request):
        reply = service(request)
        return httpx.Response(reply.status_code, json=with_more(reply.json()))

    network, times = Network(service), Times(f"later-{call}")
    keys = asked(service, times.ids, REPORTS.get(call, "it"))
    network.always = later
    with made(Client, network, times) as client:
        CALLS[call](client, keys)
        with pytest.raises(bl.errors.UnknownDecision):
            client.player("it").tell([1.0, 1.0], key="nobody")


SPOILED = {
    "fewer": lambda replies: replies[:-1],
    "more": lambda replies: [*replies, replies[0]],
    "none": lambda replies: [],
    "in another order": lambda replies: replies[::-1],
    "one twice": lambda replies: [replies[0], *replies[:-1]],
    "one of nothing": lambda replies: [None, *replies[1:]],
    "one that is a list": lambda replies: [["error"], *replies[1:]],
    "one of another": lambda replies: [{**replies[0], "decision": "another"}, *replies[1:]],
}


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.parametrize("call", ["ask_many", "predict_many", "tell_many", "learn_many"])
def test_replies_to_many_are_one_for_each_in_their_order(call, how, service, tmp_path):
    def spoiled(request):
        reply = service(request).json()
        if "replies" in reply:  # which those that take a decision back have not
            reply["replies"] = SPOILED[how](reply["replies"])
        return httpx.Response(200, json=reply)

    network, times = Network(service), Times(f"spoiled-{call}-{how}")
    keys = asked(service, times.ids, REPORTS.get(call, "it"))
    network.always = spoiled
    with made(Client, network, times) as client, pytest.raises(ServiceFailed):
        CALLS[call](client, keys)
    if call in REPORTS:
        with made(Client, network, times, tmp_path / "spool.db") as client:
            assert CALLS[call](client, keys) == [Receipt.SPOOLED] * 3
            with pytest.raises(ServiceFailed):
                client.flush()
            assert (client.spooled, client.refused()) == (3, [])
            network.always = None
            client.flush()
            assert (client.spooled, client.refused()) == (0, [])
        assert answered(service, REPORTS[call], times.ids) == keys


HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"

RAW = {
    "a page": HEAD + b"Content-Type: text/html\r\n\r\n<html>",
    "no gzip": HEAD + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
    "cut off": HEAD + b'Content-Length: 900\r\n\r\n{"decision":"d"',
    "odd length": HEAD + b"Content-Length: many\r\n\r\n{}",
    "odd portions": HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}",
    "odd place": HEAD.replace(b"200 OK", b"302 Found") + b"Location: http://[/\r\nContent-Length: 0\r\n\r\n",
    "odd encoding": HEAD + b"Content-Type: text/html; charset=klingon\r\nContent-Length: 2\r\n\r\n\xff\xfe",
    "no HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
    "silence": b"",
}


@both
def test_what_is_not_even_a_reply_is_no_receipt_either(kind, service, tmp_path):
    """Over sockets, where a reply may be broken in more ways."""
    says = b""

    class Foreign(socketserver.StreamRequestHandler):
        def handle(self):
            while self.rfile.readline().strip():
                pass
            self.wfile.write(says)

    async def tried(address):
        nonlocal says
        times = Times()
        timing = times.timing(in_loop=kind is AsyncClient)
        direct = kind(address, retries=ONCE)
        keeping = kind(address, retries=ONCE, spool=tmp_path / "spool.db", timing=timing)
        for number, reply in enumerate(RAW.values()):
            says = reply
            with pytest.raises((ServiceFailed, ServiceAway)):
                await done(direct.player("it").tell([1.0, 0.5], key=f"raw-{number}"))
            assert await done(keeping.player("it").tell([1.0, 0.5], key=f"raw-{number}")) is Receipt.SPOOLED
            with pytest.raises((ServiceFailed, ServiceAway)):
                await done(keeping.flush())
            assert (keeping.spooled, await done(keeping.refused())) == (number + 1, [])
            times.now += LATER
        await done(direct.close())
        await done(keeping.close())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Foreign) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        asyncio.run(tried(f"http://127.0.0.1:{server.server_address[1]}"))
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "told", [lambda knob: knob.tell([33.0], key="a"), lambda knob: knob.tell_many([("a", [33.0])])]
)
def test_a_value_outside_of_the_declared_range_is_told_once_by_a_warning(told):
    with bl.open("memory://") as store:
        service = Service(store)
        key = service.make_first_key()
        with Client("http://service", key, transport=httpx.ASGITransport(app(service))) as client:
            knob = client.create("price", {"ranges": {"lower": [5], "upper": [20], "values": [-20, 0], "rounds": 100}})
            for name in "ab":
                knob.ask(key=name)
            with pytest.warns(OutsideRange, match=r"^'price': .*33"):
                told(knob)
            knob.tell([34.0], key="b")  # warnings are errors here


def test_a_warning_that_is_an_error_comes_when_the_report_is_settled(tmp_path):
    """Warnings are errors here. The report has been learned, so it neither waits nor counts as something foreign."""
    with bl.open("memory://") as store:
        service = Service(store)
        transport = httpx.ASGITransport(app(service))
        with Client("http://service", service.make_first_key(), transport=transport, spool=tmp_path / "s.db") as client:
            knob = client.create("price", {"ranges": {"lower": [5], "upper": [20], "values": [-20, 0], "rounds": 100}})
            knob.ask(key="a")
            with pytest.raises(OutsideRange):
                knob.tell([33.0], key="a")
            assert client.spooled == 0
            assert knob.tell([33.0], key="a") is Receipt.REPEATED


FOREIGN_HEADERS = [
    (302, [("Location", "http://xn--/")]),
    (200, [("Set-Cookie", b"naam=caf\xe9")]),
    (200, [("Set-Cookie", f"c{number}={'x' * 3900}; Path=/") for number in range(50)]),
]


@pytest.mark.parametrize(("status", "headers"), FOREIGN_HEADERS, ids=["redirect", "cookie", "cookies"])
def test_headers_of_something_foreign_neither_lose_a_report_nor_stay_with_the_client(tmp_path, status, headers):
    """A redirect to what is no address, and cookies, which would be sent to the service from then on."""
    seen = []

    def answer(request):
        seen.append(dict(request.headers))
        return httpx.Response(status, headers=headers, text="<html>")

    async def scenario():
        async with AsyncClient(URL, "bl_key", transport=httpx.MockTransport(answer), retries=ONCE) as client:
            for _ in range(2):
                with pytest.raises((ServiceFailed, ServiceAway)):
                    await client.player("it").tell([1.0, 0.5], key="a")

    with Client(
        URL, "bl_key", transport=httpx.MockTransport(answer), retries=ONCE, spool=tmp_path / "spool.db"
    ) as client:
        for number in range(3):
            assert client.player("it").tell([1.0, 0.5], key=str(number)) is Receipt.SPOOLED
        assert client.player("it").ask(fallback=[0.0, 0.0]).fallback
        assert (client.spooled, client.refused()) == (3, [])
    asyncio.run(scenario())
    assert len(seen) > 3
    assert not any("cookie" in each for each in seen)
