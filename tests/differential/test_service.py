"""Simulation, replay and service give the same decisions, bit for bit.

The paper's experiments are run by the simulator, and once more by asking and telling a service in the same order of
arrival. A part of the flights is replayed, and told to a service whose clock is that of the log. In the middle the
store is closed, and goes on from a snapshot.
"""

from contextlib import closing
from itertools import islice

import numpy as np
import pytest

import belated as bl
from belated.delays import arrivals
from belated.losses.base import gradient, value
from belated.models.predictor import Predictor
from belated.papers.wan2021 import PROBLEM, SETTINGS, setup
from belated.sim.plain_or_compiled import plain_loop
from support.doors import NAME, Direct, Http
from support.engine import begun
from support.players import as_bytes

FEW, MANY, SEED = 120, 1000, 3
PAPER = ("dogd-sc", "bdogd-sc", "bdogd-sc-two-point")
DOORS = {"http": (Http, False), "http, reopened": (Http, True), "direct, reopened": (Direct, True)}
TIME = 1_700_000_000_000_000


@pytest.fixture(params=DOORS)
def opened(request, tmp_path):
    """Opens one of the doors; and whether it is to be closed in the middle."""
    kind, reopened = DOORS[request.param]
    address = f"sqlite:///{tmp_path}/knob.db" if reopened else "memory://"
    return lambda clock: kind(address, clock), reopened


def simulated(learner, initial, rows, delays):
    """The points of every round in the simulator's loop, which is given one round at a time."""
    run, found = begun(learner, PROBLEM.loss, len(rows), len(rows), SEED, initial), []
    for place in range(len(rows)):
        run.take(plain_loop, rows[place : place + 1], delays[place : place + 1])
        found.append(run._workspace.points.copy())
    return found


def served(door, learner, rows, delays, middle=None):
    """The same points from a service, with the feedback of the points that it has returned."""
    order, feedback, found = arrivals(delays), {}, []
    for place, row in enumerate(rows, start=1):
        points = door.ask(f"round {place}")
        found.append(points)
        if learner.interface.feedback == "gradient":
            feedback[place] = np.empty(points.shape[1])
            gradient(PROBLEM.loss, row, points[0], feedback[place])
        else:
            feedback[place] = np.array([value(PROBLEM.loss, row, point) for point in points])
        for round_ in order.order[order.first[place] : order.first[place + 1]].tolist():
            door.tell(f"round {round_}", feedback.pop(round_))
        if place == middle:
            door.reopen()
    return found


def check_paper(opened, setting, name, rounds):
    opening, reopened = opened
    chosen = setup(setting, rounds)
    learner, initial, delays = chosen.learners()[name], chosen.initial()[name], chosen.delays
    rows = PROBLEM.rows(SEED, rounds)
    with closing(opening(lambda: TIME)) as door:
        door.create(learner, initial=initial, seed=SEED)
        found = served(door, learner, rows, delays, rounds // 2 if reopened else None)
    wanted = simulated(learner, initial, rows, delays)
    assert [points.tobytes() for points in found] == [points.tobytes() for points in wanted]
    result = bl.simulate({name: learner}, PROBLEM, chosen.law, rounds, [SEED], initial={name: initial}, workers=1)
    losses = [
        sum(value(PROBLEM.loss, row, each) for each in points) / len(points)
        for row, points in zip(rows, found, strict=True)
    ]
    assert result.cumulative_loss.sel(learner=name, seed=SEED).values.tobytes() == np.cumsum(losses).tobytes()
    assert len({points.tobytes() for points in found}) > rounds / 4, "nothing is learned, so nothing is compared"


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", PAPER)
def test_a_service_decides_as_the_simulator_does(opened, setting, name):
    check_paper(opened, setting, name, FEW)


@pytest.mark.soak
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", setup("low", MANY).learners())
def test_a_service_decides_as_the_simulator_does_in_all_of_the_experiments(opened, setting, name):
    check_paper(opened, setting, name, MANY)


# --- the flights

MODELS = {
    "default": bl.models.logistic(bits=12),
    "with a horizon": bl.models.logistic(bits=12, horizon=4 * 3600.0),
    "on hold": bl.models.logistic(bits=12, horizon=4 * 3600.0, while_waiting="hold"),
}


class Window:
    """The first events of a log, with texts as keys."""

    def __init__(self, log, count):
        self._log, self._count, self.counts = log, count, log.counts

    @property
    def clock(self):
        return self._log.clock

    def events(self, labels):
        with closing(self._log.events(labels)) as events:
            for event in islice(events, self._count):
                yield event._replace(key=str(event.key))


@pytest.fixture(scope="module")
def flights():
    return bl.read_log("flights", features="C")


def replayed(model, log, monkeypatch):
    """All predictions of a replay, and the predictor at its end."""
    found, predict = [], Predictor.predict

    def noted(predictor, *arguments, **options):
        prediction = predict(predictor, *arguments, **options)
        found.append(prediction.value)
        return prediction

    with monkeypatch.context() as patched:
        patched.setattr(Predictor, "predict", noted)
        result = bl.replay({"it": model}, log, progress=False)
    return found, result.predictors["it"]


def check_flights(opened, model, log, monkeypatch, middle):
    opening, reopened = opened
    wanted, predictor = replayed(model, log, monkeypatch)
    now, found = [0], []
    with closing(opening(lambda: now[0])) as door:
        for place, event in enumerate(log.events(model.labels)):
            now[0] = event.time
            if not place:
                door.create(model)
            if isinstance(event, bl.logs.Asked):
                found.append(door.predict(event.key, event.example))
            else:
                door.learn(event.key, event.label)
            if reopened and place == middle:
                door.reopen()
        assert found == wanted
        assert as_bytes(door.state()) == as_bytes(predictor.state())
        kinds = {event.kind for event in door.store.journal.read(NAME)}
    assert {"asked", "told"} <= kinds
    assert len(set(found)) > len(found) / 2
    return kinds


@pytest.mark.parametrize(
    ("name", "opened"),
    [("default", "http, reopened"), ("with a horizon", "direct, reopened"), ("on hold", "http")],
    indirect=["opened"],
)
def test_a_service_predicts_as_a_replay_does(opened, flights, monkeypatch, name):
    kinds = check_flights(opened, MODELS[name], Window(flights, 2000), monkeypatch, 1000)
    assert ("timed_out" in kinds) == (name != "default")


@pytest.mark.soak
@pytest.mark.parametrize("name", MODELS)
def test_a_service_predicts_as_a_replay_does_for_long(opened, flights, monkeypatch, name):
    check_flights(opened, MODELS[name], Window(flights, 60_000), monkeypatch, 20_000)


# --- the comparison has power


ARRIVALS = arrivals


def test_feedback_in_another_order_is_noticed(monkeypatch):
    """Feedback that arrives together is told in the order of play; the last bits know the difference."""

    def other_way_round(delays):
        order = ARRIVALS(delays)
        for first, last in zip(order.first, order.first[1:], strict=False):
            order.order[first:last] = order.order[first:last][::-1].copy()
        return order

    monkeypatch.setitem(globals(), "arrivals", other_way_round)
    with pytest.raises(AssertionError):
        check_paper((lambda clock: Http("memory://", clock), False), "high", "dogd-sc", FEW)


def test_one_bit_that_is_lost_on_the_way_is_noticed(monkeypatch):
    original = Http.ask
    monkeypatch.setattr(Http, "ask", lambda door, key: original(door, key).astype(np.float32).astype(float))
    with pytest.raises(AssertionError):
        check_paper((lambda clock: Http("memory://", clock), False), "low", "dogd-sc", FEW)
