"""Compensated sums against sums of fractions: the bound holds whatever is added, and wrong bounds are noticed."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from belated.core.arrays import Matrix, Vector
from belated.core.compiling import compiled
from belated.core.errors import InvalidArgument
from belated.sim.compensated import (
    EPSILON,
    LONG,
    ColumnSums,
    Total,
    Warming,
    add_columns,
    add_columns_one_by_one,
    lost_at_most,
    missing_at_most,
)
from support.compiler import needs_compiler

Sums = Callable[[Matrix], Total]


def column_sums(rows: Matrix) -> Total:
    sums = ColumnSums(rows.shape[1])
    sums.add(rows)
    return sums.total()


def swamped(count: int) -> Matrix:
    """A huge number, many small ones that are lost in it, and the huge one taken away again."""
    small = np.random.default_rng(2).uniform(0.5, 1.0, count)
    return np.concatenate([[1e17], small, [-1e17]])[:, np.newaxis]


def cancelling(seed: int, count: int, orders: float) -> Matrix:
    """Numbers of many sizes, and nearly their negatives, in random order."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(count, 2)) * 10.0 ** rng.uniform(-orders, orders, (count, 2))
    rows = np.concatenate([numbers, -numbers * (1.0 + EPSILON * rng.integers(-2, 3, (count, 2)))])
    return rng.permuted(rows, axis=0)


def broken(sums: Sums, rows: Matrix) -> bool:
    """Whether a sum is further from the truth than it says."""
    found = sums(rows)
    truth = [sum(map(Fraction, column), Fraction(0)) for column in rows.T.tolist()]
    return any(
        abs(true - Fraction(found_sum)) > Fraction(error)
        for true, found_sum, error in zip(truth, *(part.tolist() for part in found), strict=True)
    )


NUMBERS = st.floats(-1e300, 1e300, allow_nan=False)


@given(st.lists(NUMBERS, min_size=1, max_size=60))
@example([5e-324, -5e-324, 1e-310])
@example([1e300, 1.0, 1e-300, -1e300])
@settings(max_examples=200, deadline=None)
def test_any_numbers_are_added_to_within_the_bound(numbers: list[float]) -> None:
    assert not broken(column_sums, np.array(numbers)[:, np.newaxis])


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 50, 400]), st.sampled_from([0.0, 8.0, 30.0, 140.0]))
@settings(max_examples=60, deadline=None)
def test_numbers_that_cancel_are_added_to_within_the_bound(seed: int, count: int, orders: float) -> None:
    assert not broken(column_sums, cancelling(seed, count, orders))


def test_so_are_long_tables() -> None:
    assert not broken(column_sums, swamped(LONG))
    assert not broken(column_sums, cancelling(1, LONG, 20.0))


def test_a_sum_has_nearly_twice_the_digits() -> None:
    rows = np.random.default_rng(0).normal(size=(LONG, 3))
    found = column_sums(rows)
    assert (found.error <= second_order(rows) + 0.5 * EPSILON * np.abs(found.sums)).all()
    assert (second_order(rows) <= 1e-20 * np.abs(rows).sum(axis=0)).all()


@needs_compiler
@pytest.mark.parametrize(
    "rows",
    [
        swamped(300),
        cancelling(3, 200, 100.0),
        np.zeros((4, 2)),
        np.full((1, 3), -0.0),
        *(cancelling(5, 4, 100.0)[:count] for count in range(2, 9)),
    ],
)
def test_all_ways_of_adding_have_the_same_bits(rows: Matrix) -> None:
    start = np.random.default_rng(4).normal(size=(3, rows.shape[1])) * [[1.0], [EPSILON], [0.0]]
    machine = compiled(add_columns_one_by_one, rows, *start)
    results = []
    for add in (add_columns, add_columns_one_by_one, machine):
        totals = start.copy()
        add(rows, *totals)
        results.append(totals.tobytes())
    assert results[0] == results[1] == results[2]


def twice(numbers: Vector) -> float:
    return 2.0 * float(numbers[0])


def twice_in_a_way_that_no_compiler_takes(numbers: Vector) -> float:
    return {"twice": 2.0 * float(numbers[0]), "type": type(numbers)}["twice"]  # type: ignore[return-value]  # the point of it


@needs_compiler
@pytest.mark.parametrize(("function", "compiles"), [(twice, True), (twice_in_a_way_that_no_compiler_takes, False)])
def test_functions_are_compiled_when_they_have_done_enough_if_they_can(function: Any, compiles: bool) -> None:
    warming = Warming(function, function, np.ones(1))
    assert warming.up_to(LONG - 1) is function
    for _ in range(2):
        now = warming.up_to(1)
        assert (now is not function) == compiles
        assert now(np.array([1.5])) == 3.0


def test_who_was_interrupted_while_it_compiled_compiles_the_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def interrupted_once(function: Any, *examples: Any) -> Any:
        calls.append("compiled")
        if len(calls) == 1:
            raise KeyboardInterrupt
        return abs

    monkeypatch.setattr("belated.sim.compensated.compiled", interrupted_once)
    warming = Warming(twice, twice, np.ones(1))
    with pytest.raises(KeyboardInterrupt):
        warming.up_to(LONG)
    for _ in range(2):
        now: Any = warming.up_to(LONG)
        assert now is abs
    assert len(calls) == 2


def test_rows_of_any_layout_are_added() -> None:
    rows = np.random.default_rng(1).normal(size=(LONG, 4))
    whole = column_sums(rows)
    for other in (np.asfortranarray(rows), np.repeat(rows, 2, axis=1)[:, ::2]):
        assert not other.flags.c_contiguous
        assert [part.tobytes() for part in column_sums(other)] == [part.tobytes() for part in whole]
    rows.flags.writeable = False
    assert [part.tobytes() for part in column_sums(rows)] == [part.tobytes() for part in whole]


@pytest.mark.parametrize("width", [1, 3, 100_000])
def test_rows_of_another_width_are_refused(width: int) -> None:
    sums = ColumnSums(2)
    sums.add(np.ones((LONG, 2)))  # machine code from now on, which would write beyond its arrays
    with pytest.raises(InvalidArgument, match="must have 2 columns"):
        sums.add(np.ones((4, width)))
    sums.add(np.ones((3, 2), dtype=np.int64))
    assert sums.total().sums.tolist() == [LONG + 3.0] * 2


def test_sums_without_a_loss_are_known_to_be_exact() -> None:
    np.testing.assert_array_equal(column_sums(np.arange(12.0).reshape(4, 3) - 5.0).error, np.zeros(3))


def test_an_overflow_is_not_a_number_that_looks_sound() -> None:
    with np.errstate(all="ignore"):
        total = column_sums(np.array([[1.7e308, 1.0], [1.7e308, 1.0], [-1.7e308, 1.0]]))
    assert not np.isfinite(total.sums[0])
    assert total.sums[1] == 3.0


# Sums that are wrong, to show that the tests above would notice.


def second_order(rows: Matrix) -> Vector:
    return missing_at_most(len(rows), lost_at_most(len(rows), np.abs(rows).sum(axis=0)))


def plain(rows: Matrix) -> Total:
    """A sum that keeps nothing of what it loses."""
    main = np.add.accumulate(rows)[-1]
    return Total(main, EPSILON * np.abs(main) + second_order(rows))


def to_the_last_digit(rows: Matrix) -> Total:
    """A bound as if what is lost were added up without another loss."""
    sums, _ = column_sums(rows)
    return Total(sums, 0.5 * EPSILON * np.abs(sums))


def reordered(rows: Matrix) -> Total:
    """What compilers may make of TwoSum when told that arithmetic is associative: nothing is ever lost."""
    sums = np.add.accumulate(rows)[-1]
    return Total(sums, second_order(rows))


@pytest.mark.parametrize("mutant", [plain, to_the_last_digit, reordered])
def test_wrong_sums_are_caught(mutant: Sums) -> None:
    assert broken(mutant, swamped(LONG))
    assert any(broken(mutant, cancelling(seed, 400, 8.0)) for seed in range(10))
