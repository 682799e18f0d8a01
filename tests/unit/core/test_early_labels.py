"""The criterion for labels that come early: its arithmetic against a naive one, its error against all permutations, its
power on lopsided streams, and its silence on streams whose ages say little.
"""

import inspect
import itertools
import math
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core import early_labels as right
from belated.core.early_labels import early_labels


def naive(ages, labels):
    """Window, recent mean, overall mean and bias, one answer after another."""
    ordered, number = sorted(ages), len(ages)
    window = ordered[(number - 1) // 2]
    if window == ordered[0]:
        window = min([age for age in ages if age > window], default=window)
    shares = [
        1.0 if window == math.inf > age else max(1.0 - age / window, 0.0) if age < window else 0.0 for age in ages
    ]
    overall = sum(labels) / number
    if sum(shares) == 0.0:
        return window, overall, overall, 0.0
    recent = sum(share * label for share, label in zip(shares, labels, strict=True)) / sum(shares)
    deviation = math.sqrt(sum((label - overall) ** 2 for label in labels) / number)
    return window, recent, overall, (recent - overall) / deviation if deviation > 1e-9 else 0.0


AGES = st.lists(st.sampled_from([0.0, 1.0, 2.0, 2.5, 4.0, 7.0, math.inf]), min_size=1, max_size=30)


@given(AGES, st.data())
def test_it_is_what_a_naive_sum_says(ages, data):
    labels = data.draw(st.lists(st.sampled_from([-3.0, 0.0, 1.0, 2.5]), min_size=len(ages), max_size=len(ages)))
    found = early_labels(np.array(ages), np.array(labels))
    window, *others = naive(ages, labels)
    assert found.window == window
    if len(set(labels)) > 1:
        assert [found.recent, found.overall, found.bias] == pytest.approx(others)
    else:
        assert found.bias == 0.0


@given(AGES, st.data())
def test_the_bias_does_not_depend_on_units_or_the_order_of_answers(ages, data):
    ages = np.array(ages)
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(ages), max_size=len(ages))), dtype=float)
    order = np.array(data.draw(st.permutations(range(len(ages)))))
    found = early_labels(ages, labels)
    for other in (
        early_labels(ages[order], labels[order]),
        early_labels(8.0 * ages, labels),
        early_labels(ages, 1.0 + 4.0 * labels),
        early_labels(ages, 1e99 * labels),
    ):
        assert (other.bias, other.error, other.counted) == pytest.approx((found.bias, found.error, found.counted))
    swapped = early_labels(ages, -labels)
    assert swapped.bias == pytest.approx(-found.bias)
    assert swapped.lopsided == found.lopsided


def the_error_is_that_of_all_orders(file):
    for ages in (
        [1.0, 2.0, 3.0, 5.0, 8.0, 9.0],
        [0.0, 0.0, 4.0, 4.0, 4.0, 6.0],
        [1.0, 1.5, 2.0, math.inf, math.inf, 3.0],
    ):
        for labels in ([1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [3.0, -2.0, 7.0, 0.5, 0.0, 1.0]):
            every = [file.early_labels(np.array(ages), np.array(each)) for each in itertools.permutations(labels)]
            biases = np.array([each.bias for each in every])
            assert biases.mean() == pytest.approx(0.0, abs=1e-12)
            assert [each.error for each in every] == pytest.approx([biases.std()] * len(every))
            assert all(each.z == pytest.approx(each.bias / biases.std()) for each in every)
            assert abs(biases).max() <= math.sqrt(5.0) * biases.std() * (1.0 + 1e-12)


def test_the_error_is_the_deviation_over_all_orders_of_the_labels():
    the_error_is_that_of_all_orders(right)


def test_how_many_answers_and_labels_count():
    ages = np.array([0.0] * 30 + [5.0] * 70)
    labels = np.array([1.0] * 4 + [0.0] * 96)
    assert early_labels(ages, labels).counted == pytest.approx(
        (4 * 0.96**2 + 96 * 0.04**2) ** 2 / (4 * 0.96**4 + 96 * 0.04**4)
    )
    assert early_labels(ages, np.arange(100.0)).counted == pytest.approx(30.0)


# --- streams ---


def delays(rng, number):
    """Delays of many kinds, of which one is drawn."""
    kinds = [
        lambda: rng.exponential(3.0, number),
        lambda: rng.pareto(1.0, number),
        lambda: rng.integers(1, 5, number).astype(float),
        lambda: np.where(rng.random(number) < 0.03, rng.random(number), 30.0),
        lambda: rng.normal(30.0, 0.1, number),
        lambda: np.exp(rng.normal(0.0, 2.0, number)),
    ]
    return kinds[rng.integers(len(kinds))]()


def drawn_labels(rng, number):
    """Labels of many kinds, of which one is drawn: of two classes, counts, and numbers with few and many outliers."""
    kinds = [
        lambda: (rng.random(number) < rng.choice([0.005, 0.02, 0.1, 0.5, 0.98])).astype(float),
        lambda: rng.poisson(rng.choice([0.05, 3.0]), number).astype(float),
        lambda: rng.normal(5.0, 2.0, number),
        lambda: rng.standard_cauchy(number),
    ]
    return kinds[rng.integers(len(kinds))]()


def looks(file, ages, labels, every=200, most=1000):
    """What is seen on the way, of the last thousand answers."""
    return [
        file.early_labels(ages[max(end - most, 0) : end], labels[max(end - most, 0) : end]).lopsided
        for end in range(every, len(ages) + 1, every)
    ]


def few_false_alarms(file):
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        alarms += any(looks(file, delays(rng, 1600), drawn_labels(rng, 1600)))
    assert alarms <= 2


def test_delays_that_say_nothing_of_labels_are_no_trap():
    few_false_alarms(right)


def lopsided_stream(rng, number=1000):
    """One kind of label comes soon, and the other at the end of a horizon, exactly or about; or sizes do."""
    if rng.random() < 0.25:  # the larger a claim, the longer it takes
        size = rng.poisson(2.0, number).astype(float) if rng.random() < 0.5 else rng.gamma(0.5, 2.0, number)
        return np.where(size > 2.0, rng.exponential(1.0, number), 60.0 + rng.random(number)), size
    early = rng.random(number) < rng.uniform(0.03, 0.5)
    end = 30.0 + rng.choice([0.0, 2.0]) * rng.random(number)
    label = early if rng.random() < 0.5 else ~early
    return np.where(early, np.minimum(rng.exponential(rng.uniform(0.5, 5.0), number), 29.9), end), label.astype(float)


def the_trap_is_found(file):
    found = 0
    for seed in range(200):
        ages, labels = lopsided_stream(np.random.default_rng(seed))
        found += file.early_labels(ages, labels).lopsided
    assert found == 200


def test_lopsided_streams_are_found():
    the_trap_is_found(right)


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_purchases_are_found_among_a_few_hundred_answers(rate):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        bought = rng.random(400) < rate
        assert looks(right, np.where(bought, rng.exponential(1.0, 400), 30.0), bought.astype(float), every=400) == [
            True
        ]


def little_is_no_trap(file):
    """Late labels that differ a little, and flights: six lengths, and the late ones of them land later."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        number = 8000
        ages = rng.exponential(1.0, number)
        slight = (rng.random(number) < 0.2 + 0.2 * np.minimum(ages / 3.0, 1.0)).astype(float)
        late = rng.random(number) < rng.uniform(0.05, 0.5)
        length = rng.choice([60, 90, 120, 180, 300, 360], number)
        minutes = np.where(late, 15.0 + rng.exponential(40.0, number), rng.normal(-8.0, 10.0, number))
        for waits, labels in ((ages, slight), (length + minutes, late.astype(float)), (length + minutes, minutes)):
            assert abs(file.early_labels(waits, labels).z) > 3.0
            assert not file.early_labels(waits, labels).lopsided
            assert not any(looks(file, waits[:3000], labels[:3000]))


def test_labels_that_differ_a_little_are_no_trap():
    little_is_no_trap(right)


def the_edge_is_where_it_is_said_to_be(file):
    at_edge = file.EarlyLabels(1.0, 0.0, 0.0, 0.75, 0.03125, 10.0)
    assert at_edge.lopsided
    assert at_edge._replace(bias=-0.75).lopsided
    assert not at_edge._replace(bias=0.74).lopsided
    assert not at_edge._replace(error=0.032).lopsided
    assert not at_edge._replace(counted=9.9).lopsided


def test_the_edge():
    the_edge_is_where_it_is_said_to_be(right)


def few_are_never_clear(file):
    """Nine early answers, or nine labels that differ, do not do, however large the bias; eleven of both do."""
    for early, large, clear in ((9, 30, False), (30, 9, False), (11, 11, True)):
        ages, labels = np.full(1000, 30.0), np.zeros(1000)
        ages[:early], labels[:large] = 0.0, 1.0
        assert file.early_labels(ages, labels).lopsided is clear


def test_few_are_never_clear():
    few_are_never_clear(right)


def the_window_is_the_median(file):
    found = file.early_labels(np.array([3.0, 1.0, 8.0, 4.0, 9.0]), np.array([2.0, 5.0, 0.0, 1.0, 0.0]))
    assert found.window == 4.0
    assert found.recent == pytest.approx(0.25 * 2.0 + 0.75 * 5.0)


def test_the_window_is_the_median():
    the_window_is_the_median(right)


# --- silence ---


def silence_is_a_label_if_no_answer_has_it(file):
    ages, ones, both = np.arange(4.0), np.ones(4), np.array([1.0, 0.0, 1.0, 1.0])
    assert file.with_silence(ages, ones, 2, 0.0)[0].tolist() == [0.0, 1.0, 2.0, 3.0, math.inf, math.inf]
    assert file.with_silence(ages, ones, 2, 0.0)[1].tolist() == [1.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    assert file.with_silence(ages, both, 2, 0.0)[1].tolist() == both.tolist()
    assert file.with_silence(ages, both, 2, -1.0)[1].tolist() == [*both.tolist(), -1.0, -1.0]
    assert file.with_silence(ages, ones, 2, 1.0)[1].tolist() == ones.tolist()
    assert file.with_silence(ages, both, 2, None)[1].tolist() == both.tolist()
    for label in (0.0, 1.0, -1.0, 1e100):
        extended = file.with_silence(ages, np.full(4, label), 2, None)[1]
        assert len(set(extended.tolist())) == 2
    for silent, trap in ((30, False), (200, True)):
        assert file.early_labels(*file.with_silence(np.ones(300), np.ones(300), silent, None)).lopsided is trap
        assert file.early_labels(*file.with_silence(np.zeros(300), np.ones(300), silent, 0.0)).lopsided is trap
    tenths = np.arange(1.0, 11.0)
    assert file.overdue_after(tenths) == 27.0
    assert file.overdue_after(tenths[:1]) == 3.0


def test_silence():
    silence_is_a_label_if_no_answer_has_it(right)


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        ("number / known - 1.0", "number / known", the_error_is_that_of_all_orders),
        ("/ (number - 1))", "/ number)", the_error_is_that_of_all_orders),
        (
            "1.0 - ages[: np.searchsorted(ages, window)] / window",
            "ages[: np.searchsorted(ages, window)] / window",
            the_trap_is_found,
        ),
        ("ages[(len(ages) - 1) // 2]", "ages[-1]", the_window_is_the_median),
        ("LEAST_BIAS, ERRORS = 0.5, 8.0", "LEAST_BIAS, ERRORS = 0.0, 8.0", little_is_no_trap),
        ("LEAST_BIAS, ERRORS = 0.5, 8.0", "LEAST_BIAS, ERRORS = 0.5, 0.0", few_false_alarms),
        ("LEAST_BIAS, ERRORS = 0.5, 8.0", "LEAST_BIAS, ERRORS = 1.0, 8.0", the_trap_is_found),
        ("self.counted >= LEAST and ", "", few_are_never_clear),
        ("min(known, _counted(squares))", "known", few_are_never_clear),
        ("min(known, _counted(squares))", "_counted(squares)", few_are_never_clear),
        ("abs(self.bias) >=", "self.bias >=", the_edge_is_where_it_is_said_to_be),
        ("self.counted >= LEAST", "self.counted > LEAST", the_edge_is_where_it_is_said_to_be),
        ("not (labels == stands_for).any()", "True", silence_is_a_label_if_no_answer_has_it),
        ("(labels == labels[0]).all() if stands_for", "True if stands_for", silence_is_a_label_if_no_answer_has_it),
        ("max(abs(labels[0]), 1.0)", "1.0", silence_is_a_label_if_no_answer_has_it),
        ("math.ceil(USUAL * len(ages)) - 1", "-1", silence_is_a_label_if_no_answer_has_it),
    ],
)
def test_a_broken_criterion_is_noticed(old, new, check):
    source, copy = inspect.getsource(right), ModuleType(right.__name__)
    assert source.count(old) == 1
    exec(compile(source.replace(old, new), right.__file__, "exec"), vars(copy))
    with pytest.raises(AssertionError):
        check(copy)
