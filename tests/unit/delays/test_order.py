"""Arrivals by round, compared with a dictionary that is filled from the definition."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from belated.core.errors import InvalidArgument
from belated.delays import NEVER, arrivals

any_delays = st.lists(st.integers(1, 8) | st.integers(1, 70) | st.just(NEVER), min_size=1, max_size=50)


@given(any_delays)
@example([5, 4, 3, 2, 1])
@example([9, 9, 9])
@example([NEVER])
@example([1])
def test_arrivals_are_those_of_a_dictionary(delays: list[int]) -> None:
    rounds = len(delays)
    naive = defaultdict(list)
    for k, delay in enumerate(delays, start=1):
        naive[k + delay - 1].append(k)

    order, first = arrivals(delays)

    assert first.dtype == order.dtype == np.int64
    assert first.shape == (rounds + 2,)
    for t in range(1, rounds + 1):
        assert order[first[t] : first[t + 1]].tolist() == naive[t]
    assert first[0] == first[1] == 0
    assert first[rounds + 1] == order.size == sum(len(naive[t]) for t in range(1, rounds + 1))


@pytest.mark.parametrize("delays", [[], [0, 1], [1.5], [NEVER + 1], [[1]]])
def test_bad_delays_are_refused(delays: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^`arrivals\(delays="):
        arrivals(delays)  # type: ignore[arg-type]  # that is the point
