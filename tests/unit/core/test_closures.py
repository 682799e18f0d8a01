"""The digest of what compiled code is made of: it changes with everything that matters, and with nothing else.

A small module of parts, verbs and helpers, the workshop, is made from source text. Each test changes one piece of the
text and compares the digests.
"""

import math
import os
import subprocess
import sys
from contextlib import suppress
from enum import IntEnum
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from belated.core import closures
from belated.core.closures import Closure, closure_digest
from belated.core.code_names import code_text, references
from belated.core.errors import InvalidArgument, PlainPython
from belated.core.verbs import verb
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


LATE = (
    "def unasked(part: Any) -> float: ...",
    "def unasked(part: Any) -> float: ...\n\n"
    "class Late(NamedTuple):\n    size: float\n\n"
    "@area.on(Late)\ndef area_late(part):\n    return part.size * 41.0\n",
)
MET_LATE = (LATE, ("second(x) / 4.0", "second(x) / area(Late(4.0))"))
"""A class that is met deep within an implementation of the verb which has one for this class, too."""


def test_a_class_that_is_met_when_its_verb_was_looked_at_counts() -> None:
    changed = ("part.size * 41.0", "part.size * 42.0")
    assert digest(*MET_LATE) != digest(*MET_LATE, changed)
    assert digest(LATE) == digest(LATE, changed), "only if it is met"


def test_a_walk_that_is_not_repeated_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Closure, "_would_add", lambda closure, met: False)
    with pytest.raises(AssertionError):
        test_a_class_that_is_met_when_its_verb_was_looked_at_counts()


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
    monkeypatch.setattr(closures, "references", lambda function: [])
    assert digest(MATTERS[what]) == digest()


# Which name stands for what

HELPERS = "def one(x):\n    return 1.0\ndef two(x):\n    return 2.0 + x\n"
TWINS = "def adding(size):\n    def added(x):\n        return x + size\n    return added\n"
PARTS = "class One(NamedTuple):\n    size: float\nclass Two(NamedTuple):\n    size: float\n"
ITSELF = "def entry(x):\n    return entry.k"
LOOP = "return [getattr(low, n) for n in"
CALLS = "def entry(x):\n    return f(x) / g(x)"

EXCHANGES = {
    "two constants": ("A, B = 1.0, 2.0", "A, B = 2.0, 1.0", "def entry(x):\n    return A / (B + x)"),
    "two outer variables": (
        "a, b = 1.0, 2.0",
        "a, b = 2.0, 1.0",
        "def make(a, b):\n    def entry(x):\n        return a / (b + x)\n    return entry\nentry = make(a, b)",
    ),
    "two helpers": (f"{HELPERS}f, g = one, two", f"{HELPERS}f, g = two, one", CALLS),
    "two helpers of one name": (f"{TWINS}f, g = adding(1), adding(2)", f"{TWINS}f, g = adding(2), adding(1)", CALLS),
    "two helpers in a tuple": (
        f"{HELPERS}F = (one, two)",
        f"{HELPERS}F = (two, one)",
        "def entry(x):\n    return F[0](x)",
    ),
    "two functions of a library": (
        "from math import exp as f, sqrt as g",
        "from math import sqrt as f, exp as g",
        CALLS,
    ),
    "a function of math": ("from math import exp as f", "from math import sqrt as f", "def entry(x):\n    return f(x)"),
    "a function of numpy": (
        "from numpy import exp as f",
        "from numpy import sqrt as f",
        "def entry(x):\n    return f(x)",
    ),
    "one that dispatches": (
        "from numpy import sum as f",
        "from numpy import prod as f",
        "def entry(x):\n    return f(x)",
    ),
    "a library": ("import math as f", "import cmath as f", "def entry(x):\n    return f.exp(x)"),
    "two libraries": (
        "import math as f, numpy as g",
        "import numpy as f, math as g",
        "def entry(x):\n    return f.exp(g.sin(x))",
    ),
    "two modules": ("f, g = low, high", "f, g = high, low", "def entry(x):\n    return f.STEP / (g.STEP + x)"),
    "a module": ("f, g = low, high", "f, g = low, low", "def entry(x):\n    return f.STEP / (g.STEP + x)"),
    "the function of a module": ("low.f = math.exp", "low.f = math.sqrt", "def entry(x):\n    return low.f(x)"),
    "a text that names an attribute": ("low.A = 1.0", "low.A = 2.0", 'def entry(x):\n    return getattr(low, "A")'),
    "an attribute of an inner module": ("low.high = high", "low.high = low", "def entry(x):\n    return low.high.STEP"),
    "two implementations": (
        f"{PARTS}{HELPERS}area.on(One)(one)\narea.on(Two)(two)",
        f"{PARTS}{HELPERS}area.on(One)(two)\narea.on(Two)(one)",
        "def entry(x):\n    return area(One(x)) / area(Two(x))",
    ),
    "two classes": (
        f"{PARTS}{HELPERS}area.on(One)(one)\narea.on(Two)(two)\nF, G = One, Two",
        f"{PARTS}{HELPERS}area.on(One)(one)\narea.on(Two)(two)\nF, G = Two, One",
        "def entry(x):\n    return area(F(x)) / area(G(x))",
    ),
    "two default arguments": (
        "",
        "",
        "def entry(x, a=1.0, b=2.0):\n    return a / b",
        "def entry(x, a=2.0, b=1.0):\n    return a / b",
    ),
    "two default arguments with names": (
        "",
        "",
        "def entry(x, *, a=1.0, b=2.0):\n    return a / b",
        "def entry(x, *, a=2.0, b=1.0):\n    return a / b",
    ),
    "a long default argument": (
        "import numpy as np",
        "",
        "def entry(x, a=np.zeros(2000)):\n    return a",
        "import numpy as np\ndef entry(x, a=np.eye(1, 2000, 999)[0]):\n    return a",
    ),
    "a star": ("", "", "def entry(x, y=()):\n    return y", "def entry(x, *y):\n    return y"),
    "an attribute of a function": (
        "def f(x):\n    return f.k * x\nf.k = 1.0",
        "def f(x):\n    return f.k * x\nf.k = 2.0",
        "def entry(x):\n    return f(x)",
    ),
    "an attribute of itself": ("", "", "def entry(x):\n    return entry.k\nentry.k = 1.0", f"{ITSELF}\nentry.k = 2.0"),
    "two attributes of a function": (
        f"{HELPERS}one.a, one.b = 1.0, 2.0",
        f"{HELPERS}one.b, one.a = 1.0, 2.0",
        "def entry(x):\n    return one.a / one.b",
    ),
    "a text in a tuple": ("low.A = 1.0", "low.A = 2.0", f"def entry(x):\n    {LOOP} ('A', 'STEP')]"),
    "a text in a tuple of tuples": (
        "low.A = 1.0",
        "low.A = 2.0",
        f"def entry(x):\n    {LOOP} (('A', 1), ('A', 2))[0]]",
    ),
    "a text in a set": ("low.A = 1.0", "low.A = 2.0", f"def entry(x):\n    {LOOP} x if n in {{'A', 'STEP'}}]"),
    "who calls whom in a circle": (
        "def f(x):\n    return g(x) + 1.0\ndef g(x):\n    return f(x) + 2.0",
        "def f(x):\n    return f(x) + 1.0\ndef g(x):\n    return g(x) + 2.0",
        CALLS,
    ),
}


def module_of(text: str) -> dict[str, Any]:
    low, high = ModuleType("low"), ModuleType("high")
    low.STEP, high.STEP = 3.0, 4.0  # type: ignore[attr-defined]  # modules that are made here
    names = {"__name__": "made", "low": low, "high": high, "NamedTuple": NamedTuple, "math": math}
    names["area"] = verb(lambda part: None)
    exec(text, names)
    return names


def exchanged(what: str) -> tuple[Closure, Closure]:
    one, other, entry, *another = EXCHANGES[what]
    texts = f"{one}\n{entry}", f"{other}\n{(another or [entry])[0]}"
    first, second = (Closure(module_of(text)["entry"], ()) for text in texts)
    return first, second


@pytest.mark.parametrize("what", EXCHANGES)
def test_what_a_name_stands_for_counts(what: str) -> None:
    one, other = exchanged(what)
    again, _ = exchanged(what)
    assert one.digest == again.digest != other.digest
    assert one.nameless == again.nameless != other.nameless
    assert not one.opaque or what == "a library", "cmath is not known"


@pytest.mark.parametrize("what", ["two constants", "two outer variables", "two helpers", "two modules"])
def test_without_names_an_exchange_would_go_unseen(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant knows what is used, and not under which names."""

    def without_names(function: Any) -> list[tuple[str, Any]]:
        things = [thing for _, thing in references(function) if not isinstance(thing, ModuleType)]
        return [("", thing) for thing in sorted(things, key=lambda thing: getattr(thing, "__name__", repr(thing)))]

    monkeypatch.setattr(closures, "references", without_names)
    one, other = exchanged(what)
    assert one.digest == other.digest


@pytest.mark.parametrize("what", ["a function of math", "a function of numpy", "one that dispatches"])
def test_without_their_names_functions_of_libraries_would_be_one(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closures, "public_name", lambda thing: "something of a library")
    one, other = exchanged(what)
    assert one.digest == other.digest


def test_by_their_names_helpers_of_one_name_would_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant mentions a function by its name, and not by its number in the walk, and has no order."""
    mention = closures._Walk.mention

    def by_name(walk: Any, thing: Any) -> str:
        mention(walk, thing)
        return str(thing.__name__)

    monkeypatch.setattr(closures._Walk, "mention", by_name)
    monkeypatch.setattr(closures._Walk, "digest", lambda walk, named: sorted(walk._texts))
    one, other = exchanged("two helpers of one name")
    assert one.digest == other.digest


def test_functions_are_known_by_what_their_names_stand_for() -> None:
    """That is what the compiler is asked about: it remembers every function with what it then called."""
    for other in ("in_a_comprehension", "raised_to(9)", "raised_to(10)", "Made"):
        main = workshop()
        before = Closure(main.entry, (main.part(),)).functions
        main.to_the_ninth = eval(other, vars(main))
        after = Closure(main.entry, (main.part(),)).functions
        changed = {each.__name__ for each in before if before[each] != after.get(each, before[each])}
        assert changed == {"entry"}


def test_a_function_that_is_defined_anew_as_it_was_counts_as_the_same() -> None:
    main = workshop()
    before = Closure(main.entry, (main.part(),)).functions
    exec("@compilable\ndef second(x):\n    return x - 2.0", vars(main))
    after = Closure(main.entry, (main.part(),)).functions
    assert before.keys() != after.keys()
    assert all(before[each] == after[each] for each in before.keys() & after.keys())


def test_functions_do_not_depend_on_where_the_walk_began() -> None:
    main = workshop()
    outer, inner = Closure(main.entry, (main.part(),)).functions, Closure(main.entry, (main.Inner(1.0),)).functions
    assert inner.keys() < outer.keys()
    assert all(outer[each] == text for each, text in inner.items())


def test_a_set_in_the_code_has_one_order() -> None:
    """That of texts differs between processes, and that of these numbers with the order in which they were put in."""
    one, other = frozenset((0, 8)), frozenset((8, 0))
    assert list(one) != list(other)
    texts = {code_text.__wrapped__(entry_of((each, (each,)))) for each in (one, other)}
    assert len(texts) == 1


def entry_of(constants: tuple[Any, ...]) -> CodeType:
    def entry(x):
        return x

    return entry.__code__.replace(co_consts=constants)


@pytest.mark.parametrize(
    "text",
    [
        "def entry(x):\n    from somewhere import f\n    return f(x)",
        "def entry(x):\n    from .math import f\n    return f(x)",
        "def made():\n    def entry(x):\n        return f\n    return entry\n    f = 1.0\nentry = made()",
        "import numpy as np\nf = np.frompyfunc(lambda x: x, 1, 1)\ndef entry(x):\n    return f(x)",
        "import numpy as np\nf = np.array([low])\ndef entry(x):\n    return f",
        "f = (object(),)\ndef entry(x):\n    return f",
        "def entry(x, f=object()):\n    return f",
        "class F:\n    pass\ndef entry(x):\n    return F",
        "class F(float):\n    pass\nf = F(1.0)\ndef entry(x):\n    return f",
        "class F:\n    def __getattr__(self, name):\n        return 1.0\nf = F()\ndef entry(x):\n    return f",
        "def entry(x):\n    return globals()['low']",
        "def entry(x):\n    return [vars(x) for _ in range(2)]",
        "def entry(x):\n    return locals()",
        "def entry(x):\n    return eval('low.STEP')",
        "def entry(x):\n    exec('low.STEP')",
        "def entry(x):\n    return __import__('somewhere')",
        "f = globals\ndef entry(x):\n    return f()['low']",
        "import builtins\ndef entry(x):\n    return builtins.globals()",
        "def entry(x):\n    import builtins\n    return builtins.globals()",
        "def f():\n    pass\ndef entry(x):\n    return f.__globals__['low']",
        "def f():\n    pass\ndef entry(x):\n    return f.__dict__['low']",
        "def f():\n    pass\nf.k = object()\ndef entry(x):\n    return f.k",
    ],
)
def test_what_hides_something_is_opaque(text: str) -> None:
    assert Closure(module_of(text)["entry"], ()).opaque
    assert Closure(module_of(text)["entry"], (), plain=True).opaque


def test_a_name_of_ones_own_hides_nothing() -> None:
    assert not Closure(module_of("def vars(x):\n    return x\ndef entry(x):\n    return vars(x)")["entry"], ()).opaque


def test_notes_on_a_function_do_not_count() -> None:
    """Such as a decorator makes, and nobody reads."""
    text = "def entry(x):\n    return x\nentry.__signature__ = object()"
    assert not Closure(module_of(text)["entry"], ()).opaque
    assert not Closure(module_of(f"{text}\nentry.note = object()")["entry"], (), plain=True).opaque


def test_an_import_from_a_library_hides_nothing() -> None:
    assert not Closure(module_of("def entry(x):\n    from math import exp\n    return exp(x)")["entry"], ()).opaque


# Plain Python, in which methods of parts are called

PART_WITH_METHODS = """
class Base:
    __slots__ = ()
    SCALE = 5.0
    def inherited(self):
        return self.SCALE * 7.0
    def unused(self):
        return 11.0

class Kept(NamedTuple):
    size: float
    @property
    def area(self):
        return self.size * 3.0
    @classmethod
    def made(cls):
        return cls(13.0)

class Whole(Base, Kept):
    __slots__ = ()
    def __call__(self, x):
        return x * 17.0

WHOLE = Whole(1.0)

def entry(x):
    return WHOLE.area + WHOLE.inherited() + WHOLE(x) + Whole.made()._replace(size=2.0).size
"""


@pytest.mark.parametrize("change", ["5.0", "7.0", "3.0", "13.0", "17.0"])
def test_methods_count_in_plain_python(change: str) -> None:
    def closure(text: str, plain: bool) -> Closure:
        return Closure(module_of(text)["entry"], (), plain=plain)

    changed = PART_WITH_METHODS.replace(change, "99.0")
    assert closure(changed, True).digest != closure(PART_WITH_METHODS, True).digest
    assert closure(changed, False).digest == closure(PART_WITH_METHODS, False).digest, "numba compiles no methods"
    unused = PART_WITH_METHODS.replace("11.0", "99.0")
    assert closure(unused, True).digest == closure(PART_WITH_METHODS, True).digest
    assert not closure(PART_WITH_METHODS, True).opaque
