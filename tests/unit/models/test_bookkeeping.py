"""Any calls in any order against naive bookkeeping: lists that are searched, and a run that is told labels by hand."""

import math

import numpy as np
import pytest

import belated as bl
from belated.core.errors import AlreadyAnswered, InvalidArgument, UnknownKey
from belated.models import Sparse, adagrad, keys
from support.players import as_bytes

ASSUMED = 0.5
REDUCERS = {
    "first": lambda told: told[0],
    "last": lambda told: told[-1],
    "sum": math.fsum,
    "mean": lambda told: math.fsum(told) / len(told),
}
KEYS = ("a", "b", 1, 2, "1", 10, -1)
WAYS = [("nothing", "first"), *(("hold", name) for name in REDUCERS)]


class Naive:
    """What is open is a mapping to [number, deadline, outcomes, weight]; ``plain`` knows no deadlines."""

    def __init__(self, way, outcomes, horizon):
        self.holds, self.outcomes, self.horizon = way == "hold", outcomes, horizon
        self.plain = bl.models.squared(Sparse(4), step=adagrad(0.3)).start()
        self.now, self.number, self.open, self.ended = -math.inf, 0, {}, {}

    def pass_time(self, moment, at_it):
        while True:
            due = [(each[1], each[0], key) for key, each in self.open.items() if each[1] < moment + 0.25 * at_it]
            if not due:
                return
            *_, key = min(due, key=lambda line: line[:2])
            number, _, told, weight = self.open.pop(key)
            label = REDUCERS[self.outcomes](told) if told else ASSUMED
            self.plain.learn(number, label, weight=weight)
            self.ended[key] = label if told else None

    def predict(self, row, key, at, deadline):
        if at < self.now or key in self.open or (deadline is not None and deadline < at):
            return InvalidArgument
        self.pass_time(at, True)
        self.number, self.now = self.number + 1, at
        last = at + self.horizon if deadline is None else deadline
        self.open[key] = [self.number, last, (), 1.0]
        self.ended.pop(key, None)
        return self.plain.predict(row, self.number).value

    def learn(self, key, label, at, weight):
        if at < self.now:
            return InvalidArgument
        if key not in self.open:
            if key not in self.ended:
                return UnknownKey
            return False if self.ended[key] == label else AlreadyAnswered
        number, deadline, told, _ = self.open[key]
        if deadline < at:
            return AlreadyAnswered
        held = self.holds and deadline < math.inf
        if held and told and self.outcomes == "first":
            return False if told[0] == label else AlreadyAnswered
        if held and told and self.outcomes in ("sum", "mean") and weight != self.open[key][3]:
            return InvalidArgument
        self.pass_time(at, False)
        self.now = at
        if held:
            self.open[key][2:] = (*told, label), weight
            return True
        self.plain.learn(number, label, weight=weight)
        del self.open[key]
        self.ended[key] = label
        return True

    def give_up(self, key):
        if key not in self.open:
            return AlreadyAnswered if key in self.ended else UnknownKey
        if self.open[key][2]:
            return AlreadyAnswered
        self.plain.give_up(self.open.pop(key)[0])
        self.ended[key] = None
        return None


def calls(seed, number=150):
    """Names and arguments of calls; moments are multiples of 1/2, and ``at`` is how far time goes on."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        key, on = (
            KEYS[rng.integers(len(KEYS))],
            float(rng.choice([0.0, 0.0, 1.0, 2.0, 0.5, -1.0], p=[0.2] * 4 + [0.1] * 2)),
        )
        verb = str(rng.choice(["predict", "learn", "give_up", "save"], p=[0.4, 0.45, 0.1, 0.05]))
        row = [int(rng.integers(4))], [float(rng.normal())]
        deadline = None if rng.random() < 0.5 else float(rng.choice([0.0, 1.0, 3.0, -1.0]))
        yield verb, key, on, row, deadline, float(rng.choice([1.0, 2.0, 0.5])), float(rng.choice([1.0, 2.0]))


@pytest.mark.parametrize("horizon", [math.inf, 4.0])
@pytest.mark.parametrize(("way", "outcomes"), WAYS)
def test_any_calls_do_what_naive_bookkeeping_does(way, outcomes, horizon, monkeypatch):
    monkeypatch.setattr(keys, "IDLE", 2)
    options = {} if horizon == math.inf else {"horizon": horizon}
    model = bl.models.squared(
        Sparse(4), step=adagrad(0.3), assumed=ASSUMED, while_waiting=way, outcomes=outcomes, **options
    )
    for seed in range(2):
        predictor, naive = model.start(), Naive(way, outcomes, horizon)
        for verb, key, on, row, after, label, weight in calls(seed):
            at, before = max(naive.now, 0.0) + on, as_bytes(predictor.state())
            if verb == "save":
                predictor = model.resume(predictor.state())
                assert as_bytes(predictor.state()) == before
                continue
            deadline = None if after is None else at + after
            arguments = {"predict": (row, key, at, deadline), "learn": (key, label, at, weight), "give_up": (key,)}[
                verb
            ]
            expected = getattr(naive, verb)(*arguments)
            try:
                if verb == "predict":
                    got = predictor.predict(row, key, at=at, deadline=deadline).value
                else:
                    got = (
                        predictor.learn(key, label, at=at, weight=weight) if verb == "learn" else predictor.give_up(key)
                    )
            except bl.errors.BelatedError as error:
                got = type(error)
            assert got is expected or got == expected
            if isinstance(got, type) or got is False:
                assert as_bytes(predictor.state()) == before
            assert predictor.waiting == tuple(naive.open)
            machines = predictor._running.machine, naive.plain._running.machine
            assert machines[0].table.tobytes() == machines[1].table.tobytes()
