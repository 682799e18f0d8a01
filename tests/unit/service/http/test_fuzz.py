"""Requests that nobody should send: never a 500, never a change without a 2xx, always the one form of errors."""

import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.service.desk import Desk
from belated.service.http import endpoint
from support.asgi import Draft
from support.fuzzing import ROUTES, draft, fuzzed

CHUNK, CHUNKS = 2000, 500


def check(seed, count, address="memory://"):
    """Send so many requests to a new service; how often each status came, and the routes that were tried."""
    dice, statuses, routes = random.Random(seed), {}, set()
    with fuzzed(address) as (service, run):

        async def send_all():
            for _ in range(count):
                request = draft(dice, service.key)
                status = await service.check(request)
                statuses[status] = statuses.get(status, 0) + 1
                routes.add(request.route)

        run(send_all())
        service.check_state()
    return statuses, routes


@pytest.fixture(scope="module")
def one_service():
    with fuzzed() as (service, run):
        yield service, run
        service.check_state()


@settings(max_examples=300)
@given(dice=st.randoms(use_true_random=False))
def test_any_request_is_answered_or_refused_whole(one_service, dice):
    service, run = one_service
    run(service.check(draft(dice, service.key)))


def test_many_requests_reach_every_route_and_most_statuses():
    statuses, routes = check(0, CHUNK)
    assert {200, 201, 400, 401, 404, 405, 409, 413, 415, 422} <= set(statuses)
    assert routes == {f"{route.method} {route.path}" for route in ROUTES}


def test_a_server_of_postgresql_takes_them_too(databases):
    check(1, 150, databases.new_address())


@pytest.mark.soak(sampled=False)
@pytest.mark.parametrize("part", range(4))
def test_a_million_requests(part):
    """On two shared cores about 1,100 requests are tried in a second, so all of them take a quarter of an hour."""
    for chunk in range(CHUNKS // 4):
        check(1000 * part + chunk + 10, CHUNK)


# --- what was found once, and what the checks would find


def post(service, path, body, *headers):
    fields = [(b"content-type", b"application/json"), (b"authorization", b"Bearer " + service.key.encode())]
    return Draft("POST", path, b"", [*headers, *fields], [body])


def status(service, run, request):
    return run(service.check(request))


def test_bytes_that_are_no_text_are_no_json(one_service):
    service, run = one_service
    for body in (b'{"decision":"\xff"}', b'{"\xe9":1}'):
        assert status(service, run, post(service, b"/v1/learners/price/ask", body)) == 400


@pytest.mark.parametrize("length", [b"abc", b"5, 5", b"9" * 5000, b"\xb2"])
def test_a_length_that_is_no_number_is_refused(one_service, length):
    service, run = one_service
    request = post(service, b"/v1/learners/price/ask", b"{}", (b"content-length", length))
    assert status(service, run, request) == 400


def test_an_unknown_path_may_have_any_query(one_service):
    service, run = one_service
    request = post(service, b"/nothing", b"{}")._replace(query=b"\xd1")
    assert status(service, run, request) == 404


@pytest.mark.parametrize("decision", ["#\\u0000", "a\\nb"])
def test_names_that_cannot_be_printed_are_never_looked_for(databases, decision):
    body = f'{{"decision":"{decision}","feedback":[1,2]}}'.encode()
    with fuzzed(databases.new_address()) as (service, run):
        assert status(service, run, post(service, b"/v1/learners/price/tell", body)) == 422
        look = post(service, b"/v1/learners/price/decision", b"")._replace(method="GET", query=b"id=%23%00")
        assert status(service, run, look) == 422


def tells_before_it_checks(desk, decision, given, now, key="1"):
    known = desk.life.decisions.get(decision)
    found = ORIGINAL(desk, decision, given, now, key)
    if known is not None and "weight" in given:
        desk.life.record("noted", decision, key + "again", {}, now)
        raise ValueError
    return found


def forgets_the_form(reply, send):
    changed = reply._replace(body=b"Bad Request") if reply.status == 400 else reply
    return SEND(changed, send)


def tells_although_it_refuses(desk, decision, now):
    with suppress(Exception):
        GIVE_UP(desk, decision, now)
    return GIVE_UP(desk, "nobody", now)


ORIGINAL, GIVE_UP, SEND = Desk.tell, Desk.give_up, endpoint._send


@pytest.mark.parametrize(
    ("place", "name", "wrong"),
    [
        (Desk, "tell", tells_before_it_checks),
        (Desk, "give_up", tells_although_it_refuses),
        (endpoint, "_send", forgets_the_form),
    ],
)
def test_broken_services_are_caught(monkeypatch, caplog, place, name, wrong):
    monkeypatch.setattr(place, name, wrong)
    with pytest.raises((AssertionError, ValueError)):
        check(0, CHUNK)
