"""Machine code: compiled once for each combination of types, never stale, kept on disk, and optional.

In this process functions are made from text without a file, so that nothing is kept and every test compiles for itself.
What is kept is tested with real processes that share a cache, on functions so small that compiling takes no time.
"""

import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config
from numba.core.codegen import CPUCodegen as Codegen
from numba.core.dispatcher import Dispatcher

from belated.core import compiling, numba_door
from belated.core.compiling import compiled
from belated.core.errors import CannotCompile, PlainPython
from belated.patience import looking
from support.compiler import needs_compiler
from support.nursery import Nursery

pytestmark = needs_compiler

SOURCE = """
from typing import Any, NamedTuple

import numpy as np

from belated.core.verbs import compilable, verb

class Square(NamedTuple):
    side: float

@verb
def area(part: Any) -> float: ...

@area.on(Square)
def area_square(part):
    return part.side * part.side

def twice(part):
    return area(part) * 2.0

def thrice(part):
    return area(part) * 3.0

def makes_an_array(size):
    total = 0.0
    for number in np.arange(size):
        total += number
    return total

def copies_an_array(numbers):
    return numbers.copy().sum()

class Room(NamedTuple):
    full: float

ROOM = Room(2.0)

def reads_a_field(part):
    return np.sqrt(ROOM.full) * part.size

def tells_its_name(part):
    return len(str(type(part).__mro__))

def doubled(x):
    return x + x
"""


class Compiled(BaseException):
    """Somebody has called the compiler; not an ``Exception``, so that nobody takes it for a failure to compile."""


@pytest.fixture
def shop() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "shop"}
    exec(SOURCE, names)
    return names


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it to forbid compiling from now on."""

    def forbidden(*arguments: Any) -> None:
        raise Compiled

    return lambda: monkeypatch.setattr(Dispatcher, "compile", forbidden)


def test_compiled_code_does_what_the_function_does(shop):
    part = shop["Square"](0.1)
    assert compiled(shop["twice"], part)(part) == shop["twice"](part)


def test_code_is_vectorised_even_if_the_environment_has_changed_and_that_of_others_is_not(shop, monkeypatch):
    seen, original = [], Codegen._pass_builder

    def watched(self, **options):
        seen.append(vars(config)["SLP_VECTORIZE"])
        return original(self, **options)

    monkeypatch.setattr(Codegen, "_pass_builder", watched)
    monkeypatch.setenv("NUMBA_WHATEVER", "1")  # numba then reads all its settings anew
    compiled(shop["twice"], shop["Square"](1.0))
    assert set(seen) == {1}
    assert vars(config)["SLP_VECTORIZE"] == 0


def test_the_same_function_and_types_give_the_same_code(shop, no_compiler):
    code = compiled(shop["twice"], shop["Square"](1.0))
    no_compiler()
    assert compiled(shop["twice"], shop["Square"](2.0)) is code
    with pytest.raises(Compiled):
        compiled(shop["twice"], shop["Square"](2))


def test_a_process_knows_whether_it_has_asked_for_code(shop, monkeypatch):
    monkeypatch.setattr(compiling, "_outcomes", {})
    assert not compiling.in_use()
    compiled(shop["doubled"], 2.5)
    assert compiling.in_use()


def test_other_types_get_code_of_their_own(shop):
    assert compiled(shop["doubled"], 2)(2) == 4
    assert compiled(shop["doubled"], 2.5)(2.5) == 5.0
    assert compiled(shop["doubled"], 2j)(2j) == 4j


@pytest.mark.parametrize(
    ("name", "argument", "tried"),
    [
        ("doubled", 1.0, [True]),
        ("makes_an_array", 5, [False]),
        ("reads_a_field", np.arange(4.0), [True]),  # which has the name of a function of NumPy
        ("copies_an_array", np.arange(4.0), [True, False]),  # which no name of NumPy tells
    ],
)
def test_code_that_makes_no_array_has_no_memory_management_and_other_code_has(shop, name, argument, tried, monkeypatch):
    """And code that says that it makes arrays is not compiled in vain."""
    ways, original = [], numba_door.Way.compiled
    monkeypatch.setattr(numba_door.Way, "compiled", lambda way, kinds: ways.append(way.lean) or original(way, kinds))
    code = compiled(shop[name], argument)
    assert code(argument) == shop[name](argument)
    (outcome,) = [each for (function, _), each in compiling._outcomes.items() if function is shop[name]]
    assert ways == tried
    assert outcome.lean is tried[-1]


def test_what_cannot_be_compiled_says_so_and_the_second_time_at_once(shop, no_compiler):
    part = shop["Square"](1.0)
    with pytest.raises(CannotCompile, match=r"^`tells_its_name` cannot be compiled: ") as first:
        compiled(shop["tells_its_name"], part)
    no_compiler()
    with pytest.raises(CannotCompile) as second:
        compiled(shop["tells_its_name"], part)
    assert str(first.value) == str(second.value)
    assert "\n" not in str(first.value)
    assert shop["tells_its_name"](part) > 0, "it still runs as it is"


def test_what_has_no_type_cannot_be_compiled(shop, no_compiler):
    no_compiler()
    with pytest.raises(CannotCompile, match=r"^`doubled` cannot be compiled: "):
        compiled(shop["doubled"], object())


def test_what_is_plain_python_is_not_even_tried(shop, no_compiler):
    no_compiler()
    shop["area"].on(shop["Square"], compiled=False)(shop["area_square"])
    with pytest.raises(PlainPython, match=r"^`area` of Square is plain Python$"):
        compiled(shop["twice"], shop["Square"](1.0))


def test_what_was_registered_as_plain_python_can_be_registered_anew(shop):
    part = shop["Square"](3.0)
    shop["area"].on(shop["Square"], compiled=False)(lambda part: 1.0)
    with pytest.raises(PlainPython):
        compiled(shop["twice"], part)
    shop["area"].on(shop["Square"])(shop["area_square"])
    assert compiled(shop["twice"], part)(part) == 18.0


def negative(part):
    return -part.side


def test_a_changed_implementation_is_refused_and_the_old_one_welcome_back(shop):
    part = shop["Square"](3.0)
    code = compiled(shop["twice"], part)
    shop["area"].on(shop["Square"])(negative)
    with pytest.raises(CannotCompile, match=r"^`twice`: something that it uses has changed since it was compiled"):
        compiled(shop["twice"], part)
    shop["area"].on(shop["Square"])(shop["area_square"])
    assert compiled(shop["twice"], part) is code


def test_a_class_that_is_defined_anew_is_compiled_anew(shop):
    again = {"__name__": "shop"}
    exec(SOURCE.replace("part.side * part.side", "-part.side"), again)
    for names, expected in ((shop, 18.0), (again, -6.0), (shop, 18.0)):
        part = names["Square"](3.0)
        assert compiled(names["twice"], part)(part) == expected


def test_another_function_does_not_get_the_old_implementation(shop):
    """The new one or a refusal: but not the code of what is no longer there, under the digest of what is."""
    part = shop["Square"](3.0)
    compiled(shop["twice"], part)
    shop["area"].on(shop["Square"])(negative)
    try:
        code = compiled(shop["thrice"], part)
    except CannotCompile:
        return
    assert code(part) == shop["thrice"](part)


def test_a_constant_that_has_changed_is_not_compiled_as_it_was(shop):
    """numba remembers a helper with the constants that it read first, also for others who call it."""
    exec(
        "FACTOR = 2.0\n@compilable\ndef scaled(x):\n    return FACTOR * x\n"
        "def one(x):\n    return scaled(x)\ndef two(x):\n    return scaled(x) + 0.0",
        shop,
    )
    assert compiled(shop["one"], 1.5)(1.5) == 3.0
    shop["FACTOR"] = 5.0
    for name in ("one", "two"):
        with pytest.raises(CannotCompile, match=rf"^`{name}`: something that it uses has changed"):
            compiled(shop[name], 1.5)
    shop["FACTOR"] = 2.0
    assert compiled(shop["two"], 1.5)(1.5) == 3.0


def test_a_failure_of_the_moment_is_not_remembered(shop, monkeypatch):
    def failing(*arguments):
        raise MemoryError

    with monkeypatch.context() as moment:
        moment.setattr("numba.core.dispatcher._FunctionCompiler.compile", failing)
        with pytest.raises(CannotCompile, match="MemoryError"):
            compiled(shop["doubled"], 2.5)
    assert compiled(shop["doubled"], 2.5)(2.5) == 5.0


def test_code_whose_compilation_nobody_waited_for_is_there_the_next_time(shop, monkeypatch):
    """Ctrl-C while it compiles; who asks again waits for the same compilation and does not begin another."""
    begun, may_go_on, compilations = threading.Event(), threading.Event(), []
    original = numba_door.Way.compiled

    def slow(way, kinds):
        compilations.append(way)
        begun.set()
        assert may_go_on.wait(60.0)
        return original(way, kinds)

    def press():
        if begun.is_set():
            raise KeyboardInterrupt

    monkeypatch.setattr(numba_door.Way, "compiled", slow)
    with looking(press), pytest.raises(KeyboardInterrupt):
        compiled(shop["doubled"], 2.5)
    may_go_on.set()
    assert compiled(shop["doubled"], 2.5)(2.5) == 5.0
    assert len(compilations) == 1


@pytest.mark.parametrize(
    ("place", "inside"),
    [
        ('File "src/belated/core/stacks.py", line 3', True),
        ('File "../belated/src/belated/core/stacks.py", line 3', True),
        ('File "/a b/belated/src/belated/core/stacks.py", line 3:', True),
        ('File "stacks.py", line 3', True),
        ('File "my_stacks.py", line 3', False),
        ('File "../belated/own/core/stacks.py", line 3', False),
        ('File "<string>", line 3', False),
        ("File unknown", False),
    ],
)
def test_places_of_the_library_are_known_by_their_files_and_not_by_a_word(place, inside):
    assert compiling._is_in(place, "/a b/belated/src/belated/core/stacks.py") is inside


def test_a_refusal_names_the_users_line_also_in_a_folder_that_is_called_like_the_library(tmp_path):
    folder = tmp_path / "belated"
    folder.mkdir()
    (folder / "mine.py").write_text("def own(x):\n    return len(str(type(x).__mro__))\n")
    names = {"__name__": "mine"}
    exec(compile((folder / "mine.py").read_text(), str(folder / "mine.py"), "exec"), names)
    with pytest.raises(CannotCompile, match=r'belated/mine\.py", line 2'):
        compiled(names["own"], 1.5)


def test_what_cannot_be_looked_at_cannot_be_compiled(shop):
    """A variable of an outer function that has no value yet."""

    def entry(x):
        return x + later

    with pytest.raises(CannotCompile, match=r"^`entry` cannot be compiled"):
        compiled(entry, 1.5)
    later = 1.0
    assert entry(1.5) == 2.5


def test_arithmetic_follows_ieee_and_raises_nothing(shop):
    exec("def divided(x, y):\n    return x / y", shop)
    code = compiled(shop["divided"], 1.0, 0.0)
    assert code(1.0, 0.0) == np.inf
    assert np.isnan(code(0.0, 0.0))


# What is kept. Every process below is a fresh one.

HELPERS = """
from belated.core.verbs import compilable

@compilable
def helped(x):
    return x + 1.0
"""

TINY = """
import sys

import helpers
from belated.core.compiling import compiled

def tiny(x):
    return helpers.helped(x) * 2.0

def forbid():
    from numba.core.dispatcher import Dispatcher

    def forbidden(*arguments):
        raise SystemExit("compiled although it was kept")

    Dispatcher.compile = forbidden
"""

RUN = "from tiny import *; print(compiled(tiny, 3.0)(3.0))"
LOAD = "from tiny import *; forbid(); print(compiled(tiny, 3.0)(3.0))"


class Place:
    """A directory with the two modules and a cache beside them, and a way to run Python there."""

    def __init__(self, path: Path, nursery: Nursery) -> None:
        self.path, self.cache, self._nursery = path, path / "cache", nursery
        (path / "helpers.py").write_text(HELPERS)
        (path / "tiny.py").write_text(TINY)

    def run(self, code: str, **environment: str) -> str:
        (answer,) = self.run_together([code], **environment)
        return answer

    def run_together(self, codes: list[str], **environment: str) -> list[str]:
        settings = {"NUMBA_CACHE_DIR": str(self.cache), **environment}
        ended = self._nursery.run(codes, str(self.path), settings)
        for process in ended:
            assert (process.status, process.err) == (0, "")
        return [process.out.strip() for process in ended]

    def files(self, ending: str = "nb[ic]") -> list[Path]:
        return sorted(self.cache.rglob(f"*.{ending}"))


@pytest.fixture(scope="module")
def nursery():
    with Nursery() as opened:
        yield opened


@pytest.fixture
def place(tmp_path, nursery):
    return Place(tmp_path, nursery)


def test_a_process_from_the_shell_finds_what_another_has_compiled(place):
    """The one test with processes that begin at the beginning; the others are copies of one that has numba at hand."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(place.cache), "PYTHONDONTWRITEBYTECODE": "1"}
    for code in (RUN, LOAD):
        command = [sys.executable, "-W", "error", "-c", code]
        done = subprocess.run(command, cwd=place.path, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "8.0\n", "")


def test_a_second_process_loads_what_the_first_has_compiled(place):
    assert place.run(RUN) == "8.0"
    assert [file.name[:5] for file in place.files()] == ["tiny-"] * 2
    before = {file: file.read_bytes() for file in place.files()}
    assert place.run(LOAD) == "8.0"
    assert {file: file.read_bytes() for file in place.files()} == before


def test_a_changed_helper_is_noticed_and_the_old_one_remembered(place):
    assert place.run(RUN) == "8.0"
    (place.path / "helpers.py").write_text(HELPERS.replace("x + 1.0", "x - 1.0"))
    assert place.run(RUN) == "4.0"
    assert len(place.files()) == 4
    (place.path / "helpers.py").write_text("# as before\n" + HELPERS)
    assert place.run(LOAD) == "8.0"


def test_other_types_are_kept_beside_each_other(place):
    assert place.run("from tiny import *; print(compiled(tiny, 3.0)(3.0), compiled(tiny, 3)(3))") == "8.0 8.0"
    assert place.run("from tiny import *; forbid(); print(compiled(tiny, 3.0)(3.0), compiled(tiny, 3)(3))") == "8.0 8.0"


def test_code_of_other_types_is_not_taken_for_the_right_one(place):
    """Two processes that save at once could leave an index and code that do not belong together."""
    place.run("from tiny import *; compiled(tiny, 3.0); compiled(tiny, 3)")
    first, second = place.files("nbc")
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)
    assert place.run("from tiny import *; print(compiled(tiny, 3.5)(3.5), compiled(tiny, 3)(3))") == "9.0 8.0"


def test_processes_that_start_together_agree_and_leave_a_cache_that_can_be_used(place):
    assert place.run_together([RUN] * 6) == ["8.0"] * 6
    assert not list(place.cache.rglob("*.tmp.*"))
    assert place.run(LOAD) == "8.0"


DAMAGE = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "garbage": lambda content: bytes(range(256)),
    "a bit": lambda content: (
        content[: len(content) // 2] + bytes([content[len(content) // 2] ^ 4]) + content[len(content) // 2 + 1 :]
    ),
}


@pytest.mark.parametrize(
    ("ending", "damage"), [*itertools.product(["nbi", "nbc"], ["empty", "cut", "garbage"]), ("nbc", "a bit")]
)
def test_a_damaged_file_is_as_good_as_none(place, ending, damage):
    place.run(RUN)
    (file,) = place.files(ending)
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    assert place.run(RUN) == "8.0"
    if ending == "nbc":
        assert place.run(LOAD) == "8.0", "and it is mended"


def test_a_damaged_index_is_mended(place):
    place.run(RUN)
    (file,) = place.files("nbi")
    file.write_bytes(b"garbage")
    place.run(RUN)
    assert place.run(LOAD) == "8.0"


def test_code_without_its_index_and_an_index_without_its_code_are_as_good_as_none(place):
    for ending in ("nbi", "nbc"):
        place.run(RUN)
        (file,) = place.files(ending)
        file.unlink()
        assert place.run(RUN) == "8.0"
        assert place.run(LOAD) == "8.0"


def test_where_nothing_can_be_written_code_is_compiled_every_time(place):
    """Below files in place of directories, so that it holds for root, too: the one named, the source's, the user's."""
    (place.path / "file").write_text("")
    (place.path / "__pycache__").write_text("")
    nowhere = dict.fromkeys(["NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME"], str(place.path / "file" / "below"))
    assert place.run(RUN, **nowhere) == "8.0"
    assert place.run(RUN, **nowhere) == "8.0"
    assert not list(place.path.rglob("*.nb?"))


def test_a_place_that_cannot_be_written_when_it_comes_to_that_does_no_harm(place):
    """A directory where the index should be: there, but neither to be read nor to be replaced."""
    place.run(RUN)
    for file in place.files():
        file.unlink()
        file.mkdir()
        (file / "in the way").write_text("")
    assert place.run(RUN) == "8.0"


def test_a_function_without_a_file_is_compiled_and_not_kept(place):
    assert place.run("from tiny import *\ndef here(x):\n    return x\nprint(compiled(here, 1.5)(1.5))") == "1.5"
    assert place.files() == []


def test_an_old_implementation_is_not_kept_under_the_name_of_the_new_one(place):
    """The first process exchanges an implementation between two functions; the second has the new one only."""
    (place.path / "shop.py").write_text(SOURCE + "\ndef negative(part):\n    return -part.side\n")
    begin = "from shop import *; from belated.core.compiling import compiled; part = Square(3.0)\n"
    change = "area.on(Square)(negative)\n"
    place.run(f"{begin}compiled(twice, part)\n{change}try: compiled(thrice, part)\nexcept TypeError: pass")
    assert place.run(f"{begin}{change}print(compiled(thrice, part)(part))") == "-9.0"
