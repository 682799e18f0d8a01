"""The figures of a life against naive code that goes through the list of its events, and what is shown of them."""

import json
import math
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import BelatedError
from belated.journal import open_store
from belated.learners.catalogue import EXAMPLES, typical
from belated.service.bodies import unpacked
from belated.service.figures import EDGES, MOST_POINTS, Figures, Losses
from belated.service.judging import judge_of, loss_name
from belated.service.looking import detail, step_size, summary
from belated.service.opening import new_desk
from belated.service.ranges import Ranges, chosen

LEARNER = bl.dogd_sc(bl.Ball(2), 2.0)
VALUES = bl.bdogd_sc(bl.Ball(2), 2.0, 0.1)
LOGISTIC = bl.models.logistic(bits=6)

SUMMARY = {
    "name", "kind", "algorithm", "created_at", "paused", "archived", "events", "asked", "answered", "noted",
    "timed_out", "given_up", "pending", "oldest_pending_at", "last_at", "asked_per_second", "answered_per_second",
    "current", "loss", "rate",
}  # fmt: skip
DETAIL = SUMMARY | {
    "description", "settings", "fixed", "dim", "points", "context", "feedback", "delays", "losses", "outside",
}  # fmt: skip


def naive(events, now, loss_of=None):
    """The figures, by looking at all events as often as it takes."""
    bodies = {event.number: unpacked(event.body) for event in events}
    asks = {event.decision: event for event in events if event.kind == "asked"}
    told = [event for event in events if event.kind == "told"]
    reports = [event for event in events if event.kind in ("told", "noted")]
    ended = {event.decision for event in events if event.kind in ("told", "noted", "timed_out", "given_up")}
    delays = [event.at - asks[event.decision].at for event in reports]
    recent = [event for event in events if now // 10**6 - 60 < event.at // 10**6 <= now // 10**6]
    losses = []
    if loss_of:
        losses = [loss_of(bodies[asks[each.decision].number]["result"], bodies[each.number]["given"]) for each in told]
    return {
        "asked": len(asks),
        "answered": len(told),
        "noted": len(reports) - len(told),
        "timed_out": sum(event.kind == "timed_out" for event in events),
        "given_up": sum(event.kind == "given_up" for event in events),
        "pending": len(asks.keys() - ended),
        "oldest_pending_at": min((asks[name].at for name in asks.keys() - ended), default=None),
        "last_at": events[-1].at,
        "created_at": events[0].at,
        "events": len(events),
        "asked_per_second": sum(event.kind == "asked" for event in recent) / 60,
        "answered_per_second": sum(event.kind == "told" for event in recent) / 60,
        "delays": [
            sum(low <= delay < high for delay in delays)
            for low, high in zip([-math.inf, *EDGES], [*EDGES, math.inf], strict=True)
        ],
        "loss": None if not losses else (sum(losses) / len(losses), len(losses)),
    }


class Driven:
    """A desk whose events are in a journal in memory at once."""

    def __init__(self, description, start=None, **options):
        self.journal, self.now = open_store("memory://"), 10**12
        self.desk = new_desk(self.journal, "it")
        self.desk.create(description, start or {}, options, self.now)
        self.flush()

    def flush(self):
        self.journal.append(self.desk.life.outbox)
        self.desk.life.outbox.clear()

    def do(self, name, *given, step=10**6):
        self.now += step
        with suppress(BelatedError):
            getattr(self.desk, name)(*given, self.now)
        self.flush()

    def check(self, now, loss_of=None):
        events = list(self.journal.read("it"))
        wanted = naive(events, now, loss_of)
        found = detail(self.desk.life, now)
        loss = wanted.pop("loss")
        assert found["delays"]["counts"] == wanted.pop("delays")
        assert {name: found[name] for name in wanted} == wanted
        if loss is None:
            assert found["loss"] is None
        else:
            assert (found["loss"]["mean"], found["loss"]["count"]) == (pytest.approx(loss[0], rel=1e-12), loss[1])
        again = new_desk(self.journal, "it").life
        for event in events:
            again.replay(event)
        assert detail(again, now) == found
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        return found


STEPS = st.sampled_from([0, 10, 10**3, 10**5, 10**6, 2 * 10**7, 10**8])
COMMANDS = st.lists(
    st.tuples(
        STEPS,
        st.one_of(
            st.tuples(st.just("ask"), st.sampled_from("abcdefgh"), st.just({})),
            st.tuples(st.just("tell"), st.sampled_from("abcdefgh"), st.just({"feedback": [0.5, -1.0]})),
            st.tuples(st.just("give_up"), st.sampled_from("abcdefgh")),
            st.tuples(st.just("pause"), st.just([0.25, 0.5])),
            st.tuples(st.just("resume")),
            st.tuples(st.just("tick")),
        ),
    ),
    max_size=30,
)


def check_figures(commands, late, pause=0):
    driven = Driven(LEARNER, timeout=30.0, late=late)
    for step, command in commands:
        driven.do(*command, step=step)
    for after in (pause, 10**6, 3 * 10**7, 10**9):
        driven.check(driven.now + after)


@given(COMMANDS, st.sampled_from(["ignore", "accept"]))
@settings(max_examples=60, deadline=None)
def test_figures_are_those_of_the_events(commands, late):
    check_figures(commands, late)


SOME = [
    (0, ("ask", "a", {})),
    (5 * 10**6, ("tell", "a", {"feedback": [1.0, 1.0]})),
    (0, ("pause", [0.25, 0.5])),
    (10**7, ("ask", "b", {})),
    (10**3, ("tell", "b", {"feedback": [1.0, 1.0]})),
    (0, ("resume",)),
    (0, ("ask", "c", {})),
    (0, ("give_up", "c")),
    (0, ("ask", "d", {})),
    (10**8, ("tick",)),
]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("ask", lambda self, at: None),
        ("answer", lambda self, at, delay, right=Figures.answer: right(self, at, 0)),
        ("note", lambda self, delay: None),
        ("_rate", lambda self, now, which: sum(each[which] for each in self._seconds) / 60),
    ],
)
def test_broken_figures_are_caught(monkeypatch, name, wrong):
    check_figures(SOME, "ignore")
    monkeypatch.setattr(Figures, name, wrong)
    with pytest.raises(AssertionError):
        check_figures(SOME, "ignore")


def test_the_loss_of_a_model_is_that_of_its_predictions():
    driven, rng = Driven(LOGISTIC), np.random.default_rng(0)
    for number in range(40):
        driven.do("ask", f"k{number}", {"features": {"a": float(rng.normal()), "b": "xyz"[number % 3]}})
        if number % 4:
            driven.do("tell", f"k{number}", {"label": int(rng.integers(2))})

    def loss_of(result, given):
        return -math.log(result["value"] if given["label"] else 1.0 - result["value"])

    found = driven.check(driven.now, loss_of)
    assert found["loss"]["name"] == "logistic"
    assert (found["kind"], found["feedback"], found["dim"], found["current"]) == ("model", "label", None, None)
    assert len(found["losses"]) == 30
    assert found["losses"][-1] == [driven.desk.life.figures.losses.points[-1][0], found["loss"]["mean"]]


def test_the_loss_of_a_learner_that_is_told_values_is_the_first_value():
    driven = Driven(VALUES)
    for number in range(9):
        driven.do("ask", f"k{number}", {})
        driven.do("tell", f"k{number}", {"feedback": [0.25 * number, 1.0, 1.0]})
    found = driven.check(driven.now, lambda result, given: given["feedback"][0])
    assert found["loss"] == {"mean": 1.0, "count": 9, "name": "value"}


def test_values_that_were_learned_outside_of_the_declared_range_are_counted():
    """What is noted only, as in a pause, is not counted: nothing was learned from it."""
    driven = Driven(*chosen(Ranges([5.0], [20.0], [-20.0, 0.0], rounds=100), {}))

    def outside():
        return driven.check(driven.now, lambda result, given: np.ravel(given["feedback"])[0])["outside"]

    for number, (value, count) in enumerate([(-11.0, 0), ([0], 0), (-20.0, 0), (11.0, 1), ([-20.5], 2), ([-11.0], 2)]):
        driven.do("ask", f"k{number}", {})
        driven.do("tell", f"k{number}", {"feedback": value})
        assert outside()["count"] == count
    driven.do("tell", "k3", {"feedback": 11.0})  # again
    driven.do("pause", None)
    driven.do("ask", "paused", {})
    driven.do("tell", "paused", {"feedback": [99.0]})
    assert outside() == {"count": 2, "values": [-20.0, 0.0], "last": -20.5, "last_at": 10**12 + 10**7}


@pytest.mark.parametrize(
    ("description", "start"),
    [
        (LEARNER, {}),
        (LOGISTIC, {}),
        (VALUES, {}),
        chosen(Ranges([5.0], [20.0], [-20.0, 0.0], rounds=100, feedback="gradient"), {}),
    ],
)
def test_without_a_declared_range_of_what_is_told_nothing_is_outside(description, start):
    assert Driven(description, start).check(10**12)["outside"] is None


@pytest.mark.parametrize("value", [3, 3.0, -0.5])
def test_one_value_may_be_told_without_a_list(value):
    desk = new_desk(open_store("memory://"), "price")
    desk.create(typical("flaxman", 2), {}, {}, 0)
    desk.ask("monday", {}, 1)
    assert desk.tell("monday", {"feedback": value}, 2).reply["learned"]
    assert desk.life.figures.losses.mean == value
    assert not desk.ask("tuesday", {}, 3).duplicate


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (LOGISTIC, "logistic"),
        (bl.models.squared(), "squared_error"),
        (bl.models.poisson(), "poisson_count"),
        (LEARNER, "value"),
    ],
)
def test_losses_have_names(model, wanted):
    assert loss_name(model) == wanted


def test_a_loss_beyond_all_numbers_is_not_shown_and_stops_nothing():
    judge = judge_of(bl.models.squared())
    assert judge({"value": 1e300}, {"label": -1e100}) == math.inf
    losses = Losses()
    losses.add(1, 2.0)
    losses.add(2, math.inf)
    losses.add(3, 1.0)
    assert (losses.mean, losses.count, losses.points) == (None, 3, [(1, 2.0)])


@given(st.lists(st.floats(-10, 10), max_size=1500))
@settings(max_examples=20, deadline=None)
def test_points_of_losses_are_thinned(values):
    losses = Losses()
    for number, value in enumerate(values):
        losses.add(number, value)
    assert len(losses.points) <= MOST_POINTS
    assert len(losses.points) >= min(len(values), MOST_POINTS // 2)
    places = [at for at, _ in losses.points]
    assert len({after - before for before, after in pairwise(places)}) <= 1
    for at, mean in losses.points:
        assert mean == pytest.approx(sum(values[: at + 1]) / (at + 1), abs=1e-9)
    again = Losses()
    again.go_on(losses.contents())
    assert again.contents() == losses.contents()


def test_a_summary_and_a_detail_have_what_they_are_said_to_have():
    driven = Driven(LEARNER, timeout=30.0)
    assert set(summary(driven.desk.life, driven.now)) == SUMMARY
    found = driven.check(driven.now)
    assert set(found) == DETAIL
    assert (found["current"], found["rate"], found["paused"], found["fixed"]) == (None, None, False, None)
    driven.do("ask", "a", {})
    driven.do("tell", "a", {"feedback": [0.25, 0.0]})
    driven.do("ask", "b", {})
    found = driven.check(driven.now)
    assert found["rate"] > 0.0
    assert found["current"] == {"points": [[-0.25 * found["rate"], 0.0]]}
    assert (found["algorithm"], found["dim"], found["feedback"]) == ("dogd_sc", 2, "gradient")
    assert found["settings"]["timeout"] == 30.0
    assert "dogd_sc" in found["description"]
    driven.do("pause", [0.5, 0.5])
    driven.do("archive")
    found = driven.check(driven.now)
    assert (found["paused"], found["archived"], found["fixed"]) == (True, True, [0.5, 0.5])
    assert found["current"] == {"points": [[0.5, 0.5]]}


@pytest.mark.parametrize("label", EXAMPLES)
def test_a_rate_is_shown_only_if_it_is_what_moves_the_decision(label):
    """Whatever has a rate moves by it: from the centre of a large domain, by the rate times the gradient."""
    learner = typical(label)
    if learner.interface.feedback != "gradient" or learner.interface.context_size:
        return
    player = learner.start()
    first = player.ask()
    assert step_size(player) is None or step_size(player) > 0.0
    gradient = np.full(learner.interface.feedback_size, 1e-6)
    player.tell(gradient, round=first.round)
    second = player.ask()
    rate = step_size(player)
    if rate is not None and learner.domain.contains(first.points[0] - rate * gradient):
        assert np.allclose(second.points[0], first.points[0] - rate * gradient, atol=1e-12), label
