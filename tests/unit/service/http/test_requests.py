"""What a request may look like, and the one form in which it is refused otherwise."""

import asyncio
import json

import pytest

from belated.core import errors
from belated.service.http import running
from belated.service.http.app import app, described_routes
from belated.service.http.problems import INTERNAL, body_of, status_of
from support.visitors import CLICKS, PRICE, visiting


@pytest.fixture
def visitor():
    with visiting() as visitor:
        yield visitor


def ends(visitor):
    journal = visitor.service.store.journal
    return {name: journal.end(name) for name in journal.streams()}


def error(reply):
    found = reply.json()["error"]
    assert set(found) == {"type", "message", "argument"}
    return reply.status_code, found["type"]


BAD_BODIES = [
    (b"", "application/json", 422),  # an empty body is {}, in which the decision is missing
    (b"{", "application/json", 400),
    (b"\xff\xfe", "application/json", 400),
    (b'{"decision":"a","feedback":' + b"[" * 100_000, "application/json", 422),
    (b"NaN", "application/json", 400),
    (b'{"decision":"a","feedback":NaN}', "application/json", 400),
    (b'{"decision":"a","feedback":[Infinity,1]}', "application/json", 400),
    (b'{"decision":"a","feedback":[1e999,1]}', "application/json", 422),
    (b'{"decision":"a","feedback":[1e300,1]}', "application/json", 422),
    (b'{"decision":"a","feedback":[1]}', "application/json", 422),
    (b'{"decision":"a","feedback":"1"}', "application/json", 422),
    (b'{"decision":"a"}', "application/json", 422),
    (b'{"decision":"a","label":1}', "application/json", 422),
    (b'{"decision":"","feedback":[1,2]}', "application/json", 422),
    (b'{"decision":1,"feedback":[1,2]}', "application/json", 422),
    (b'{"decision":"' + b"x" * 201 + b'","feedback":[1,2]}', "application/json", 422),
    (b'{"decision":"a","feedback":[1,2],"report":"\\u0000"}', "application/json", 422),
    (b'{"decision":"\\ud800","feedback":[1,2]}', "application/json", 400),
    (b'{"decision":"a","feedback":[1,2],"wieght":1}', "application/json", 422),
    (b'{"decision":"a","feedback":[1,2]}', "text/plain", 415),
    (b'{"decision":"a","feedback":[1,2]}', "", 415),
    (b"[]", "application/json", 422),
    (b'"' + b"x" * 2**20 + b'"', "application/json", 413),
]


@pytest.mark.parametrize(("body", "media", "status"), BAD_BODIES, ids=[str(body[:40]) for body, _, _ in BAD_BODIES])
def test_a_bad_body_is_refused_whole(visitor, body, media, status):
    assert visitor.post("/v1/learners/price/ask", {"decision": "a"}).status_code == 200
    before = ends(visitor)
    reply = visitor.send("POST", "/v1/learners/price/tell", content=body, headers={"Content-Type": media})
    assert reply.status_code == status
    assert error(reply)[0] == status
    assert ends(visitor) == before
    assert visitor.post("/v1/learners/price/tell", {"decision": "a", "feedback": [1, 2]}).json()["learned"]


def test_a_body_that_is_nested_too_deeply_is_refused(visitor):
    body, media = b'{"settings":' + b'{"a":' * 100_000, {"Content-Type": "application/json"}
    assert error(visitor.send("POST", "/v1/learners/price/configure", content=body, headers=media)) == (
        400,
        "malformed",
    )


def test_a_body_that_does_not_tell_its_length_is_cut_off(visitor):
    sent = 0

    async def portions():
        nonlocal sent
        for _ in range(40):
            sent += 1
            yield b" " * 2**16

    reply = visitor.send(
        "POST", "/v1/learners/price/ask", content=portions(), headers={"Content-Type": "application/json"}
    )
    assert error(reply) == (413, "too_large")
    assert sent < 20


@pytest.mark.parametrize("sent", [[], [b""], [b"{"], [b'{"decision":"x"', b"}"]])
def test_a_request_that_is_cut_off_does_nothing(visitor, sent):
    before, replies = ends(visitor), []
    messages = [{"type": "http.request", "body": each, "more_body": True} for each in sent]
    coming = iter([*messages, {"type": "http.disconnect"}])
    scope = {"type": "http", "method": "POST", "path": "/v1/learners/price/ask", "query_string": b""}
    headers = [(b"authorization", f"Bearer {visitor.key}".encode()), (b"content-type", b"application/json")]

    async def receive():
        return next(coming)

    async def send(message):
        replies.append(message)

    visitor.run(app(visitor.service)({**scope, "headers": headers}, receive, send))
    assert replies[0]["status"] == 400
    assert ends(visitor) == before


def test_unknown_things_are_not_found(visitor):
    assert error(visitor.get("/v1/nothing")) == (404, "not_found")
    assert error(visitor.get("/v1/learners/")) == (404, "not_found")
    assert error(visitor.post("/v1/learners/nobody/ask")) == (404, "unknown_learner")
    assert error(visitor.post("/v1/learners/price/give-up", {"decision": "a"})) == (404, "unknown_decision")
    assert error(visitor.get("/v1/learners/price/decision?id=a")) == (404, "unknown_decision")
    assert error(visitor.get("/page/../service.py")) == (404, "not_found")
    assert error(visitor.get("/v1/learners/%23keys")) == (404, "unknown_learner")
    assert error(visitor.get("/v1/learners/%23keys/journal")) == (404, "unknown_learner")


def test_a_wrong_method_names_the_right_ones(visitor):
    reply = visitor.send("PUT", "/v1/learners")
    assert error(reply) == (405, "method_not_allowed")
    assert reply.headers["allow"] == "GET, POST"


LIMIT, STATUS = "`limit` must be a whole number from 1 to 1000", "`status` must be all or open"


@pytest.mark.parametrize(
    ("query", "message", "argument"),
    [
        ("limit=0", LIMIT, "limit"),
        ("limit=x", LIMIT, "limit"),
        ("limit=1001", LIMIT, "limit"),
        ("limit=", LIMIT, "limit"),
        ("status=closed", STATUS, "status"),
        ("limit=1&status=", STATUS, "status"),
        ("limti=1", "`limti`: there is no such argument here; did you mean limit?", "limti"),
    ],
)
def test_arguments_in_the_address_are_checked(visitor, query, message, argument):
    reply = visitor.get(f"/v1/learners/price/decisions?{query}")
    assert error(reply) == (422, "invalid_argument")
    assert reply.json()["error"] == {"type": "invalid_argument", "message": message, "argument": argument}


WORDS = [
    ("learners/price/ask", {"decison": "a"}, "there is no field `decison` here; did you mean decision?", "decison"),
    (
        "learners/price/ask",
        {"x": 1},
        "there is no field `x` here; there are decision, context, features",
        "x",
    ),
    (
        "learners/price/tell-many",
        {"tells": [{"decision": "a"}, {"decision": "a", "wieght": 1}]},
        "there is no field `wieght` here; did you mean weight?",
        "wieght",
    ),
    (
        "learners/price/ask",
        {"x` - at `$.y": 1},
        "there is no field `x` here; there are decision, context, features",
        "x",
    ),
    ("learners/price/tell", {"feedback": [1, 2]}, "`decision` must be given", "decision"),
    ("learners/price/tell", {"decision": "a"}, "`feedback` must be given", "feedback"),
    ("learners/clicks/tell", {"decision": "a"}, "`label` must be given", "label"),
    ("learners/clicks/ask", {}, "`features` must be given", "features"),
    (
        "keys",
        {"label": "x", "scopes": ["read", "decided"]},
        "`scopes` must be one of admin, decide, feedback, read, not 'decided'",
        "scopes",
    ),
    ("learners/price/ask", {"decision": 5}, "Expected `str | null`, got `int` - at `$.decision`", "decision"),
]


@pytest.mark.parametrize(("path", "body", "message", "argument"), WORDS, ids=[message for _, _, message, _ in WORDS])
def test_a_wrong_body_is_told_what_it_should_be(visitor, path, body, message, argument):
    visitor.post("/v1/learners/price/ask", {"decision": "a"})
    visitor.post("/v1/learners/clicks/ask", {"decision": "a", "features": {"page": "shoes"}})
    before = ends(visitor)
    reply = visitor.post(f"/v1/{path}", body)
    assert reply.status_code == 422
    assert reply.json()["error"] == {"type": "invalid_argument", "message": message, "argument": argument}
    assert ends(visitor) == before


def test_a_missing_argument_in_the_address_is_named(visitor):
    assert "`id`" in visitor.get("/v1/learners/price/decision").json()["error"]["message"]


def test_a_batch_has_at_most_a_thousand_items_and_takes_the_bad_ones_alone(visitor):
    many = [{"decision": f"d{number}"} for number in range(1000)]
    replies = visitor.post("/v1/learners/price/ask-many", {"asks": many}).json()["replies"]
    assert [reply["decision"] for reply in replies] == [item["decision"] for item in many]
    assert error(visitor.post("/v1/learners/price/ask-many", {"asks": [*many, {}]})) == (422, "invalid_argument")
    tells = [
        {"decision": "d0", "feedback": [0.5, 0.5]},
        {"decision": "nobody", "feedback": [0.5, 0.5]},
        {"decision": "d1", "feedback": [0.5]},
        {"decision": "d0", "feedback": [0.5, 0.5]},
        {"decision": "d0", "feedback": [1.5, 0.5]},
        {"decision": "d2", "feedback": [0.5, 0.5]},
    ]
    found = visitor.post("/v1/learners/price/tell-many", {"tells": tells}).json()["replies"]
    assert [reply.get("error", {}).get("type") for reply in found] == [
        None,
        "unknown_decision",
        "invalid_argument",
        None,
        "already_answered",
        None,
    ]
    assert found[3] == {"decision": "d0", "learned": True, "duplicate": True}


def test_a_batch_gives_the_decisions_of_single_requests(visitor):
    other = {"name": "other", "make": PRICE}
    assert visitor.post("/v1/learners", other).status_code == 201
    asks = [{"decision": f"d{number}"} for number in range(20)]
    tells = [{"decision": f"d{number}", "feedback": [0.1 * number, 0.3]} for number in range(0, 20, 3)]
    visitor.post("/v1/learners/price/ask-many", {"asks": asks})
    visitor.post("/v1/learners/price/tell-many", {"tells": tells})
    for item in asks:
        visitor.post("/v1/learners/other/ask", item)
    for item in tells:
        visitor.post("/v1/learners/other/tell", item)
    after = [visitor.post(f"/v1/learners/{name}/ask", {"decision": "z"}).json() for name in ("price", "other")]
    assert after[0] == after[1]
    assert after[0]["points"] != [[0.0, 0.0]]


def test_decisions_of_a_batch_may_not_have_too_many_numbers(visitor):
    large = {**PRICE, "arguments": {"domain": {"Ball": {"dim": 40_000}}, "strong_convexity": 2.0}}
    assert visitor.post("/v1/learners", {"name": "large", "make": large}).status_code == 201
    assert error(visitor.post("/v1/learners/large/ask-many", {"asks": [{}] * 51})) == (413, "too_large")
    assert len(visitor.post("/v1/learners/large/ask-many", {"asks": [{}] * 2}).json()["replies"]) == 2


def test_asking_again_returns_the_same_and_with_something_else_conflicts(visitor):
    path, body = "/v1/learners/clicks/ask", {"decision": "v1", "features": {"page": "shoes"}}
    first, again = visitor.post(path, body).json(), visitor.post(path, body).json()
    assert {**first, "duplicate": True} == again
    assert not first["duplicate"]
    assert error(visitor.post(path, {**body, "features": {"page": "hats"}})) == (409, "already_answered")
    told = {"decision": "v1", "label": 1}
    assert visitor.post("/v1/learners/clicks/tell", told).json() == {
        "decision": "v1",
        "learned": True,
        "duplicate": False,
    }
    assert visitor.post("/v1/learners/clicks/tell", told).json()["duplicate"]
    other = visitor.post("/v1/learners/clicks/tell", {**told, "label": 0})
    assert error(other) == (409, "already_answered")
    assert other.json()["error"]["message"] == "`tell`: 'v1' was told something else before"
    assert error(visitor.post("/v1/learners/clicks/give-up", {"decision": "v1"})) == (409, "already_answered")


def test_creating_again_is_a_duplicate_and_another_one_conflicts(visitor):
    again = visitor.post("/v1/learners", {"name": "price", "make": PRICE})
    assert (again.status_code, again.json()["duplicate"]) == (200, True)
    assert error(visitor.post("/v1/learners", {"name": "price", "make": CLICKS})) == (409, "name_taken")
    for name in ("", "#x", "a/b", ".", "..", "x" * 201, "a\nb"):
        assert error(visitor.post("/v1/learners", {"name": name, "make": PRICE})) == (422, "invalid_argument")
    for body in ({}, {"name": "x"}, {"name": "x", "make": PRICE, "ranges": {}}, {"name": "x", "make": {}}):
        assert error(visitor.post("/v1/learners", body)) == (422, "invalid_argument")


def test_a_paused_learner_decides_the_same_and_an_archived_one_nothing(visitor):
    paused = visitor.post("/v1/learners/price/pause", {"fixed": [0.25, 0.5]}).json()
    assert paused["paused"]
    reply = visitor.post("/v1/learners/price/ask").json()
    assert (reply["points"], reply["paused"]) == ([[0.25, 0.5]], True)
    assert error(visitor.post("/v1/learners/price/pause", {"fixed": [9, 9]})) == (422, "invalid_argument")
    assert not visitor.post("/v1/learners/price/resume").json()["paused"]
    assert visitor.post("/v1/learners/price/resume").json()["duplicate"]
    visitor.post("/v1/learners/price/configure", {"settings": {"timeout": 5.0}})
    assert visitor.get("/v1/learners/price").json()["settings"]["timeout"] == 5.0
    assert error(visitor.post("/v1/learners/price/configure", {"settings": {"tiemout": 5.0}}))[0] == 422
    assert visitor.post("/v1/learners/price/archive").json()["archived"]
    assert error(visitor.post("/v1/learners/price/ask")) == (409, "archived")


def test_the_life_of_a_decision_is_told_from_ask_to_answer(visitor):
    visitor.post("/v1/learners/price/ask", {"decision": "a"})
    visitor.post("/v1/learners/price/tell", {"decision": "a", "feedback": [1, 2]})
    life = visitor.get("/v1/learners/price/decision?id=a").json()
    assert [event["kind"] for event in life["events"]] == ["asked", "told"]
    assert life["status"] == "answered"
    listed = visitor.get("/v1/learners/price/decisions?status=open").json()["decisions"]
    assert listed == []
    assert [each["decision"] for each in visitor.get("/v1/learners/price/decisions").json()["decisions"]] == ["a"]


def test_the_journal_comes_as_lines_that_another_store_takes(visitor):
    from belated.journal import import_lines, open_store

    for number in range(5):
        visitor.post("/v1/learners/price/ask", {"decision": f"{number}"})
    text = visitor.get("/v1/learners/price/journal").text
    store = open_store("memory://")
    assert import_lines(store, text.splitlines()) == 6
    assert list(store.read("price")) == list(visitor.service.store.journal.read("price"))
    tail = visitor.get("/v1/learners/price/journal?after=4").text.splitlines()
    assert [json.loads(line)["number"] for line in tail] == [5, 6]


def test_heads_of_gets_are_answered_and_every_reply_has_its_safeguards(visitor):
    reply = visitor.send("HEAD", "/healthz")
    assert reply.status_code == 200
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in visitor.get("/").headers["content-security-policy"]


def test_for_a_head_the_journal_is_not_read(visitor, monkeypatch):
    monkeypatch.setattr(running, "line_of", lambda event: pytest.fail("somebody has read an event"))
    assert visitor.send("HEAD", "/v1/learners/price/journal").status_code == 200


def test_every_error_of_the_library_has_a_status():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.BelatedError)]
    for kind in kinds:
        made = kind.__new__(kind)
        assert status_of(made) is not INTERNAL
    assert status_of(ValueError("secret")) is INTERNAL
    assert "secret" not in body_of(ValueError("secret")).message


def test_one_value_may_be_told_as_a_number(visitor):
    ranges = {"lower": [5.0], "upper": [20.0], "values": [0.0, 100.0], "rounds": 1000}
    assert visitor.post("/v1/learners", {"name": "knob", "ranges": ranges}).status_code == 201
    for name in ("a", "b"):
        visitor.post("/v1/learners/knob/ask", {"decision": name})
    assert visitor.post("/v1/learners/knob/tell", {"decision": "a", "feedback": 37.5}).json()["learned"]
    assert visitor.post("/v1/learners/knob/tell", {"decision": "b", "feedback": [12.5]}).json()["learned"]
    assert visitor.get("/v1/learners/knob").json()["loss"]["mean"] == 25.0


def test_a_learner_that_was_interrupted_confirms_nothing_and_begins_again_from_its_journal(visitor, monkeypatch):
    store = visitor.service.store
    visitor.post("/v1/learners/price/ask", {"decision": "a"})
    broken, tell = store.desk("price"), {"decision": "a", "feedback": [0.5, 0.5]}

    def judge(*arguments):
        raise ZeroDivisionError("behind the learner")

    renew, waiting = store.renew, []
    monkeypatch.setattr(broken.life, "_judge", judge)
    monkeypatch.setattr(store, "renew", waiting.append)
    assert visitor.post("/v1/learners/price/tell", tell).status_code == 500
    for verb, body in (("tell", tell), ("ask", {"decision": "a"}), ("ask", {}), ("give-up", {"decision": "a"})):
        assert error(visitor.post(f"/v1/learners/price/{verb}", body)) == (503, "store_failed")
    while not waiting:  # it is renewed beside the loop
        visitor.run(asyncio.sleep(0.001))
    assert waiting == ["price"]
    renew("price")
    assert store.desk("price") is not broken
    assert visitor.post("/v1/learners/price/tell", tell).json() == {
        "decision": "a",
        "learned": True,
        "duplicate": False,
    }


def test_an_error_that_nobody_has_foreseen_is_told_as_one_and_logged(visitor, monkeypatch, caplog):
    def broken(*arguments):
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(type(visitor.service.store), "decide", broken)
    reply = visitor.post("/v1/learners/price/ask")
    assert error(reply) == (500, "internal")
    assert "inside" not in reply.text
    assert "inside" in caplog.text


def test_requests_are_counted_by_route_and_status(visitor):
    visitor.post("/v1/learners/price/ask")
    visitor.post("/v1/learners/price/ask", {"decison": "a"})
    text = visitor.get("/metrics").text
    assert 'belated_requests_total{route="POST /v1/learners/{name}/ask",status="200"} 1.0' in text
    assert 'belated_requests_total{route="POST /v1/learners/{name}/ask",status="422"} 1.0' in text
    assert 'belated_asked_total{learner="price"} 1.0' in text
    assert 'belated_pending{learner="price"} 1.0' in text


def test_a_clock_behind_the_journal_is_in_the_metrics_and_leaves_the_service_ready():
    clock = [10**12]
    with visiting(clock=lambda: clock[0]) as visitor:
        assert visitor.get("/readyz").json() == {"status": "ready", "clock_behind_seconds": 0.0}
        clock[0] -= 65_500_000
        reply = visitor.get("/readyz")
        assert (reply.status_code, reply.json()) == (200, {"status": "ready", "clock_behind_seconds": 65.5})
        reader = visitor.post("/v1/keys", {"label": "x", "scopes": ["read"], "learners": ["clicks"]}).json()["key"]
        for key in (None, reader):
            assert "belated_clock_behind_seconds 65.5" in visitor.get("/metrics", key=key).text.splitlines()


WARNED = "is outside of the values from -20 to 0 that were declared. It was learned as it is."


def test_a_reply_says_that_a_value_is_outside_of_the_declared_range(visitor):
    path, ranges = "/v1/learners/knob", {"lower": [5], "upper": [20], "values": [-20, 0], "rounds": 100}
    assert visitor.post("/v1/learners", {"name": "knob", "ranges": ranges}).status_code == 201
    visitor.post(f"{path}/ask-many", {"asks": [{"decision": each} for each in "abcd"]})
    plain = {"decision": "a", "learned": True, "duplicate": False}
    assert visitor.post(f"{path}/tell", {"decision": "a", "feedback": [-11.5]}).json() == plain
    first = visitor.post(f"{path}/tell", {"decision": "b", "feedback": 11.5}).json()
    again = visitor.post(f"{path}/tell", {"decision": "b", "feedback": 11.5}).json()
    assert first["warning"].startswith(f"11.5 {WARNED}")
    assert again == {**first, "duplicate": True}
    tells = [{"decision": "c", "feedback": [0]}, {"decision": "d", "feedback": [-20.5]}]
    inside, outside = visitor.post(f"{path}/tell-many", {"tells": tells}).json()["replies"]
    assert inside == {**plain, "decision": "c"}
    assert outside["warning"].startswith(f"-20.5 {WARNED}")
    found = visitor.get(path).json()["outside"]
    assert (found["count"], found["values"], found["last"]) == (2, [-20.0, 0.0], -20.5)
    events = list(visitor.service.store.journal.read("knob"))
    assert [json.loads(event.body) for event in events if event.kind == "told" and event.decision == "b"] == [
        {"given": {"feedback": 11.5}}
    ]


def test_what_is_only_noted_has_no_warning(visitor):
    path, ranges = "/v1/learners/knob", {"lower": [5], "upper": [20], "values": [-20, 0], "rounds": 100}
    visitor.post("/v1/learners", {"name": "knob", "ranges": ranges})
    visitor.post(f"{path}/pause", {"fixed": [12]})
    visitor.post(f"{path}/ask", {"decision": "a"})
    reply = visitor.post(f"{path}/tell", {"decision": "a", "feedback": [11.5]}).json()
    assert reply == {"decision": "a", "learned": False, "duplicate": False}


def test_every_route_is_described_once():
    routes = described_routes()
    pairs = [(route.method, route.path) for route in routes]
    assert len(pairs) == len(set(pairs))
    with visiting() as visitor:
        paths = visitor.get("/openapi.json").json()["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert described == set(pairs)


def test_a_batch_has_no_more_features_than_the_others_can_wait_for(visitor):
    visitor.post("/v1/learners", {"name": "words", "make": {"algorithm": "logistic", "arguments": {"bits": 8}}})
    wide = {f"f{number}": 1 for number in range(16_000)}
    before = ends(visitor)
    assert error(visitor.post("/v1/learners/words/ask-many", {"asks": [{"features": wide}] * 7})) == (413, "too_large")
    assert error(visitor.post("/v1/learners/words/ask", {"features": {"a": [[]] * 1000}})) == (422, "invalid_argument")
    assert ends(visitor) == before
    replies = visitor.post("/v1/learners/words/ask-many", {"asks": [{"features": {"a": None, "b": True}}, {}]}).json()
    assert ["error" in each for each in replies["replies"]] == [False, True]
