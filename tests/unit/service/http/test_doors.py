"""Who may do what: every route with no key, a wrong key, a key without its scope, and a key for another learner."""

import pytest

from belated.service.http.app import described_routes
from belated.service.http.calls import ANYBODY, NOBODY
from belated.service.keys import SCOPES
from support.visitors import visiting

ROUTES = described_routes()
GUARDED = [route for route in ROUTES if route.needs != NOBODY]
SCOPED = [route for route in GUARDED if route.needs != ANYBODY]


def label(route):
    return f"{route.method} {route.path}"


def path(route):
    return route.path.replace("{name}", "price").replace("{id}", "1")


@pytest.fixture(scope="module")
def visitor():
    with visiting() as visitor:
        yield visitor


def made_key(visitor, scopes, learners=None):
    reply = visitor.post("/v1/keys", {"label": "test", "scopes": scopes, "learners": learners})
    assert reply.status_code == 201
    return reply.json()["key"]


def everything(visitor):
    """All that could change."""
    journal = visitor.service.store.journal
    return {name: journal.end(name) for name in journal.streams()}


def refused(visitor, route, key, status, type):
    before = everything(visitor)
    reply = visitor.send(route.method, path(route), key=key, json={} if route.takes else None)
    assert (reply.status_code, reply.json()["error"]["type"]) == (status, type)
    assert everything(visitor) == before
    return reply


@pytest.mark.parametrize("route", GUARDED, ids=label)
def test_nothing_answers_without_a_key(visitor, route):
    reply = refused(visitor, route, "", 401, "unauthorized")
    assert reply.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("route", GUARDED, ids=label)
def test_nothing_answers_to_a_key_that_nobody_made(visitor, route):
    refused(visitor, route, visitor.key[:-1] + ("A" if visitor.key[-1] != "A" else "B"), 401, "unauthorized")


@pytest.mark.parametrize("route", SCOPED, ids=label)
def test_a_key_with_all_other_scopes_is_refused(visitor, route):
    others = [scope for scope in SCOPES if scope not in (route.needs, "admin")]
    refused(visitor, route, made_key(visitor, others), 403, "forbidden")


@pytest.mark.parametrize("route", [route for route in SCOPED if route.has_learner], ids=label)
def test_a_key_for_another_learner_is_refused(visitor, route):
    if route.needs == "admin":  # such a key is for all learners, so one with every other scope is tried
        refused(visitor, route, made_key(visitor, ["decide", "feedback", "read"], ["clicks"]), 403, "forbidden")
    else:
        refused(visitor, route, made_key(visitor, [route.needs], ["clicks"]), 403, "forbidden")


@pytest.mark.parametrize("route", SCOPED, ids=label)
def test_its_own_scope_opens_a_route(visitor, route):
    key = made_key(visitor, [route.needs])
    reply = visitor.send(route.method, path(route).replace("/keys/1", "/keys/none"), key=key, json={})
    assert reply.status_code not in (401, 403)


def test_without_a_key_only_health_and_the_empty_page_answer():
    assert {
        route.path for route in ROUTES if route.needs == NOBODY and not route.path.endswith((".js", ".css", ".svg"))
    } == {
        "/healthz",
        "/",
    }


def test_a_limited_key_sees_its_learners_only(visitor):
    key = made_key(visitor, ["read"], ["clicks", "later"])
    assert [each["name"] for each in visitor.get("/v1/learners", key=key).json()["learners"]] == ["clicks"]
    assert b'learner="price"' not in visitor.get("/metrics", key=key).content
    assert b'learner="price"' in visitor.get("/metrics").content


def test_a_removed_key_is_of_no_use(visitor):
    made = visitor.post("/v1/keys", {"label": "short", "scopes": ["read"]}).json()
    assert visitor.get("/v1/learners", key=made["key"]).status_code == 200
    removed = visitor.send("DELETE", f"/v1/keys/{made['id']}")
    assert removed.json()["removed"]
    assert visitor.get("/v1/learners", key=made["key"]).status_code == 401
    assert visitor.send("DELETE", f"/v1/keys/{made['id']}").status_code == 200
    assert visitor.send("DELETE", "/v1/keys/none").json()["error"]["type"] == "unknown_key"


FORM = "the header must have the form Authorization: Bearer KEY"


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (None, "a key is needed: Authorization: Bearer KEY"),
        ("KEY", FORM),
        ("Basic KEY", FORM),
        ("bearerKEY", FORM),
        ("Bearer", FORM),
        ("Bearer ", FORM),
        ("Bearer Bearer KEY", "this key is not known here, or was removed"),
    ],
)
def test_a_key_must_come_as_a_bearer(visitor, header, message):
    headers = {} if header is None else {"Authorization": header.replace("KEY", visitor.key)}
    reply = visitor.send("GET", "/v1/learners", key="", headers=headers)
    assert (reply.status_code, reply.json()["error"]["message"]) == (401, message)
    assert reply.headers["www-authenticate"] == "Bearer"


def test_the_journal_does_not_have_the_key(visitor):
    events = visitor.service.store.journal.read("#keys")
    assert all(visitor.key.encode() not in event.body for event in events)
    assert visitor.key not in visitor.get("/v1/keys").text
