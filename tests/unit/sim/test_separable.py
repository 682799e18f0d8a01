"""Separable classes: the same rows from NumPy alone, and a margin that they keep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.errors import InvalidArgument
from belated.sim.problems.separable import Separable


def drawn(problem, seed, rounds):
    """The documented recipe, a row at a time; with the weights."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal((problem.dim, problem.features))
    truth /= np.linalg.norm(truth, axis=1)[:, np.newaxis]
    rows = []
    for _ in range(rounds):
        z = rng.uniform(-1, 1, problem.features)
        y = int(np.argmax(truth @ z))
        others = [c for c in range(problem.dim) if c != y]
        moves = [(problem.margin - (truth[y] - truth[c]) @ z) / (1 - truth[y] @ truth[c]) for c in others]
        rows.append([*(z + max(0.0, *moves) * truth[y]), y])
    return np.array(rows), truth


@given(st.integers(2, 5), st.integers(2, 6), st.sampled_from([0.01, 0.3, 2.0]), st.integers(0, 999))
def test_anybody_can_draw_the_rows_and_they_keep_the_margin(dim, features, margin, seed):
    problem = Separable(dim, features, margin)
    rows, (expected, truth) = problem.rows(seed, 40), drawn(problem, seed, 40)
    assert np.allclose(rows, expected, rtol=1e-9, atol=1e-9)
    size = 1.0 + np.abs(rows).max()
    for *z, y in rows:
        gaps = np.delete((truth[int(y)] - truth) @ z, int(y))
        assert gaps.min() >= margin - 1e-12 * size


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(0, 99))
def test_rows_are_the_same_however_they_are_cut(sizes, seed):
    problem = Separable(3, 7, 0.2)
    sampler = problem.sampler(seed)
    chunks = np.concatenate([sampler.take(size) for size in sizes])
    assert chunks.tobytes() == problem.rows(seed, sum(sizes)).tobytes()


def test_rows_are_valid_for_the_loss():
    problem = Separable(4, 2, 0.1)
    assert problem.loss.check_rows("here", problem.rows(0, 200)).shape == (200, 3)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((1, 2, 0.1), r"`Separable\(dim=1\)`: must be >= 2"),
        ((2, 1, 0.1), r"`Separable\(features=1\)`: must be >= 2"),
        ((2, 2, 0.0), r"`Separable\(margin=0.0\)`: must be > 0"),
    ],
)
def test_misuse_fails_at_construction(arguments, match):
    with pytest.raises(InvalidArgument, match=match):
        Separable(*arguments)
