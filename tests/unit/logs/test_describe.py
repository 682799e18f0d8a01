"""The summary of a log, compared with naive counting, and its warning of early labels that are unlike the others."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.errors import BadRow
from belated.logs import Asked, Told, describe, lopsided, read_log
from support.plain_log import break_code

WIDE = {"decided_at": "at", "answered_at": "known", "label": "y"}
ROWS = st.lists(
    st.tuples(st.integers(0, 30), st.none() | st.integers(0, 20), st.sampled_from([0, 1, 2.5])), max_size=30
)


def made(rows, **more):
    """A log of rows (time, delay or None, label)."""
    found = [{"at": at, "known": None if delay is None else at + delay, "y": y} for at, delay, y in rows]
    return read_log(found, **WIDE, sort=True, **more)


@given(ROWS)
def test_numbers_are_those_of_naive_counting(rows):
    summary = made(rows).describe()
    answered = [row for row in rows if row[1] is not None]
    delays = sorted(delay for _, delay, _ in answered)
    assert (summary.decisions, summary.answered, summary.never_answered) == (
        len(rows),
        len(answered),
        len(rows) - len(answered),
    )
    if delays:
        assert summary.mean_delay == pytest.approx(sum(delays) / len(delays))
        for level in summary.delay_levels:
            found = summary.quantile(level)
            assert sum(delay <= found for delay in delays) >= level * len(delays)
            assert sum(delay < found for delay in delays) <= level * len(delays)
    for time, flying, silent in zip(summary.times, summary.in_flight, summary.unanswered, strict=True):
        assert flying == sum(at <= time < at + delay for at, delay, _ in answered)
        assert silent == sum(at <= time for at, delay, _ in rows if delay is None)
    moments = [at for at, _, _ in rows]
    most = [sum(at <= time < at + delay for at, delay, _ in answered) for time in moments]
    assert summary.most_in_flight == max(most, default=0)
    assert len(summary.times) <= 600
    json.dumps(summary.to_dict())
    assert repr(summary).startswith("LogSummary of '<list>'\n  decisions       ")


def share_answered_is_that_of_kaplan_and_meier():
    """Five questions; two are open at the end, at the ages 2 and 10. By hand, in fractions."""
    summary = made([(0, 1, 1), (0, 3, 1), (0, 3, 0), (0, None, 1), (8, None, 1), (0, 10, 1)]).describe()
    assert summary.last == 10
    assert summary.ages.tolist() == [1.0, 3.0, 10.0]
    left = [Fraction(5, 6), Fraction(5, 6) * Fraction(2, 4), Fraction(5, 6) * Fraction(2, 4) * Fraction(1, 2)]
    assert summary.share_answered.tolist() == pytest.approx([float(1 - share) for share in left])


def test_share_answered():
    share_answered_is_that_of_kaplan_and_meier()


def test_a_survival_curve_that_forgets_the_unanswered_is_noticed(monkeypatch):
    break_code(monkeypatch, describe, " + (len(censored) - np.searchsorted(censored, ages))", "")
    with pytest.raises(AssertionError):
        share_answered_is_that_of_kaplan_and_meier()


NOBODY = np.array([])
"""Nobody is silent."""


def clicks(rng, rows=4000, chance=0.3, horizon=1000):
    """Sales are known soon, and that there was none is known at the horizon."""
    sold = rng.random(rows) < chance
    delays = np.where(sold, rng.integers(1, horizon, rows), horizon)
    return [(at, int(delay), float(y)) for at, (delay, y) in enumerate(zip(delays, sold, strict=True))]


def the_trap_is_seen():
    rng = np.random.default_rng(0)
    trap = made(clicks(rng)).describe()
    assert trap.lopsidedness.lopsided
    assert trap.lopsidedness.means[0] == 1.0
    assert trap.lopsidedness.means[-1] == 0.0
    assert trap.lopsidedness.strength == pytest.approx(1.0)
    assert "LOPSIDED" in repr(trap)
    fair = [(at, int(rng.integers(1, 1000)), float(rng.random() < 0.3)) for at in range(4000)]
    even = made(fair).describe().lopsidedness
    assert not even.lopsided
    assert even.chance > 0.001
    assert len(even.means) == 10
    ages = rng.random(20_000)
    slight = lopsided.lopsidedness(ages, (rng.random(20_000) < 0.3 + 0.1 * ages).astype(float), NOBODY)
    assert slight.chance < 1e-6  # it is no accident, and too weak to mislead anybody
    assert not slight.lopsided
    assert trap.lopsidedness.recent == 1.0
    assert trap.lopsidedness.bias == pytest.approx(np.sqrt((1 - trap.lopsidedness.overall) / trap.lopsidedness.overall))
    ages, labels = np.array([3.0, 1.0, 8.0, 4.0, 9.0]), np.array([2.0, 5.0, 0.0, 1.0, 0.0])
    by_hand = lopsided.lopsidedness(ages, labels, NOBODY)
    assert by_hand.window == 4.0
    assert by_hand.recent == pytest.approx((0.25 * 2 + 0.75 * 5) / (0.25 + 0.75))
    assert by_hand.bias == pytest.approx((4.25 - 1.6) / labels.std())


def test_labels_that_come_early_because_of_what_they_are():
    the_trap_is_seen()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('np.argsort(ages, kind="stable")', "np.arange(len(ages))"),
        ("np.concatenate([last, first[alone]])", "last"),
        ("self.misleading and not self.one_sided", "not self.one_sided"),
        ("self.misleading and not self.one_sided", "self.misleading and self.one_sided"),
        ("math.erfc(abs(found.z) / math.sqrt(2.0))", "math.erfc(found.z / math.sqrt(2.0))"),
        ("math.erfc(abs(found.z) / math.sqrt(2.0))", "math.erfc(abs(found.bias) / math.sqrt(2.0))"),
    ],
)
def test_a_broken_warning_is_noticed(old, new, monkeypatch):
    break_code(monkeypatch, lopsided, old, new)
    with pytest.raises((AssertionError, ValueError, ZeroDivisionError)):
        the_trap_is_seen()


def flights_like(rng, chance, rows=20_000):
    """Flights of several lengths, of which the late ones arrive later."""
    late = rng.random(rows) < chance
    length = rng.choice([60, 90, 120, 180, 300, 360], rows)
    return length + np.where(late, 15.0 + rng.exponential(40.0, rows), rng.normal(-8.0, 10.0, rows)), late


@pytest.mark.parametrize("chance", [0.02, 0.1, 0.3, 0.6])
@pytest.mark.parametrize("jitter", [0, 100])
def test_purchases_are_a_trap(chance, jitter):
    rng = np.random.default_rng(1)
    sold = rng.random(20_000) < chance
    no_sale = 1000.0 + rng.integers(0, jitter + 1, 20_000)
    delays = np.where(sold, rng.exponential(100.0, 20_000).clip(0.0, 999.0), no_sale)
    found = lopsided.lopsidedness(delays, sold.astype(float), NOBODY)
    assert found.lopsided
    assert found.bias > 0.7
    assert found.misleading
    swapped = lopsided.lopsidedness(delays, 1.0 - sold, NOBODY)  # names of labels change nothing
    assert swapped.lopsided
    assert swapped.bias == pytest.approx(-found.bias)
    never = made([(at, int(delays[at]), 1.0) if sold[at] else (at, None, None) for at in range(3000)]).describe()
    assert never.lopsidedness.one_sided
    assert never.lopsidedness.misleading


@pytest.mark.parametrize("chance", [0.05, 0.24, 0.5])
def test_flights_are_no_trap_although_late_ones_arrive_later(chance):
    delays, late = flights_like(np.random.default_rng(2), chance)
    found = lopsided.lopsidedness(delays, late.astype(float), np.full(900, 1e6))
    assert found.chance < 1e-6
    assert found.bias < 0.0
    assert not found.misleading


@pytest.mark.parametrize("ages", [[5.0, 5.0, 5.0, 9.0], [0.0, 0.0, 7.0, 9.0]])
def test_a_median_that_is_the_least_delay(ages):
    found = lopsided.lopsidedness(np.array(ages), np.array([1.0, 1.0, 1.0, 0.0]), NOBODY)
    assert found.window == next(age for age in ages if age > ages[0])
    assert found.recent == 1.0
    same = lopsided.lopsidedness(np.array([3.0, 3.0]), np.array([1.0, 0.0]), NOBODY)
    assert (same.window, same.recent, same.bias) == (3.0, 0.5, 0.0)


def silence_is_judged():
    def sales(every, end):
        told = [(at, 3, 1.0) if at % every else (at, None, None) for at in range(end)]
        return made(told).describe().lopsidedness

    assert sales(2, 2000).misleading
    assert not sales(9, 2000).misleading  # a bias of 0.35
    assert not sales(2, 60).misleading  # too few to say
    just_asked = made([(at, 3, 1.0) if at < 300 else (at, None, None) for at in range(310)]).describe().lopsidedness
    assert just_asked.one_sided
    assert not just_asked.misleading
    waits = made([(0, 30, 1.0)] * 200 + [(40, None, None)] * 200 + [(90, 30, 1.0)]).describe().lopsidedness
    assert not waits.misleading  # for 80, and overdue is who waits for more than 90


def test_who_is_silent_for_long_counts():
    silence_is_judged()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("silent > overdue_after(ages)", "silent >= 0.0"),
        ("silent > overdue_after(ages)", "silent > ages.max()"),
        ("misleading=with_overdue.lopsided", "misleading=found.lopsided"),
        ("misleading=with_overdue.lopsided", "misleading=constant and len(silent) > 0"),
    ],
)
def test_silence_that_is_misjudged_is_noticed(old, new, monkeypatch):
    break_code(monkeypatch, lopsided, old, new)
    with pytest.raises(AssertionError):
        silence_is_judged()


def test_silence_may_be_a_label():
    sales = [(at, 3, 1.0) if at % 3 else (at, None, None) for at in range(30)]
    summary = made(sales).describe()
    assert summary.lopsidedness.one_sided
    assert not summary.lopsidedness.lopsided
    assert "ONE-SIDED" in repr(summary)
    assert not made([(at, 3, 1.0) for at in range(9)]).describe().lopsidedness.one_sided


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(-1e6, 1e6)), min_size=1, max_size=60))
def test_means_by_age_are_exact(answers):
    found = made([(0, delay, label) for delay, label in answers]).describe().lopsidedness
    assert found.overall == pytest.approx(float(sum(Fraction(y) for _, y in answers) / len(answers)), rel=1e-15, abs=0)
    below = -1
    for age, number, mean in zip(found.ages, found.answers, found.means, strict=True):
        group = [Fraction(y) for delay, y in answers if below < delay <= age]
        assert len(group) == number
        assert mean == pytest.approx(float(sum(group) / len(group)), rel=1e-15, abs=0)
        below = age
    assert found.answers.sum() == len(answers)
    assert len(found.means) <= 20
    assert 0.0 <= found.strength <= 1.0
    assert 0.0 <= found.chance <= 1.0


def test_labels_that_have_no_mean():
    assert made([(0, 1, "yes"), (0, 2, "no")]).describe().lopsidedness is None
    assert made([(0, 1, 1e200), (0, 2, -1e200)]).describe().lopsidedness is None
    assert made([]).describe().lopsidedness is None
    with pytest.raises(LookupError, match="of a log with answers"):
        made([]).describe().quantile(0.5)


def test_units():
    rows = [{"at": "2024-01-01T00:00Z", "known": "2024-01-01T00:01Z", "y": 1}]
    summary = read_log(rows, **WIDE).describe()
    assert (summary.unit, summary.quantile(0.5), summary.mean_delay) == ("seconds", 60.0, 60.0)
    assert made([(0, 7, 1)]).describe().unit == "ticks"


def test_curves_are_thinned_to_600_points():
    summary = made([(at, 1 + at * 7919 % 5003, 1) for at in range(5000)]).describe()
    assert (len(summary.times), len(summary.ages)) == (600, 600)
    assert (summary.times[0], summary.times[-1]) == (summary.first, summary.last)
    assert summary.share_answered[-1] == pytest.approx(1.0)
    assert (np.diff(summary.share_answered) > 0).all()


def test_a_forgotten_key_that_is_asked_again_is_another_question():
    rows = [{"id": key, "at": i, "known": None, "y": None} for i, key in enumerate("abca")]
    log = read_log(rows, **WIDE, key="id", remember=1)
    summary = log.describe()
    assert (summary.decisions, summary.never_answered) == (4, 4)
    assert summary.in_flight.tolist() == [0, 0, 0, 0]


def test_a_log_with_a_bad_row_is_not_described():
    with pytest.raises(BadRow):
        read_log([{"at": "x"}], **WIDE).describe()


def test_events_are_not_changed_by_describing():
    log = made([(0, 2, 1), (1, None, 1)])
    before = list(log)
    log.describe()
    assert list(log) == before == [Asked(0, 1, {}), Asked(1, 2, {}), Told(2, 1, 1.0)]


def test_the_longest_delay_that_there_can_be():
    first, last = 1 - 2**62, 2**62 - 1
    summary = made([(first, last - first, 1), (first, None, None)]).describe()
    assert summary.quantile(1.0) == float(last - first)
    assert summary.never_answered == 1


@pytest.mark.parametrize("number", [0, 1, 999, 1000, 1250])
def test_somebody_who_watches_is_told_of_every_event(number):
    told = []
    describe.summary_of(
        made([(at, 3, 1.0) if at % 2 else (at, None, None) for at in range(number)]), watcher=told.append
    )
    assert sum(told) == number + number // 2
    assert all(0 <= each <= describe.TICK for each in told)
