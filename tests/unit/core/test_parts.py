import copy
from typing import Any, NamedTuple

import numpy as np
import pytest

from belated.core.arrays import Vector, frozen
from belated.core.parts import Part, fingerprint


class DiscFields(NamedTuple):
    center: Vector
    radius: float


class Disc(Part, DiscFields):
    __slots__ = ()

    def __new__(cls, dim: int, radius: float = 1.0) -> "Disc":
        return cls._make((frozen(np.zeros(dim)), radius))


class Coin(Part, DiscFields):
    __slots__ = ()


class Pair(NamedTuple):
    one: Any
    other: Any


class Holder(Part, Pair):
    __slots__ = ()


DIFFERENT: list[Any] = [
    Disc(2),
    Disc(3),
    Disc(2, 2.0),
    Disc._make((frozen([0.0, 1.0]), 1.0)),
    Disc._make((np.zeros(2, dtype=np.float32), 1.0)),
    Disc._make((np.zeros((2, 1)), 1.0)),
    Coin._make(Disc(2)),
    Holder(Disc(2), 1),
    Holder(1, Disc(2)),
    Holder(1, 1.0),
    Holder(1, "1.0"),
    Holder("ab", "c"),
    Holder("a", "bc"),
    Holder(((1,), 2), 3),
    Holder(((1, 2),), 3),
]


@pytest.mark.parametrize("part", DIFFERENT, ids=repr)
def test_equal_parts_and_only_they_are_equal(part: Any) -> None:
    for other in DIFFERENT:
        same = other is part
        assert (part == other) is same
        assert (part != other) is not same
        assert (fingerprint(part) == fingerprint(other)) is same


@pytest.mark.parametrize("part", DIFFERENT, ids=repr)
def test_a_copy_is_equal_and_of_the_same_class(part: Any) -> None:
    for twin in (copy.copy(part), copy.deepcopy(part)):
        assert type(twin) is type(part)
        assert twin == part
        assert hash(twin) == hash(part)


def test_parts_are_keys() -> None:
    assert {Disc(2): "two", Disc(3): "three"}[Disc(3)] == "three"


def test_a_part_is_not_the_tuple_of_its_fields() -> None:
    assert Holder(1, 2) != (1, 2)
    assert Holder(1, 2) != Pair(1, 2)


def test_a_part_reads_like_its_fields() -> None:
    assert repr(Disc(2)) == "Disc(center=[0., 0.], radius=1.0)"
    assert repr(Holder(Disc(2), "x")) == "Holder(one=Disc(center=[0., 0.], radius=1.0), other='x')"
    assert len(repr(Disc(100_000))) < 80


def test_a_fingerprint_does_not_depend_on_memory() -> None:
    strided = np.arange(6.0)[::2]
    assert fingerprint(Holder(strided, 1)) == fingerprint(Holder(strided.copy(), 1))


def test_frozen_arrays_are_private_contiguous_and_read_only() -> None:
    mine = np.arange(6.0)[::2]
    stored = frozen(mine)
    mine[0] = 9.0
    assert stored.tolist() == [0.0, 2.0, 4.0]
    assert stored.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        stored[0] = 1.0
