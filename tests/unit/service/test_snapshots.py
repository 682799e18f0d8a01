"""Snapshots: a life that goes on from one is the life that its events give, and whatever is wrong is passed over."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import BelatedError, StateMismatch, StoreDamaged, StoreFailed
from belated.journal import Kept, open_store
from belated.journal.store import Part
from belated.learners.catalogue import EXAMPLES, typical
from belated.service import decisions, engine, opening, snapshots
from belated.service.life import Life
from belated.service.opening import from_snapshot, new_desk, opened_desks
from belated.service.ranges import KINDS, Ranges, chosen
from belated.service.snapshots import captured, pieces, restored, snapshot
from contracts.test_models import MODELS, example_for, label_for, model_of
from support.journals import keep

LEARNER = bl.dogd_sc(bl.Ball(2), 2.0)


def everything(life):
    """All that can be seen of a life, as bytes: the snapshot has it, and nothing that depends on how it came about."""
    due = sorted(
        (each[0], name) for name, each in ((each[2], each) for each in life.due) if name in life.decisions.open
    )
    seen = (
        life.archived,
        life.fixed,
        life.last_point,
        life.settings,
        life.description,
        life.end,
        list(life.decisions.open),
    )
    return seen, due, life.figures.contents(), snapshot(life)


class Desks:
    """A desk whose events are in a journal in memory at once."""

    def __init__(self, description, start=None, **settings):
        self.journal = open_store("memory://")
        self.desk = new_desk(self.journal, "it")
        self.desk.create(description, start or {}, settings, 10**12)
        self.now = 10**12
        self.flush()

    def flush(self):
        self.journal.append(self.desk.life.outbox)
        self.desk.life.outbox.clear()

    def do(self, name, *given, step=10**6):
        """Let it obey a command; what is refused is an answer, too."""
        self.now += step
        return done(self.desk, name, *given, now=self.now, flush=self.flush)

    def keep(self):
        keep(self.journal, "it", snapshot(self.desk.life), size=1000)


def done(desk, name, *given, now, flush=lambda: None):
    try:
        call = getattr(desk, name)
        return call(*given, now) if given else call(now)
    except BelatedError as error:
        return type(error), str(error)
    finally:
        flush()


def same_from_here(desks, commands):
    """The first life, one from the snapshot and one by all events: they look the same, and go on in the same way."""
    everyone = [desks.desk, from_snapshot(desks.journal, "it"), new_desk(desks.journal, "it")]
    assert everyone[1] is not None
    everyone[1], tail = everyone[1]
    for desk, events in ((everyone[1], tail), (everyone[2], desks.journal.read("it"))):
        for event in events:
            desk.life.replay(event)
    seen = [everything(desk.life) for desk in everyone]
    assert seen[0] == seen[1] == seen[2]
    now = desks.now
    for name, *rest in commands:
        now += 10**6
        found = [done(desk, name, *rest, now=now) for desk in everyone]
        assert found[0] == found[1] == found[2]
        events = [desk.life.outbox[:] for desk in everyone]
        assert events[0] == events[1] == events[2]
    for desk in everyone:
        desk.life.outbox.clear()
    seen = [everything(desk.life) for desk in everyone]
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("label", EXAMPLES)
def test_any_learner_goes_on_as_if_nothing_had_been(label):
    learner, rng = typical(label), np.random.default_rng(3)
    interface = learner.interface

    def ask(number):
        return (
            "ask",
            f"k{number}",
            {"context": rng.normal(size=interface.context_size).tolist()} if (interface.context_size) else {},
        )

    def tell(number):
        return "tell", f"k{number}", {"feedback": rng.choice([0.0, 1.0], size=interface.feedback_size).tolist()}

    desks = Desks(learner, {"seed": 5})
    for number in range(12):
        desks.do(*ask(number))
        if number % 3 == 1:
            desks.do(*tell(number - 1))
        if number == 8:
            desks.do("give_up", "k5")
            desks.keep()
    more = [call for number in range(12, 16) for call in (ask(number), tell(number - 3))]
    same_from_here(desks, [("tell", "k2", {"feedback": [9.0]}), ("ask", "k0", {}), ("give_up", "k5"), *more])


@pytest.mark.parametrize("name", [name for name in MODELS if isinstance(model_of(name).features, bl.models.Named)])
def test_any_model_goes_on_as_if_nothing_had_been(name):
    model, rng = model_of(name), np.random.default_rng(4)

    def predict(number):
        return "ask", f"k{number}", {"features": example_for(model, rng)}

    def learn(number):
        return "tell", f"k{number}", {"label": float(label_for(model, rng))}

    desks = Desks(model)
    for number in range(14):
        desks.do(*predict(number))
        if number % 3:
            desks.do(*learn(number - 1))
        if number == 9:
            desks.keep()
    same_from_here(desks, [call for number in range(14, 20) for call in (predict(number), learn(number - 4))])


@pytest.mark.parametrize("kind", KINDS)
def test_a_learner_in_own_units_goes_on_as_if_nothing_had_been(kind):
    ranges = Ranges([5.0, 0.0], [20.0, 1e6], [-40.0, 100.0], rounds=1000, delay=20, feedback=kind)
    learner, start = chosen(ranges, {"seed": 3})
    feedback = {"feedback": [300.0] * learner.interface.feedback_size}  # values outside of their range are counted
    desks = Desks(learner, start)
    for number in range(8):
        desks.do("ask", f"k{number}", {})
        desks.do("tell", f"k{number // 2}", feedback)
        if number == 5:
            desks.keep()
    same_from_here(desks, [("ask", "x", {}), ("tell", "k6", feedback), ("tell", "x", feedback), ("ask", "y", {})])


COMMANDS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from("abcdefgh"), st.just({})),
        st.tuples(st.just("tell"), st.sampled_from("abcdefgh"), st.just({"feedback": [0.5, -1.0]})),
        st.tuples(st.just("give_up"), st.sampled_from("abcdefgh")),
        st.tuples(st.just("pause"), st.sampled_from([None, [0.25, 0.5]])),
        st.tuples(st.just("resume")),
        st.tuples(st.just("tick")),
        st.tuples(
            st.just("configure"), st.sampled_from([{"timeout": 2.0}, {"upper": [0.5, 0.5]}, {"largest_move": 0.1}])
        ),
    ),
    max_size=20,
)


def check_identity(before, behind, after, late, recent=10_000):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "RECENT", recent)
        desks = Desks(LEARNER, timeout=4.0, late=late, largest_move=0.3)
        for command in before:
            desks.do(*command)
        desks.keep()
        for command in behind:
            desks.do(*command)
        same_from_here(desks, after)


@given(COMMANDS, COMMANDS, COMMANDS, st.sampled_from(["ignore", "accept"]), st.sampled_from([1, 10_000]))
@settings(max_examples=60, deadline=None)
def test_whatever_happens_a_snapshot_is_the_fold(before, behind, after, late, recent):
    check_identity(before, behind, after, late, recent)


BEFORE = [("ask", "a", {}), ("ask", "b", {}), ("tell", "a", {"feedback": [2.0, 2.0]}), ("ask", "c", {})]
AFTER = [
    ("ask", "d", {}),
    ("tell", "b", {"feedback": [1.0, 1.0]}),
    ("tell", "c", {"feedback": [1.0, 1.0]}),
    ("ask", "e", {}),
]
CONTENTS = Life.contents


@pytest.mark.parametrize("name", ["last_point", "decisions", "fixed", "settings", "archived", "figures"])
def test_a_snapshot_without_a_part_is_caught(monkeypatch, name):
    """Each part of the contents left as it is in a life that has just begun."""
    fresh = CONTENTS(Desks(LEARNER).desk.life)
    before = {"fixed": [*BEFORE, ("pause", None)], "archived": [*BEFORE, ("archive",)]}.get(name, BEFORE)
    check_identity(before, [], AFTER, "accept")
    monkeypatch.setattr(Life, "contents", lambda life: {**CONTENTS(life), name: fresh[name]})
    with pytest.raises(AssertionError):
        check_identity(before, [], AFTER, "accept")


def whole(rounds=6):
    """A journal of some events and its snapshot, which is kept."""
    desks = Desks(LEARNER, timeout=50.0)
    for number in range(rounds):
        desks.do("ask", f"k{number}", {})
        if number % 2:
            desks.do("tell", f"k{number}", {"feedback": [1.0, 0.5]})
    desks.keep()
    return desks


def check_changed_bytes(place, bit):
    desks = whole()
    (kept,) = desks.journal.kept("it")
    place %= len(kept.body)
    changed = bytearray(kept.body)
    changed[place] ^= 1 << bit
    keep(desks.journal, "it", Kept(kept.number, bytes(changed)))
    assert from_snapshot(desks.journal, "it") is None
    assert snapshot(opened_desks(desks.journal)["it"].life) == kept


def check_every_place(first, last):
    for place in range(first, last):
        check_changed_bytes(place, 0)


@given(st.integers(0, 10**5), st.integers(0, 7))
@settings(max_examples=60, deadline=None)
def test_a_changed_byte_anywhere_is_passed_over(place, bit):
    check_changed_bytes(place, bit)


def test_a_reader_that_does_not_look_at_the_digest_is_caught(monkeypatch):
    monkeypatch.setattr(snapshots, "_is_whole", lambda body: True)
    with pytest.raises(AssertionError):
        check_every_place(-200, -snapshots.DIGEST_SIZE)


@pytest.mark.parametrize("body", [b"", b"x", None, 7, "text", snapshots.SCHEMA, snapshots.SCHEMA + bytes(32)])
def test_anything_else_is_passed_over(body):
    desks = whole()
    desks.journal._kept["it"][desks.desk.life.end.number] = body
    assert from_snapshot(desks.journal, "it") is None
    assert everything(opened_desks(desks.journal)["it"].life) == everything(desks.desk.life)


def test_snapshots_of_another_version_name_or_number_are_passed_over(monkeypatch):
    desks = whole()
    (kept,) = desks.journal.kept("it")
    assert restored(new_desk(desks.journal, "it").life, kept)
    assert not restored(new_desk(desks.journal, "other").life, kept)
    assert not restored(new_desk(desks.journal, "it").life, kept._replace(number=kept.number - 1))
    monkeypatch.setattr(snapshots, "version", lambda: "belated 99.0")
    assert not restored(new_desk(desks.journal, "it").life, kept)
    monkeypatch.undo()
    life = {"end": 1, "decisions": {"names": [], "open": []}}
    body = b"".join(snapshots.pieces({"version": snapshots.version(), "name": "it", "life": life}))
    assert not restored(new_desk(desks.journal, "it").life, Kept(kept.number, body))


def test_a_snapshot_of_which_parts_are_missing_is_passed_over():
    """As if the process had been killed between two parts; the one before it is used."""
    desks = whole()
    (older,) = desks.journal.kept("it")
    desks.do("ask", "more", {})
    body = snapshot(desks.desk.life).body
    desks.journal.keep("it", Part(desks.desk.life.end.number, 0, body[:500], is_last=False))
    found = from_snapshot(desks.journal, "it")
    assert found is not None
    assert found[0].life.kept == older.number


@pytest.mark.parametrize("description", [LEARNER, bl.models.logistic(bits=6)], ids=["learner", "model"])
def test_what_was_captured_does_not_change_when_the_life_goes_on(description):
    """Bytes are made of it while others decide; these are those that would have been made at once."""
    desks = Desks(description)
    given, told = ({}, {"feedback": [1.0, 0.5]}) if description is LEARNER else ({"features": {"a": "b"}}, {"label": 1})
    for number in range(600):
        desks.do("ask", f"k{number}", given)
    desks.do("tell", "k3", told)
    expected, contents = snapshot(desks.desk.life).body, captured(desks.desk.life)
    found = []
    for number, piece in enumerate(pieces(contents)):
        found.append(piece)
        desks.do("tell", f"k{number + 100}", told)
        desks.do("ask", f"new{number}", given)
        desks.do("give_up", f"k{number + 200}")
    assert len(found) > 4
    assert b"".join(found) == expected


def test_a_snapshot_of_the_first_schema_is_passed_over_and_the_events_are_counted(monkeypatch):
    """It has no count of values outside of the declared range."""
    learner, start = chosen(Ranges([5.0], [20.0], [-20.0, 0.0], rounds=100), {})
    desks = Desks(learner, start)
    desks.do("ask", "a", {})
    desks.do("tell", "a", {"feedback": [11.0]})
    with monkeypatch.context() as patch:
        patch.setattr(snapshots, "SCHEMA", b"belated life, schema 0001\n")
        desks.keep()
    assert from_snapshot(desks.journal, "it") is None
    assert opened_desks(desks.journal)["it"].life.figures.outside == 1


def test_the_older_generation_is_used_if_the_newer_one_is_bad():
    desks = whole()
    (older,) = desks.journal.kept("it")
    desks.do("ask", "more", {})
    keep(desks.journal, "it", Kept(desks.desk.life.end.number, b"bad"))
    found = from_snapshot(desks.journal, "it")
    assert found is not None
    assert found[0].life.kept == older.number
    assert everything(opened_desks(desks.journal)["it"].life) == everything(desks.desk.life)


def test_a_snapshot_of_another_journal_is_passed_over():
    desks, other = whole(), whole(rounds=5)
    other.do("ask", "x", {})
    other.do("tell", "x", {"feedback": [7.0, 7.0]})
    for _ in range(4):
        other.do("ask", None, {})
    desks.journal._kept.clear()
    while other.desk.life.end.number < desks.desk.life.end.number:
        other.do("ask", None, {})
    other.keep()
    keep(desks.journal, "it", other.journal.kept("it")[0])
    assert from_snapshot(desks.journal, "it") is None
    assert everything(opened_desks(desks.journal)["it"].life) == everything(desks.desk.life)


def test_an_opening_that_does_not_look_at_the_journal_is_caught(monkeypatch):
    monkeypatch.setattr(opening, "ends_with", lambda life, event: True)
    with pytest.raises(AssertionError):
        test_a_snapshot_of_another_journal_is_passed_over()


def test_a_gap_behind_a_snapshot_is_refused_and_one_before_it_is_for_check():
    desks = whole()
    for number in range(3):
        desks.do("ask", f"x{number}", {})
    del desks.journal._streams["it"][-2]
    with pytest.raises(StateMismatch, match=r"does not follow.*belated store check.*restore a back-up"):
        opened_desks(desks.journal)


def test_snapshots_that_cannot_be_read_are_passed_over(monkeypatch):
    desks = whole()

    def damaged(name):
        raise StoreDamaged("it is malformed")

    monkeypatch.setattr(desks.journal, "kept", damaged)
    assert everything(opened_desks(desks.journal)["it"].life) == everything(desks.desk.life)


@pytest.fixture
def address(tmp_path):
    return f"sqlite:///{tmp_path / 'knob.db'}"


def used(store, rounds=20):
    knob = store.create("it", LEARNER)
    for number in range(rounds):
        knob.ask(key=f"k{number}")
    return knob


def test_a_store_keeps_snapshots_when_it_is_closed_and_while_it_is_used(address, monkeypatch):
    monkeypatch.setattr(engine, "FEW", 10)
    monkeypatch.setattr(engine, "EVERY", 50)
    with bl.open(address) as store:
        used(store)
    with bl.open(address) as store:
        assert store.desk("it").life.kept == 21
        assert store.keep_snapshots(2) == 0
        store["it"].ask(key="more")
        store["it"].ask(key="and more")
        assert store.keep_snapshots(2) == 1
        assert store.keep_snapshots(2) == 0
        for number in range(60):
            store["it"].tell([0.5, 0.5], key=f"k{number}") if number < 20 else store["it"].ask(key=f"n{number}")
    journal = open_store(address)
    assert [kept.number for kept in journal.kept("it")] == [83, 73]
    journal.close()


def test_a_store_that_keeps_whatever_there_is_is_caught(monkeypatch):
    monkeypatch.setattr(Life, "is_whole", True)
    with pytest.raises(AssertionError):
        test_nothing_is_kept_of_a_life_that_no_event_speaks_of()


def test_nothing_is_kept_of_a_life_that_no_event_speaks_of():
    with bl.open("memory://") as store:
        used(store)
        life = store.desk("it").life
        life._interrupted = True
        assert store.keep_snapshots(1) == 0
        life._interrupted = False
        life.outbox.append(None)
        assert store.keep_snapshots(1) == 0
        life.outbox.clear()
        assert store.keep_snapshots(1) == 1


def test_a_snapshot_is_kept_after_its_events(monkeypatch):
    done = []
    store = bl.open("memory://")
    knob = used(store, 3)
    journal, append, keep = store.journal, store.journal.append, store.journal.keep
    monkeypatch.setattr(journal, "append", lambda events: (done.append(events[-1].number), append(events)))
    monkeypatch.setattr(journal, "keep", lambda name, part: (done.append(("kept", part.number)), keep(name, part)))
    desk = store.desk("it")
    store.begin(desk, lambda now: desk.ask("last", {}, now))
    store.keep_snapshots(1)
    knob.ask(key="behind")
    store.close()
    assert done.index(("kept", 5)) > done.index(5)


def test_a_snapshot_that_cannot_be_kept_loses_nothing(address, monkeypatch):
    monkeypatch.setattr(engine, "FEW", 1)
    store = bl.open(address)
    used(store)

    def full(stream, kept):
        raise StoreFailed("the disk is full")

    monkeypatch.setattr(store.journal, "keep", full)
    store.keep_snapshots(1)
    store["it"].ask(key="behind")
    store.close()
    with bl.open(address) as store:
        assert store.desk("it").life.kept == 0
        assert store["it"].ask(key="behind").repeated
        assert store["it"].ask(key="k19").repeated


def test_a_failed_store_is_closed_without_a_word(monkeypatch):
    store = bl.open("memory://")
    knob = used(store)

    def full(events):
        raise StoreFailed("the disk is full.")

    monkeypatch.setattr(store.journal, "append", full)
    with pytest.raises(StoreFailed):
        knob.ask(key="x")
    assert store.failed is not None
    assert store.keep_snapshots(1) == 0
    store.close()


def test_deadlines_at_one_moment_pass_in_the_order_of_decisions():
    """The heap of a life from a snapshot has other numbers in it, in the same order."""
    desks = Desks(LEARNER, timeout=10.0)
    for name in "cab":
        desks.do("ask", name, {}, step=0)
    desks.keep()
    for name in "xw":
        desks.do("ask", name, {}, step=0)
    desks.now += 2 * 10**7
    same_from_here(desks, [("tick",)])
    kinds = [event.decision for event in desks.journal.read("it") if event.kind == "asked"]
    assert kinds == ["c", "a", "b", "x", "w"]
