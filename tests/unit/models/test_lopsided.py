"""The sign of the trap in a run: clear where one kind of label comes first, and not where ages say little."""

import heapq
import inspect
import math
import textwrap

import numpy as np
import pytest

import belated as bl
from belated.core.early_labels import early_labels
from belated.logs.lopsided import lopsidedness
from belated.models import Sparse, adagrad
from belated.models import lopsided as lopsided_file
from belated.models.endings import Endings
from belated.models.keys import Keys, Open
from belated.models.lopsided import RECENT, Answers
from support.broken import broken
from support.players import as_bytes


def purchases(rng, rate=0.05, horizon=30.0):
    """Days from a click to a purchase, or to the end of the month in which there was none."""
    bought = rng.random() < rate
    return int(bought), min(rng.exponential(3.0), 29.9) if bought else horizon


def purchases_only(rng, rate=0.1):
    """A purchase is told, and that there was none is never told."""
    bought = rng.random() < rate
    return int(bought), rng.exponential(1.0) if bought else math.inf


def complaints(rng):
    """Complaints come in the first days; that a customer is content is known after three weeks."""
    bad = rng.random() < 0.3
    return int(not bad), rng.gamma(2.0, 2.0) if bad else rng.normal(21.0, 1.0)


def visits_only(rng):
    """How many visits there were, told after a day; that there was none is never told."""
    visits = int(rng.poisson(0.5))
    return visits, rng.exponential(1.0) if visits else math.inf


def claims(rng):
    """A large claim is told at once, and small ones take their time."""
    size = rng.exponential(1.0)
    return size, 0.1 * rng.exponential(1.0) if size > 1.5 else 10.0 + rng.random()


def flights(rng, late=0.2):
    """Hours until a flight has landed, 1 to 6; late flights land at least a quarter of an hour later."""
    is_late = rng.random() < late
    return int(is_late), rng.uniform(1.0, 6.0) + (0.25 + rng.exponential(0.5) if is_late else 0.0)


def rare(rng):
    """One in fifty is positive, and ages say nothing."""
    return int(rng.random() < 0.02), rng.exponential(2.0)


def lost(rng):
    """Nine in ten are positive, and half of all labels never come, whatever they are."""
    return int(rng.random() < 0.9), rng.exponential(1.0) if rng.random() < 0.5 else math.inf


def noise(rng):
    """Numbers whose ages say nothing."""
    return rng.normal(5.0, 1.0), rng.exponential(2.0) if rng.random() < 0.5 else math.inf


def counts(rng):
    """Counts whose ages say nothing, of which half never come."""
    return int(rng.poisson(2.0)), rng.exponential(2.0) if rng.random() < 0.5 else math.inf


def run(stream, seed, predictions=3000, per_unit=50.0, kind="logistic", **options):
    """The signs that were seen on the way, every 100 predictions, and the predictor."""
    make = getattr(bl.models, kind)
    rng, predictor = np.random.default_rng(seed), make(Sparse(2), step=adagrad(0.1), **options).start()
    answers, seen = [], []
    for number in range(predictions):
        now = number / per_unit
        while answers and answers[0][0] <= now:
            moment, key, label = heapq.heappop(answers)
            predictor.learn(key, label, at=moment)
        label, age = stream(rng)
        predictor.predict(([number % 2], [1.0]), number, at=now)
        if age < math.inf:
            heapq.heappush(answers, (now + age, number, label))
        if number % 100 == 99:
            seen.append(predictor.lopsided)
    return seen, predictor


SHORT = {True: {}, False: {"predictions": 990, "per_unit": 20.0}}
"""Of logistic models that are compiled on the way, and of the others before they are."""

TRAPS = [
    ("logistic", purchases),
    ("logistic", purchases_only),
    ("logistic", complaints),
    ("squared_hinge", complaints),
    ("poisson", visits_only),
    ("poisson", claims),
    ("squared", claims),
]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("kind", "stream"), TRAPS)
def test_it_is_clear_where_one_kind_of_label_comes_first(kind, stream, seed):
    seen, _ = run(stream, seed, kind=kind, **SHORT[kind == "logistic"])
    assert seen[-1].clear
    assert "come first" in seen[-1].message


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("kind", "stream"),
    [("logistic", flights), ("logistic", rare), ("logistic", lost), ("squared", noise), ("poisson", counts)],
)
def test_it_is_never_clear_where_ages_say_little(kind, stream, seed):
    seen, _ = run(stream, seed, kind=kind, **SHORT[kind == "logistic"])
    assert not any(each.clear for each in seen)
    assert seen[-1].answers >= 400


def test_a_test_for_any_difference_would_find_the_flights():
    """This is why the bias is looked at, and not its significance alone."""
    found = run(flights, 1)[0][-1]
    assert abs(found.z) > 4.0
    assert -0.5 < found.bias < -0.1
    assert found.recent < found.overall


# --- horizons ---


def early_sign(**options):
    """The number of predictions after which the trap of purchases within a month is seen; 20 a day, one in ten buys."""

    def only(rng):
        label, age = purchases(rng, rate=0.1)
        return label, age if label else math.inf

    seen, predictor = run(only, 1, predictions=900, per_unit=20.0, horizon=30.0, **options)
    return next((100 * place + 100 for place, each in enumerate(seen) if each.clear), None), predictor


def a_horizon_alone_does_not_help():
    after, predictor = early_sign()
    assert after is not None
    assert after <= 800
    assert predictor.lopsided.clear
    assert predictor.lopsided.overall < 0.3  # as labels are told, not as the link has them
    assert predictor.lopsided.recent > 0.9
    assert predictor.lopsided.window == 30.0


def test_a_run_with_a_horizon_that_learns_labels_as_they_come_is_in_the_trap():
    a_horizon_alone_does_not_help()


@pytest.mark.parametrize(
    ("where", "piece", "other"),
    [
        (
            Endings.close,
            'self._waiting.way == "nothing"',
            'self._waiting.way == "nothing" and not self._waiting.horizon',
        ),
        (Endings.close, "moment - found.made", "0.0"),
        (Endings._let_end, "found.weight, found.deadline", "found.weight, found.made"),
    ],
)
def test_deadlines_that_do_not_count_would_be_caught(where, piece, other, monkeypatch):
    text, made = textwrap.dedent(inspect.getsource(where)), {}
    assert text.count(piece) == 1
    exec(f"from __future__ import annotations\n{text.replace(piece, other)}", where.__globals__, made)
    monkeypatch.setattr(Endings, where.__name__, made[where.__name__])
    with pytest.raises(AssertionError):
        a_horizon_alone_does_not_help()


@pytest.mark.parametrize("options", [{"while_waiting": "hold"}, {"while_waiting": "assume"}])
def test_runs_that_are_not_in_the_trap_count_no_answers(options):
    after, predictor = early_sign(**options)
    assert after is None
    assert predictor.lopsided.answers == 0
    assert math.isnan(predictor.lopsided.recent)


def test_deadlines_of_flights_are_no_trap():
    """Half an hour after the schedule who has heard nothing learns that the flight is late."""
    rng, predictor = np.random.default_rng(0), bl.models.logistic(Sparse(2), step=adagrad(0.1), assumed=1).start()
    answers = []
    for number in range(3000):
        now = number / 50.0
        while answers and answers[0][0] <= now:
            moment, key = heapq.heappop(answers)
            predictor.learn(key, 0, at=moment)
        hours = rng.uniform(1.0, 6.0)
        predictor.predict(([0], [1.0]), number, at=now, deadline=now + hours + 0.5)
        if rng.random() < 0.8:
            heapq.heappush(answers, (now + hours + rng.uniform(-0.3, 0.4), number))
        assert number % 100 or not predictor.lopsided.clear
    assert predictor.lopsided.answers == RECENT


# --- without a model: many streams, and the mean of each thing that is looked at ---


def seen_on_the_way(moments, ages, labels, stands_for=0.0, every=150):
    """Whether the sign was ever clear; by moments of predictions, ages (infinite for none) and labels."""
    keys, answers, clear = Keys(), Answers(), False
    ends = [(at + age, number) for number, (at, age) in enumerate(zip(moments, ages, strict=True)) if age < math.inf]
    heapq.heapify(ends)
    for number, at in enumerate(moments):
        while ends and ends[0][0] <= at:
            _, ended = heapq.heappop(ends)
            answers.note(ages[ended], labels[ended])
            keys.drop_ended(ended)
        keys.enter(number, Open(number + 1, 0, at, math.inf))
        if number % every == every - 1:
            clear = clear or lopsided_file.lopsided(answers, keys, at, stands_for).clear
    return clear


def independent(rng, number):
    """Ages of several laws, of which some never come, and labels of several kinds that have nothing to do with them."""
    law = rng.integers(3)
    ages = (rng.exponential(2.0, number), rng.pareto(1.0, number), rng.integers(1, 9, number).astype(float))[law]
    ages[rng.random(number) < rng.choice([0.0, 0.4])] = math.inf
    rate = rng.choice([0.01, 0.1, 0.5, 0.9])
    labels = ((rng.random(number) < rate).astype(float), rng.poisson(1.0, number).astype(float))[rng.integers(2)]
    return ages, labels


def test_ages_that_have_nothing_to_do_with_labels_give_no_alarm():
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        ages, labels = independent(rng, 600)
        alarms += seen_on_the_way((np.arange(600) / 20.0).tolist(), ages.tolist(), labels.tolist())
    assert alarms <= 2


def test_the_trap_is_seen_long_before_the_first_absence_is_known():
    """Clicks of 25 days, of which some lead to a purchase within days; a horizon of 30 days is never reached."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        bought = rng.random(1500) < rng.uniform(0.08, 0.4)
        ages = np.where(bought, rng.exponential(1.0, 1500), math.inf).tolist()
        assert seen_on_the_way((np.arange(1500) / 60.0).tolist(), ages, bought.astype(float).tolist())


def the_overdue_count_in_proportion():
    """A hundred thousand answers with twenty thousand that are overdue are a sixth, whatever is remembered."""
    keys, answers = Keys(), Answers(100_000, [(1.0, 1.0)] * RECENT)
    for number in range(20_000):
        keys.enter(number, Open(number + 1, 0, 0.0, math.inf))
    found = lopsided_file.lopsided(answers, keys, 3.5, 0.0)
    assert found.overdue == 20_000
    assert found.overall == pytest.approx(5.0 / 6.0, abs=1e-3)
    assert not found.clear
    assert lopsided_file.lopsided(answers, keys, 3.0, 0.0).overdue == 0


def test_overdue_predictions_count_in_proportion():
    the_overdue_count_in_proportion()


@pytest.mark.parametrize(
    ("where", "piece", "other", "check"),
    [
        (
            lopsided_file.lopsided,
            "overdue * number // answers.total",
            "overdue",
            the_overdue_count_in_proportion,
        ),
        (lopsided_file._overdue, "each.made >= since", "each.made > since", the_overdue_count_in_proportion),
        (lopsided_file.lopsided, "now - overdue_after(ages)", "now", the_overdue_count_in_proportion),
    ],
)
def test_wrong_counts_would_be_caught(where, piece, other, check):
    with broken(where, piece, other), pytest.raises(AssertionError):
        check()


def test_a_run_and_a_log_are_judged_alike():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = [(purchases if seed % 2 else flights)(rng) for _ in range(400)]
        labels, ages = np.array(rows).T
        of_run = lopsided_file.lopsided(Answers(400, zip(ages, labels, strict=True)), Keys(), 1e9, None)
        of_log = lopsidedness(ages, labels, np.array([]))
        assert (of_run.window, of_run.recent, of_run.bias) == (of_log.window, of_log.recent, of_log.bias)
        assert of_run.clear == of_log.misleading == early_labels(ages, labels).lopsided == bool(seed % 2)


def test_memory_is_bounded_and_few_answers_say_nothing():
    answers = Answers()
    for number in range(401):
        answers.note(float(number % 7), float(number % 7 < 2))
        found = lopsided_file.lopsided(answers, Keys(), 1e9, -1.0)
        assert not (found.clear and number < 66)
    assert found.clear
    for _ in range(RECENT + 500):
        answers.note(1.0, 0.0)
    assert len(answers.recent) == RECENT
    assert answers.total == RECENT + 901


def test_it_survives_saving():
    _, predictor = run(complaints, 3, predictions=1500)
    twin = predictor.model.resume(predictor.state())
    assert twin.lopsided == predictor.lopsided
    assert as_bytes(twin.state()) == as_bytes(predictor.state())


def test_silence_is_no_number_unless_there_is_a_horizon():
    rng = np.random.default_rng(0)
    for horizon, clear in ((None, False), (1e6, True)):
        predictor = bl.models.squared(Sparse(2), step=adagrad(0.1), horizon=horizon).start()
        for number in range(900):
            predictor.predict(([0], [1.0]), number, at=float(number))
            if number % 5 == 0:
                predictor.learn(number, float(rng.normal(5.0, 1.0)), at=float(number))
        assert predictor.lopsided.overdue > 500
        assert predictor.lopsided.clear is clear


def test_it_is_a_warning_that_others_give():
    assert issubclass(bl.errors.LopsidedLabels, UserWarning)
