"""Keys as a fold over events: what is read back is what was made, and nothing else opens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.errors import InvalidArgument, StateMismatch, UnknownKey
from belated.service.keys import SCOPES, ApiKey, Keys

scopes = st.lists(st.sampled_from(SCOPES[:-1]), min_size=1, max_size=6)
learners = st.none() | st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)


@given(st.lists(st.tuples(scopes, learners, st.booleans()), max_size=6))
def test_keys_come_back_from_their_events(wanted):
    keys, events, secrets = Keys(), [], []
    for number, (some, only, removed) in enumerate(wanted):
        event, secret = keys.make("key", some, only, number)
        events.append(event)
        secrets.append((secret, removed))
        if removed:
            events.append(keys.remove(event.decision, number))
    again = Keys(events)
    assert list(again) == list(keys)
    assert again.end == keys.end
    for secret, removed in secrets:
        assert (again.find(secret.encode()) is None) == removed
        assert again.find(secret.encode()[:-1]) is None


def test_a_key_has_256_bits_and_its_sha256_is_kept():
    from base64 import urlsafe_b64decode
    from hashlib import sha256

    keys = Keys()
    event, secret = keys.make("first", ["admin"], None, 1)
    assert len(urlsafe_b64decode(secret.removeprefix("bl_") + "=")) == 32
    assert keys[event.decision].digest == sha256(secret.encode()).digest()


@pytest.mark.parametrize(
    ("label", "scopes", "learners", "argument"),
    [
        ("", ["read"], None, "label"),
        ("x" * 201, ["read"], None, "label"),
        ("x", [], None, "scopes"),
        ("x", ["write"], None, "scopes"),
        ("x", ["read"], ["#keys"], "learners"),
        ("x", ["read"], ["a/b"], "learners"),
        ("x", ["admin"], ["a"], "learners"),
    ],
)
def test_what_is_no_key_is_refused_and_changes_nothing(label, scopes, learners, argument):
    keys = Keys()
    with pytest.raises(InvalidArgument) as refused:
        keys.make(label, scopes, learners, 1)
    assert refused.value.argument == argument
    assert keys.end.number == 0


def test_an_admin_may_do_everything_and_others_what_they_are_for():
    admin = ApiKey("1", "x", ("admin",), None, b"", 0)
    assert all(admin.allows(scope) for scope in (*SCOPES, None))
    reader = ApiKey("1", "x", ("read",), ("a",), b"", 0)
    assert [scope for scope in SCOPES if reader.allows(scope)] == ["read"]
    assert reader.sees("a")
    assert not reader.sees("b")


def test_removing_twice_is_no_second_event_and_removing_nothing_an_error():
    keys = Keys()
    event, _ = keys.make("x", ["admin"], None, 1)
    assert keys.has_admin
    assert keys.remove(event.decision, 2) is not None
    assert keys.remove(event.decision, 3) is None
    assert not keys.has_admin
    with pytest.raises(UnknownKey):
        keys.remove("7", 4)


def test_changed_events_are_refused():
    keys = Keys()
    first, _ = keys.make("x", ["read"], None, 1)
    second, _ = keys.make("y", ["read"], None, 2)
    for damaged in ([second], [first, first], [first._replace(body=first.body.replace(b"read", b"tell"))]):
        with pytest.raises(StateMismatch, match="damaged"):
            Keys(damaged)


def test_time_does_not_run_back():
    keys = Keys()
    keys.make("x", ["read"], None, 10)
    assert keys.make("y", ["read"], None, 5)[0].at == 10
