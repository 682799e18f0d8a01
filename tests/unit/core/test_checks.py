"""Checks of arguments: what they accept, what they return, and how their error messages read."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.core import checks
from belated.core.errors import InvalidArgument

Check = Callable[[str, str, Any], Any]

NUMBERS: list[Check] = [checks.number, checks.positive, checks.not_negative, checks.probability]


def message(check: Check, value: object) -> str:
    with pytest.raises(InvalidArgument) as caught:
        check("f", "x", value)
    return str(caught.value)


def test_a_message_names_the_call_the_argument_the_value_and_what_is_allowed() -> None:
    assert message(checks.positive, 0.0) == "`f(x=0.0)`: must be > 0"


def test_a_long_value_is_cut() -> None:
    text = message(checks.number, "many words " * 50)
    assert text.endswith("...)`: must be a real number")
    assert len(text) < 100


def test_a_value_of_many_lines_is_shown_on_one() -> None:
    assert checks.shown(np.eye(2)) == "array([[1., 0.], [0., 1.]])"


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize("value", [1, 1.0, np.float64(1.0), np.float32(1.0), np.int64(1), np.uint8(1)])
def test_numbers_of_every_kind_become_floats(check: Check, value: object) -> None:
    result = check("f", "x", value)
    assert type(result) is float
    assert result == 1.0


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize("value", [True, np.True_, "1", None, 1j, [1.0], np.array(1.0)])
def test_what_is_not_a_number_is_refused(check: Check, value: object) -> None:
    assert message(check, value).endswith("must be a real number")


@pytest.mark.parametrize("check", NUMBERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, -(10**400), np.float64("nan")])
def test_what_is_not_finite_is_refused(check: Check, value: object) -> None:
    assert message(check, value).endswith("must be finite")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_accepted_exactly_in_their_range(value: float) -> None:
    ranges: list[tuple[Check, bool, str]] = [
        (checks.number, True, ""),
        (checks.positive, value > 0, "must be > 0"),
        (checks.not_negative, value >= 0, "must be >= 0"),
        (checks.probability, 0 <= value <= 1, "must lie in [0, 1]"),
    ]
    for check, accepted, allowed in ranges:
        if accepted:
            assert check("f", "x", value) == value
        else:
            assert message(check, value) == f"`f(x={value!r})`: {allowed}"


@given(st.integers(-5, 5), st.integers(-5, 5))
def test_counts_are_accepted_from_the_least_on(value: int, least: int) -> None:
    if value >= least:
        result = checks.count("f", "x", np.int64(value), least)
        assert type(result) is int
        assert result == value
    else:
        assert (
            message(lambda *given: checks.count(given[0], given[1], given[2], least), value)
            == f"`f(x={value})`: must be >= {least}"
        )


@pytest.mark.parametrize("value", [True, np.False_, 1.0, math.nan, "1", None, [1]])
def test_what_is_not_whole_is_no_count(value: object) -> None:
    assert message(checks.count, value).endswith("must be a whole number")


@pytest.mark.parametrize(
    "value", [[1, 2], (1.0, 2.0), np.array([1, 2], dtype=np.int8), np.arange(1, 5)[::2] * 1.0 // 1]
)
def test_vectors_become_contiguous_float64_copies(value: object) -> None:
    result = checks.vector("f", "x", value)
    assert result.dtype == np.float64
    assert result.flags.c_contiguous
    assert result.flags.writeable
    assert not np.shares_memory(result, np.asarray(value))
    np.testing.assert_array_equal(result, np.asarray(value, dtype=float))


def test_a_float64_vector_is_copied_too() -> None:
    mine = np.array([1.0, 2.0])
    checks.vector("f", "x", mine)[0] = 9.0
    assert mine[0] == 1.0


def test_a_table_is_not_copied_unless_it_must_be() -> None:
    """Tables are large. Whoever keeps one makes a copy of his own."""
    mine = np.ones((2, 3))
    assert np.shares_memory(checks.matrix("f", "x", mine), mine)
    turned = checks.matrix("f", "x", np.ones((3, 2), dtype=np.float32).T)
    assert turned.flags.c_contiguous
    assert turned.dtype == np.float64


@pytest.mark.parametrize(
    ("value", "size", "reason"),
    [
        ([], None, "must be a non-empty vector, got shape (0,)"),
        (1.0, None, "must be a non-empty vector, got shape ()"),
        ([[1.0]], None, "must be a non-empty vector, got shape (1, 1)"),
        ([1.0], 2, "must have shape (2,), got shape (1,)"),
        ([1.0, math.nan], 2, "must be finite, entry [1] is nan"),
        ([1.0, -math.inf], None, "must be finite, entry [1] is -inf"),
        (["a"], None, "must be an array of real numbers, got dtype <U1"),
        ([True], None, "must be an array of real numbers, got dtype bool"),
        ([1j], None, "must be an array of real numbers, got dtype complex128"),
        ([None], None, "must be an array of real numbers, got dtype object"),
        ([[1.0], [1.0, 2.0]], None, "must be an array of real numbers"),
    ],
)
def test_bad_vectors_are_refused(value: object, size: int | None, reason: str) -> None:
    assert message(lambda *given: checks.vector(given[0], given[1], given[2], size), value).endswith(f"`: {reason}")


@pytest.mark.parametrize(
    ("value", "columns", "reason"),
    [
        ([1.0, 2.0], None, "must have shape (rows, columns), got shape (2,)"),
        (np.empty((0, 3)), 3, "must have shape (rows, 3), got shape (0, 3)"),
        ([[1.0, 2.0]], 3, "must have shape (rows, 3), got shape (1, 2)"),
        ([[1.0, 2.0], [3.0, math.nan]], 2, "must be finite, entry [1, 1] is nan"),
    ],
)
def test_bad_matrices_are_refused(value: object, columns: int | None, reason: str) -> None:
    assert message(lambda *given: checks.matrix(given[0], given[1], given[2], columns), value).endswith(f"`: {reason}")


def test_matrices_become_contiguous_float64_copies() -> None:
    mine = np.arange(6).reshape(2, 3).T
    result = checks.matrix("f", "x", mine, 2)
    assert result.flags.c_contiguous
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, mine)
