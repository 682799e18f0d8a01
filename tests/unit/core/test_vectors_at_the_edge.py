"""Limits and sums against what they are short for, at the edges of the range of numbers."""

import inspect
import math

import numpy as np
import pytest

from belated.core import vectors
from belated.core.checks import LARGEST_ENTRY
from belated.core.vectors import add_into, add_onto, begin_sum, within_limit

ABOVE, BELOW = math.nextafter(LARGEST_ENTRY, math.inf), math.nextafter(LARGEST_ENTRY, 0.0)
ODD = [0.0, -0.0, 1.0, BELOW, LARGEST_ENTRY, ABOVE, 1e154, 1e200, 1.7e308, math.inf, math.nan, 5e-324]
SIZES = [1, 2, 3, 4, 5, 32, 33, 39]


def check_limit(limit):
    """One odd entry, or two of them, anywhere among ordinary ones."""
    for size in SIZES:
        for odd in ODD:
            for sign in (1.0, -1.0):
                for places in ({0}, {size - 1}, {0, size // 2}, set(range(size))):
                    numbers = np.full(size, 0.5)
                    numbers[list(places)] = sign * odd
                    with np.errstate(all="ignore"):
                        assert limit(numbers) == all(abs(each) <= LARGEST_ENTRY for each in numbers.tolist())


def test_within_limit_is_what_it_says():
    check_limit(within_limit)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LARGEST_ENTRY * LARGEST_ENTRY", "LARGEST_ENTRY * LARGEST_ENTRY * 1.001"),
        ("LARGEST_ENTRY * LARGEST_ENTRY", "math.inf"),
        ("dot(numbers, numbers) <", "not dot(numbers, numbers) >="),
        ("dot(numbers, numbers) <", "dot(numbers[1:], numbers[1:]) <"),
        ("<= LARGEST_ENTRY\n", "< LARGEST_ENTRY\n"),
    ],
)
def test_a_broken_limit_is_caught(old, new):
    text = inspect.getsource(within_limit).replace("@compilable\n", "")
    assert text.count(old) == 1
    names = dict(vars(vectors))
    exec(text.replace(old, new), names)
    with pytest.raises(AssertionError):
        check_limit(names["within_limit"])


PIECES = np.array([[-0.0, 0.1, 1e300, math.inf, -0.0], [-0.0, 0.2, 1e308, 1.0, 0.0], [-0.0, 0.3, 1e308, math.nan, 1.0]])


def check_sum(add):
    """A sum that is begun with its first part has the bits of one that began at zero, whatever was there before."""
    expected, begun = np.zeros(5), np.full(5, math.nan)
    for place, piece in enumerate(PIECES):
        with np.errstate(all="ignore"):
            expected = expected + piece
            add(begun, piece, place == 0)
        assert begun.tobytes() == expected.tobytes()


def test_a_sum_may_begin_with_its_first_part():
    check_sum(add_onto)


@pytest.mark.parametrize(
    "broken",
    [
        lambda total, piece, fresh: total.__setitem__(..., piece) if fresh else add_into(piece, total),
        lambda total, piece, fresh: add_into(piece, total),
        lambda total, piece, fresh: begin_sum(piece, total),
    ],
)
def test_a_broken_sum_is_caught(broken):
    with pytest.raises(AssertionError):
        check_sum(broken)
