"""Sets of rounds that are stored as ranges, compared with sets of Python."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from belated.core.errors import StateMismatch
from belated.core.rounds import RoundSet

distinct_rounds = st.lists(st.integers(1, 30) | st.integers(1, 10**9), unique=True, max_size=40)


def holding(rounds: list[int]) -> RoundSet:
    result = RoundSet()
    for round in rounds:
        result.add(round)
    return result


def maximal_ranges(rounds: set[int]) -> list[list[int]]:
    """The runs of consecutive members, found the slow way."""
    return [
        [first, next(last for last in range(first, first + len(rounds) + 1) if last + 1 not in rounds)]
        for first in sorted(rounds)
        if first - 1 not in rounds
    ]


@given(distinct_rounds, st.lists(st.integers(0, 32), max_size=10))
@example([1, 3, 2], [0, 1, 2, 3, 4])
@example([3, 1, 2], [4])
@example([2, 1], [])
@example([1, 2], [])
def test_it_is_a_set(rounds: list[int], others: list[int]) -> None:
    ours, theirs = holding(rounds), set(rounds)
    assert len(ours) == len(theirs)
    for round in [*rounds, *others, *(r + 1 for r in rounds), *(r - 1 for r in rounds)]:
        assert (round in ours) == (round in theirs)


@given(distinct_rounds)
def test_its_ranges_are_the_maximal_ones(rounds: list[int]) -> None:
    assert holding(rounds).ranges().tolist() == maximal_ranges(set(rounds))


@given(distinct_rounds, distinct_rounds)
def test_it_comes_back_from_its_ranges_and_grows_on(rounds: list[int], later: list[int]) -> None:
    back = RoundSet.from_ranges(holding(rounds).ranges())
    for round in later:
        if round not in back:
            back.add(round)
    assert back.ranges().tolist() == maximal_ranges({*rounds, *later})


@given(st.permutations(range(1, 25)))
def test_when_all_have_answered_it_is_one_range(rounds: list[int]) -> None:
    assert holding(rounds).ranges().tolist() == [[1, 24]]


def test_an_empty_set_has_no_ranges() -> None:
    assert RoundSet().ranges().shape == (0, 2)
    assert len(RoundSet.from_ranges(RoundSet().ranges())) == 0


@pytest.mark.parametrize(
    "ranges",
    [
        [[0, 3]],
        [[-2, 3]],
        [[3, 2]],
        [[1, 3], [3, 5]],
        [[1, 3], [4, 5]],
        [[4, 5], [1, 2]],
        [[1, 2, 3]],
        [1, 2],
    ],
)
def test_damaged_ranges_are_refused(ranges: list[object]) -> None:
    with pytest.raises(StateMismatch, match="not ordered, disjoint ranges"):
        RoundSet.from_ranges(np.array(ranges))


@given(st.lists(st.integers(1, 30), unique=True), st.integers(0, 5))
def test_what_is_missing(rounds: list[int], behind: int) -> None:
    last = max(rounds, default=0) + behind
    assert list(holding(rounds).missing(last)) == [round for round in range(1, last + 1) if round not in rounds]
