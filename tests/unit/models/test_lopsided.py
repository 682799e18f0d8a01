"""The sign of the trap: clear where one kind of label comes first, and not where labels and ages merely go together."""

import heapq
import math

import numpy as np
import pytest

import belated as bl
from belated.models import Sparse, adagrad
from belated.models import lopsided as lopsided_file
from belated.models.keys import Keys
from belated.models.lopsided import CLEAR, RECENT, Answers, lopsided
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


def run(stream, seed, predictions=3000, per_unit=50.0, **options):
    """The signs that were seen on the way, every 100 predictions, and the predictor."""
    rng, predictor = np.random.default_rng(seed), bl.models.logistic(Sparse(2), step=adagrad(0.1), **options).start()
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


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("stream", [purchases, purchases_only, complaints])
def test_it_is_clear_where_one_kind_of_label_comes_first(stream, seed):
    seen, _ = run(stream, seed)
    assert seen[-1].clear
    assert "come first" in seen[-1].message


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("stream", [flights, rare, lost])
def test_it_is_never_clear_where_ages_say_little(stream, seed):
    seen, _ = run(stream, seed)
    assert not any(each.clear for each in seen)
    assert seen[-1].answers >= lopsided_file.LEAST


def test_a_test_for_any_difference_would_find_the_flights():
    """This is why the probability is looked at, and not its significance or the means."""
    found = run(flights, 1)[0][-1]
    assert abs(found.z) > 5.0
    assert found.late - found.early > 0.15
    assert 0.3 < found.order < 0.5


def test_the_means_of_the_ends_differ_little_where_purchases_are_rare():
    found = run(lambda rng: purchases(rng, rate=0.02), 1)[0][-1]
    assert found.early - found.late < 0.2
    assert found.order == 1.0
    assert found.clear


def naive_order(ages, labels):
    """All pairs of a large and a small label, one by one."""
    wins, pairs, middle = 0.0, 0, np.mean(labels)
    for age, label in zip(ages, labels, strict=True):
        for other_age, other_label in zip(ages, labels, strict=True):
            if label > middle >= other_label:
                pairs += 1
                wins += 1.0 if age < other_age else 0.5 if age == other_age else 0.0
    return wins / pairs


def order_is_right(seed=0):
    rng = np.random.default_rng(seed)
    for kind in range(12):
        ages = rng.integers(0, 9, 60).astype(float) if kind % 2 else rng.exponential(size=60)
        labels = rng.normal(size=60) if kind % 3 else rng.integers(0, 2, 60).astype(float)
        found = lopsided(Answers(60, zip(ages, labels, strict=True)), Keys(), 1e9, 0.0, True)
        if abs(found.order - naive_order(ages, labels)) > 1e-12:
            return False
    return True


def test_the_probability_is_that_of_all_pairs():
    assert order_is_right()


@pytest.mark.parametrize(
    ("piece", "other"),
    [("- 0.5 * (count - 1)", ""), ("return 1.0 - older", "return older"), ("0.5 * many * (many + 1)", "0.5 * many")],
)
def test_a_wrong_probability_would_be_caught(piece, other):
    with broken(lopsided_file._order, piece, other):
        assert not order_is_right()


def test_z_is_the_distance_in_standard_errors():
    """Under labels that are dealt out at random, z has mean 0 and spread 1."""
    rng, found = np.random.default_rng(4), []
    for _ in range(400):
        answers = Answers(100, zip(rng.exponential(size=100), (rng.random(100) < 0.3).astype(float), strict=True))
        found.append(lopsided(answers, Keys(), 1e9, 0.0, True).z)
    assert abs(np.mean(found)) < 0.2
    assert 0.9 < np.std(found) < 1.1


@pytest.mark.parametrize(
    "options", [{"horizon": 30.0}, {"horizon": 30.0, "while_waiting": "hold"}, {"while_waiting": "assume"}]
)
def test_runs_that_are_not_in_the_trap_count_no_answers(options):
    seen, _ = run(lambda rng: purchases(rng, horizon=29.95), 1, predictions=900, per_unit=15.0, **options)
    assert not any(each.clear for each in seen)
    assert seen[-1].answers == 0
    assert math.isnan(seen[-1].early)


def test_memory_is_bounded_and_few_answers_say_nothing():
    answers = Answers()
    for number in range(201):
        answers.note(float(number % 7), float(number % 7 < 2))
        found = lopsided(answers, Keys(), 1e9, -1.0, True)
        assert found.clear == (number + 1 >= lopsided_file.LEAST)
    assert found.order == 1.0 > CLEAR
    for _ in range(RECENT + 500):
        answers.note(1.0, 0.0)
    assert len(answers.recent) == RECENT
    assert answers.total == RECENT + 701


def test_it_survives_saving():
    _, predictor = run(complaints, 3, predictions=1500)
    twin = predictor.model.resume(predictor.state())
    assert twin.lopsided == predictor.lopsided
    assert as_bytes(twin.state()) == as_bytes(predictor.state())


def test_labels_that_are_numbers_have_an_order_too_but_silence_means_nothing():
    predictor, rng = bl.models.squared(Sparse(2), step=adagrad(0.1)).start(), np.random.default_rng(0)
    for number in range(900):
        predictor.predict(([0], [1.0]), number, at=float(number))
        if number % 5 == 0:
            predictor.learn(number, float(rng.normal(5.0, 1.0)), at=float(number))
    assert predictor.lopsided.overdue > 500
    assert not predictor.lopsided.clear


def test_it_is_a_warning_that_others_give():
    assert issubclass(bl.errors.LopsidedLabels, UserWarning)
