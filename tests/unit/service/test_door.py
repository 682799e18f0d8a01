"""Durable players and predictors: the same decisions as others, bit for bit, also after a restart, and for threads."""

import threading

import numpy as np
import pytest

import belated as bl
from belated import domains
from belated.core.errors import AlreadyAnswered, Archived, InvalidArgument, StateMismatch, StoreFailed, UnknownDecision
from belated.journal.events import chained
from belated.learners.catalogue import EXAMPLES, typical
from belated.service import decisions, life
from belated.service.door import DurableStore
from belated.service.keys import Keys
from belated.service.settings import Settings, checked_settings
from contracts.test_models import MODELS, example_for, label_for, model_of
from support.players import as_bytes


class Ticking:
    """A clock that goes on by a second whenever it is read, unless it is told otherwise."""

    def __init__(self, now=10**12, step=10**6):
        self.now, self.step = now, step

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.fixture
def address(tmp_path):
    return f"sqlite:///{tmp_path / 'knob.db'}"


@pytest.mark.parametrize("label", EXAMPLES)
def test_a_durable_player_decides_as_a_player_does(label, address):
    """Any learner, told late and in any order; the store is opened anew in the middle."""
    learner, rng = typical(label), np.random.default_rng(0)
    interface = learner.interface
    player, late = learner.start(seed=5), []
    store = bl.open(address, Ticking())
    knob = store.create("it", learner, seed=5)
    for number in range(24):
        context = rng.normal(size=interface.context_size) if interface.context_size else None
        play, mine = player.ask(context), knob.ask(context, key=f"k{number}")
        assert mine.points.tobytes() == play.points.tobytes()
        late.append((f"k{number}", play.round))
        while late and rng.random() < 0.45:
            key, round_ = late.pop(int(rng.integers(len(late))))
            feedback = rng.choice([0.0, 1.0], size=interface.feedback_size)
            player.tell(feedback, round=round_)
            assert knob.tell(feedback, key=key)
            assert not knob.tell(feedback, key=key)
        if number == 12:
            store.close()
            store = bl.open(address, Ticking(2 * 10**12))
            knob = store["it"]
    assert as_bytes(store._desks["it"].life._run.state()) == as_bytes(player.state())
    store.close()


@pytest.mark.parametrize("name", [name for name in MODELS if isinstance(model_of(name).features, bl.models.Named)])
def test_a_durable_predictor_predicts_as_a_predictor_does(name, address):
    model, rng, clock = model_of(name), np.random.default_rng(1), Ticking(10**12)
    predictor, store = model.start(), bl.open(address, clock)
    mine, waiting = store.create("it", model), []
    for number in range(30):
        example = example_for(model, rng)
        found = mine.predict(example, f"k{number}")
        assert found.value == predictor.predict(example, f"k{number}", at=clock.now / 1e6).value
        waiting.append(f"k{number}")
        if rng.random() < 0.7:
            key, label = waiting.pop(int(rng.integers(len(waiting)))), float(label_for(model, rng))
            mine.learn(key, label)
            try:
                predictor.learn(key, label, at=clock.now / 1e6)
            except AlreadyAnswered:
                assert store._desks["it"].life.decisions.get(key).status != "answered"
        if number == 15:
            store.close()
            store = bl.open(address, clock)
            mine = store["it"]
    assert mine.predict({"a": "w1"}).value == predictor.predict({"a": "w1"}, at=clock.now / 1e6).value
    store.close()


def test_threads_share_a_store(address):
    learner = bl.dogd(bl.Ball(2), lipschitz=3.0)
    with bl.open(address) as store:
        knob, plays = store.create("it", learner), {}

        def work(name):
            for number in range(40):
                play = knob.ask(key=f"{name}-{number}")
                plays[play.key] = play.points.tobytes()
                knob.tell([0.5, 0.25], key=play.key)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(plays) == 240
        state = as_bytes(store._desks["it"].life._run.state())
    with bl.open(address) as store:
        assert as_bytes(store._desks["it"].life._run.state()) == state
        assert {key: store["it"].ask(key=key).points.tobytes() for key in plays} == plays


def test_a_name_belongs_to_one_learner(address):
    with bl.open(address) as store:
        learner = bl.dogd_sc(bl.Ball(2), 2.0)
        store.create("it", learner)
        assert store.create("it", bl.dogd_sc(bl.Ball(2), 2.0)).ask().points.shape == (1, 2)
        with pytest.raises(InvalidArgument, match="another learner of this name"):
            store.create("it", bl.dogd_sc(bl.Ball(2), 3.0))
        assert list(store) == ["it"]


@pytest.mark.parametrize("wrong", ["", "x" * 201, "a\nb", 7, None, "\ud800"])
def test_names_that_cannot_be_kept_are_refused(wrong):
    with bl.open("memory://") as store:
        with pytest.raises(InvalidArgument, match="1 to 200 characters"):
            store.create(wrong, bl.dogd_sc(bl.Ball(2), 2.0))
        knob = store.create("it", bl.dogd_sc(bl.Ball(2), 2.0))
        with pytest.raises(InvalidArgument, match="1 to 200 characters"):
            knob.tell([0.0, 0.0], key=wrong)
        assert len(list(store._store.read("it"))) == 1


def test_what_is_refused_leaves_no_event():
    with bl.open("memory://") as store:
        knob = store.create("it", bl.dogd_sc(bl.Ball(2), 2.0))
        knob.ask(key="a")
        for call, error in [
            (lambda: knob.tell([1.0], key="a"), InvalidArgument),
            (lambda: knob.tell([1.0, float("nan")], key="a"), InvalidArgument),
            (lambda: knob.tell([1.0, 1.0], key="b"), UnknownDecision),
            (lambda: knob.give_up("b"), UnknownDecision),
            (lambda: knob.ask([1.0], key="c"), InvalidArgument),
            (lambda: knob.ask([1.0], key="a"), AlreadyAnswered),
            (lambda: knob.ask(key="#7"), InvalidArgument),
        ]:
            with pytest.raises(error):
                call()
        assert [event.kind for event in store._store.read("it")] == ["created", "asked"]


def test_after_a_failure_nothing_is_answered(monkeypatch):
    store = bl.open("memory://")
    knob = store.create("it", bl.dogd_sc(bl.Ball(2), 2.0))

    def full(events):
        raise StoreFailed("the disk is full.")

    monkeypatch.setattr(store._store, "append", full)
    for _ in range(2):
        with pytest.raises(StoreFailed, match="the disk is full"):
            knob.ask(key="a")
    monkeypatch.undo()
    with pytest.raises(StoreFailed):
        knob.ask(key="a")
    again = DurableStore(store._store)
    assert not again["it"].ask(key="a").repeated
    again.close()


def test_a_version_that_decides_otherwise_is_noticed():
    store = bl.open("memory://")
    store.create("it", bl.dogd_sc(bl.Ball(2), 2.0)).ask(key="a")
    *_, last = store._store.read("it")
    journal = store._store
    changed = last.body.replace(b"0.0,0.0", b"0.0,0.5")
    assert changed != last.body
    journal._streams["it"][-1] = chained(journal._streams["it"][-2].chain, *last[:6], changed)
    store._writer.close()
    with pytest.raises(StateMismatch, match=r"event 2 of 'it' \(asked\) comes out otherwise"):
        DurableStore(journal)


def test_rails_and_pauses():
    learner = bl.dogd(bl.Ball(2), lipschitz=1.0)
    with bl.open("memory://") as store:
        knob = store.create("it", learner, largest_move=0.1, upper=[0.15, 1.0])
        before = knob.ask(key="0").point
        for number in range(1, 20):
            knob.tell([-5.0, -5.0], key=str(number - 1))
            point = knob.ask(key=str(number)).point
            assert np.linalg.norm(point - before) <= 0.1 + 1e-12
            assert point[0] <= 0.15
            before = point
        assert before[1] > 0.3
        desk = store._desks["it"]
        store.do(desk, lambda now: desk.pause([0.5, 0.0], now))
        play = knob.ask(key="paused")
        assert play.points.tolist() == [[0.5, 0.0]]
        events = len(list(store._store.read("it")))
        assert knob.tell([9.0, 9.0], key="paused")
        assert [event.kind for event in store._store.read("it", events)] == ["noted"]
        store.do(desk, lambda now: desk.resume(now))
        assert knob.ask(key="on").points.tolist() != [[0.5, 0.0]]
        store.do(desk, lambda now: desk.archive(now))
        with pytest.raises(InvalidArgument, match="archived"):
            knob.ask(key="more")
        assert knob.tell([0.0, 0.0], key="on")
        journal = store._store
        again = DurableStore(journal)
        assert as_bytes(again._desks["it"].life._run.state()) == as_bytes(desk.life._run.state())
        again._writer.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"timeout": 0}, "must be > 0"),
        ({"timeout": 1e10}, "at most 1e"),
        ({"outcome": [1.0, 1.0]}, "needs a timeout"),
        ({"timeout": 1.0, "outcome": [1.0]}, "outcome"),
        ({"late": "never"}, "must be one of ignore, accept"),
        ({"timeout": 1.0, "outcome": [0.0, 0.0], "late": "accept"}, "must be 'ignore' if an outcome"),
        ({"largest_move": -1.0}, "largest_move"),
        ({"lower": [1.0, 1.0], "upper": [0.0, 2.0]}, "must not be above"),
        ({"lower": [0.0, 1.5]}, "must leave something of Ball.* coordinate 1 is at most 1"),
        ({"upper": [-2.0, 0.0]}, "coordinate 0 is at least -1"),
        ({"speed": 1}, "there is no such setting; there are timeout, outcome, late, largest_move, lower, upper"),
        ({"timeuot": 1}, r"there is no such setting; did you mean timeout\?"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, words):
    with bl.open("memory://") as store:
        with pytest.raises(InvalidArgument, match=words):
            store.create("it", bl.dogd_sc(bl.Ball(2), 2.0), **settings)
        assert len(store) == 0
        with pytest.raises(InvalidArgument, match="is for learners that play one point"):
            store.create("it", bl.bdogd_sc(bl.Ball(2), 2.0, 0.1), largest_move=1.0)
        with pytest.raises(InvalidArgument, match="is for learners; a model has a horizon"):
            store.create("it", bl.models.logistic(), timeout=1.0)


def test_rails_are_in_the_units_of_people_and_leave_something_of_the_ranges():
    ranges = bl.service.Ranges(lower=[5.0], upper=[20.0], values=[0.0, 100.0], rounds=1000)
    with bl.open("memory://") as store:
        with pytest.raises(InvalidArgument, match="coordinate 0 is at most 20"):
            store.create("price", ranges, lower=[200.0])
        knob = store.create("price", ranges, lower=[20.0], upper=[300.0])
        assert knob.ask(key="monday").points.tolist() == [[20.0]]
        with pytest.raises(InvalidArgument, match="coordinate 0 is at least 5"):
            knob.configure(lower=None, upper=[4.0])


@pytest.mark.parametrize("domain", [each.example(3) for each in domains.EVERY], ids=lambda each: type(each).__name__)
def test_rails_that_leave_something_of_a_domain_are_taken(domain):
    """Also where a domain has no end."""
    edge = domain.centre - 0.5 * min(1.0, domain.inner_radius)
    for given in ({"lower": edge}, {"upper": edge}, {"lower": domain.centre, "upper": domain.centre}):
        found = checked_settings("create", given, bl.dogd_sc(domain, 2.0), {})
        assert found.has_rails


def reopened(store):
    """The same journal lived through again; its state is that of the first life."""
    again = DurableStore(store._store, store.clock)
    for name in store:
        first, second = (each._desks[name].life for each in (store, again))
        assert as_bytes(first._run.state()) == as_bytes(second._run.state())
    again._writer.close()
    return again


def test_numbers_of_numpy_are_taken_and_stored():
    with bl.open("memory://") as store:
        model = store.create("clicks", bl.models.logistic(bits=8))
        for number in range(20):
            example = {"hour": np.int64(number % 3), "size": np.float32(number), "new": np.bool_(number % 2)}
            model.predict(example, f"k{number}")
            assert model.learn(f"k{number}", np.int64(number % 2))
            assert not model.learn(f"k{number}", number % 2)
        sparse = store.create("sparse", bl.models.squared(bl.models.Sparse(9)))
        sparse.predict((np.array([1, 3]), np.array([0.5, 2.0])), "a")
        sparse.learn("a", np.float64(3.5))
        reopened(store)


@pytest.mark.parametrize("wrong", [object(), {"a": {1}}, {"a": "x" * 2**21}, {"a": "\ud800"}, {"a": 1j}])
def test_what_cannot_be_stored_leaves_no_trace(wrong):
    with bl.open("memory://") as store:
        model = store.create("clicks", bl.models.logistic(bits=8))
        model.predict({"size": 3.0}, "a")
        with pytest.raises(InvalidArgument):
            model.predict(wrong, "b")
        with pytest.raises(InvalidArgument):
            model.learn("a", wrong)
        assert model.predict({"size": 4.0}, "b").repeated is False
        assert [event.kind for event in store._store.read("clicks")] == ["created", "asked", "asked"]
        reopened(store)


def test_a_call_that_is_interrupted_in_the_middle_stops_the_learner(monkeypatch):
    store = bl.open("memory://")
    knob = store.create("it", bl.dogd_sc(bl.Ball(2), 2.0))
    knob.ask(key="a")

    def pressed(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(life, "digest", pressed)  # the player has decided by then, and no event says so
    with pytest.raises(KeyboardInterrupt):
        knob.ask(key="b")
    monkeypatch.undo()
    with pytest.raises(StoreFailed, match=r"interrupted in the middle of a call\. Open the store anew"):
        knob.tell([1.0, 1.0], key="a")
    store._writer.close()
    again = DurableStore(store._store)["it"]
    assert again.tell([1.0, 1.0], key="a")
    assert not again.ask(key="b").repeated


def test_a_clock_behind_the_last_event_is_in_the_log_once_and_again_when_it_has_caught_up(address, caplog):
    clock = Ticking(step=0)

    def said():
        found, store_is_used = caplog.messages[:], store["it"].ask().repeated
        store.tick()
        assert not store_is_used
        return len(caplog.messages) - len(found)

    with bl.open(address, clock) as store:
        store.create("it", bl.dogd_sc(bl.Ball(2), 2.0))
        assert said() == store.clock_behind == 0
    clock.now -= 843 * 10**6
    with bl.open(address, clock) as store:
        assert store.clock_behind == 843.0
        assert caplog.messages[0].startswith("The clock of this machine is 0:14:03 (hours, minutes, seconds) behind")
        assert said() == 0
        clock.now += 842 * 10**6
        assert (said(), store.clock_behind) == (0, 1.0)  # it has not caught up yet
        clock.now += 10**6
        assert (said(), store.clock_behind) == (1, 0.0)
        assert caplog.messages[-1] == "The clock of this machine has caught up with the last event in the store."
        clock.now -= 10**6
        assert (said(), store.clock_behind) == (0, 1.0)  # so little is worth no line
        clock.now -= 10**6
        assert (said(), said(), store.clock_behind) == (1, 0, 2.0)
    assert {(each.name, each.levelname) for each in caplog.records} == {("belated.service", "WARNING")}


def test_a_clock_may_be_behind_the_last_key_alone():
    clock = Ticking(step=0)
    with bl.open("memory://", clock) as store:
        made = store.submit([Keys().make("x", ["admin"], None, clock.now + 5 * 10**6)[0]])
        made.result()
        assert store.clock_behind == 5.0
        assert DurableStore(store.journal, clock).clock_behind == 5.0


def test_decisions_that_left_memory_are_known_as_before(monkeypatch):
    """Told while paused, timed out and accepted late, and given up; nothing of it is in memory any more."""
    monkeypatch.setattr(decisions, "RECENT", 1)
    clock = Ticking(step=0)
    with bl.open("memory://", clock) as store:
        knob = store.create("it", bl.dogd_sc(bl.Ball(2), 2.0), timeout=5.0, late="accept")
        desk = store._desks["it"]
        knob.ask(key="late")
        clock.now += 10**7
        store.do(desk, lambda now: desk.pause(None, now))
        knob.ask(key="paused")
        knob.tell([1.0, 0.0], key="paused")
        store.do(desk, lambda now: desk.resume(now))
        for number in range(3):
            knob.ask(key=f"more{number}")
            knob.tell([0.0, 1.0], key=f"more{number}")
        knob.ask(key="dropped")
        knob.give_up("dropped")
        for key in ("more0", "more1"):
            assert not knob.tell([0.0, 1.0], key=key)
        assert not knob.tell([1.0, 0.0], key="paused")
        with pytest.raises(AlreadyAnswered):
            knob.give_up("paused")
        assert knob.tell([0.5, 0.5], key="late")
        assert not knob.tell([0.5, 0.5], key="late")
        with pytest.raises(AlreadyAnswered):
            knob.tell([0.5, 0.0], key="late")
        with pytest.raises(AlreadyAnswered):
            knob.tell([0.5, 0.5], key="dropped")
        reopened(store)


def test_settings_that_have_changed_are_taken_over():
    learner = bl.dogd_sc(bl.Ball(2), 2.0)
    with bl.open("memory://") as store:
        for timeout in (5.0, 5.0, 7.0):
            store.create("it", learner, timeout=timeout)
        store.create("it", learner, largest_move=0.5)
        store.create("it", learner)  # what is not named stays as somebody has set it
        found = [event.kind for event in store._store.read("it")]
        assert found == ["created", "configured", "configured"]
        assert store._desks["it"].life.settings == Settings(timeout=7.0, largest_move=0.5)


def test_a_name_whose_learner_is_archived_is_not_created_again():
    with bl.open("memory://") as store:
        store.create("it", bl.dogd_sc(bl.Ball(2), 2.0)).archive()
        with pytest.raises(Archived, match="take another name"):
            store.create("it", bl.dogd_sc(bl.Ball(2), 2.0))


def test_a_store_that_cannot_be_opened_is_let_go(address, monkeypatch):
    with bl.open(address) as store:
        store.create("it", bl.dogd_sc(bl.Ball(2), 2.0)).ask(key="a")
    with monkeypatch.context() as patch:
        patch.setattr(life, "read_back", lambda values: bl.dogd_sc(bl.Ball(2), 3.0) and 1 / 0)
        with pytest.raises(StateMismatch, match=r"event 1 of 'it' \(created\) cannot be done again"):
            bl.open(address)
    with bl.open(address) as store:
        assert store["it"].ask(key="a").repeated


def test_an_event_of_a_later_version_is_refused():
    store = bl.open("memory://")
    store.create("it", bl.dogd_sc(bl.Ball(2), 2.0))
    end = store._store.end("it")
    store._store.append([chained(end.chain, "it", 2, "praised", None, None, end.at, b"{}")])
    store._writer.close()
    with pytest.raises(StateMismatch, match="of the kind 'praised', which this version does not know"):
        DurableStore(store._store)


def test_an_outcome_that_the_learner_does_not_take_is_refused_at_once():
    with bl.open("memory://") as store:
        with pytest.raises(InvalidArgument, match="must be a class"):
            store.create("it", typical("perceptron"), timeout=5.0, outcome=[0.5])
        with pytest.raises(InvalidArgument, match="at most 50000 numbers in a round"):
            store.create("it", bl.bdogd_sc(bl.Ball(300), 2.0, 0.1))
        assert len(store) == 0
