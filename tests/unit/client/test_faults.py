"""A network that loses, delays and doubles whatever it likes: the service has each ask and each tell once.

The witness is a store in process, which is told the same things by the same ids, over no network at all.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.client import Client
from belated.client.courier import Courier
from belated.client.effects import Rest
from belated.client.problems import AWAY
from support.remote import PATIENT, URL, Network, Served, Times

FAULTS = st.sampled_from([None, None, "down", "lost", "twice", "502", "503", "busy"])
STEPS = st.lists(
    st.one_of(
        st.just(("ask", None)),
        st.tuples(st.just("ask"), st.sampled_from("abc")),
        st.tuples(st.just("tell"), st.integers(0, 5)),
        st.tuples(st.just("give_up"), st.integers(0, 5)),
    ),
    max_size=12,
)
LEARNER = bl.dogd(bl.Ball(2), lipschitz=3.0)


def live(knob, steps, new_id):
    """Ask, tell and give up; ids are made by whoever is asked, or else by ``new_id``. Returns all decisions."""
    keys, plays = [], []
    for number, (verb, which) in enumerate(steps):
        if verb == "ask":
            play = knob.ask(key=which if which or new_id is None else new_id())
            keys.append(play.key)
            plays.append((play.key, play.points.tobytes()))
        elif keys:
            key = keys[which % len(keys)]
            try:
                if verb == "tell":
                    knob.tell([0.5, number / 8], key=key)
                else:
                    knob.give_up(key)
            except bl.errors.AlreadyAnswered:
                plays.append((key, "answered"))
    return plays


def events(store):
    return [(event.kind, event.decision, event.key, event.body) for event in store._store.read("it")]


def nothing_is_lost_or_doubled(steps, faults):
    service, times, witness = Served(), Times(), Times()
    network = Network(service)
    with Client(URL, transport=network, timing=times.timing(), retries=PATIENT) as client:
        knob = client.create("it", LEARNER)
        network.faults = list(faults)
        seen = live(knob, steps, None)
    with bl.open("memory://", clock=lambda: 10**12) as store:
        assert seen == live(store.create("it", LEARNER), steps, witness.new_id)
        assert events(service.store) == events(store)
    service.store.close()


@given(STEPS, st.lists(FAULTS, max_size=11))
def test_each_ask_and_each_tell_counts_once(steps, faults):
    nothing_is_lost_or_doubled(steps, faults)


def test_a_client_that_makes_a_new_id_for_each_try_is_caught(monkeypatch):
    def decide(self, name, given, key, *others):
        patient, self.sender.retries = self.sender.retries, self.sender.retries._replace(tries=1)
        try:
            while True:
                try:
                    return (yield from original(self, name, given, key, *others))
                except AWAY:
                    yield Rest(0.1)
        finally:
            self.sender.retries = patient

    original = Courier.decide
    monkeypatch.setattr(Courier, "decide", decide)
    nothing_is_lost_or_doubled([("ask", "a"), ("ask", "b")], ["down", "lost"])  # it is good enough for given ids
    with pytest.raises(AssertionError):
        nothing_is_lost_or_doubled([("ask", None)], ["lost"])


@given(st.lists(FAULTS, max_size=11), st.integers(1, 30))
def test_batches_count_once(faults, count):
    service = Served()
    network = Network(service)
    with Client(URL, transport=network, timing=Times().timing(), retries=PATIENT) as client:
        knob = client.create("it", LEARNER)
        network.faults = list(faults)
        plays = knob.ask_many(count)
        assert not any(play.repeated for play in plays)
        knob.tell_many((play.key, play.point) for play in plays)
    kinds = [kind for kind, *_ in events(service.store)]
    assert kinds == ["created"] + ["asked"] * count + ["told"] * count
    service.store.close()
