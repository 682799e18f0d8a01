"""Losses of single predictions, and what histograms say, against plain formulas over all pairs."""

import math

import numpy as np
import pytest

from belated.losses import Logistic, SquaredError, SquaredHinge
from belated.models.links import PoissonCount
from belated.replays.scores import BINS, Histogram, bin_of, loss_of, position


@pytest.mark.parametrize(
    ("link", "value", "label", "expected"),
    [
        (Logistic(1), 0.8, 1.0, -math.log(0.8)),
        (Logistic(1), 0.8, -1.0, -math.log(0.2)),
        (Logistic(1), 1.0, -1.0, -math.log(1e-15)),
        (SquaredHinge(1), 0.5, 1.0, 0.125),
        (SquaredHinge(1), 2.0, 1.0, 0.0),
        (SquaredError(1), 2.0, 5.0, 9.0),
        (PoissonCount(), 2.0, 3.0, 2.0 - 3.0 * math.log(2.0)),
        (PoissonCount(), 0.0, 0.0, 0.0),
    ],
)
def test_losses(link, value, label, expected):
    assert loss_of(link, value, label) == pytest.approx(expected)


def test_places_keep_the_order_of_predictions():
    places = [position(SquaredHinge(1), value) for value in (-1e9, -1.0, 0.0, 0.1, 5.0, 1e9)]
    assert places == sorted(places)
    assert all(0.0 <= place <= 1.0 for place in places)


def test_the_area_under_the_curve_is_that_over_all_pairs():
    rng, histogram = np.random.default_rng(0), Histogram()
    places = rng.choice(np.linspace(0.001, 0.999, 500), 400)  # no two in one bin: nothing is rounded
    labels = rng.random(400) < places
    for place, label in zip(places, labels, strict=True):
        histogram.add(float(place), bool(label))
    above = [(p > n) + 0.5 * (p == n) for p in places[labels] for n in places[~labels]]
    assert histogram.auc() == pytest.approx(np.mean(above), abs=1e-12)


def test_without_both_classes_there_is_no_area():
    histogram = Histogram()
    assert math.isnan(histogram.auc())
    histogram.add(0.3, True)
    assert math.isnan(histogram.auc())


def test_calibration_is_in_groups_of_equally_many():
    rng, histogram = np.random.default_rng(1), Histogram()
    places = rng.random(5000)
    for place in places:
        histogram.add(float(place), bool(rng.random() < place))
    means, shares, counts = histogram.calibration(10)
    assert counts.sum() == 5000
    assert counts.min() > 450
    assert np.abs(means - shares).max() < 0.06
    assert means == pytest.approx([np.sort(places)[i * 500 : (i + 1) * 500].mean() for i in range(10)], abs=0.005)
    assert Histogram().calibration()[0].size == 0


def test_the_area_under_the_curve_of_rare_events():
    rng, histogram = np.random.default_rng(2), Histogram()
    places = 10.0 ** rng.uniform(-7.0, -3.5, 2000)  # all of them below one in two thousand
    labels = rng.random(2000) < places / 10.0**-3.5
    for place, label in zip(places, labels, strict=True):
        histogram.add(float(place), bool(label))
    ranks = np.argsort(np.argsort(places))
    number = labels.sum()
    exact = (ranks[labels].sum() - number * (number - 1) / 2) / (number * (2000 - number))
    assert exact > 0.8
    assert histogram.auc() == pytest.approx(exact, abs=1e-3)


def test_bins_are_in_the_order_of_places():
    places = [0.0, 5e-324, 1e-15, 1e-6, 0.1, 0.4999, 0.5, 0.5001, 0.9, 1.0 - 1e-6, 1.0]
    bins = [bin_of(place) for place in places]
    assert bins == sorted(bins)
    assert (bins[0], bins[-1]) == (0, BINS - 1)
    assert len({bin_of(place) for place in np.linspace(0.0, 1.0, 1500)}) == 1500, "none is wider than before"
