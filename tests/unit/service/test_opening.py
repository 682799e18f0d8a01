"""Opening a store: what is told meanwhile, what is compiled, and bodies that another program has written."""

import gc
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import AlreadyAnswered, InvalidArgument, StateMismatch
from belated.journal import open_store
from belated.journal.events import START, Event, chained
from belated.service import bodies, life, opening
from belated.service.door import DurableStore
from belated.service.opening import new_desk
from support.players import as_bytes

LEARNER = bl.dogd_sc(bl.Ball(2), 2.0)


def filled(rounds=30):
    """A journal with two learners; every third decision is open."""
    store = bl.open("memory://")
    for name in ("a", "b"):
        knob = store.create(name, LEARNER)
        for number in range(rounds):
            knob.ask(key=f"k{number}")
            if number % 3:
                knob.tell([0.5, -0.25 * number], key=f"k{number}")
    store._writer.close()
    return store._store


def test_progress_is_told_and_ends_with_all_events(monkeypatch):
    monkeypatch.setattr(opening, "STEP", 20)
    heard = []
    journal = filled()
    DurableStore(journal, progress=lambda *told: heard.append(told)).close()
    total = sum(journal._streams[name][-1].number for name in ("a", "b"))
    assert {all_ for _, all_ in heard} == {total}
    done = [each for each, _ in heard]
    assert done == sorted(done)
    assert done[-1] == total
    assert len(done) >= 4


def test_the_collector_is_left_as_it_was():
    journal = filled(3)
    assert gc.isenabled()
    DurableStore(journal)._writer.close()
    assert gc.isenabled()
    gc.disable()
    try:
        DurableStore(journal)._writer.close()
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("compiled", [False, True])
def test_compiling_changes_nothing_but_the_moment(monkeypatch, compiled):
    journal, calls = filled(), []
    monkeypatch.setattr(life.Life, "compile", lambda self: calls.append((self.name, self.end.number)))
    store = DurableStore(journal, compiled=compiled)
    assert calls == ([("a", 1), ("b", 1)] if compiled else [])
    store.create("c", LEARNER)
    assert calls[2:] == ([("c", 1)] if compiled else [])
    store._writer.close()
    monkeypatch.setattr(opening, "LONG", 10)
    calls.clear()
    DurableStore(journal)._writer.close()
    assert calls == [("a", 1), ("b", 1)]


def test_a_compiled_life_is_the_same_bit_for_bit():
    journal = filled()
    plain, compiled = DurableStore(journal), DurableStore(journal, compiled=True)
    states = [as_bytes(each.desk("a").life._run.state()) for each in (plain, compiled)]
    assert states[0] == states[1]
    replies = [each.desk("a").ask("next", {}, 10**17).reply for each in (plain, compiled)]
    assert replies[0] == replies[1]
    for each in (plain, compiled):
        each._writer.close()


def spaced(events):
    """The same events as another program may have written them: with spaces, and names in another order."""
    found, chain = [], START
    for event in events:
        body = dict(reversed(json.loads(event.body).items()))
        found.append(chained(chain, *event[:6], json.dumps(body, indent=1).encode()))
        chain = found[-1].chain
    return found


def test_bodies_that_mean_the_same_are_read():
    journal, other = filled(), open_store("memory://")
    other.append(spaced(journal.read("a")))
    store = DurableStore(other)
    knob = store["a"]
    assert knob.ask(key="k0").repeated
    assert not knob.tell([0.5, -0.25], key="k1")
    with pytest.raises(AlreadyAnswered):
        knob.tell([0.5, -0.5], key="k1")
    store.close()


@pytest.mark.parametrize(("place", "wrong"), [(1, 3), (1, "2"), (2, b"asked"), (3, 7), (4, b"1"), (5, 0.5), (5, "1")])
@pytest.mark.parametrize("body", [None, "text", 7])
def test_damaged_fields_never_pass(place, wrong, body):
    journal = filled(1)
    first, event = list(journal.read("a"))[:2]
    damaged = list(event)
    damaged[place] = wrong
    if body is not None:
        damaged[6] = body
    desk = new_desk(journal, "a")
    desk.life.replay(first)
    with pytest.raises(StateMismatch, match=r"restore a back-up"):
        desk.life.replay(Event._make(damaged))
    desk.life.replay(event)


@pytest.mark.parametrize("end", [b"", b"]", b"}}", b',"more":1}', b"}\n{"])
def test_a_body_that_is_no_json_never_passes(end):
    """Whoever can write to the store can compute digests, so a right one proves nothing of the body."""
    journal = filled(1)
    first, event = list(journal.read("a"))[:2]
    forged = chained(first.chain, *event[:6], event.body[:-1] + end)
    desk = new_desk(journal, "a")
    desk.life.replay(first)
    with pytest.raises(StateMismatch, match=r"event 2 of 'a' \(asked\)"):
        desk.life.replay(forged)


def test_a_life_that_does_not_check_digests_is_caught(monkeypatch):
    monkeypatch.setattr(life, "is_chained", lambda before, event: True)
    with pytest.raises(pytest.fail.Exception):
        test_damaged_fields_never_pass(4, "2", None)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.integers(0, 20), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=3))
def test_what_is_given_is_stored_in_one_way(values):
    try:
        body, plain = bodies.stored(values)
    except InvalidArgument:  # half of a surrogate pair
        return
    assert plain == bodies.unpacked(body)
    assert list(plain) == list(values)  # in the order in which it was given
    assert bodies.same(body, bodies.packed(plain))
    assert bodies.stored(plain) == (body, plain)
    assert bodies.parts(bodies.joined(body, body)) == (body, body)
    assert bodies.unpacked(bodies.joined(body, body)) == {"given": plain, "result": plain}
    assert bodies.unpacked(bodies.joined(body, None)) == {"given": plain}
    assert bodies.parts(bodies.joined(body, None)) == (body, b"null")
