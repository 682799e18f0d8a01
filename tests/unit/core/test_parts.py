"""Parts as values: equality, copies, hashes, and fingerprints that identify them in saved states."""

import copy
import importlib
import math
import os
import pkgutil
import subprocess
import sys
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
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


class Level(Enum):
    LOW = 1
    HIGH = 2


class Box:
    def __init__(self, content: Any) -> None:
        self.content = content

    def __repr__(self) -> str:
        return "a box"


class Obliging(Box):
    def __getattr__(self, name: str) -> float:
        if name.startswith("__"):
            raise AttributeError(name)
        return 1.0


class Slotted:
    __slots__ = ("content",)

    def __init__(self, content: Any) -> None:
        self.content = content


@dataclass
class Data:
    content: Any


def raised_to(power: int) -> Any:
    return lambda x: x**power


LONG = np.zeros(3000)
LATER = np.eye(1, 3000, 1500)[0]
"""They look the same, since NumPy shows the ends of a long array only."""

WRAPPERS: list[Any] = [
    lambda array: [array],
    lambda array: {"it": array},
    lambda array: ([[array]],),
    lambda array: deque([array]),
    lambda array: OrderedDict(it=array),
    lambda array: np.array([array, None], dtype=object),
    lambda array: partial(np.add, array),
    Box,
    Obliging,
    Slotted,
    Data,
]

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
    Holder([1, 2], 3),
    Holder([(1, 2)], 3),
    Holder([[1], 2], 3),
    Holder([1, [2]], 3),
    Holder({1, 2}, 3),
    Holder(frozenset((1, 2)), 3),
    Holder({1: 2}, 3),
    Holder({1: 2, 2: 1}, 3),
    Holder({2: 1, 1: 2}, 3),
    Holder([], 3),
    Holder({}, 3),
    Holder(b"ab", "c"),
    Holder(bytearray(b"ab"), "c"),
    Holder(Fraction(1, 3), 1),
    Holder(Fraction(2, 3), 1),
    Holder(Level.LOW, 1),
    Holder(Level.HIGH, 1),
    Holder(float, 1),
    Holder(int, 1),
    Holder(math.exp, 1),
    Holder(np.exp, 1),
    Holder(np.sqrt, 1),
    Holder(np.array([1.0, "a", None], dtype=object), 1),
    Holder(np.array([1.0, "b", None], dtype=object), 1),
    Holder(np.zeros(1, dtype=[("a", float)]), 1),
    Holder(np.zeros(1, dtype=[("b", float)]), 1),
    Holder(np.zeros(1, dtype=[("a", float)])[0], 1),
    Holder(np.ma.masked_array([[0.0]], [[True]]), 1),
    Holder(np.array([[0.0]]), 1),
    Holder(Box(1.0), 1),
    Holder(Box([1.0]), 1),
    Holder(Slotted(1.0), 1),
    Holder(Slotted(2.0), 1),
    Holder(raised_to(2), 1),
    Holder(raised_to(3), 1),
    *(Holder(wrapped(LONG), 1) for wrapped in WRAPPERS),
    *(Holder(wrapped(LATER), 1) for wrapped in WRAPPERS),
]


def label(part: Any) -> str:
    """What it looks like, without addresses, since processes that share the tests must agree on their names."""
    return repr(part).partition(" at 0x")[0]


@pytest.mark.parametrize("part", DIFFERENT, ids=label)
def test_equal_parts_and_only_they_are_equal(part: Any) -> None:
    for other in DIFFERENT:
        same = other is part
        assert (part == other) is same
        assert (part != other) is not same
        assert (fingerprint(part) == fingerprint(other)) is same


@pytest.mark.parametrize("part", DIFFERENT, ids=label)
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


def test_two_functions_that_do_the_same_are_one() -> None:
    assert Holder(raised_to(2), 1) == Holder(raised_to(2), 1)


def test_what_cannot_be_looked_into_is_equal_to_itself_only() -> None:
    hidden: list[Any] = [(each for each in "ab"), (each for each in "ab"), lambda: hidden, lambda: hidden]
    parts = [Holder(each, 1) for each in hidden]
    assert [[one == other for other in parts] for one in parts] == np.eye(len(parts), dtype=bool).tolist()


def test_the_address_of_what_cannot_be_looked_into_is_not_used_again() -> None:
    """Else a saved state might be taken for that of a part which is made after the first is gone."""
    found = {fingerprint(Holder((each for each in "ab"), 1)) for _ in range(50)}
    assert len(found) == 50


def test_what_holds_itself_has_a_fingerprint() -> None:
    one: list[Any] = [1]
    other: list[Any] = [2]
    for each in (one, other):
        each.append(each)
    assert Holder(one, 1) == Holder(one, 1) != Holder(other, 1)


OBJECTS = """
from fractions import Fraction
import numpy as np
from belated.core.parts import fingerprint
class Box:
    pass
box = Box()
box.content = [np.zeros(3), {"a", "b", "c"}, {"x": Fraction(1, 3)}, b"bytes", lambda x: x + 1]
print(fingerprint((box,)))
"""


def test_a_fingerprint_of_objects_is_the_same_in_every_process() -> None:
    environments = [{**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2")]
    done = [
        subprocess.run([sys.executable, "-c", OBJECTS], env=each, capture_output=True, text=True, check=True).stdout
        for each in environments
    ]
    assert len(set(done)) == 1
    assert len(done[0].strip()) == 32


def test_the_fingerprint_of_plain_values_is_what_it_was() -> None:
    part = Pair((1, 2.5, 1j, "text", None, True, b"b", ...), (np.arange(3), np.float32(0.1), np.int64(3)))
    assert fingerprint(part) == "d4444a7fbb8a2480fd38754af5f41d07"


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


NO_PARTS = ("belated.output.page", "belated.audit")
"""Rooms whose tuples are what a page or an audit consists of. They are never saved as parts of something."""

PARTS_OF_AN_AUDIT = "belated.audit.adversaries"


def test_no_two_parts_of_the_library_share_a_name() -> None:
    found = [each.name for each in pkgutil.walk_packages(bl.__path__, "belated.")]
    names = [name for name in found if name == PARTS_OF_AN_AUDIT or not name.startswith(NO_PARTS)]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    classes = {
        thing
        for module in modules
        for thing in vars(module).values()
        if isinstance(thing, type) and hasattr(thing, "_fields") and thing.__module__ in names
    }
    assert len(classes) > 100
    assert [name for name, times in Counter(each.__qualname__ for each in classes).items() if times > 1] == []


def test_the_fingerprints_of_learners_are_those_that_saved_states_carry() -> None:
    domain = bl.Ball(2)
    assert bl.dogd_sc(domain, strong_convexity=2.0).fingerprint == "5aa385e5702aa1afa4cd48c5f5e38a51"
    assert bl.bold(bl.ogd_sc(domain, strong_convexity=2.0)).fingerprint == "225e055c118de15f7b49ca71cc5a84eb"
