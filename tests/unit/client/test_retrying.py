"""When calls are repeated: scripts that are run by hand, without a network and without waiting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.client.calls import Call
from belated.client.effects import Heard, Lost, Rest, Send, seconds_of
from belated.client.retrying import Retries, Sender
from belated.core.errors import InvalidArgument, ServiceAway, ServiceFailed, StoreBusy
from support.remote import Times

CALL = Call("POST", "/v1/learners/it/ask", b'{"decision":"a"}', lambda values: values["found"])
GOOD = Heard(200, b'{"found":7}')
BUSY = Heard(503, b'{"error":{"type":"busy","message":"full","argument":null}}', 2.0)
POLICY = Retries()
WRONG = Heard(422, b'{"error":{"type":"invalid_argument","message":"no","argument":null}}')


def run(replies, retries=POLICY, within=None, timeout=5.0, takes=0.0):
    """What a script does with these replies: what it sends, and how long it rests."""
    times, replies, sent = Times(), list(replies), []
    script = Sender(retries, timeout, times.timing()).exchange(CALL, within=within)
    came = None
    try:
        while True:
            effect = script.send(came)
            if isinstance(effect, Send):
                sent.append(effect)
                times.now += takes
                came = replies.pop(0)
            else:
                assert isinstance(effect, Rest)
                times.sleep(effect.seconds)
                came = None
    except StopIteration as end:
        return end.value, sent, times
    except Exception as problem:
        return problem, sent, times


def test_what_is_repeated_is_the_same():
    found, sent, times = run([Lost("away"), Heard(502, b""), BUSY, Heard(429, b"", 1.0), GOOD])
    assert found == 7
    assert len(set(sent)) == 1
    assert len(sent) == 5
    assert times.slept == [0.1, 0.2, 2.0, 1.0]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 413, 415, 422, 500, 501, 302])
def test_what_is_refused_is_not_repeated(status):
    found, sent, _ = run([Heard(status, b"")])
    assert isinstance(found, ServiceFailed)
    assert len(sent) == 1


def test_refusals_end_a_series_of_tries():
    found, sent, _ = run([Lost("away"), WRONG])
    assert isinstance(found, InvalidArgument)
    assert len(sent) == 2


def test_the_last_error_is_raised_when_tries_are_used_up():
    found, _, _ = run([Lost("away"), BUSY], Retries(tries=2))
    assert isinstance(found, StoreBusy)
    found, _, _ = run([BUSY, Lost("refused")], Retries(tries=2))
    assert isinstance(found, ServiceAway)
    assert isinstance(found, ConnectionError)
    assert str(found) == "`POST /v1/learners/it/ask`: no reply, tried 2 times: refused"


@given(
    takes=st.floats(0.001, 3.0),
    first=st.floats(0.01, 3.0),
    budget=st.floats(0.05, 20.0),
    said=st.lists(st.floats(0.0, 5.0), min_size=20, max_size=20),
)
def test_no_try_begins_after_the_budget(takes, first, budget, said):
    """Each try may take what is left, and ends by then."""
    replies = [Heard(503, b"", seconds) for seconds in said]
    policy = Retries(tries=20, first=first, longest=4.0, budget=budget)
    found, sent, times = run(replies, policy, takes=takes)
    assert isinstance(found, ServiceAway)
    assert sum(times.slept) + takes * (len(sent) - 1) < budget
    assert all(send.timeout <= 5.0 for send in sent)
    assert all(rest >= wait for rest, wait in zip(times.slept, said, strict=False))


def test_a_call_within_some_time_is_strict_and_has_what_is_left():
    _, sent, _ = run([Lost("away")] * 9, within=0.5, takes=0.05)
    assert [round(send.timeout, 3) for send in sent] == [0.5, 0.35, 0.1]
    assert all(send.strict for send in sent)


@given(st.integers(1, 2000), st.floats(0.0, 1.0))
def test_waits_lie_between_a_half_and_the_whole(failures, jitter):
    policy = Retries(first=0.25, longest=7.0)
    whole = min(7.0, 0.25 * 2.0 ** (min(failures, 50) - 1))
    assert whole / 2 <= policy.wait(failures, jitter) <= whole


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b"{}", b"null", b"\xff", b'"\xff"', b"[" * 100_000])
def test_a_reply_that_cannot_be_understood_is_a_failure_of_the_service(content):
    found, sent, _ = run([Heard(200, content)])
    assert isinstance(found, ServiceFailed)
    assert "does not come from a service of belated" in str(found)
    assert len(sent) == 1


@pytest.mark.parametrize("header", ["-1", "1.5", "", "nan", "9" * 12, "٣", "Tue, 17 Nov 2026 19:44:53 GMT"])
def test_odd_headers_say_nothing(header):
    assert seconds_of(header) == 0.0
