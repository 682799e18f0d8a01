"""A desk against a model of fifty lines that knows nothing of events, under any commands in any order and any clock."""

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import belated as bl
from belated.core.errors import AlreadyAnswered, BelatedError, StoreFailed, UnknownDecision
from belated.service.decisions import Decisions
from belated.service.desk import Desk
from belated.service.seen import Seen
from support.players import as_bytes
from support.postgres import when_free

LEARNER = bl.dogd_sc(bl.Ball(2), 2.0)
KEYS = ["a", "b", "c", "d"]
VALUES = st.sampled_from([[0.5, -0.25], [-1.0, 0.0], [0.125, 2.0]])


class Naive:
    """What each key is, what was told of it, and a player beside."""

    def __init__(self, now, timeout, late, outcome):
        self.player, self.plays, self.status, self.told = LEARNER.start(), {}, {}, {}
        self.timeout, self.late, self.outcome, self.now, self.deadlines = timeout, late, outcome, now, {}

    def happens(self, now):
        """Time is held at the last thing that has happened."""
        self.now = max(now, self.now)

    def pass_time(self, now, at_it):
        now = max(now, self.now)
        for key in sorted(self.deadlines, key=lambda key: (self.deadlines[key], self.plays[key].round)):
            due = self.deadlines[key] < now or (at_it and self.deadlines[key] == now)
            if self.status[key] == "open" and due:
                self.happens(now)
                self.status[key] = "timed out"
                if self.outcome is not None:
                    self.player.tell(self.outcome, round=self.plays[key].round)
                elif self.late == "ignore":
                    self.player.give_up(self.plays[key].round)

    def ask(self, key, now):
        if key not in self.plays:
            self.pass_time(now, True)
            self.happens(now)
            self.plays[key], self.status[key] = self.player.ask(), "open"
            if self.timeout:
                self.deadlines[key] = self.now + 10**6 * self.timeout
        return self.plays[key].points.tolist()

    def tell(self, key, feedback, now):
        if key not in self.plays:
            return UnknownDecision
        if key in self.told:
            return "old" if self.told[key] == feedback else AlreadyAnswered
        self.pass_time(now, False)
        if self.status[key] in ("answered", "given up"):
            return AlreadyAnswered
        self.happens(now)
        self.told[key] = feedback
        if self.status[key] == "timed out" and self.late == "ignore":
            return "ignored"
        self.player.tell(feedback, round=self.plays[key].round)
        self.status[key] = "answered"
        return "learned"

    def give_up(self, key, now):
        if key not in self.plays:
            return UnknownDecision
        self.pass_time(now, False)
        if self.status[key] == "open":
            self.happens(now)
            self.status[key] = "given up"
            self.player.give_up(self.plays[key].round)
            return "done"
        return AlreadyAnswered if self.status[key] == "answered" else "old"


class Machine(RuleBasedStateMachine):
    """Both beside each other; a restart opens the store anew, and replays all events."""

    new_address = staticmethod(lambda: "memory://")

    @initialize(late=st.sampled_from(["ignore", "accept"]), timeout=st.sampled_from([None, 3]), learn=st.booleans())
    def begin(self, late, timeout, learn):
        outcome = [0.25, 0.25] if learn and timeout and late == "ignore" else None
        self.time = 10**12
        self.address = self.new_address()
        self.store = bl.open(self.address, clock=lambda: self.time)
        self.naive = Naive(self.time, timeout, late, outcome)
        self.knob = self.store.create("price", LEARNER, timeout=timeout, late=late, outcome=outcome)

    @rule(seconds=st.sampled_from([0, 1, 3, 4, -5]))
    def clock(self, seconds):
        self.time += 10**6 * seconds

    @rule(key=st.sampled_from(KEYS))
    def ask(self, key):
        old = key in self.naive.plays
        play = self.knob.ask(key=key)
        assert (play.points.tolist(), play.repeated) == (self.naive.ask(key, self.time), old)

    def result(self, call):
        try:
            return call()
        except BelatedError as error:
            return type(error)

    @rule(key=st.sampled_from(KEYS), feedback=VALUES)
    def tell(self, key, feedback):
        wanted = self.naive.tell(key, feedback, self.time)
        found = self.result(lambda: self.knob.tell(feedback, key=key))
        assert found == {"old": False, "ignored": True, "learned": True}.get(wanted, wanted)

    @rule(key=st.sampled_from(KEYS))
    def give_up(self, key):
        wanted = self.naive.give_up(key, self.time)
        assert self.result(lambda: self.knob.give_up(key)) == (None if wanted in ("done", "old") else wanted)

    @rule()
    def restart(self):
        if self.address == "memory://":  # a store in memory is gone when it is closed
            self.store._snapshots.shutdown()
            self.store._writer.close()
            self.store = type(self.store)(self.store._store, lambda: self.time)
        else:
            self.store.close()
            self.store = when_free(lambda: bl.open(self.address, clock=lambda: self.time))
        self.knob = self.store["price"]

    @invariant()
    def the_state_is_that_of_the_player(self):
        if hasattr(self, "knob"):
            found = self.store._desks["price"].life._run.state()
            assert as_bytes(found) == as_bytes(self.naive.player.state())

    def teardown(self):
        if hasattr(self, "store"):
            self.store.close()


class WithSnapshots(Machine):
    """The same, where a restart goes on from a snapshot."""

    @rule()
    def restart(self):
        self.store.keep_snapshots(1)
        before = self.store.desk("price").life.kept
        super().restart()
        assert self.store.desk("price").life.kept == before


def check(new_address, examples=20, machine=Machine, **options):
    with_addresses = type("WithAddresses", (machine,), {"new_address": staticmethod(new_address)})
    wanted = settings(max_examples=examples, stateful_step_count=25, deadline=None, **options)
    run_state_machine_as_test(with_addresses, settings=wanted)


def test_a_desk_does_what_the_naive_one_does(new_address):
    check(new_address)


def test_a_desk_goes_on_from_snapshots_as_the_naive_one_does(new_address):
    check(new_address, machine=WithSnapshots)


def _twice(desk, decision, given, now, key="1"):
    found = ORIGINAL(desk, decision, given, now, key)
    desk.life.decisions.get(decision).outcomes.clear()  # so that a repeated report is not recognised
    return found


def _hasty(desk, now, at_it):
    PASS_TIME(desk, now + 10**6, at_it)


ORIGINAL, PASS_TIME = Desk.tell, Desk.pass_time


@pytest.mark.parametrize(("name", "wrong"), [("tell", _twice), ("pass_time", _hasty)])
def test_broken_desks_are_caught(monkeypatch, name, wrong):
    monkeypatch.setattr(Desk, name, wrong)
    with pytest.raises(AssertionError):
        check(lambda: "memory://", 200, phases=(Phase.generate,), report_multiple_bugs=False, derandomize=True)


def _without_old_ids(decisions, contents):
    GO_ON(decisions, {**contents, "seen": Seen().contents()})


GO_ON = Decisions.go_on


def test_a_snapshot_that_forgets_old_ids_is_caught(monkeypatch):
    monkeypatch.setattr(Decisions, "go_on", _without_old_ids)
    options = {"phases": (Phase.generate,), "report_multiple_bugs": False, "derandomize": True}
    with pytest.raises((AssertionError, StoreFailed)):  # a store refuses a decision that it has
        check(lambda: "memory://", 200, WithSnapshots, **options)


@pytest.mark.parametrize("outcome", [None, [0.25, 0.25]])
def test_late_feedback_that_is_accepted_too_late_is_noted_only(outcome):
    """When the decision timed out, its round was given up or an outcome was learned; neither can be undone."""
    desk = Desk("price", lambda decision: [])
    desk.create(LEARNER, {}, {"timeout": 1.0, "outcome": outcome}, 0)
    desk.ask("a", {}, 0)
    desk.tick(2 * 10**6)
    desk.configure({"late": "accept", "outcome": None}, 2 * 10**6)
    assert desk.tell("a", {"feedback": [0.5, 0.5]}, 3 * 10**6).reply["learned"] is False
    assert desk.tell("a", {"feedback": [0.5, 0.5]}, 3 * 10**6).duplicate
    desk.ask("b", {}, 3 * 10**6)
    desk.tick(9 * 10**6)
    assert desk.tell("b", {"feedback": [0.5, 0.5]}, 9 * 10**6).reply["learned"] is True


@pytest.mark.parametrize(("one", "other"), [([1, 0], [1.0, 0.0]), ([1.0, 0.0], [1, -0.0]), ([2**53, 0], [2.0**53, 0])])
def test_a_repeated_report_may_have_its_numbers_written_otherwise(one, other):
    """As a program in another language does, or a queue that writes JSON anew."""
    desk = Desk("price", lambda decision: [])
    desk.create(LEARNER, {}, {}, 0)
    desk.ask("a", {}, 0)
    assert not desk.tell("a", {"feedback": one}, 1).duplicate
    assert desk.tell("a", {"feedback": other}, 2).duplicate
    assert desk.life.end.number == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"x": 1}, {"x": True}),
        ({"x": 2**53}, {"x": 2**53 + 1}),
        ({"x": 1}, {"x": "1"}),
        ({}, {"x": 0}),
        ({"x": 1}, {"x": 10**400}),
    ],
)
def test_what_only_looks_equal_is_something_else(one, other):
    desk = Desk("clicks", lambda decision: [])
    desk.create(bl.models.logistic(bits=8), {}, {}, 0)
    desk.ask("a", {"features": one}, 0)
    with pytest.raises(AlreadyAnswered):
        desk.ask("a", {"features": other}, 0)
