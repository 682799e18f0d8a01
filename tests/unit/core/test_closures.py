"""The digest of what compiled code is made of: it changes with everything that matters, and with nothing else.

A small module of parts, verbs and helpers, the workshop, is made from source text. Each test changes one piece of the
text and compares the digests.
"""

import os
import subprocess
import sys
from contextlib import suppress
from enum import IntEnum
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from belated.core import closures
from belated.core.closures import Closure, closure_digest
from belated.core.errors import InvalidArgument, PlainPython
from belated.domains import Ball, Box, Euclidean, Simplex
from belated.learners.catalogue import EXAMPLES
from belated.losses import Quadratic
from belated.sim.plain_or_compiled import example_arguments
from belated.sim.plan import Plan
from belated.sim.round_loop import play_chunk
from support.compiler import needs_compiler

TOOLS = """
from belated.core.verbs import compilable

STEP = 3

@compilable
def deepest(x):
    return x + STEP

@compilable
def through_module(x):
    return deepest(x) * 5

def never_called(x):
    return x
"""

INSIDE = """
def of_a_package(x):
    return x * 19.0
"""

WORKSHOP = """
from typing import Any, NamedTuple

import numpy as np

from belated.core.verbs import compilable, verb

FACTOR = 7
TABLE = np.array([1.0, 2.0])
UNUSED = 11

class Inner(NamedTuple):
    size: float

class Other(NamedTuple):
    size: float

class Outer(NamedTuple):
    inner: Any

class Made(NamedTuple):
    size: float

class Stranger(NamedTuple):
    size: float

class Fixed(NamedTuple):
    size: float

FIXED = Fixed(13.0)
NUMBERS = (np.array([0.0] * 900 + [5.0] + [0.0] * 900),)

@verb
def area(part: Any) -> float: ...

@verb
def unasked(part: Any) -> float: ...

@compilable
def second(x):
    return x - 2.0

@compilable
def first(x):
    return second(x) / 4.0

@compilable
def in_a_comprehension(x):
    return x * 17.0

def raised_to(power):
    @compilable
    def raised(x):
        return x**power
    return raised

to_the_ninth = raised_to(9)

@area.on(Inner)
def area_inner(part):
    return first(part.size) * FACTOR + TABLE[0]

@area.on(Other)
def area_other(part):
    return -part.size

@area.on(Outer)
def area_outer(part):
    return area(part.inner) + tools.through_module(part.inner.size)

@area.on(Made)
def area_made(part):
    return part.size * 21.0

@area.on(Stranger)
def area_stranger(part):
    return part.size * 23.0

@area.on(Fixed)
def area_fixed(part):
    return part.size * 29.0

@verb
def edge(part: Any) -> float: ...

@edge.otherwise
def edge_by_area(part):
    return area(part) * 37.0

@unasked.on(Inner)
def unasked_inner(part):
    return part.size * 31.0

def entry(part, scale=6.0):
    total = 0.0
    for each in [in_a_comprehension(x) for x in (1.0, 2.0)]:
        total += each
    total += NUMBERS[0][900] + tools.inside.of_a_package(total)
    return total + area(part) * scale + to_the_ninth(scale) + area(Made(scale)) + area(FIXED) + edge(part)

def part():
    return Outer(Inner(1.0))
"""


def workshop(*changes: tuple[str, str]) -> Any:
    """The workshop as a module, with changes made in its text or in that of its tools."""
    texts = {"inside": INSIDE, "tools": TOOLS, "workshop": WORKSHOP}
    for old, new in changes:
        assert sum(text.count(old) for text in texts.values()) == 1, f"{old!r} should be there once"
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    inside, tools, main = (ModuleType(name) for name in texts)
    vars(tools)["inside"], vars(main)["tools"] = inside, tools
    exec(texts["inside"], vars(inside))
    exec(texts["tools"], vars(tools))
    exec(texts["workshop"], vars(main))
    return main


def digest(*changes: tuple[str, str], make: str = "part()") -> str:
    main = workshop(*changes)
    return closure_digest(main.entry, (eval(make, vars(main)),))


MATTERS = {
    "a line of the function itself": ("total + area(part)", "total - area(part)"),
    "its default argument": ("scale=6.0", "scale=6.5"),
    "a line of an implementation": ("area(part.inner) + tools", "area(part.inner) - tools"),
    "a line of a nested part's implementation": ("+ TABLE[0]", "- TABLE[0]"),
    "a helper": ("second(x) / 4.0", "second(x) / 4.5"),
    "a helper's helper": ("x - 2.0", "x - 2.5"),
    "a helper of another module": ("deepest(x) * 5", "deepest(x) * 6"),
    "a helper's helper of another module": ("x + STEP", "x - STEP"),
    "an implementation for all other classes": ("area(part) * 37.0", "area(part) * 38.0"),
    "a class that has its own now": (
        "@unasked.on(Inner)",
        "@edge.on(Outer)\ndef edge_outer(part):\n    return 0.0\n\n@unasked.on(Inner)",
    ),
    "a constant": ("FACTOR = 7", "FACTOR = 8"),
    "the type of a constant": ("FACTOR = 7", "FACTOR = 7.0"),
    "a constant of another module": ("STEP = 3", "STEP = 4"),
    "an array": ("np.array([1.0, 2.0])", "np.array([1.0, 2.0000000000000004])"),
    "the type of an array": ("np.array([1.0, 2.0])", "np.array([1.0, 2.0], dtype=np.float32)"),
    "an outer variable": ("raised_to(9)", "raised_to(10)"),
    "the implementation for a part that is made on the way": ("part.size * 21.0", "part.size * 22.0"),
    "which function is called": ("return second(x) / 4.0", "return abs(x) / 4.0"),
    "the operands": ("part.size * 21.0", "21.0 / part.size"),
    "the order of a part's fields": (
        "class Made(NamedTuple):\n    size: float",
        "class Made(NamedTuple):\n    more: float\n    size: float",
    ),
    "a value in a constant part": ("FIXED = Fixed(13.0)", "FIXED = Fixed(14.0)"),
}

NOT_NOTICED = {
    "a helper that is called from a comprehension": ("x * 17.0", "x * 18.0"),
    "the implementation for a constant part": ("part.size * 29.0", "part.size * 30.0"),
    "a function within a package": ("x * 19.0", "x * 20.0"),
    "an entry of a long array in a tuple": ("[0.0] * 900 + [5.0]", "[0.0] * 900 + [6.0]"),
}

DOES_NOT_MATTER = {
    "a comment": ("return x - 2.0", "return x - 2.0  # less"),
    "empty lines": ("FACTOR = 7", "\n\n\nFACTOR = 7"),
    "the implementation of another part": ("part.size * 23.0", "part.size * 24.0"),
    "another verb of the same part": ("part.size * 31.0", "part.size * 32.0"),
    "a constant that nobody reads": ("UNUSED = 11", "UNUSED = 12"),
    "a function that nobody calls": ("def never_called(x):\n    return x", "def never_called(x):\n    return -x"),
    "another value in a part": ("Outer(Inner(1.0))", "Outer(Inner(2.0))"),
    "one more implementation": (
        "def part():",
        "class More(NamedTuple):\n    side: float\n\n@area.on(More)\ndef area_more(part):\n    return 1.0\n\n"
        "def part():",
    ),
}


@pytest.mark.parametrize("what", MATTERS)
def test_the_digest_changes_with(what: str) -> None:
    assert digest(MATTERS[what]) != digest()


@pytest.mark.parametrize("what", NOT_NOTICED)
def test_the_digest_should_change_with(what: str) -> None:
    assert digest(NOT_NOTICED[what]) != digest()


@pytest.mark.parametrize("what", DOES_NOT_MATTER)
def test_the_digest_does_not_change_with(what: str) -> None:
    assert digest(DOES_NOT_MATTER[what]) == digest()


def test_the_class_of_a_nested_part_counts() -> None:
    assert digest(make="Outer(Inner(1.0))") != digest(make="Outer(Other(1.0))")
    assert digest(make="Outer(Other(1.0))") != digest(make="Other(1.0)")
    changed = MATTERS["a line of a nested part's implementation"]
    assert digest(changed, make="Outer(Other(1.0))") == digest(make="Outer(Other(1.0))"), "only if it is there"


def test_parts_within_plain_tuples_are_found() -> None:
    main, other = workshop(), workshop(MATTERS["a line of a nested part's implementation"])
    assert closure_digest(main.entry, (((main.Inner(1.0),),),)) != closure_digest(
        other.entry, (((other.Inner(1.0),),),)
    )


def test_the_digest_is_that_of_now() -> None:
    """Whatever is exchanged while the process lives is noticed, too."""
    main = workshop()
    before = closure_digest(main.entry, (main.part(),))
    kept, main.FACTOR = main.FACTOR, 8
    assert closure_digest(main.entry, (main.part(),)) != before
    main.FACTOR = kept
    assert closure_digest(main.entry, (main.part(),)) == before
    main.area.on(main.Inner)(lambda part: 0.0)
    assert closure_digest(main.entry, (main.part(),)) != before


@needs_compiler
def test_a_function_that_numba_has_wrapped_is_looked_into() -> None:
    wrapped = ("@compilable\ndef second(x):", "import numba\n@numba.njit\ndef second(x):")
    quicker = ("@compilable\ndef second(x):", "import numba\n@numba.njit(fastmath=True)\ndef second(x):")
    assert digest(wrapped) == digest(wrapped)
    assert digest(quicker) != digest(wrapped), "options change the code"
    assert digest(wrapped, MATTERS["a helper's helper"]) != digest(wrapped)


def test_members_of_an_enumeration_count() -> None:
    def reading(number):
        Level = IntEnum("Level", {"LOW": number})

        def entry():
            return Level.LOW

        return Closure(entry, ())

    assert reading(1).digest == reading(1).digest != reading(2).digest
    assert not reading(1).opaque


def test_what_cannot_be_looked_into_is_not_kept() -> None:
    box = object()

    def entry():
        return box

    assert Closure(entry, ()).opaque


def test_an_attribute_is_not_what_is_called_like_it() -> None:
    """Else a field would drag in a global function of the same name, and with it whatever that uses."""
    main = workshop()
    main.size = object()
    closure = Closure(main.entry, (main.part(),))
    assert not closure.opaque
    assert closure.digest == digest()


def test_code_of_every_learner_can_be_kept() -> None:
    for name, example in EXAMPLES.items():
        for domain in (Ball(3), Box([-1.0] * 3, [1.0] * 3), Simplex(3), Euclidean(3)):
            with suppress(InvalidArgument):
                arguments = example_arguments(name, example(domain), Quadratic(3), Plan(9, 9, np.array([9])))
                assert not Closure(play_chunk, arguments).opaque, name
                break
        else:
            pytest.fail(f"{name} takes none of these domains")


def test_every_function_is_known_with_the_constants_that_it_reads() -> None:
    main = workshop()
    before = Closure(main.entry, (main.part(),)).functions
    main.FACTOR = 8
    after = Closure(main.entry, (main.part(),)).functions
    assert [each.__name__ for each in before if before[each] != after[each]]


def test_an_implementation_that_is_marked_as_plain_python_is_named() -> None:
    plain = ("@area.on(Inner)", "@area.on(Inner, compiled=False)")
    main = workshop(plain)
    with pytest.raises(PlainPython, match=r"^`area` of Inner is plain Python$"):
        closure_digest(main.entry, (main.part(),))
    closure_digest(main.entry, (main.Outer(main.Other(1.0)),))  # is not reached from here
    main.area.on(main.Inner)(main.area_inner)
    assert closure_digest(main.entry, (main.part(),)) == digest(), "registered anew, it counts as any other"


def test_what_calls_itself_has_a_digest() -> None:
    recursive = ("return x - 2.0", "return x - 2.0 if x < 9.0 else first(x - 1.0)")
    assert digest(recursive) == digest(recursive) != digest()


THE_LOOP = """
import numpy as np, belated as bl
from belated.core.closures import Closure, closure_digest
from belated.sim.round_loop import play_chunk
from belated.sim.plan import Plan
from belated.sim.run import Run
learner, loss = bl.bdogd_sc_two_point(bl.Ball(3), 2.0, 0.1), bl.losses.Logistic(3, l2=0.1)
run = Run("one", learner, loss, Plan(9, 9, np.array([9])), None, 0)
print(closure_digest(play_chunk, run.arguments(np.zeros((9, loss.row_size)), np.ones(9, dtype=np.int64))))
"""


def test_the_digest_is_the_same_in_every_process() -> None:
    """That of the real loop, too, with other addresses and other hashes of strings."""
    digests = set()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", THE_LOOP], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(done.stdout)
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 32


@pytest.mark.parametrize(
    "what", ["a helper's helper of another module", "a constant", "an outer variable", "a line of an implementation"]
)
def test_a_digest_that_stays_on_the_surface_would_be_caught(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant looks at the function and not at what it names, as numba's own cache does."""
    monkeypatch.setattr(closures, "_named", lambda function: [])
    assert digest(MATTERS[what]) == digest()
