"""Laws whose delays are fixed in advance, and the delays that they refuse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core.errors import InvalidArgument
from belated.delays import NEVER, Burst, DelayLaw, Fixed, Periodic, Trace, arrivals


def drawn(law: DelayLaw, rounds: int) -> list[int]:
    return [int(delay) for delay in law.draw(np.random.default_rng(0), rounds)]


@given(st.integers(1, NEVER), st.integers(0, 20))
def test_fixed_is_always_the_same(delay: int, rounds: int) -> None:
    assert drawn(Fixed(delay), rounds) == [delay] * rounds


@given(st.lists(st.integers(1, NEVER), min_size=1, max_size=9), st.integers(0, 40))
def test_periodic_starts_over(delays: list[int], rounds: int) -> None:
    assert drawn(Periodic(delays), rounds) == [delays[(t - 1) % len(delays)] for t in range(1, rounds + 1)]


@given(st.integers(1, 12), st.integers(1, 60))
def test_a_burst_delivers_everything_at_multiples_of_its_period(period: int, rounds: int) -> None:
    order, first = arrivals(drawn(Burst(period), rounds))
    for t in range(1, rounds + 1):
        expected = list(range(t - period + 1, t + 1)) if t % period == 0 else []
        assert order[first[t] : first[t + 1]].tolist() == expected


def test_a_trace_is_played_as_recorded_and_not_beyond() -> None:
    trace = Trace([3, 1, NEVER])
    assert drawn(trace, 3) == [3, 1, NEVER]
    assert trace.longest_run == 3
    with pytest.raises(InvalidArgument, match=r"^`take\(rounds=4\)`: must be <= 3, the rounds that are left of Trace"):
        drawn(trace, 4)


def test_a_trace_counts_what_has_been_taken() -> None:
    sampler = Trace([3, 1, 2]).sampler(np.random.default_rng(0))
    sampler.take(2)
    with pytest.raises(InvalidArgument, match=r"^`take\(rounds=2\)`: must be <= 1"):
        sampler.take(2)


def test_a_law_owns_its_delays() -> None:
    mine = np.array([1, 2, 3])
    law = Periodic(mine)
    mine[0] = 9
    assert drawn(law, 3) == [1, 2, 3]


@pytest.mark.parametrize("law_class", [Fixed, Burst])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (0, "must be >= 1"),
        (-3, "must be >= 1"),
        (NEVER + 1, f"must be <= {NEVER}"),
        (1.5, "must be a whole number"),
        (2.0, "must be a whole number"),
        (math.nan, "must be a whole number"),
        (True, "must be a whole number"),
        (None, "must be a whole number"),
        ([2], "must be a whole number"),
    ],
)
def test_a_bad_delay_is_refused(law_class: type[DelayLaw], value: object, reason: str) -> None:
    with pytest.raises(InvalidArgument, match=rf"^`{law_class.__name__}\((delay|period)=.*\)`: {reason}"):
        law_class(value)  # type: ignore[call-arg]  # that is the point


@pytest.mark.parametrize("law_class", [Periodic, Trace])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "must be a non-empty sequence"),
        (3, "must be a non-empty sequence"),
        ([[1, 2]], "must be a non-empty sequence"),
        ([1, 0, 2], r"must lie in 1\.\.NEVER, entry \[1\] is 0"),
        ([1, 2, -7], r"must lie in 1\.\.NEVER, entry \[2\] is -7"),
        ([NEVER + 1], r"must lie in 1\.\.NEVER, entry \[0\]"),
        ([2**63], r"must lie in 1\.\.NEVER, entry \[0\]"),
        ([2**70], "must be whole numbers"),
        ([1.0, 2.0], "must be whole numbers"),
        ([1, math.nan], "must be whole numbers"),
        ([True], "must be whole numbers"),
        (["1"], "must be whole numbers"),
        ([[1], [1, 2]], "must be a sequence of whole numbers"),
    ],
)
def test_bad_delays_are_refused(law_class: type[DelayLaw], value: object, reason: str) -> None:
    with pytest.raises(InvalidArgument, match=rf"^`{law_class.__name__}\(delays=.*\)`: {reason}"):
        law_class(value)  # type: ignore[call-arg]  # that is the point
