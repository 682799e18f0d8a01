"""Methods, functions and objects that plain Python may use without naming them: the digest of code counts them."""

from typing import Any

import pytest

from belated.core import members
from belated.core.closures import Closure

MODULE = """
import abc, enum, functools
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar
import numpy as np

T = TypeVar("T")
K = 2.0

class Base:
    __slots__ = ()
    def __rsub__(self, other):
        return 3.0 * other

class Fields(NamedTuple):
    size: float

class Whole(Base, Fields):
    __slots__ = ()
    def __mul__(self, other):
        return self.size * K * other
    __rmul__ = __mul__
    def __lt__(self, other):
        return 5.0 < other
    def __float__(self):
        return 7.0
    def __neg__(self):
        return helper(self)
    __hash__ = None
    __gt__ = tuple.__gt__
    @property
    def unused(self):
        return 11.0

def helper(x):
    return 13.0

WHOLE = Whole(1.0)

class Level(enum.Enum):
    LOW = 17.0
    def twice(self):
        return 19.0

class Rank(enum.IntEnum):
    LOW = 1
    def twice(self):
        return 41.0

class Marks(enum.Flag):
    LOW = 1
    def twice(self):
        return 43.0

def naming(x):
    return Level.LOW.twice() + Rank.LOW.twice() + Marks.LOW.twice()

class Plain:
    def __init__(self):
        self.size = 1.0
    def step(self):
        return 23.0
    def unused(self):
        return 29.0

@dataclass(frozen=True)
class Data(Generic[T]):
    size: float = 1.0
    names: list = field(default_factory=list)
    def step(self):
        return 31.0

class Holder(NamedTuple):
    held: object

def given(x):
    return 37.0 * x

def entry(x):
    return x * WHOLE

def calling(part, x):
    return part.held.step() + part.held.twice() + part.held(x)
"""


def made(text: str, name: str = "entry", make: str = "None") -> Closure:
    names: dict[str, Any] = {"__name__": "made"}
    exec(text, names)
    return Closure(names[name], (eval(make, names),), plain=True)


@pytest.mark.parametrize("change", ["K = 2.0", "3.0 * other", "5.0 < other", "7.0", "13.0", "= tuple.__gt__"])
def test_operators_of_a_part_count(change: str) -> None:
    changed = MODULE.replace(change, change.replace(".0", ".5").replace("gt", "ge"))
    assert changed != MODULE
    assert made(MODULE).digest == made(MODULE).digest != made(changed).digest
    assert made(MODULE).nameless != made(changed).nameless
    assert not made(MODULE).opaque


def test_a_method_that_nobody_names_does_not_count() -> None:
    assert made(MODULE).digest == made(MODULE.replace("11.0", "99.0")).digest


def test_without_operators_a_change_would_go_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "_is_called_unnamed", lambda name, member: False)
    assert made(MODULE).digest == made(MODULE.replace("K = 2.0", "K = 2.5")).digest


@pytest.mark.parametrize("change", ["17.0", "19.0", "41.0", "43.0"])
def test_methods_of_an_enumeration_count(change: str) -> None:
    one, other = made(MODULE, "naming"), made(MODULE.replace(change, "99.0"), "naming")
    assert one.digest == made(MODULE, "naming").digest != other.digest
    assert not one.opaque


HELD = {
    "a function": ("Holder(given)", "37.0"),
    "a function in a list": ("Holder([given])", "37.0"),
    "a function in a dictionary": ("Holder({'it': (given,)})", "37.0"),
    "a function with arguments": ("Holder(functools.partial(given, 1.0))", "37.0"),
    "a vectorised function": ("Holder(np.vectorize(given))", "37.0"),
    "a bound method": ("Holder(Plain().step)", "23.0"),
    "a member of an enumeration": ("Holder(Level.LOW)", "19.0"),
    "an object": ("Holder(Plain())", "23.0"),
    "an object in an array": ("Holder(np.array([Plain()]))", "23.0"),
    "a class": ("Holder(Plain)", "23.0"),
    "a dataclass": ("Holder(Data())", "31.0"),
}


@pytest.mark.parametrize("what", HELD)
def test_what_a_part_holds_counts(what: str) -> None:
    make, number = HELD[what]
    one, again, other = (made(text, "calling", make) for text in (MODULE, MODULE, MODULE.replace(number, "99.0")))
    assert one.digest == again.digest != other.digest
    assert not one.opaque
    assert one.digest == made(MODULE.replace("29.0", "99.0"), "calling", make).digest


def test_what_holds_itself_comes_to_an_end() -> None:
    text = f"{MODULE}\nround = [given]\nround.append(round)\n"
    changed = text.replace("37.0", "99.0")
    assert made(text, "calling", "Holder(round)").digest != made(changed, "calling", "Holder(round)").digest


@pytest.mark.parametrize("make", ["Holder(x for x in ())", "Holder(memoryview(b''))", "Holder(functools)"])
def test_what_cannot_be_taken_apart_is_opaque(make: str) -> None:
    assert made(MODULE, "calling", make).opaque
