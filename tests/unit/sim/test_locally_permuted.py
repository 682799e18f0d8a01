"""Losses in another order within windows: all of them, drawn apart from the losses, the same however they are cut."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.core import streams
from belated.core.errors import InvalidArgument
from belated.losses import Linear
from belated.sim.problems import RandomQuadratic, Recorded
from belated.sim.problems.locally_permuted import LocallyPermuted

PROBLEM = RandomQuadratic(3)


@given(st.integers(1, 12), st.integers(1, 60), st.integers(0, 99))
def test_windows_are_permuted_by_a_stream_of_their_own(window, rounds, seed):
    whole = -(-rounds // window) * window
    plain, rng = PROBLEM.rows(seed, whole).copy(), streams.order(seed)
    expected = np.concatenate([plain[start + rng.permutation(window)] for start in range(0, whole, window)])
    assert LocallyPermuted(PROBLEM, window).rows(seed, rounds).tobytes() == expected[:rounds].tobytes()


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), st.integers(1, 12), st.integers(0, 99))
def test_rows_are_the_same_however_they_are_cut(sizes, window, seed):
    problem = LocallyPermuted(PROBLEM, window)
    sampler = problem.sampler(seed)
    chunks = np.concatenate([sampler.take(size) for size in sizes])
    assert chunks.tobytes() == problem.rows(seed, sum(sizes)).tobytes()


def test_a_window_of_one_changes_nothing():
    assert np.array_equal(LocallyPermuted(PROBLEM, 1).rows(3, 20), PROBLEM.rows(3, 20))


def test_the_order_may_be_a_rule_of_ones_own():
    backwards = LocallyPermuted(PROBLEM, 4, order=lambda rng, size: range(size - 1, -1, -1))
    plain = PROBLEM.rows(3, 12)
    assert np.array_equal(backwards.rows(3, 12), plain.reshape(3, 4, 3)[:, ::-1].reshape(12, 3))
    drawn = LocallyPermuted(PROBLEM, 4, order=lambda rng, size: np.argsort(rng.random(size)))
    assert sorted(map(tuple, drawn.rows(3, 12))) == sorted(map(tuple, plain))
    assert not np.array_equal(drawn.rows(3, 12), plain)


def test_every_order_is_equally_likely():
    rows = LocallyPermuted(Recorded(Linear(1), np.tile([[0.0], [1.0], [2.0]], (6000, 1))), 3).rows(0, 18000)
    _, counts = np.unique(rows.reshape(-1, 3), axis=0, return_counts=True)
    assert counts.size == 6
    assert np.abs(counts - 1000).max() < 4 * np.sqrt(1000 * 5 / 6)


def test_a_problem_that_ends_within_a_window_ends_it():
    table = np.arange(10.0)[:, np.newaxis]
    problem = LocallyPermuted(Recorded(Linear(1), table), 4)
    rows = problem.rows(0, 10)[:, 0]
    assert sorted(rows[8:]) == [8.0, 9.0]
    assert problem.longest_run == 10
    with pytest.raises(InvalidArgument, match="rows that were recorded"):
        problem.rows(0, 11)
    with pytest.raises(InvalidArgument, match=r"`simulate\(rounds=11\)`: must be <= 10"):
        bl.simulate({"it": bl.ogd(bl.Ball(1), 2.0)}, problem, bl.delays.Fixed(1), 11, [0])


def test_the_best_fixed_decision_stays_and_curves_begin_anew():
    learner = {"it": bl.ogd(bl.Ball(3), 4.0)}
    one, other = (
        bl.simulate(learner, each, bl.delays.Fixed(1), 40, [5]) for each in (PROBLEM, LocallyPermuted(PROBLEM, 8))
    )
    least = [
        float((each.cumulative_loss.values[..., -1] - each.regret.values[..., -1]).item()) for each in (one, other)
    ]
    assert least[0] == pytest.approx(least[1], rel=1e-12)
    assert not np.array_equal(one.cumulative_loss, other.cumulative_loss)


class Short:
    """Gives too few rows."""

    loss = Linear(1)

    def sampler(self, seed):
        return self

    def take(self, rounds):
        return np.zeros((max(1, rounds - 1), 1))


anyhow: Any = LocallyPermuted  # what a type checker would refuse is refused at run time, too


@pytest.mark.parametrize(
    ("misuse", "match"),
    [
        (lambda: anyhow(PROBLEM, 0), r"`LocallyPermuted\(window=0\)`: must be >= 1"),
        (lambda: anyhow(PROBLEM, 2, "random"), r"`LocallyPermuted\(order='random'\)`: must be a function"),
        (lambda: anyhow("losses", 2), r"`LocallyPermuted\(problem='losses'\)`: must be a problem"),
        (
            lambda: anyhow(PROBLEM, 3, lambda rng, size: [0, 1, 1]).rows(0, 3),
            r"the numbers 0\.\.2 in some order",
        ),
        (lambda: anyhow(PROBLEM, 3, lambda rng, size: [0.0, 1.0, 2.0]).rows(0, 3), r"in some order"),
        (lambda: anyhow(Short(), 3).rows(0, 3), r"must give 3 rows when asked for as many, gave 2"),
    ],
)
def test_misuse_is_refused(misuse, match):
    with pytest.raises(InvalidArgument, match=match):
        misuse()


class Bare:
    """A problem of somebody's own: a loss and a sampler, and no constants."""

    loss = PROBLEM.loss

    def rows(self, seed, rounds):
        return PROBLEM.rows(seed, rounds)

    def sampler(self, seed):
        return PROBLEM.sampler(seed)


def test_constants_are_those_of_the_problem_or_there_are_none():
    ball = bl.Ball(3)
    assert LocallyPermuted(PROBLEM, 4).constants(ball) == PROBLEM.constants(ball)
    bare = LocallyPermuted(Bare(), 4)
    assert not hasattr(bare, "constants")
    with pytest.raises(
        AttributeError, match=r"^`LocallyPermuted.constants`: <.*Bare object.* has none; give it a method"
    ):
        bare.constants(ball)


def test_without_constants_it_can_be_compared_as_the_problem_itself_can():
    """What theory recommends is then made of the constants of the loss."""
    given = {"delays": bl.delays.Fixed(2), "rounds": 12, "domain": bl.Ball(3)}
    for algorithm in (bl.dogd_sc, bl.dda):
        bare = bl.recommended(algorithm, LocallyPermuted(Bare(), 12), **given)
        assert bare.name == algorithm.__name__
    assert bl.compare({"dda": bl.dda}, LocallyPermuted(Bare(), 4), bl.delays.Fixed(2), 12, 2, domain=bl.Ball(3)).ranking
