"""Parts as values: equality, copies, hashes, and fingerprints that identify them in saved states."""

import copy
import importlib
import pkgutil
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest

import belated as bl
from belated.core.arrays import Vector, frozen
from belated.core.errors import AmbiguousPart
from belated.core.parts import Part, fingerprint


class DiscFields(NamedTuple):
    centre: Vector
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
    assert repr(Disc(2)) == "Disc(centre=[0., 0.], radius=1.0)"
    assert repr(Holder(Disc(2), "x")) == "Holder(one=Disc(centre=[0., 0.], radius=1.0), other='x')"
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


def in_module(module: str) -> Any:
    """A part, always of the same name, that lives in that module."""

    class Wanderer(NamedTuple):
        size: int

    Wanderer.__module__ = module
    return Wanderer(3)


def test_moving_a_class_to_another_module_keeps_its_fingerprint(monkeypatch) -> None:
    monkeypatch.setattr("belated.core.parts._modules", {})
    before = fingerprint((in_module("belated.old"), 1))
    monkeypatch.setattr("belated.core.parts._modules", {})  # as in a process of a later version
    assert fingerprint((in_module("belated.new.place"), 1)) == before


def test_a_stranger_of_the_same_name_is_not_ours(monkeypatch) -> None:
    monkeypatch.setattr("belated.core.parts._modules", {})
    assert fingerprint(in_module("belated.somewhere")) != fingerprint(in_module("belatedly"))


def test_two_classes_of_one_name_are_refused(monkeypatch) -> None:
    monkeypatch.setattr("belated.core.parts._modules", {})
    fingerprint(in_module("mine"))
    fingerprint(in_module("mine"))  # a cell of a notebook that is run again
    fingerprint(in_module("__main__"))  # a module that is also the script
    with pytest.raises(AmbiguousPart, match=r"one in mine and one in yours; .* rename one of them"):
        fingerprint(in_module("yours"))


def test_no_two_parts_of_the_library_share_a_name() -> None:
    names = [each.name for each in pkgutil.walk_packages(bl.__path__, "belated.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    classes = {
        thing
        for module in modules
        for thing in vars(module).values()
        if isinstance(thing, type) and hasattr(thing, "_fields") and thing.__module__.startswith("belated.")
    }
    assert len(classes) > 100
    assert [name for name, times in Counter(each.__qualname__ for each in classes).items() if times > 1] == []


def test_the_fingerprints_of_learners_are_those_that_saved_states_carry() -> None:
    domain = bl.Ball(2)
    assert bl.dogd_sc(domain, strong_convexity=2.0).fingerprint == "5aa385e5702aa1afa4cd48c5f5e38a51"
    assert bl.bold(bl.ogd_sc(domain, strong_convexity=2.0)).fingerprint == "225e055c118de15f7b49ca71cc5a84eb"
