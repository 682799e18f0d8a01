"""What every law of delay must satisfy, run over the registry: a new law is tested by being in it."""

import copy
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.core.arrays import Integers
from belated.core.errors import InvalidArgument
from belated.delays import EVERY, LONGEST, NEVER, DelayLaw, Fixed, Mixture, Never, Periodic, Trace, Uniform
from belated.delays.base import Source

NESTED = [
    Never(Mixture([Uniform(1, 6), Never(Trace.example(), 0.5)], [1.0, 2.0]), 0.1),
    Mixture([Never(Periodic([3, 1, 2]), 0.2), Mixture([Fixed(2), Uniform(4, 9)], [1.0, 1.0])], [0.4, 0.6]),
]
LAWS = [law_class.example() for law_class in EVERY] + NESTED

every_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)


class NeverFromOneGenerator(Never):
    """Broken on purpose: losses and delays interleave in one generator, so chunks change the numbers."""

    __slots__ = ()

    def _begin(self, rng: np.random.Generator) -> Source:
        inner = self.law.sampler(rng)
        return lambda first, rounds: np.where(rng.random(rounds) < self.probability, NEVER, inner.take(rounds))


def concrete(law_class: type[Any]) -> Iterator[type[DelayLaw]]:
    if law_class is not DelayLaw:
        yield law_class
    for child in law_class.__subclasses__():
        yield from concrete(child)


def covered(law: DelayLaw, rounds: int) -> int:
    return int(min(rounds, law.longest_run))


def taken_in_chunks(law: DelayLaw, seed: int, cuts: list[int], rounds: int) -> Integers:
    sampler = law.sampler(np.random.default_rng(seed))
    ends = [0, *sorted(min(cut, rounds) for cut in cuts), rounds]
    return np.concatenate([sampler.take(after - before) for before, after in pairwise(ends)])


def test_the_registry_holds_every_law_once() -> None:
    ours = [law_class for law_class in concrete(DelayLaw) if law_class.__module__.startswith("belated.")]
    assert sorted(ours, key=str) == sorted(EVERY, key=str)


@every_law
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), rounds=st.integers(0, 60))
def test_delays_are_whole_numbers_from_one_to_never(law: DelayLaw, seed: int, rounds: int) -> None:
    delays = law.draw(np.random.default_rng(seed), covered(law, rounds))
    assert delays.dtype == np.int64
    assert delays.shape == (covered(law, rounds),)
    assert ((delays >= 1) & ((delays <= LONGEST) | (delays == NEVER))).all()
    assert (np.arange(1, delays.size + 1) + delays - 1 >= 1).all(), "an arrival overflowed"


@every_law
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(0, 1000), max_size=6))
def test_chunks_do_not_change_the_delays(law: DelayLaw, seed: int, cuts: list[int]) -> None:
    rounds = covered(law, 1000)
    whole = law.draw(np.random.default_rng(seed), rounds)
    np.testing.assert_array_equal(taken_in_chunks(law, seed, cuts, rounds), whole)


@every_law
def test_one_round_at_a_time_gives_the_same_delays(law: DelayLaw) -> None:
    rounds = covered(law, 200)
    whole = law.draw(np.random.default_rng(7), rounds)
    np.testing.assert_array_equal(taken_in_chunks(law, 7, list(range(rounds)), rounds), whole)


def test_the_check_of_chunks_has_power() -> None:
    broken = NeverFromOneGenerator._make((Uniform(1, 5), 0.3))
    whole = broken.draw(np.random.default_rng(0), 1000)
    assert (taken_in_chunks(broken, 0, [300], 1000) != whole).any()


@every_law
def test_a_run_is_a_function_of_its_generator(law: DelayLaw) -> None:
    rounds = covered(law, 100)
    first, second = (law.draw(np.random.default_rng(3), rounds) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@every_law
def test_runs_share_nothing(law: DelayLaw) -> None:
    rounds = covered(law, 50)
    alone = law.draw(np.random.default_rng(1), rounds)
    one, other = law.sampler(np.random.default_rng(1)), law.sampler(np.random.default_rng(2))
    woven = []
    for _ in range(rounds):
        other.take(1)
        woven.append(one.take(1)[0])
    np.testing.assert_array_equal(woven, alone)


@every_law
def test_a_run_can_be_changed_without_changing_the_law(law: DelayLaw) -> None:
    before = copy.deepcopy(law)
    delays = law.draw(np.random.default_rng(1), covered(law, 50))
    delays[:] = 1
    assert law == before
    np.testing.assert_array_equal(
        law.draw(np.random.default_rng(1), covered(law, 50)), before.draw(np.random.default_rng(1), covered(law, 50))
    )


@every_law
def test_laws_are_values(law: DelayLaw) -> None:
    for twin in (copy.copy(law), copy.deepcopy(law)):
        assert twin == law
        assert hash(twin) == hash(law)
        assert type(twin) is type(law)
    for other in LAWS:
        assert (other == law) == (other is law)


@every_law
def test_arrays_of_a_law_are_read_only(law: DelayLaw) -> None:
    for stored in cast(tuple[object, ...], law):
        if isinstance(stored, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                stored[0] = 1


@every_law
@pytest.mark.parametrize("rounds", [-1, 2.0, math.nan, True, "3", None])
def test_a_bad_number_of_rounds_is_refused(law: DelayLaw, rounds: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^`take\(rounds="):
        law.draw(np.random.default_rng(0), rounds)  # type: ignore[arg-type]  # that is the point


@every_law
@pytest.mark.parametrize("rng", [0, None, np.random, np.random.PCG64(1)])
def test_only_a_generator_is_accepted(law: DelayLaw, rng: object) -> None:
    with pytest.raises(InvalidArgument, match=rf"^`{type(law).__name__}\.sampler\(rng=.*must be a numpy"):
        law.sampler(rng)  # type: ignore[arg-type]  # that is the point


@every_law
def test_a_refused_take_changes_nothing(law: DelayLaw) -> None:
    rounds = covered(law, 30)
    whole = law.draw(np.random.default_rng(5), rounds)
    sampler = law.sampler(np.random.default_rng(5))
    begin = sampler.take(10)
    bad = -1 if math.isinf(law.longest_run) else int(law.longest_run) - 9
    with pytest.raises(InvalidArgument):
        sampler.take(bad)
    np.testing.assert_array_equal(np.concatenate([begin, sampler.take(rounds - 10)]), whole)
