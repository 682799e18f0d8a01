"""What the comparison with the peers is computed by, where that needs no peer."""

import math

import numpy as np
import pytest

from benchmarks.labels.intervals import difference
from benchmarks.labels.stream import losses


def test_the_mean_difference_is_over_known_labels_and_an_interval_holds_it():
    rng = np.random.default_rng(1)
    ours, theirs, blocks = rng.normal(size=600), rng.normal(0.5, 1.0, 600), np.arange(600) // 20
    ours[7] = np.nan
    found = difference(ours, theirs, blocks)
    apart = [one - two for one, two in zip(ours, theirs, strict=True) if one == one]
    assert found.mean == pytest.approx(math.fsum(apart) / 599)
    assert found.lower < found.mean < found.upper < 0.0
    assert difference(ours, theirs, blocks) == found


def test_blocks_that_differ_make_a_wide_interval():
    """With 600 questions that are the same within a block, an interval that took them for independent is too narrow."""
    blocks = np.arange(600) // 60
    ours, theirs = np.where(blocks % 2 == 0, 1.0, -1.0), np.zeros(600)
    found = difference(ours, theirs, blocks)
    assert found.upper - found.lower > 4 * 2 * 1.96 / math.sqrt(600) / 2


def test_losses_are_those_of_the_label_and_a_prediction_that_is_none_is_infinitely_bad():
    predicted, labels = np.array([0.25, 0.25, 0.0, np.nan, 0.5]), np.array([1.0, 0.0, 1.0, 1.0, np.nan])
    found = losses(predicted, labels, of_numbers=False)
    assert found[:4] == pytest.approx([-math.log(0.25), -math.log(0.75), -math.log(1e-6), math.inf])
    assert math.isnan(found[4])
    assert losses(np.array([3.0]), np.array([5.0]), of_numbers=True).tolist() == [4.0]
