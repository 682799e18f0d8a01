"""Ids that were seen: none is ever forgotten, few are made up, and the bits are the same everywhere."""

import math
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.service import decisions, seen
from belated.service.desk import Desk
from belated.service.seen import Seen


@given(st.lists(st.text(max_size=8), unique=True), st.integers(0, 20), st.integers(1, 5), st.booleans())
def test_what_was_added_may_be_there(all_names, part, last, early):
    """Whenever ids enter the filters, and whoever looks in between."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seen, "FIRST", 8)
        check_identity(all_names[:part], all_names[part:], last if early else 1000)


def check_identity(names, more, last):
    found, again = Seen(), Seen()
    for name in names:
        found.add(name)
    if last < 1000:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(seen, "LAST", last)
            for name in names:
                again.add(name)
    else:
        again.go_on(found.contents())
    for name in more:
        found.add(name)
        again.add(name)
    assert found.contents() == again.contents()
    assert all(each.may_have(name) for each in (found, again) for name in (*names, *more))


def check_errors(count=50_000):
    found = Seen()
    for number in range(count):
        found.add(f"order-{number:06d}")
    assert len(found._last) <= 1024
    assert all(found.may_have(f"order-{number:06d}") for number in range(count))
    wrong = sum(found.may_have(f"order-{number:06d}") for number in range(count, 2 * count))
    assert wrong / count < 0.04 * len(found._filters)
    assert sum(map(len, found.contents())) < 20 * count


def test_few_ids_are_taken_for_others_though_they_are_alike(monkeypatch):
    check_errors()
    monkeypatch.setattr(seen, "FIRST", 2**10)
    check_errors()


@pytest.mark.parametrize(("name", "value"), [("BITS_EACH", 1), ("_SPREAD", 0), ("LAST", 10**9)])
def test_filters_that_are_too_small_or_too_large_are_caught(monkeypatch, name, value):
    monkeypatch.setattr(seen, "FIRST", 2**10)
    monkeypatch.setattr(seen, name, value)
    with pytest.raises(AssertionError):
        check_errors()


def test_the_bits_never_change():
    """They are in snapshots, which other processes read."""
    found = Seen()
    for number in range(50_000):
        found.add(f"k{number}")
    digest = blake2b(b"".join(found.contents()), digest_size=8).hexdigest()
    assert digest == "026fda44254a0762"


def test_the_journal_is_asked_for_ids_that_were_seen_and_for_no_others(monkeypatch):
    monkeypatch.setattr(decisions, "RECENT", 1)
    with bl.open("memory://") as store:
        knob, asked = store.create("it", bl.dogd_sc(bl.Ball(2), 2.0)), []
        find = store.journal.find
        monkeypatch.setattr(
            store.journal, "find", lambda name, decision: (asked.append(decision), find(name, decision))[1]
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


def test_what_the_journal_does_not_have_yet_stays_in_memory(monkeypatch):
    """Many commands may be obeyed before their events are handed over."""
    monkeypatch.setattr(decisions, "RECENT", 1)
    desk = Desk("it", lambda decision: [])
    desk.create(bl.dogd_sc(bl.Ball(2), 2.0), {}, {}, 1)
    for number in range(20):
        desk.ask(f"k{number}", {}, 1)
        desk.tell(f"k{number}", {"feedback": [1.0, 0.0]}, 1)
    assert desk.ask("k0", {}, 1).duplicate
    assert desk.tell("k0", {"feedback": [1.0, 0.0]}, 1).duplicate


def test_what_had_to_stay_in_memory_leaves_it_again(monkeypatch):
    """When many decisions time out at once they stay until they are stored, and not for ever."""
    monkeypatch.setattr(decisions, "RECENT", 10)
    known = decisions.Decisions(lambda name: [], unstored := [None] * 500)
    for number in range(500):
        known.begin(f"k{number}", decisions.Decision(b"{}", b"{}", number, math.inf, False))
        known.settle(f"k{number}", decisions.TIMED_OUT)
    assert len(known._settled) == 500
    unstored.clear()
    for number in range(600):
        known.begin(f"l{number}", decisions.Decision(b"{}", b"{}", 500 + number, math.inf, False))
        known.settle(f"l{number}", decisions.TIMED_OUT)
        assert [*known._settled][-1] == f"l{number}"
    assert len(known._settled) == 10


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=30), st.integers(1, 40), st.booleans())
def test_the_newest_decisions_are_found_without_a_look_at_all(steps, most, only_open):
    known, now = decisions.Decisions(lambda name: []), 0
    for number, (passed, settled) in enumerate(steps):
        now += passed
        known.begin(f"k{number}", decisions.Decision(b"{}", b"{}", now, math.inf, False))
        if settled and f"k{number // 2}" in known.open:
            known.settle(f"k{number // 2}", decisions.ANSWERED)
    everything = [*known.open.items(), *(() if only_open else known._settled.items())]
    found = known.newest(most, only_open)
    assert [each.at for _, each in found] == sorted((each.at for _, each in everything), reverse=True)[:most]
    assert len(dict(found)) == len(found)
    assert dict(found).items() <= dict(everything).items()
