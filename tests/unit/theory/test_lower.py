"""Lower bounds: the blocks and the numbers, by exhaustion over all that the adversary may draw."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import InvalidArgument
from belated.delays import NEVER
from belated.losses.base import Constants

any_delays = st.lists(st.integers(1, 4) | st.integers(1, 20) | st.just(NEVER), min_size=1, max_size=12)


def blocks(delays):
    """As long as no feedback of the block has come before its last round."""
    found, start = [], 1
    for t in range(1, len(delays) + 1):
        if any(k + delays[k - 1] - 1 < t for k in range(start, t)):
            found.append(t - start)
            start = t
    return [*found, len(delays) - start + 1]


@given(any_delays)
def test_within_a_block_nothing_of_it_is_heard(delays):
    """Feedback of the block comes at the end of its last round at the earliest: after the last decision."""
    lengths = blocks(delays)
    start = 1
    for length in lengths:
        for k in range(start, start + length):
            assert k + delays[k - 1] - 1 >= start + length - 1
        start += length
    squares = sum(b * b for b in lengths)
    assert bl.bounds.lower_convex(delays, diameter=2.0, lipschitz=3.0) == pytest.approx(6 * math.sqrt(squares / 8))
    late = sum(b / (j + 1) for j, b in enumerate(lengths, start=1)) + squares / len(delays)
    found = bl.bounds.lower_strongly_convex(delays, strong_convexity=2.0, length=3.0)
    assert found == pytest.approx(18 / 12 * late)


def test_a_block_that_is_one_round_longer_would_hear_of_itself():
    """The mutant: with a fixed delay of 3, blocks of four rounds know their first loss before the fourth decision."""
    assert blocks([3] * 12) == [3, 3, 3, 3]
    start, length = 1, 4
    assert any(k + 3 - 1 < start + length - 1 for k in range(start, start + length))


@pytest.mark.parametrize("lengths", [[1], [1, 1, 1], [3, 3], [4, 1, 2], [2, 5, 1, 1]])
def test_signs_are_worth_what_is_claimed(lengths):
    """E|sum of +-b_j| over all signs is at least sqrt(sum b^2 / 2); with the root of sum b^2 it would not be."""
    mean = np.mean([abs(np.dot(signs, lengths)) for signs in itertools.product([-1, 1], repeat=len(lengths))])
    root = math.sqrt(sum(b * b for b in lengths))
    assert mean >= root / math.sqrt(2) * (1 - 1e-12)
    assert len(lengths) == 1 or mean < root


def chance(draws):
    """The chance of a row of draws if that of a one is uniform: ones! zeros! / (m + 1)!."""
    ones = sum(draws)
    return math.factorial(ones) * math.factorial(len(draws) - ones) / math.factorial(len(draws) + 1)


@pytest.mark.parametrize("lengths", [[1], [2], [1, 1], [1, 1, 1, 1], [4, 1, 2], [2, 5, 1, 1, 3]])
def test_the_best_answer_to_an_unknown_chance_has_exactly_that_regret(lengths):
    """Over all draws, against (x - b)^2 with b in {0, 1}: the mean given the past, (ones + 1) / (draws + 2)."""
    regret = 0.0
    for draws in itertools.product([0, 1], repeat=len(lengths)):
        mean = np.average(draws, weights=lengths)
        loss = sum(
            b * ((sum(draws[:j]) + 1) / (j + 2) - draw) ** 2
            for j, (b, draw) in enumerate(zip(lengths, draws, strict=True))
        )
        best = sum(b * (mean - draw) ** 2 for b, draw in zip(lengths, draws, strict=True))
        regret += chance(draws) * (loss - best)
    delays = [b - i for b in lengths for i in range(b)]  # a block ends when its feedback comes
    assert blocks(delays) == lengths
    found = bl.bounds.lower_strongly_convex(delays, strong_convexity=2.0, length=1.0)
    assert found == pytest.approx(regret)


def test_which_bound_belongs_to_a_problem():
    """The losses of the paper leave room for the whole diameter; a smaller L for less of it, or for nothing."""
    ball = bl.Ball(3)
    assert bl.bounds.lower(bl.problems.RandomQuadratic(10)).constants == {"strong_convexity": 2.0, "length": 2.0}
    assert bl.bounds.lower(Constants(1.5, 1.0, 1.0), ball).constants == {"strong_convexity": 1.0, "length": 1.0}
    assert bl.bounds.lower(Constants(1.0, 1.0, 1.0), ball).name == "lower_convex"
    assert bl.bounds.lower(bl.problems.SignFlips(3, period=2)).name == "lower_convex"


def test_lower_bounds_lie_below_upper_ones():
    for delays in ([1] * 40, [7] * 40, [NEVER] * 40, [9 - t % 9 for t in range(40)]):
        curved, linear = Constants(4.0, 2.0, 2.0), Constants(1.0, 0.0, 0.0)
        ball = bl.Ball(2)
        for losses, learner in ((curved, bl.dogd_sc(ball, 2.0)), (linear, bl.dda(ball, 1.0))):
            lower, upper = bl.bounds.lower(losses, ball), bl.bounds.of(learner, losses)
            assert np.all(lower.curve(delays) <= upper.curve(delays))


def test_misuse_is_refused():
    with pytest.raises(InvalidArgument, match=r"bounds.lower\(domain=.*must be a bounded domain"):
        bl.bounds.lower(Constants(1.0, 0.0, 0.0))
    with pytest.raises(InvalidArgument, match=r"bounds.lower\(domain=.*must be a bounded domain"):
        bl.bounds.lower(Constants(1.0, 0.0, 0.0), bl.Euclidean(2))
    with pytest.raises(InvalidArgument, match=r"bounds.lower\(problem=.*finite L > 0"):
        bl.bounds.lower(Constants(math.inf, 0.0, 0.0), bl.Ball(2))
    with pytest.raises(InvalidArgument, match=r"^`lower_convex\(diameter="):
        bl.bounds.lower_convex([1], diameter=0.0, lipschitz=1.0)
