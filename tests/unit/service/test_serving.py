"""What a service needs of a store: names, streams of its own, deadlines that pass by themselves, and creation."""

import threading

import pytest

import belated as bl
from belated.core.errors import InvalidArgument, NameTaken, StoreFailed
from belated.journal.events import START, chained
from belated.service import engine
from belated.service.door import DurableStore
from belated.service.life import Life
from belated.service.names import checked_learner_name

LEARNER = bl.dogd_sc(bl.Ball(2), 2.0)


@pytest.mark.parametrize("wrong", ["#keys", "#", "a/b", "/", ".", "..", "", "x" * 201, "a\nb", 7, None])
def test_names_that_no_learner_may_have(wrong):
    with bl.open("memory://") as store:
        with pytest.raises(InvalidArgument) as caught:
            store.create(wrong, LEARNER)
        assert caught.value.argument == "name"
        assert store.names == []


@pytest.mark.parametrize("name", ["a", "...", ".a", "a#", "knob 7", "ä", "x" * 200])
def test_names_that_learners_may_have(name):
    assert checked_learner_name("create", "name", name) == name


def test_a_stream_with_a_reserved_name_is_no_learner():
    store = bl.open("memory://")
    store.create("it", LEARNER)
    event = chained(START, "#keys", 1, "made", "1", "1", 5, b"not even JSON")
    assert store.submit([event]).result() is None
    with pytest.raises(InvalidArgument, match="must be of streams that begin with #"):
        store.submit([chained(START, "it", 2, "made", "1", "1", 5, b"{}")])
    store._writer.close()
    again = DurableStore(store.journal)
    assert (list(again), again.names, len(again)) == (["it"], ["it"], 1)
    assert list(again.journal.read("#keys")) == [event]
    with pytest.raises(KeyError):
        again.desk("#keys")
    again.close()


def test_a_store_says_how_it_is(monkeypatch):
    store = bl.open("memory://")
    assert (store.failed, store.busy) == (None, False)
    monkeypatch.setattr(type(store._writer), "full", property(lambda writer: True))
    assert store.busy

    def full(events):
        raise StoreFailed("the disk is full.")

    monkeypatch.setattr(store.journal, "append", full)
    with pytest.raises(StoreFailed):
        store.create("it", LEARNER)
    assert isinstance(store.failed, StoreFailed)
    store.close()


def test_deadlines_pass_by_themselves():
    time = [10**12]
    with bl.open("memory://", lambda: time[0]) as store:
        for name in ("a", "b"):
            store.create(name, LEARNER, timeout=5.0).ask(key="k")
        knob, desk = store["a"], store.desk("a")
        assert store.tick() is None
        time[0] += 5 * 10**6
        assert store.tick() is None  # at this moment an answer still counts
        assert store["b"].tell([1.0, 0.0], key="k")
        time[0] += 1
        future = store.tick()
        assert future is not None
        future.result()
        kinds = [[event.kind for event in store.journal.read(name)] for name in store]
        assert kinds == [["created", "asked", "timed_out"], ["created", "asked", "told"]]
        assert store.tick() is None
        assert not desk.life.decisions.open
        assert knob.tell([1.0, 0.0], key="k")
        assert [event.kind for event in store.journal.read("a")][-1] == "noted"


def test_a_learner_that_was_interrupted_does_not_hold_up_the_time_of_others():
    time = [10**12]
    with bl.open("memory://", lambda: time[0]) as store:
        for name in ("a", "b"):
            store.create(name, LEARNER, timeout=5.0).ask(key="k")
        store.desk("a").life._interrupted = True
        time[0] += 10**7
        store.tick().result()
        assert [event.kind for event in store.journal.read("b")] == ["created", "asked", "timed_out"]


def test_a_learner_that_was_not_interrupted_is_not_renewed():
    with bl.open("memory://") as store:
        store.create("it", LEARNER).ask(key="a")
        before = store.desk("it")
        store.renew("it")
        assert store.desk("it") is before


def test_of_two_that_renew_a_learner_the_later_one_takes_nothing_back(monkeypatch):
    with bl.open("memory://") as store:
        store.create("it", LEARNER).ask(key="a")
        broken, open_desk = store.desk("it"), engine.opened_desk
        broken.life._interrupted = True

        def slowly(*arguments):
            found = open_desk(*arguments)
            with monkeypatch.context() as patched:
                patched.setattr(engine, "opened_desk", open_desk)
                store.renew("it")  # somebody else, who has finished first
            store["it"].ask(key="b")
            return found

        monkeypatch.setattr(engine, "opened_desk", slowly)
        store.renew("it")
        assert store["it"].ask(key="b").repeated
        assert [event.number for event in store.journal.read("it")] == [1, 2, 3]


CHANGED = ["created", "configured"]


def test_creation_is_begun_and_repeated():
    with bl.open("memory://") as store:
        found, future = store.begin_creation("it", LEARNER, {"seed": 3}, {"timeout": 5.0})
        future.result()
        assert found == ({}, False)
        for settings, kinds in [({"timeout": 5.0}, ["created"]), ({}, ["created"]), ({"timeout": 6.0}, CHANGED)]:
            found, future = store.begin_creation("it", LEARNER, {"seed": 3}, settings)
            future.result()
            assert found.duplicate
            assert [event.kind for event in store.journal.read("it")] == kinds
        with pytest.raises(NameTaken, match="another learner of this name"):
            store.begin_creation("it", bl.dogd_sc(bl.Ball(2), 3.0), {}, {})


def test_others_go_on_while_a_learner_is_compiled_and_one_of_two_creators_wins(monkeypatch):
    compiling, free = threading.Event(), threading.Event()

    def compile_slowly(life):
        if life.name == "slow":
            compiling.set()
            assert free.wait(30)

    monkeypatch.setattr(Life, "compile", compile_slowly)
    with DurableStore(bl.open("memory://").journal, compiled=True) as store:
        quick = store.create("quick", LEARNER)
        found = []
        threads = [
            threading.Thread(target=lambda: found.append(store.begin_creation("slow", LEARNER, {}, {}))) for _ in "ab"
        ]
        for thread in threads:
            thread.start()
        assert compiling.wait(30)
        assert quick.ask(key="meanwhile").points.shape == (1, 2)
        free.set()
        for thread in threads:
            thread.join()
        assert sorted(outcome.duplicate for outcome, _ in found) == [False, True]
        for _, future in found:
            future.result()
        assert [event.kind for event in store.journal.read("slow")] == ["created"]


def test_a_learner_is_paused_resumed_configured_and_archived():
    with bl.open("memory://") as store:
        knob = store.create("it", LEARNER)
        knob.ask(key="a")
        knob.pause([0.5, 0.0])
        assert knob.ask(key="b").points.tolist() == [[0.5, 0.0]]
        knob.resume()
        knob.configure(timeout=7.0)
        assert store.desk("it").life.settings.timeout == 7.0
        with pytest.raises(InvalidArgument, match="there is no such setting"):
            knob.configure(speed=1)
        knob.archive()
        for call in (knob.pause, knob.resume, knob.configure, knob.ask):
            with pytest.raises(InvalidArgument, match="archived"):
                call()
        model = store.create("clicks", bl.models.logistic(bits=6))
        with pytest.raises(InvalidArgument, match="fixed"):
            model.pause()
        model.pause(0.25)
        assert model.predict({"a": 1.0}).value == 0.25
