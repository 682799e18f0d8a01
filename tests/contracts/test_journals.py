"""What every store of the journal must do: in memory, in SQLite and on a PostgreSQL server."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from belated.core.errors import Conflict, StoreDamaged, StoreFailed, StoreInUse
from belated.journal import START, Event, Kept, chained, open_store, verify
from belated.journal.events import LARGEST_BODY, LONGEST_KIND, LONGEST_TEXT
from belated.journal.store import EVERY
from support.journals import BEGIN, Naive, after, following, keep


@pytest.fixture
def store(new_address):
    with closing(open_store(new_address())) as opened:
        yield opened


def test_the_registry_has_the_three_kinds():
    """A new kind of store is to be added to the fixture ``new_address``, too."""
    assert set(EVERY) == {"memory://", "sqlite://", "postgresql://"}


def test_what_was_appended_is_read(store):
    events = after(BEGIN, "a", 3) + after(BEGIN, "b", 2)
    store.append(events)
    assert list(store.read("a")) == events[:3]
    assert list(store.read("a", after=2)) == events[2:3]
    assert list(store.read("a", after=3)) == list(store.read("nobody")) == []
    found = next(iter(store.read("b")))
    assert isinstance(found, Event)
    assert [type(each) for each in found] == [str, int, str, str, str, int, bytes, bytes]
    assert store.end("b") == (2, events[-1].chain, events[-1].at)
    assert store.end("nobody") == BEGIN
    assert store.streams() == ["a", "b"]


def test_streams_of_one_batch_may_be_interleaved(store):
    a, b = after(BEGIN, "a", 2), after(BEGIN, "b", 2)
    store.append([a[0], b[0], a[1], b[1]])
    assert list(store.read("a")) + list(store.read("b")) == a + b


def test_all_events_about_a_decision_are_found(store):
    events, end = [], START
    for number, (kind, decision) in enumerate([("asked", "x"), ("asked", "y"), ("told", "x"), ("paused", None)], 1):
        key = None if decision is None else "1"
        events.append(chained(end, "a", number, kind, decision, key, 7, b"{}"))
        end = events[-1].chain
    other = chained(START, "b", 1, "asked", "x", "1", 7, b"{}")
    store.append([*events, other])
    assert store.find("a", "x") == [events[0], events[2]]
    assert store.find("a", "y") == [events[1]]
    assert store.find("b", "x") == [other]
    assert store.find("a", "z") == store.find("c", "x") == []


def test_nothing_may_be_appended(store):
    store.append([])
    assert store.streams() == []


def refused(store, events):
    """Raise unless the store refuses the events and stays as it was."""
    before = {stream: list(store.read(stream)) for stream in store.streams()}
    with pytest.raises(Conflict, match=r"cannot be stored.*Nothing was stored"):
        store.append(events)
    assert {stream: list(store.read(stream)) for stream in store.streams()} == before


def test_an_answer_that_was_lost_does_not_store_events_twice(store):
    events = after(BEGIN, "a", 3)
    store.append(events)
    refused(store, events)
    refused(store, events[2:])


def test_numbers_must_follow_the_end(store):
    events = after(BEGIN, "a", 5)
    refused(store, events[1:])
    store.append(events[:2])
    refused(store, [*after(BEGIN, "b", 1), *events[3:]])
    refused(store, [events[2], events[4]])
    refused(store, [events[3], events[2]])
    refused(store, [events[2], events[2]])
    store.append(events[2:])


def test_of_a_decision_kind_and_key_there_is_one(store):
    def told(number, decision, kind, key):
        return chained(bytes(16), "a", number, kind, decision, key, 0, b"")

    store.append([told(1, "d", "told", "k")])
    refused(store, [told(2, "d", "told", "k")])
    refused(store, [told(2, "d", "told", "new"), told(3, "d", "told", "new")])
    refused(store, [told(2, "e", "told", "k"), told(3, "d", "told", "k")])
    others = [("e", "told", "k"), ("d", "gave_up", "k"), ("d", "told", "K")]
    unkeyed = [
        ("d", "told", None),
        ("d", "told", None),
        (None, "told", "k"),
        (None, "told", "k"),
        (None, "paused", None),
    ]
    store.append([told(number, *about) for number, about in enumerate(others + unkeyed, start=2)])
    store.append([chained(bytes(16), "b", 1, "told", "d", "k", 0, b"")])


def test_a_store_goes_on_after_a_conflict(store):
    store.append(after(BEGIN, "a", 1))
    refused(store, after(BEGIN, "a", 1))
    store.append(following(store, "a", 1))
    assert store.end("a").number == 2


@pytest.mark.parametrize("body", [b"", bytes(range(256)), b"\xff" * LARGEST_BODY], ids=["empty", "all", "largest"])
def test_bodies_come_back_byte_by_byte(store, body):
    store.append(after(BEGIN, "a", 1, body=body))
    assert next(iter(store.read("a"))).body == body


def test_texts_of_the_longest_kind_are_kept(store):
    """Four bytes for each character, none like another, so that no compression helps an index."""
    text = "".join(chr(0x10400 + 7 * i % 60_000) for i in range(3 * LONGEST_TEXT + LONGEST_KIND))
    stream, decision, key = (text[i * LONGEST_TEXT : (i + 1) * LONGEST_TEXT] for i in range(3))
    event = chained(bytes(16), stream, 1, text[3 * LONGEST_TEXT :], decision, key, -(2**63), b"")
    store.append([event])
    assert list(store.read(stream)) == [event]


def test_names_are_told_apart_and_sorted_as_python_sorts_them(store):
    names = ["a", "A", "á", "a ", " a", "%", "_", "'; --", "\\", "{}", "\x01", "\u2028", "\U0001f600", "\uffff", "z"]
    store.append([chained(bytes(16), name, 1, "told", "d", name, 2**63 - 1, b"") for name in names])
    assert store.streams() == sorted(names)
    assert all(next(iter(store.read(name))).key == name for name in names)


def test_long_streams_and_large_bodies_are_read_in_portions(store):
    store.append(after(BEGIN, "long", 20_001))
    assert [event.number for event in store.read("long", after=5)] == list(range(6, 20_002))
    store.append(after(BEGIN, "large", 7, body=b"x" * (3 * 2**20)))
    assert [event.number for event in store.read("large")] == list(range(1, 8))


def test_the_two_newest_snapshots_are_kept(store):
    assert store.kept("a") == []
    for number, body in [(3, b"3"), (9, b"9"), (5, b"5"), (5, b"new"), (1, b"1")]:
        keep(store, "a", Kept(number, body))
    keep(store, "b", Kept(1, b""))
    assert store.kept("a") == [Kept(9, b"9"), Kept(5, b"new")]
    assert store.kept("b") == [Kept(1, b"")]
    assert store.streams() == []


def test_threads_read_while_another_one_writes(store):
    def read(_):
        numbers = [event.number for event in store.read("a")]
        assert numbers == list(range(1, len(numbers) + 1))
        store.check()
        return store.end("a").number >= len(numbers)

    with ThreadPoolExecutor(4) as pool:
        checked = pool.map(read, range(40))
        for _ in range(20):
            store.append(following(store, "a", 5))
        assert all(checked)
    assert store.end("a").number == 100


def test_a_closed_store_refuses_everything(new_address):
    store = open_store(new_address())
    store.close()
    store.close()
    calls = [
        lambda: store.append(after(BEGIN, "a", 1)),
        lambda: list(store.read("a")),
        lambda: store.streams(),
        lambda: store.end("a"),
        lambda: store.find("a", "d"),
        lambda: keep(store, "a", Kept(1, b"")),
        lambda: store.kept("a"),
        lambda: store.check(),
    ]
    for call in calls:
        with pytest.raises(StoreFailed, match="closed"):
            call()


def test_a_second_object_is_refused_until_the_first_is_closed(new_address):
    address = new_address()
    first = open_store(address)
    if address == "memory://":  # each store in memory is a new one
        first.append(after(BEGIN, "a", 1))
        assert open_store(address).streams() == []
        return
    for _ in range(2):
        with pytest.raises(StoreInUse, match=r"in use.*stop the other"):
            open_store(address)
    with closing(open_store(new_address())):  # another store of the same kind does not mind
        first.append(after(BEGIN, "a", 1))
    first.close()
    with closing(open_store(address)) as second:
        assert second.end("a").number == 1


STREAMS, DECISIONS = st.sampled_from(["a", "b", "ü"]), st.sampled_from(["d", "e", None])
KEYS, STEPS = st.sampled_from(["k", "l", "m", None]), st.sampled_from([1] * 9 + [0, 2])


class Machine(RuleBasedStateMachine):
    """Any calls, on a store and on the naive one: the same answers."""

    new_address: object = None

    @initialize()
    def begin(self):
        self.address = type(self).new_address()
        self.store, self.naive = open_store(self.address), Naive()

    @rule(drawn=st.lists(st.tuples(STREAMS, st.sampled_from(["asked", "told"]), DECISIONS, KEYS, STEPS), max_size=5))
    def append(self, drawn):
        ends, events = {}, []
        for stream, kind, decision, key, step in drawn:
            number, chain, _ = ends.get(stream) or self.naive.end(stream)
            events.append(chained(chain, stream, max(1, number + step), kind, decision, key, number, kind.encode()))
            ends[stream] = events[-1].number, events[-1].chain, 0
        expected = outcome(self.naive.append, events)
        assert outcome(self.store.append, events) == expected

    @rule(stream=STREAMS, after=st.integers(0, 8))
    def read(self, stream, after):
        assert list(self.store.read(stream, after)) == self.naive.read(stream, after)

    @rule(stream=STREAMS)
    def look(self, stream):
        assert self.store.end(stream) == self.naive.end(stream)
        assert self.store.streams() == self.naive.streams()
        assert self.store.kept(stream) == self.naive.kept(stream)
        assert verify(self.store, stream).end == self.naive.end(stream)

    @rule(stream=STREAMS, number=st.integers(0, 6), body=st.binary(max_size=3))
    def keep(self, stream, number, body):
        snapshot = Kept(min(number, self.naive.end(stream).number), body)
        keep(self.store, stream, snapshot)
        self.naive.keep(stream, snapshot)

    @rule()
    def reopen(self):
        if self.address != "memory://":
            self.store.close()
            self.store = open_store(self.address)

    def teardown(self):
        self.store.close()


def outcome(append, events):
    try:
        append(events)
    except Conflict:
        return "conflict"
    return "stored"


def check_against_the_naive_store(new_address, machine=Machine, **options):
    with_addresses = type("WithAddresses", (machine,), {"new_address": staticmethod(new_address)})
    run_state_machine_as_test(with_addresses, settings=settings(max_examples=15, stateful_step_count=25, **options))


def test_a_store_does_what_the_naive_one_does(new_address):
    check_against_the_naive_store(new_address)


def _half(store, events):
    type(store).append(store, events[:1])  # forgets the rest


def _anything(store, events):
    for event in events:
        store._streams.setdefault(event.stream, []).append(event)


def _keeps_half(store, events):
    for event in events:
        type(store).append(store, [event])  # an event that is refused leaves those before it


@pytest.mark.parametrize("broken", [_half, _anything, _keeps_half])
def test_broken_stores_are_caught(broken):
    class Broken(Machine):
        @initialize()
        def begin(self):
            super().begin()
            self.store.append = lambda events, store=self.store: broken(store, events)

    with pytest.raises((AssertionError, StoreDamaged)):  # whatever is found first; no smaller example is looked for
        check_against_the_naive_store(
            lambda: "memory://", Broken, phases=[Phase.generate], report_multiple_bugs=False, print_blob=False
        )
