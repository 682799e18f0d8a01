"""Ids that were seen: none is ever forgotten, few are made up, and the bits are the same everywhere."""

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.service import decisions, seen
from belated.service.seen import Seen


@given(st.lists(st.text(max_size=8)), st.lists(st.text(max_size=8)))
def test_what_was_added_may_be_there(names, more):
    found = Seen()
    for name in names:
        found.add(name)
    again = Seen()
    again.go_on(found.contents())
    for name in more:
        found.add(name)
        again.add(name)
    assert found.contents() == again.contents()
    assert all(each.may_have(name) for each in (found, again) for name in (*names, *more))


def check_errors(count=20_000):
    found = Seen()
    for number in range(count):
        found.add(f"order-{number:06d}")
    assert all(found.may_have(f"order-{number:06d}") for number in range(count))
    wrong = sum(found.may_have(f"order-{number:06d}") for number in range(count, 2 * count))
    assert wrong / count < 0.05 * len(found._filters)
    assert sum(map(len, found.contents())) < 4 * count


def test_few_ids_are_taken_for_others_though_they_are_alike():
    check_errors()


@pytest.mark.parametrize(("name", "value"), [("GROWTH", 1), ("BITS_EACH", 1), ("_SPREAD", 0)])
def test_filters_that_are_too_small_are_caught(monkeypatch, name, value):
    monkeypatch.setattr(seen, name, value)
    if name == "GROWTH":
        monkeypatch.setattr(seen, "_capacity", lambda size: 10**9)
    with pytest.raises(AssertionError):
        check_errors()


def test_the_bits_never_change():
    """They are in snapshots, which other processes read."""
    found = Seen()
    for number in range(2000):
        found.add(f"k{number}")
    digest = blake2b(b"".join(found.contents()), digest_size=8).hexdigest()
    assert digest == "bb0639fb0cb4a648"


def test_the_journal_is_asked_for_ids_that_were_seen_and_for_no_others(monkeypatch):
    monkeypatch.setattr(decisions, "RECENT", 1)
    with bl.open("memory://") as store:
        knob, asked = store.create("it", bl.dogd_sc(bl.Ball(2), 2.0)), []
        find = store.store.find
        monkeypatch.setattr(
            store.store, "find", lambda name, decision: (asked.append(decision), find(name, decision))[1]
        )
        own = [knob.ask().key for _ in range(3)]
        for number in range(30):
            knob.ask(key=f"k{number}")
            knob.tell([1.0, 0.0], key=f"k{number}")
        assert asked == []
        assert knob.ask(key="k3").repeated
        assert asked == ["k3"]
        for key in own:
            knob.tell([1.0, 0.0], key=key)
        assert not knob.tell([1.0, 0.0], key=own[0])
        assert asked == ["k3", own[0]]
