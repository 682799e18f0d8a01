"""The chance of a mistake, and the classes that a row may have."""

import numpy as np
import pytest

import belated as bl
from belated.core.errors import InvalidArgument
from belated.losses import Misclassification
from belated.losses.base import features, label
from belated.sim.hindsight import best_fixed

LOSS = Misclassification(3, features=2)


def test_it_is_all_but_the_share_of_the_true_class() -> None:
    row = [7.0, -8.0, 1.0]
    assert LOSS.value(row, [0.25, 0.5, 0.25]) == 0.5
    assert [LOSS.value(row, corner) for corner in np.eye(3)] == [1.0, 0.0, 1.0]
    assert LOSS.gradient(row, [0.25, 0.5, 0.25]).tolist() == [0.0, -1.0, 0.0]
    assert LOSS.constants(row, bl.Simplex(3)) == (1.0, 0.0, 0.0)


def test_features_and_label_are_read_from_the_row() -> None:
    row, out = np.array([7.0, -8.0, 1.0]), np.empty(2)
    features(LOSS, row, out)
    assert out.tolist() == [7.0, -8.0]
    assert label(LOSS, row) == 1.0


def test_without_features_a_row_is_a_class() -> None:
    assert Misclassification(3).row_size == 1
    assert Misclassification(3).value([2.0], [0.5, 0.5, 0.0]) == 1.0


@pytest.mark.parametrize("wrong", [-1.0, 3.0, 0.5, 1e300])
def test_what_is_no_class_is_refused(wrong: float) -> None:
    with pytest.raises(InvalidArgument, match=r"classes must be whole numbers from 0 to 2, that of row 1 is"):
        LOSS.check_rows("here", [[0.0, 0.0, 2.0], [0.0, 0.0, wrong]])


def test_the_best_fixed_decision_is_the_most_frequent_class() -> None:
    """Its losses have no curvature at all, which a search by steps could not make anything of."""
    rows = LOSS.example_rows(np.random.default_rng(4), 101)
    counts = np.bincount(rows[:, -1].astype(int), minlength=3)
    best = best_fixed(LOSS, rows, bl.Simplex(3))
    assert best.point.tolist() == np.eye(3)[counts.argmax()].tolist()
    assert best.value == 101 - counts.max()
    assert best.gap < 1e-9
    with pytest.raises(InvalidArgument, match="no minimum on this unbounded set"):
        best_fixed(LOSS, rows, bl.Euclidean(3))
